// Command sweep runs parameter sweeps of simulations and tabulates what
// comes out. "sweep --help" teaches it by example.
//
// The package holds one file per command, named after it, and what they
// share: root.go (the command tree and its errors), exit.go (exit codes),
// signals.go (interruption), narrator.go and log.go (what is said while a
// sweep runs), manifest.go (its ledger), memory.go (its memory), selection.go
// (naming runs), spec.go (finding a spec), experiments.go (the table of
// experiments). Commands parse flags and print; the work is done in the
// packages that they call.
package main

import "os"

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr, experiments())) }
