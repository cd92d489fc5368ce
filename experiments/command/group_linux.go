package command

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes of a run's process: a group of its own, and death with the
// thread that has started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// waitFor waits until a child has ended, calls then while it is a zombie,
// whose number is nobody else's, and returns how it has ended.
func waitFor(cmd *exec.Cmd, then func()) error {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	then()
	return cmd.Wait()
}
