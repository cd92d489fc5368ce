// Package cli is the command line: it runs parameter sweeps of simulations and tabulates what
// comes out. "sweep --help" teaches it by example.
//
// The package holds one file per command, named after it, further ones of
// its name where it is large, and what commands share: root.go (the command
// tree), usage.go (faults of the command line), exit.go (exit codes), flags.go
// and runflags.go (values of flags, the flags of "sweep run"), print.go (how
// things are written), spec.go (finding a spec), selection.go (naming runs),
// signals.go (interruption), narrator.go and log.go (what is said while a
// sweep runs), ledger.go (what its manifest says), memory.go (its memory),
// requeue.go (giving a job back).
// Commands parse flags and print; the work is done in the packages that they
// call.
package cli

import (
	"os"

	"sweep/experiment"
)

// Main runs the command line over the experiments and exits.
func Main(experiments ...*experiment.Experiment) {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr, experiments))
}
