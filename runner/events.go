package runner

import (
	"cmp"
	"slices"

	"sweep/results"
)

// An Event is something that happens while a sweep is carried out, with the
// state of the sweep after it.
type Event struct {
	Kind    string
	Outcome *Outcome // of RunEnded, else nil; valid during the call

	Assigned, OK, Failed int64 // runs of the directory: see results.Store
	Executed             int64 // by this call of Sweep
	Left                 int64 // that it has still to execute, as far as is known
}

// The kinds of events.
const (
	Started   = "started"   // the first run may start
	RunEnded  = "run ended" // and its row was appended
	Extended  = "extended"  // a stopping rule may ask for more runs than before
	Committed = "committed" // once a second: what had ended before is on disk for good
	Ended     = "ended"     // no further event comes

	// AllStarted tells that no run is left to start, but for those for which a
	// stopping rule may ask: workers are idle from now on. It may come again.
	AllStarted = "all started"
)

// The faults: the kinds of reasons why runs fail.
const (
	Errored  = "error"       // the run returned an error
	Panicked = "panic"       // it panicked
	TimedOut = "timeout"     // it took longer than RunTimeout
	Invalid  = "declaration" // its result breaks the experiment's declaration

	OutOfMemory = "memory" // the system ended it for lack of memory
)

// An Outcome is what became of one run, with what the store does not keep.
type Outcome struct {
	Row      *results.Row // nil if the run was given up
	Fault    string       // empty unless the run failed
	Stack    []byte       // of a run whose last attempt panicked, else nil
	Again    bool         // the store held the run as a failed row
	Attempts int          // at least 1; 0 if the sweep was stopped before the first
	Hung     int          // of Attempts: those that went on after their time was up
}

// A Report says what one call of Sweep did. Runs that the store held before
// are not in it.
type Report struct {
	OK, Failed int64
	GivenUp    int64     // under way when the sweep was stopped, and not kept
	Hung       int64     // attempts that went on after their time was up
	Failures   []Outcome // the failed runs of lowest index, at most MaxListed
}

// Join adds what another call of Sweep did.
func (r *Report) Join(other *Report) {
	r.OK += other.OK
	r.Failed += other.Failed
	r.GivenUp += other.GivenUp
	r.Hung += other.Hung
	r.list(other.Failures...)
}

// list keeps failures if they are among the first.
func (r *Report) list(failures ...Outcome) {
	r.Failures = append(r.Failures, failures...)
	slices.SortFunc(r.Failures, func(a, b Outcome) int {
		return cmp.Compare(a.Row.Index, b.Row.Index)
	})
	r.Failures = r.Failures[:min(len(r.Failures), MaxListed)]
}

// MaxListed bounds the failures that a Report lists; the store has all.
const MaxListed = 10

// add counts an outcome, and keeps it if it is among the first failures.
func (r *Report) add(o *Outcome) {
	r.Hung += int64(o.Hung)
	switch {
	case o.Row == nil && o.Attempts == 0: // it was not under way
	case o.Row == nil:
		r.GivenUp++
	case o.Row.Status != results.Failed:
		r.OK++
	default:
		r.Failed++
		r.list(*o)
	}
}
