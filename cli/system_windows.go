package cli

import (
	"math"
	"os"
	"syscall"
)

// interrupts are the signals that end a sweep in good order: Ctrl-C, and the
// end of the console or the session.
var interrupts = []os.Signal{syscall.SIGINT, syscall.SIGTERM}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM"}
	return names[s]
}

func addressSpace() uint64 { return math.MaxUint64 } // there is no limit
