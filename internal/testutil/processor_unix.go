//go:build unix

package testutil

import (
	"syscall"
	"time"
)

// ProcessorTime returns how long this process has computed, the kernel's work
// apart.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	NoError(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano())
}
