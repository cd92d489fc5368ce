package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal that was ignored when the program began stays ignored, as nohup
// wants it.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel() // it mostly sleeps
	dir := t.TempDir()
	write(t, filepath.Join(dir, "slow.toml"), slowSpec)
	cmd := exec.Command("sh", "-c", "trap '' HUP INT; exec sweep run slow.toml -o out --workers 2")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started(t, cmd, dir, &stderr)
	for _, signal := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil || strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%v; stderr:\n%s", err, &stderr)
	}
}

// A signal ends a sweep within the grace and a while, even if it waits for
// what never answers: here for the reader of the table.
func TestEndIsBounded(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	spec := strings.Replace(slowSpec, "pause = 50", "x = { from = 0.01, to = 10, step = 0.01 }", 1)
	write(t, filepath.Join(dir, "large.toml"), strings.Replace(spec, "seeds = 30", "seeds = 1", 1))
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	cmd := exec.Command("sweep-impatient", "run", "large.toml", "-o", "out", "--grace", "100ms")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Stdout = dir, &stderr, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := os.Stat(filepath.Join(dir, "out/summary.parquet")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Second) // for it to write as much as the pipe takes
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted || !strings.Contains(stderr.String(), "out does not answer") {
		t.Errorf("exit code %d, want %d; stderr:\n%s", got, exitInterrupted, &stderr)
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

	_, refusal, code := sweep(t, dir, "run", "slow.toml", "-o", "out", "--requeue-with", "touch requeued")
	if _, err := os.Stat(filepath.Join(dir, "requeued")); err != nil || code != exitInterrupted {
		t.Errorf("a second writer: code %d, error %v; stderr:\n%s", code, err, refusal)
	}
	host, _ := os.Hostname()
	for _, want := range []string{
		"sweep: out: another process is writing here: process ", fmt.Sprintf(" %d on %s", first.Process.Pid, host),
	} {
		if !strings.Contains(refusal, want) {
			t.Errorf("a second writer is told %q, want %q in it", refusal, want)
		}
	}
	if _, errText, code := sweep(t, dir, "table", "out"); code != 0 {
		t.Errorf("a reader: exit code %d, stderr:\n%s", code, errText)
	}
	_ = first.Process.Kill()
	_ = first.Wait()

	_, errText, code := sweep(t, dir, "run", "slow.toml", "-o", "out", "--requeue-with", "touch again")
	if _, err := os.Stat(filepath.Join(dir, "again")); err == nil || code != 0 || !strings.Contains(errText, "are there already") {
		t.Errorf("after the first was killed: code %d, stderr:\n%s", code, errText)
	}
}
