package runner

import (
	"bytes"
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
}

// Rerun executes a sample of the runs in a directory again and hands each to
// sink, as it is stored and as it is now, one at a time. Runs that failed are
// not executed again: what was wrong with them may have been the machine.
//
// If ctx ends first, no further run starts and the error is ctx's cause. An
// error in reading the directory is returned as it is.
func Rerun(ctx context.Context, view *results.Reader, options RerunOptions, sink func(stored, now *results.Row)) error {
	type pair struct {
		stored, now *results.Row
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
	do := func(ctx context.Context, i int64) (p pair) {
		reading.Lock()
		p.stored, p.err = view.Run(i)
		reading.Unlock()
		if p.err == nil {
			p.now = again.do(ctx, i).Row // nil if ctx has ended: nobody asks
		}
		return p
	}
	return Run(ctx, Pool{Workers: options.Workers}, next, do, func(f Finished[pair]) error {
		if f.Panic != nil {
			panic(fault(f.Index, f.Panic))
		}
		if p := f.Value; p.err != nil || p.now == nil {
			return p.err
		} else {
			sink(p.stored, p.now)
		}
		return nil
	})
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
