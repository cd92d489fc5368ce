package command

import (
	"context"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// termGrace is for how long a process group may react to SIGTERM before
// SIGKILL. It is below what a run has to heed the end of its context.
const termGrace = 300 * time.Millisecond

// groups are the process groups that are alive, for KillAll.
var groups = struct {
	sync.Mutex
	alive map[*group]bool
	over  bool // none is to start
}{alive: map[*group]bool{}}

// KillAll ends all programs that runs have started, with what these have
// started, before this process ends without waiting for its runs. No run
// starts a program afterwards.
func KillAll() {
	groups.Lock()
	defer groups.Unlock()
	groups.over = true
	for g := range groups.alive {
		g.tree.signal(syscall.SIGKILL)
	}
}

// A group is the processes of one run: the program, and what it has started.
type group struct {
	cmd  *exec.Cmd
	tree tree // empty before the program has started and after it has ended
	over bool // it is not to start
}

func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = attributes()
	return &group{cmd: cmd}
}

// run starts the program and returns when it and its group have ended. The
// thread stays the same: the system kills the leader when that ends.
func (g *group) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := g.start(); err != nil {
		return err
	}
	return waitFor(g.cmd, func() {
		groups.Lock()
		defer groups.Unlock()
		g.tree.signal(syscall.SIGKILL)
		delete(groups.alive, g)
		g.tree.close()
	})
}

func (g *group) start() error {
	groups.Lock()
	defer groups.Unlock()
	if groups.over || g.over {
		return context.Canceled
	}
	if err := g.cmd.Start(); err != nil {
		return err
	}
	g.tree.open(g.cmd.Process.Pid)
	groups.alive[g] = true
	return nil
}

// end ends the group, at first with SIGTERM, and waits for it.
func (g *group) end(ended <-chan error) {
	tell := func(s syscall.Signal) {
		groups.Lock()
		defer groups.Unlock()
		g.over = true
		g.tree.signal(s)
	}
	tell(syscall.SIGTERM)
	timer := time.NewTimer(termGrace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		tell(syscall.SIGKILL)
		<-ended
	}
}
