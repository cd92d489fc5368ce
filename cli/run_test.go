package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweep/internal/testutil"
	"sweep/runner"
)

const slowSpec = `
name = "slow"
experiment = "toy"
seeds = 30
[grid]
algorithm = ["sum", "product"]
pause = 1000
`

// start begins a program beside a spec, slow.toml, and returns once a file
// there has a text.
func start(t *testing.T, cmd *exec.Cmd, dir, spec, file, text string) (stderr *bytes.Buffer) {
	t.Helper()
	write(filepath.Join(dir, "slow.toml"), spec)
	stderr = new(bytes.Buffer)
	cmd.Dir, cmd.Stderr = dir, stderr
	testutil.NoError(cmd.Start())
	await(t, cmd, file, text)
	return stderr
}

// await returns once a file beside a program has a text.
func await(t *testing.T, cmd *exec.Cmd, file, text string) {
	t.Helper()
	for range 6000 {
		if content, err := os.ReadFile(filepath.Join(cmd.Dir, file)); err == nil && bytes.Contains(content, []byte(text)) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Fatalf("there is no %s with %q; stderr:\n%s", file, text, cmd.Stderr)
}

// ended sends signals to a program, which must end with a code and say texts on
// stderr.
func ended(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer, code int, said []string, signals ...os.Signal) {
	t.Helper()
	for _, s := range signals {
		testutil.NoError(cmd.Process.Signal(s))
	}
	_ = cmd.Wait()
	missing := func(text string) bool { return !strings.Contains(stderr.String(), text) }
	if got := cmd.ProcessState.ExitCode(); got != code || slices.ContainsFunc(said, missing) {
		t.Fatalf("exit code %d, want %d; want %q on stderr:\n%s", got, code, said, stderr)
	}
}

// A signal ends a sweep in good order, and the same command goes on. A sweep
// that can go on later is given back to the queue, one that somebody ended is
// not. Without -thorough, the signals are SIGTERM and SIGUSR1 only.
func TestInterruptedSweepGoesOn(t *testing.T) {
	t.Parallel() // each mostly sleeps
	quick := []string{"terminated", "user defined signal 1"}
	for _, s := range interrupts { // which depend on the system
		if !slices.Contains(quick, s.String()) && !testutil.Thorough() {
			continue
		}
		requeued := !slices.Contains([]os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}, s)
		t.Run(s.String(), func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("the tests were started with this signal ignored, as by nohup, and so is the program")
			}
			t.Parallel() // it mostly sleeps
			dir := t.TempDir()
			cmd := exec.Command("sweep", "run", "slow.toml", "-o", "out", "--workers", "2",
				"--requeue-with", "touch requeued; sweep run slow.toml -o out --workers 60 --quiet; exit 3")
			stderr := start(t, cmd, dir, slowSpec, "out/runs.jsonl", `"status":"ok"`)
			ended(t, cmd, stderr, exitInterrupted, []string{"sweep: interrupted: out holds "}, s)
			_, ranErr := os.Stat(filepath.Join(dir, "requeued"))
			_, doneErr := os.Stat(filepath.Join(dir, "out/runs.parquet")) // the directory was free for the command
			told := bytes.Contains(stderr.Bytes(), []byte(": exit status 3\n"))
			if (ranErr == nil) != requeued || (doneErr == nil) != requeued || told != requeued {
				t.Errorf("the command has run: %v, could go on: %v, its failure is told: %v; want %v; stderr:\n%s",
					ranErr == nil, doneErr == nil, told, requeued, stderr)
			}
			table := ends(t, dir, 0, " of 60 runs are there already\n", "run", "slow.toml", "-o", "out", "--workers", "60")
			if whole := ends(t, dir, 0, "", "run", "slow.toml", "-o", "whole", "--workers", "60"); table != whole {
				t.Errorf("taken up again, the table is:\n%s\nuninterrupted:\n%s", table, whole)
			}
			sameFiles(t, filepath.Join(dir, "out"), filepath.Join(dir, "whole"))
		})
	}
}

// What does not end within the grace is given up, at a second signal at once.
// The programs of runs end, too, and what they have started.
func TestGraceEnds(t *testing.T) {
	const spec = `
experiment = "command"
seeds = 2
[command]
run = '(trap "" TERM; while :; do echo >> {dir}/alive; sleep 0.02; done) & wait'
shell = true
version = "1"
metrics = ["x"]
`
	for name, test := range map[string]struct {
		grace string
		again []os.Signal
		code  int
		said  []string
	}{
		"grace": {"100ms", nil, exitInterrupted,
			[]string{`"msg":"interrupted"`, `"signal":"SIGTERM","grace_s":0.1`, `"given_up":2`, `"error":"interrupted: out holds `}},
		"second signal": {"1h", []os.Signal{syscall.SIGTERM}, 128 + int(syscall.SIGTERM), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			dir := t.TempDir()
			cmd := exec.Command("sweep", strings.Fields("run slow.toml -o out --workers 2 --log-format json --log-file log --grace "+test.grace)...)
			stderr := start(t, cmd, dir, spec, "alive", "\n\n\n")
			begin := time.Now()
			testutil.NoError(cmd.Process.Signal(syscall.SIGTERM))
			await(t, cmd, "log", `"msg":"interrupted"`) // two signals at once may arrive as one
			ended(t, cmd, stderr, test.code, test.said, test.again...)
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %v; stderr:\n%s", took, stderr)
			}
			before := read(filepath.Join(dir, "alive"))
			time.Sleep(500 * time.Millisecond)
			if after := read(filepath.Join(dir, "alive")); len(after) != len(before) {
				t.Errorf("the programs go on: %d lines, then %d; stderr:\n%s", len(before), len(after), stderr)
			}
		})
	}
}

// A signal that was ignored when the program began stays ignored, as nohup
// wants it.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel() // it mostly sleeps
	cmd := exec.Command("sh", "-c", "trap '' HUP INT; exec sweep run slow.toml -o out --workers 12")
	stderr := start(t, cmd, t.TempDir(), slowSpec, "out/runs.jsonl", `"status":"ok"`)
	ended(t, cmd, stderr, 0, nil, syscall.SIGHUP, syscall.SIGINT)
	if strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("stderr:\n%s", stderr)
	}
}

// A directory has one writer and any number of readers, who see the sweep while
// it runs, and a killed writer does not count. Who finds it locked goes back to
// the queue.
func TestOneWriter(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	first := exec.Command("sweep", strings.Fields("run slow.toml -o out --workers 2")...)
	start(t, first, dir, slowSpec, "out/runs.jsonl", `"status":"ok"`)
	host, _ := os.Hostname()
	want := fmt.Sprintf("sweep: out: another process is writing here: process %d on %s", first.Process.Pid, host)
	again := []string{"run", "slow.toml", "-o", "out", "--workers", "60", "--requeue-with", "touch requeued"}
	ends(t, dir, exitInterrupted, want, again...)
	testutil.NoError(os.Remove(filepath.Join(dir, "requeued")))
	s := testutil.Must(runner.ReadStatus(filepath.Join(dir, "out"), toys(), false))
	tables := statusTables(s, testutil.Must(addRuns(s, 0)))
	_, rows, _ := tables[len(tables)-1].Shown(0)
	if s.State != runner.Running || s.Runs != 60 || s.Done == 0 || s.Done+s.Missing != 60 ||
		len(tables) < 2 || len(rows) == 0 ||
		len(s.Parts) != 1 || s.Parts[0].PID != first.Process.Pid || s.Parts[0].Missing == 0 || s.Parts[0].OK+s.Parts[0].Missing != s.Parts[0].Runs {
		t.Errorf("status %+v of process %d", s, first.Process.Pid)
	}
	ends(t, dir, 0, "", "table", "out")
	_ = first.Process.Kill()
	_ = first.Wait()
	ends(t, dir, 0, "are there already", again...)
	if _, err := os.Stat(filepath.Join(dir, "requeued")); err == nil {
		t.Error("a finished sweep was given back to the queue")
	}
}
