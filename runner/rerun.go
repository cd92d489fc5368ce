package runner

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"sweep/grid"
	"sweep/results"
)

// RerunOptions say which runs to execute again.
type RerunOptions struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// Sample is how many runs to execute again, at least 1: of those that
	// succeeded the ones with the least IDs, which are hashes. So the
	// sample is a random one, the same each time, and part of any larger
	// one.
	Sample int64

	// Observe, if not nil, is called after each run that was executed
	// again, from one goroutine; differs tells whether its outcome did.
	Observe func(differs bool)
}

// A Comparison says what Rerun found.
type Comparison struct {
	Executed   int64      // runs executed again
	Wrong      int64      // of those: with another outcome
	Mismatches []Mismatch // the wrong ones of lowest index, at most MaxListed
}

// A Mismatch is a run that is not what its parameters make it.
type Mismatch struct {
	Index       int64
	ID          grid.ID              // of the parameters
	Differences []results.Difference // stored and computed anew
}

// Rerun compares the outcomes of a sample of the runs in a directory bit for
// bit with those of new executions. Runs that failed are not executed again:
// what was wrong with them may have been the machine.
//
// If ctx ends first, no further run starts and the error is ctx's cause. An
// error in reading the directory is returned as it is.
func Rerun(ctx context.Context, view *results.Reader, options RerunOptions) (found Comparison, err error) {
	type outcome struct {
		differences []results.Difference
		err         error
	}
	var reading sync.Mutex // view is not safe for several goroutines
	again := worker{plan: view.Plan, options: &Options{Workers: options.Workers}, stopped: ctx, stop: func(error) {}}
	sample := choose(view, options.Sample)
	next := func() (i int64, ok bool) {
		if len(sample) == 0 {
			return 0, false
		}
		i, sample = sample[0], sample[1:]
		return i, true
	}
	do := func(ctx context.Context, i int64) (o outcome) {
		reading.Lock()
		stored, err := view.Run(i)
		reading.Unlock()
		if err != nil {
			return outcome{err: err}
		}
		if now := again.do(ctx, i).Row; now != nil { // else ctx has ended, nobody asks
			o.differences = results.Differences(stored, now)
		}
		return o
	}
	err = Run(ctx, Pool{Workers: options.Workers}, next, do, func(f Finished[outcome]) error {
		if f.Panic != nil {
			panic(fault(f.Index, f.Panic))
		}
		if f.Value.err != nil {
			return f.Value.err
		}
		found.Executed++
		differs := len(f.Value.differences) > 0
		if differs {
			found.add(Mismatch{f.Index, view.Plan.ID(f.Index), f.Value.differences})
		}
		if options.Observe != nil {
			options.Observe(differs)
		}
		return nil
	})
	return found, err
}

// choose returns the sample in the order of the plan.
func choose(view *results.Reader, size int64) []int64 {
	type candidate struct {
		index int64
		id    grid.ID
	}
	var all []candidate
	for i := range view.Plan.Runs() {
		if view.Status(i) == results.OK {
			all = append(all, candidate{i, view.Plan.ID(i)})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return bytes.Compare(a.id[:], b.id[:]) })
	var sample []int64
	for _, c := range all[:min(size, int64(len(all)))] {
		sample = append(sample, c.index)
	}
	slices.Sort(sample)
	return sample
}

// add counts a mismatch, and keeps it if it is among the first.
func (c *Comparison) add(m Mismatch) {
	c.Wrong++
	at, _ := slices.BinarySearchFunc(c.Mismatches, m, func(a, b Mismatch) int { return cmp.Compare(a.Index, b.Index) })
	c.Mismatches = slices.Insert(c.Mismatches, at, m)
	c.Mismatches = c.Mismatches[:min(len(c.Mismatches), MaxListed)]
}
