package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A sweep that can go on later is given back to the queue, one that somebody
// ended is not.
func TestRequeue(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		want   bool
	}{
		{syscall.SIGUSR1, true},
		{syscall.SIGUSR2, true},
		{syscall.SIGXCPU, true},
		{syscall.SIGTERM, false},
		{syscall.SIGHUP, false},
		{syscall.SIGINT, false},
	} {
		t.Run(test.signal.String(), func(t *testing.T) {
			t.Parallel() // it mostly sleeps
			dir := t.TempDir()
			write(t, filepath.Join(dir, "slow.toml"), slowSpec)
			var stderr bytes.Buffer
			cmd := start(t, dir, &stderr, "--requeue-with", "touch requeued; sweep run slow.toml -o out --quiet; exit 3")
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
				t.Errorf("exit code %d, want %d; stderr:\n%s", got, exitInterrupted, &stderr)
			}
			_, err := os.Stat(filepath.Join(dir, "requeued"))
			if (err == nil) != test.want {
				t.Errorf("the command has run: %v, want %v; stderr:\n%s", err == nil, test.want, &stderr)
			}
			// The directory was free for the command.
			_, err = os.Stat(filepath.Join(dir, "out/runs.parquet"))
			if (err == nil) != test.want {
				t.Errorf("the command could go on: %v, want %v; stderr:\n%s", err == nil, test.want, &stderr)
			}
			if told := bytes.Contains(stderr.Bytes(), []byte(": exit status 3\n")); told != test.want {
				t.Errorf("the command's failure is told: %v, want %v; stderr:\n%s", told, test.want, &stderr)
			}
		})
	}
}

// A directory has one writer and any number of readers, and a killed writer
// does not count. Who finds it locked goes back to the queue.
func TestOneWriter(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	write(t, filepath.Join(dir, "slow.toml"), slowSpec)
	var stderr bytes.Buffer
	first := start(t, dir, &stderr)

	_, refusal, code := sweep(t, dir, nil, "run", "slow.toml", "-o", "out", "--requeue-with", "touch requeued")
	if _, err := os.Stat(filepath.Join(dir, "requeued")); err != nil || code != exitInterrupted {
		t.Errorf("a second writer: code %d, error %v; stderr:\n%s", code, err, refusal)
	}
	host, _ := os.Hostname()
	for _, want := range []string{
		"sweep: out: another process is writing here: process ", fmt.Sprintf(" %d on %s", first.Process.Pid, host), "run slow.toml -o out",
	} {
		if !strings.Contains(refusal, want) {
			t.Errorf("a second writer is told %q, want %q in it", refusal, want)
		}
	}
	if _, errText, code := sweep(t, dir, nil, "table", "out"); code != 0 {
		t.Errorf("a reader: exit code %d, stderr:\n%s", code, errText)
	}
	_ = first.Process.Kill()
	_ = first.Wait()

	_, errText, code := sweep(t, dir, nil, "run", "slow.toml", "-o", "out", "--requeue-with", "touch again")
	if _, err := os.Stat(filepath.Join(dir, "again")); err == nil || code != 0 || !strings.Contains(errText, "are there already") {
		t.Errorf("after the first was killed: code %d, stderr:\n%s", code, errText)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/.lock")); err == nil {
		t.Error("the lock's file is left after the end")
	}
}
