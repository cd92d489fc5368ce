//go:build unix

package cli

import (
	"fmt"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// interrupts are the signals that end a sweep in good order: those of a
// terminal, of its end and of service managers, and those by which batch
// systems warn of an end to come (Slurm's --signal, SGE's -notify, a limit of
// processor time).
var interrupts = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGXCPU, syscall.SIGUSR1, syscall.SIGUSR2,
}

func signalName(s syscall.Signal) string { return unix.SignalName(s) }

// addressSpace returns how many bytes a limit of the address space (ulimit
// -v, Grid Engine's h_vmem) leaves under Linux; without a limit, and elsewhere,
// no program reaches that.
func addressSpace() uint64 {
	var limit unix.Rlimit
	var pages uint64
	statm, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(statm), &pages)
	}
	if err != nil || unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return math.MaxUint64
	}
	return limit.Cur - min(limit.Cur, pages*uint64(os.Getpagesize()))
}
