//go:build unix

package cli

import (
	"fmt"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// interrupts are the signals that end a sweep in good order: those of terminals
// and service managers, and those by which batch systems warn that they will
// end a job (Slurm's --signal, SGE's -notify, a limit of processor time).
var interrupts = []os.Signal{
	syscall.SIGINT,
	syscall.SIGTERM,
	syscall.SIGHUP,
	syscall.SIGXCPU,
	syscall.SIGUSR1,
	syscall.SIGUSR2,
}

func signalName(s syscall.Signal) string { return unix.SignalName(s) }

// addressSpace returns how many bytes a limit of the address space (ulimit -v,
// Grid Engine's h_vmem) leaves under Linux. Without a limit, and elsewhere, it
// is more than any program reaches.
func addressSpace() uint64 {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_AS, &limit)
	if err != nil || limit.Cur == unix.RLIM_INFINITY {
		return math.MaxUint64
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return math.MaxUint64
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return math.MaxUint64
	}
	return limit.Cur - min(limit.Cur, pages*uint64(os.Getpagesize()))
}
