package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// However a sweep is made to end, the programs of its runs end, and what they
// have started: after one signal and the grace, and after two at once.
func TestSignalsEndPrograms(t *testing.T) {
	for name, signals := range map[string]int{"first signal": 1, "second signal": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			dir := t.TempDir()
			write(t, filepath.Join(dir, "mine.toml"), `
experiment = "command"
[command]
run = '(trap "" TERM; while :; do echo >> {dir}/alive; sleep 0.02; done) & wait'
shell = true
version = "1"
metrics = ["x"]
`)
			alive := func() int64 {
				info, err := os.Stat(filepath.Join(dir, "alive"))
				if err != nil {
					return 0
				}
				return info.Size()
			}
			var stderr bytes.Buffer
			cmd := exec.Command("sweep", "run", "mine", "--grace", "100ms")
			if signals > 1 {
				cmd.Args[len(cmd.Args)-1] = "1h"
			}
			cmd.Dir, cmd.Stderr = dir, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 1000 {
				if alive() > 0 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			for range signals {
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				time.Sleep(100 * time.Millisecond) // two at once may arrive as one
			}
			_ = cmd.Wait()
			before := alive()
			time.Sleep(500 * time.Millisecond)
			if after := alive(); before == 0 || after != before {
				t.Errorf("the program goes on: %d lines, then %d; code %d, stderr:\n%s", before, after, cmd.ProcessState.ExitCode(), &stderr)
			}
		})
	}
}
