package command

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// attributes of a run's process: Ctrl-C on the console does not reach it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup ends a program and what it has started: there are no signals, and
// nothing tells what one that has ended has left running.
func signalGroup(leader *os.Process, _ syscall.Signal) error {
	if errors.Is(leader.Signal(os.Interrupt), os.ErrProcessDone) {
		return nil
	}
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(leader.Pid)).Run()
}
