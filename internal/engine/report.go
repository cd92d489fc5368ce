package engine

import "sweep/results"

// A Fault is the kind of reason for which a run failed.
type Fault string

// The faults.
const (
	Errored  Fault = "error"       // the run returned an error
	Panicked Fault = "panic"       // it panicked
	TimedOut Fault = "timeout"     // it took longer than RunTimeout
	Unlawful Fault = "declaration" // its result breaks the experiment's declaration
)

// An Outcome is what became of one run, with what the store does not keep.
type Outcome struct {
	Row      *results.Row
	Fault    Fault  // empty unless the run failed
	Stack    []byte // of a run whose last attempt panicked, else nil
	Again    bool   // the store held the run as a failed row
	Attempts int    // at least 1
	Strays   int    // of Attempts: those that went on after their time was up
}

// A Report says what one call of Run did. Runs that the store held before
// are not in it.
type Report struct {
	OK, Failed int64
	GivenUp    int64     // under way when the sweep was stopped, and not kept
	Strays     int64     // attempts that went on after their time was up
	Failures   []Outcome // the failed runs of lowest index, at most MaxListed
}

// MaxListed bounds the failures that a Report lists; the store has all.
const MaxListed = 10

// add counts an outcome, and keeps it if it is among the first failures.
func (r *Report) add(o *Outcome) {
	r.Strays += int64(o.Strays)
	switch {
	case o.Row == nil:
		r.GivenUp++
		return
	case o.Row.Status != results.Failed:
		r.OK++
		return
	}
	r.Failed++
	at := len(r.Failures)
	for at > 0 && r.Failures[at-1].Row.Index > o.Row.Index {
		at--
	}
	if at == MaxListed {
		return
	}
	r.Failures = append(r.Failures, Outcome{})
	copy(r.Failures[at+1:], r.Failures[at:])
	r.Failures[at] = *o
	r.Failures = r.Failures[:min(len(r.Failures), MaxListed)]
}
