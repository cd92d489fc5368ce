//go:build unix

package cli

import (
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
