package command

import "syscall"

// attributes of a run's process: a group of its own, death with the thread that
// has started it, and the cgroup of all programs if there is one.
func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{}
	if c := openCgroup(); c != nil {
		a = c.attributes()
	}
	a.Setpgid = true
	a.Pdeathsig = syscall.SIGKILL
	return a
}
