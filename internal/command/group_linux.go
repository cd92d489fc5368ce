package command

import "syscall"

// attributes of a run's process: a group of its own, and death with the
// thread that has started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
