package runner

import (
	"bytes"
	"context"
	"slices"

	"sweep/results"
)

// Rerun executes a sample of the runs in a directory again and hands each to
// sink, as it is stored and as it is now, one at a time. The sample is, of those
// that succeeded, the ones with the least IDs, which are hashes: a random one,
// the same each time, and part of any larger one. Runs that failed are not
// executed again: what was wrong with them may have been the machine.
//
// If ctx ends first, no further run starts and the error is ctx's cause. An
// error in reading the directory is returned as it is.
func Rerun(ctx context.Context, view *results.Reader, workers int, sample int64, sink func(stored, now *results.Row)) error {
	again := sweep{plan: view.Plan, options: &Options{Workers: workers}, stopped: ctx, stop: func(error) {}}
	chosen := choose(view, sample)
	next := func() (i int64, ok bool) {
		if len(chosen) == 0 {
			return 0, false
		}
		i, chosen = chosen[0], chosen[1:]
		return i, true
	}
	return Run(ctx, context.WithoutCancel(ctx), workers, next, again.do, func(o Outcome) error {
		stored, err := view.Run(o.Row.Index)
		if err == nil {
			sink(stored, o.Row)
		}
		return err
	})
}

// choose returns the sample in the order of the plan.
func choose(view *results.Reader, size int64) (sample []int64) {
	for i := range view.Plan.Runs() {
		if view.Status(i) == results.OK {
			sample = append(sample, i)
		}
	}
	slices.SortFunc(sample, func(a, b int64) int {
		x, y := view.Plan.ID(a), view.Plan.ID(b)
		return bytes.Compare(x[:], y[:])
	})
	sample = sample[:min(size, int64(len(sample)))]
	slices.Sort(sample)
	return sample
}
