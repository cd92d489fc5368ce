package command

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// termGrace is how long a process group has to end between SIGTERM and
// SIGKILL. It is shorter than the time in which a run must heed the end of its
// context.
const termGrace = 300 * time.Millisecond

// programs are the running programs, each the leader of a process group.
var programs = struct {
	sync.Mutex
	running map[*os.Process]bool
	over    bool // no other may start
}{running: map[*os.Process]bool{}}

// KillAll kills all programs that runs have started, and the programs that
// these have started. Afterwards no run starts a program. It is called before
// this process ends without waiting for its runs.
func KillAll() {
	programs.Lock()
	defer programs.Unlock()
	programs.over = true
	for leader := range programs.running {
		_ = signalGroup(leader, syscall.SIGKILL) // it may have ended
	}
}

// runGroup runs a program to its end, and kills what it has left running. If
// its context ends first, it ends the whole group.
func runGroup(cmd *exec.Cmd) error {
	runtime.LockOSThread() // the system kills a program when the thread that started it ends
	defer runtime.UnlockOSThread()
	if err := startGroup(cmd); err != nil {
		return err
	}
	return waitGroup(cmd)
}

// startGroup starts a program as the leader of a process group, unless KillAll
// was called. The caller must wait for it, and must have locked its goroutine
// to its thread.
func startGroup(cmd *exec.Cmd) error {
	kills.begin()
	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = termGrace
	cmd.Cancel = func() error {
		return signalGroup(cmd.Process, syscall.SIGTERM)
	}
	programs.Lock()
	defer programs.Unlock()
	if programs.over {
		return context.Canceled
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	programs.running[cmd.Process] = true
	return nil
}

// waitGroup waits for the end of a program and kills what it has left running.
func waitGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	programs.Lock()
	defer programs.Unlock()
	_ = signalGroup(cmd.Process, syscall.SIGKILL) // to what is left, if anything
	delete(programs.running, cmd.Process)
	return err
}
