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

// termGrace is for how long a process group may react to SIGTERM before
// SIGKILL. It is below what a run has to heed the end of its context.
const termGrace = 300 * time.Millisecond

// programs are those that are running, each the leader of a process group.
var programs = struct {
	sync.Mutex
	running map[*os.Process]bool
	over    bool // none is to start
}{running: map[*os.Process]bool{}}

// KillAll ends all programs that runs have started, with what these have
// started, before this process ends without waiting for its runs. No run
// starts a program afterwards.
func KillAll() {
	programs.Lock()
	defer programs.Unlock()
	programs.over = true
	for leader := range programs.running {
		_ = signalGroup(leader, syscall.SIGKILL) // it may have ended
	}
}

// runGroup runs a program to its end, and ends what it has left running. If its
// context ends before, it ends the whole group.
func runGroup(cmd *exec.Cmd) error {
	runtime.LockOSThread() // the system kills a program when the thread that started it ends
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr, cmd.WaitDelay = attributes(), termGrace
	cmd.Cancel = func() error { return signalGroup(cmd.Process, syscall.SIGTERM) }
	programs.Lock()
	err := context.Canceled
	if !programs.over {
		err = cmd.Start()
	}
	if err == nil {
		programs.running[cmd.Process] = true
	}
	programs.Unlock()
	if err != nil {
		return err
	}
	err = cmd.Wait()
	programs.Lock()
	defer programs.Unlock()
	_ = signalGroup(cmd.Process, syscall.SIGKILL) // to what is left, if anything
	delete(programs.running, cmd.Process)
	return err
}
