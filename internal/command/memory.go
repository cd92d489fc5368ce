package command

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"syscall"

	"sweep/experiment"
)

// killedCode is the exit code by which a shell says that what it ran was killed
// by signal 9.
const killedCode = 128 + 9

// An outOfMemory is the end of a program for lack of memory.
type outOfMemory struct{ error }

func (outOfMemory) Is(target error) bool { return target == experiment.ErrOutOfMemory }

func (e outOfMemory) Unwrap() error { return e.error }

// byMemory says of an error with which a program ended whether memory was its
// cause: a shell says that something was killed, or the program itself was, and
// the system has counted that.
func byMemory(err error) error {
	exit, failed := errors.AsType[*exec.ExitError](err)
	if !failed {
		return err
	}
	if exit.ExitCode() == killedCode {
		return outOfMemory{fmt.Errorf("%w, as of what is killed for lack of memory", err)}
	}
	status, known := exit.Sys().(syscall.WaitStatus)
	isKilled := known && status.Signaled() && status.Signal() == syscall.SIGKILL
	if isKilled && kills.claim() {
		return outOfMemory{fmt.Errorf("%w, for lack of memory", err)}
	}
	return err
}

// kills counts what the system kills for lack of memory, where this process is.
var kills killCount

// A killCount is a number of killed programs, each of which one run claims.
type killCount struct {
	mu      sync.Mutex
	path    string // of the file with the system's counter; empty: none, or not known yet
	claimed int64
	known   bool
}

// begin notes what was killed before the first run.
func (k *killCount) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known {
		return
	}
	k.known = true
	for _, file := range counters() {
		n, err := killsIn(file)
		if err == nil {
			k.path = file
			k.claimed = n
			return
		}
	}
}

// claim reports whether the system has killed a program that no other run has
// claimed.
func (k *killCount) claim() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, err := killsIn(k.path)
	if err != nil || n <= k.claimed {
		return false
	}
	k.claimed++
	return true
}

// counters returns the files that may count, of the control group of this
// process by version 2 and by version 1, and of the whole machine.
func counters() (files []string) {
	groups, _ := os.ReadFile("/proc/self/cgroup") // an error: there are none
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) != 3:
		case fields[1] == "":
			files = append(files, path.Join("/sys/fs/cgroup", fields[2], "memory.events"))
		case fields[1] == "memory":
			const root = "/sys/fs/cgroup/memory"
			files = append(files, path.Join(root, fields[2], "memory.oom_control"),
				path.Join(root, "memory.oom_control")) // as a container sees its own
		}
	}
	return append(files, "/proc/vmstat")
}

// killsIn reads a counter from a file with lines such as "oom_kill 3".
func killsIn(file string) (n int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close() // nothing was written
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "oom_kill %d", &n); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s has no oom_kill", file)
}
