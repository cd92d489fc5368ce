package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directory has one writer and any number of readers, and a killed
// writer does not count.
func TestOneWriter(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	write(t, filepath.Join(dir, "slow.toml"), slowSpec)
	var stderr bytes.Buffer
	first := start(t, dir, &stderr)

	_, refusal, code := sweep(t, dir, nil, "run", "slow.toml", "-o", "out")
	if code != exitInterrupted {
		t.Errorf("a second writer: exit code %d, want %d", code, exitInterrupted)
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

	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if _, errText, code := sweep(t, dir, nil, "run", "slow.toml", "-o", "out"); code != 0 || !strings.Contains(errText, "are there already") {
		t.Errorf("after the first was killed: exit code %d, stderr:\n%s", code, errText)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/.lock")); err == nil {
		t.Error("the lock's file is left after the end")
	}
}
