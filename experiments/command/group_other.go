//go:build unix && !linux

package command

import (
	"os/exec"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// waitFor waits until a child has ended, calls then, and returns how it has
// ended.
func waitFor(cmd *exec.Cmd, then func()) error {
	defer then()
	return cmd.Wait()
}
