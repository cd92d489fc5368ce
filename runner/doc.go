// Package runner carries a sweep out: it takes the runs of a plan (package
// grid) that a store does not hold yet, executes them on a bounded pool of
// goroutines, turns each point into a row by way of the experiment's
// declaration, and appends the rows to the store (package results).
//
// The files, from the whole to the single run:
//
//   - sweep.go starts runs, lets those who need the store take turns, commits,
//     and ends the sweep; events.go says how it goes.
//   - pool.go executes numbers on goroutines, whatever they stand for:
//     next → do → sink.
//   - deadline.go decides whether there is time for another run.
//   - attempt.go executes one run within its limits.
//   - rerun.go executes a sample of stored runs again.
//
// Clock and signals decide which runs are computed, never what is in a
// row that succeeds.
package runner
