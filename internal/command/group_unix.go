//go:build unix

package command

import (
	"os"
	"syscall"
)

// signalGroup sends a signal to the process group of a leader. The leader may
// have ended: while there are others of the group its number is nobody else's.
func signalGroup(leader *os.Process, s syscall.Signal) error { return syscall.Kill(-leader.Pid, s) }
