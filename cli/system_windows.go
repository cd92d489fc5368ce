package cli

import (
	"math"
	"os"
	"syscall"
)

// interrupts are what ends a sweep in good order: Ctrl-C, and the end of the
// console or the session.
var interrupts = []os.Signal{syscall.SIGINT, syscall.SIGTERM}

func signalName(s syscall.Signal) string {
	return map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM"}[s]
}

func addressSpace() uint64 { return math.MaxUint64 } // there is no limit
