package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"sweep/experiment"
	"sweep/sweeps"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata")

// TestMain makes the program itself, with toy experiments, available to
// the tests as the command sweep.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sweep":         func() { os.Exit(run(toys())) },
		"sweep-reading": func() { os.Exit(run([]*experiment.Experiment{reading()})) },
		"sweep-impatient": func() {
			closing = 100 * time.Millisecond
			os.Exit(run(toys()))
		},
		"sweep-changed": func() { os.Exit(run(changedToys())) },
		"sweep-newer":   func() { os.Exit(run(newerToys())) },
		"sweep-invalid": func() {
			os.Exit(run([]*experiment.Experiment{{Name: "no results"}}))
		},
		"sweep-broken": func() {
			os.Exit(run([]*experiment.Experiment{nil}))
		},
	})
}

// program returns the program under test over experiments.
func program(experiments []*experiment.Experiment) *Program {
	return &Program{Name: "sweep", Experiments: experiments, Sweeps: sweeps.FS}
}

func run(experiments []*experiment.Experiment) int {
	return program(experiments).execute(os.Args[1:], os.Stdout, os.Stderr)
}

// The scripts in testdata are what people type and see.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    exitsWith,
			"records": areRecords,
			"flip":    flips,
		},
	})
}

// exitsWith is the script command "code N PROGRAM ARGS": the program must
// end with exit code N.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// flips is the script command "flip FILE TEXT": one bit of the character
// after a text is flipped.
func flips(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE TEXT")
	}
	path := ts.MkAbs(args[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	at := bytes.Index(content, []byte(args[1]))
	if at < 0 {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	content[at+len(args[1])] ^= 1
	ts.Check(os.WriteFile(path, content, 0o666))
}

// areRecords is the script command "records FILE": every line must be a
// JSON object with the attributes of all records.
func areRecords(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: records FILE")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			ts.Fatalf("%s: %v", line, err)
		}
		for _, key := range []string{"time", "level", "msg", "sweep", "sweep_id"} {
			if record[key] == nil {
				ts.Fatalf("%s has no %q", line, key)
			}
		}
	}
}

const slowSpec = `
name = "slow"
experiment = "toy"
seeds = 30
[grid]
algorithm = ["sum", "product"]
pause = 50
`

// start begins a sweep, with further flags, and returns once its first rows
// are on disk.
func start(t *testing.T, dir string, stderr *bytes.Buffer, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sweep", append([]string{"run", "slow.toml", "-o", "out", "--workers", "2"}, flags...)...)
	cmd.Dir, cmd.Stderr = dir, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started(t, cmd, dir, stderr)
	return cmd
}

// started returns once the first rows of a sweep are on disk.
func started(t *testing.T, cmd *exec.Cmd, dir string, stderr *bytes.Buffer) {
	t.Helper()
	for range 1000 {
		if log, _ := os.ReadFile(filepath.Join(dir, "out/runs.jsonl")); bytes.Contains(log, []byte(`"status":"ok"`)) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Fatalf("no run appeared; stderr:\n%s", stderr)
}

// A signal ends a sweep in good order, and the same command goes on. A sweep
// that can go on later is given back to the queue, one that somebody ended is
// not.
func TestInterruptedSweepGoesOn(t *testing.T) {
	for _, s := range interrupts { // which depend on the system
		sent := s.(syscall.Signal)
		requeued := sent != syscall.SIGTERM && sent != syscall.SIGHUP && sent != syscall.SIGINT
		t.Run(sent.String(), func(t *testing.T) {
			if signal.Ignored(sent) {
				t.Skip("the tests were started with this signal ignored, as by nohup, and so is the program")
			}
			t.Parallel() // it mostly sleeps
			dir := t.TempDir()
			write(t, filepath.Join(dir, "slow.toml"), slowSpec)
			var stderr bytes.Buffer
			cmd := start(t, dir, &stderr, "--requeue-with", "touch requeued; sweep run slow.toml -o out --quiet; exit 3")
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
				t.Fatalf("exit code %d, want %d; stderr:\n%s", got, exitInterrupted, &stderr)
			}
			if !strings.Contains(stderr.String(), "sweep: interrupted: out holds ") {
				t.Errorf("stderr does not say what is left:\n%s", &stderr)
			}
			_, ranErr := os.Stat(filepath.Join(dir, "requeued"))
			_, doneErr := os.Stat(filepath.Join(dir, "out/runs.parquet")) // the directory was free for the command
			told := bytes.Contains(stderr.Bytes(), []byte(": exit status 3\n"))
			if (ranErr == nil) != requeued || (doneErr == nil) != requeued || told != requeued {
				t.Errorf("the command has run: %v, could go on: %v, its failure is told: %v; want %v; stderr:\n%s",
					ranErr == nil, doneErr == nil, told, requeued, &stderr)
			}
			stdout, errText, code := sweep(t, dir, "run", "slow.toml", "-o", "out")
			if code != 0 || !strings.Contains(errText, " of 60 runs are there already\n") {
				t.Errorf("taken up again: code %d, stderr:\n%s", code, errText)
			}
			whole, _, code := sweep(t, dir, "run", "slow.toml", "-o", "whole")
			if code != 0 || whole != stdout {
				t.Errorf("uninterrupted: code %d, table:\n%s\nwant:\n%s", code, whole, stdout)
			}
			for name, content := range finalFiles(t, filepath.Join(dir, "whole")) {
				if !bytes.Equal(content, read(t, filepath.Join(dir, "out", name))) {
					t.Errorf("%s differs from that of an uninterrupted sweep", name)
				}
			}
		})
	}
}

// What does not end within the grace is given up, at a second signal at
// once, and computed by the next command.
func TestGraceEnds(t *testing.T) {
	for name, test := range map[string]struct {
		flags   []string
		signals int
		code    int
		said    []string
	}{
		"grace": {[]string{"--grace", "100ms", "--log-format", "json"}, 1, exitInterrupted,
			[]string{`"msg":"interrupted"`, `"signal":"SIGTERM","grace_s":0.1`, `"given_up":2`, `"error":"interrupted: out holds `}},
		"second signal": {nil, 2, 128 + int(syscall.SIGTERM), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly sleeps
			dir := t.TempDir()
			write(t, filepath.Join(dir, "slow.toml"), strings.Replace(slowSpec, "pause = 50", "pause = [1, 60000]", 1))
			var stderr bytes.Buffer
			cmd := start(t, dir, &stderr, test.flags...)
			begin := time.Now()
			for range test.signals {
				time.Sleep(100 * time.Millisecond) // two signals at once may arrive as one
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != test.code {
				t.Errorf("exit code %d, want %d; stderr:\n%s", got, test.code, &stderr)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %v: the runs under way were waited for", took)
			}
			for _, want := range test.said {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("stderr does not say %q:\n%s", want, &stderr)
				}
			}
		})
	}
}

// Another terminal sees a sweep while it runs.
func TestStatusWhileItRuns(t *testing.T) {
	t.Parallel() // it mostly sleeps
	dir := t.TempDir()
	write(t, filepath.Join(dir, "slow.toml"), slowSpec)
	var stderr bytes.Buffer
	cmd := start(t, dir, &stderr)
	stdout, errText, code := sweep(t, dir, "status", "out", "--format", "json")
	var s struct {
		State               string
		Runs, Done, Missing int64
		Parts               []struct{ PID, Runs, OK, Missing int }
		Table               *struct{ Rows []any }
	}
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatal(err)
	}
	if code != 0 || s.State != "running" || s.Runs != 60 || s.Done == 0 || s.Done+s.Missing != 60 ||
		len(s.Parts) != 1 || s.Parts[0].PID != cmd.Process.Pid || s.Table == nil || len(s.Table.Rows) == 0 ||
		s.Parts[0].Missing == 0 || s.Parts[0].OK+s.Parts[0].Missing != s.Parts[0].Runs {
		t.Errorf("code %d, stderr %s, status %+v of process %d", code, errText, s, cmd.Process.Pid)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the sweep was disturbed: %v\n%s", err, &stderr)
	}
}

// Help teaches by example, so every command has examples, and those must
// be commands that exist, with flags that exist.
func TestExamplesAreValid(t *testing.T) {
	root := program(toys()).Command()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue // cobra's
		}
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%q lacks its short text or examples", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			if err := validExample(line); err != nil {
				t.Errorf("%q: example %q: %v", cmd.CommandPath(), line, err)
			}
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if n := len([]rune(line)); n > 81 {
				t.Errorf("%q: a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	}
}

// validExample returns an error unless a line that begins a command of the
// program, perhaps after others, is one that exists, with flags and as many
// arguments as it takes. Two spaces end the command.
func validExample(line string) error {
	example, _, _ := strings.Cut(strings.TrimSpace(line), "  ") // the rest explains
	_, example, _ = strings.Cut(example, "sweep ")
	words := strings.FieldsFunc(example, func(r rune) bool { return strings.ContainsRune(" ()", r) })
	if pipe := strings.IndexAny(strings.Join(words, " "), ">|"); pipe >= 0 {
		words = strings.Fields(strings.Join(words, " ")[:pipe])
	}
	root := program(toys()).Command() // anew: flags keep their values
	named, rest, err := root.Find(words)
	switch {
	case err != nil:
		return err
	case named == root:
		return errors.New("it names no command")
	}
	if err := named.ParseFlags(rest); err != nil {
		return err
	}
	return named.ValidateArgs(named.Flags().Args())
}

// The commands in the README and in docs are commands that exist, too; those of
// the reference are examples of help texts.
func TestCommandsOfPages(t *testing.T) {
	t.Setenv("SLURM_PROCID", "0") // for --shard auto
	t.Setenv("SLURM_STEP_NUM_TASKS", "8")
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatalf("the pages in docs: %v, error %v", docs, err)
	}
	commands := 0
	for _, path := range append(docs, "../README.md") {
		if path == "../docs/reference.md" {
			continue
		}
		for line := range strings.Lines(string(read(t, path))) {
			_, command, found := strings.Cut(line, "sweep ")
			if !found || !strings.HasPrefix(line, "    ") {
				continue
			}
			commands++
			command, _, _ = strings.Cut(command, " #")
			if err := validExample("sweep " + command); err != nil {
				t.Errorf("%s: %s%v", path, line, err)
			}
		}
	}
	if commands < 20 {
		t.Errorf("%d commands, want more than 20", commands)
	}
}

// sweep runs the program in dir.
func sweep(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("sweep", args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
