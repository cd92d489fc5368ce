package command

import (
	"context"
	"fmt"
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

// programs are the running programs, each the leader of a process group, with
// its mark.
var programs = struct {
	sync.Mutex
	running map[*os.Process]string
	started int
	over    bool // no other may start
	looking bool // for leftovers, after leftoverDelay
}{running: map[*os.Process]string{}}

// markName is the environment variable by which the processes of a program are
// known, also those that have left its group. Its value, the mark, is this
// process's number and the program's. No parameter has a variable of this name,
// and a program that sweeps in turn hands on its own.
const markName = "PROGRAM_OF_SWEEP"

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
	endLeftovers()
}

// leftoverDelay is how long a process may outlive its run if it has left the
// run's group. Looking for such takes a few milliseconds on a machine with
// many processes, too long to be done after each run. Tests change it.
var leftoverDelay = time.Second

// lookForLeftovers kills what runs have left running outside their groups, a
// while from now. The caller must have locked programs.
func lookForLeftovers() {
	if programs.looking {
		return
	}
	programs.looking = true
	time.AfterFunc(leftoverDelay, func() {
		programs.Lock()
		defer programs.Unlock()
		programs.looking = false
		if killLeftovers(false) {
			lookForLeftovers()
		}
	})
}

// endFamilies ends what runs have left running. No run is under way.
func endFamilies() {
	programs.Lock()
	defer programs.Unlock()
	if len(programs.running) == 0 {
		endLeftovers()
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

// startGroup starts a program, whose environment is set, as the leader of a
// process group, unless KillAll was called. The caller must wait for it, and
// must have locked its goroutine to its thread.
func startGroup(cmd *exec.Cmd) error {
	kills.begin()
	adopt()
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
	programs.started++
	mark := fmt.Sprintf("%d.%d", os.Getpid(), programs.started)
	cmd.Env = append(cmd.Env, markName+"="+mark)
	if err := cmd.Start(); err != nil {
		return err
	}
	programs.running[cmd.Process] = mark
	return nil
}

// waitGroup waits for the end of a program and kills what it has left running.
func waitGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	programs.Lock()
	defer programs.Unlock()
	_ = signalGroup(cmd.Process, syscall.SIGKILL) // to what is left, if anything
	delete(programs.running, cmd.Process)
	lookForLeftovers()
	return err
}
