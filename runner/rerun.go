package runner

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"sweep/results"
)

// Rerun executes a sample of the runs in a directory again and hands each to
// sink, as it is stored and as it is now, one at a time. The sample consists of
// the successful runs with the smallest IDs, which are hashes: it is random,
// the same each time, and part of any larger sample. Failed runs are not
// executed again: the machine may have been at fault. Of the options, only
// Workers and Room count.
//
// If ctx ends first, no further run starts and the error is ctx's cause. An
// error in reading the directory is returned as it is.
func Rerun(
	ctx context.Context, view *results.Reader, options Options, sample int64,
	sink func(stored, now *results.Row),
) error {
	again := sweep{
		plan:    view.Plan,
		options: &Options{Workers: options.Workers},
		room:    newRoom(options.Room),
		stopped: ctx,
		stop:    func(error) {},
	}
	defer func() { go again.attempts.Wait() }()
	next, stop := iter.Pull(slices.Values(choose(view, sample)))
	defer stop()
	compare := func(o Outcome) error {
		if o.Row == nil { // ctx ended while the run waited for memory
			return context.Cause(ctx)
		}
		stored, err := view.Run(o.Row.Index)
		if err == nil {
			sink(stored, o.Row)
		}
		return err
	}
	runs := context.WithoutCancel(ctx)
	return ForEach(ctx, runs, again.size(), next, again.do, compare)
}

// choose returns the sample in reverse order of the plan, so that a run which
// depends on runs before it shows.
func choose(view *results.Reader, size int64) (sample []int64) {
	for i := range view.Plan.Runs() {
		if view.Status(i) == results.OK {
			sample = append(sample, i)
		}
	}
	slices.SortFunc(sample, func(a, b int64) int {
		x := view.Plan.ID(a)
		y := view.Plan.ID(b)
		return bytes.Compare(x[:], y[:])
	})
	sample = sample[:min(size, int64(len(sample)))]
	slices.Sort(sample)
	slices.Reverse(sample)
	return sample
}
