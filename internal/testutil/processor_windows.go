package testutil

import (
	"syscall"
	"time"
)

// ProcessorTime returns how long this process has computed, the kernel's work
// apart.
func ProcessorTime() time.Duration {
	var created, ended, kernel, user syscall.Filetime
	process := Must(syscall.GetCurrentProcess())
	NoError(syscall.GetProcessTimes(process, &created, &ended, &kernel, &user))
	hundreds := int64(user.HighDateTime)<<32 | int64(user.LowDateTime) // of nanoseconds
	return time.Duration(hundreds) * 100
}
