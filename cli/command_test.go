package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// The tutorial's commands do what it says, one after the other.
func TestTutorial(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil || testing.Short() {
		t.Skip("this needs python3, and some seconds")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../examples/sir")); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(read(t, "../docs/tutorial.md"))) {
		command, is := strings.CutPrefix(line, "    ")
		if !is {
			continue
		}
		commands++
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s%v\n%s", command, err, out)
		} else {
			t.Logf("%s%s", command, out)
		}
	}
	if commands < 12 {
		t.Errorf("%d commands", commands)
	}
	for _, file := range []string{"mine.toml", "out/sir/figures/sensitivity.svg", "cluster/slurm/submit.sh"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}
