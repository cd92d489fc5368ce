// Package engine carries a sweep out. It joins the stages that do not know
// each other: it takes the runs of a plan that a store does not hold yet
// (package grid), has a pool execute them (package runner), turns each
// point into a row by way of the experiment's declaration (row.go), and
// appends the rows to the store (package results).
package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// A Store keeps the rows of a sweep. *results.Store is one. Its methods are
// called from several goroutines, but one at a time.
type Store interface {
	// Done reports whether run i needs no execution.
	Done(i int64) bool

	// Append keeps a finished run; Commit makes what was appended last.
	Append(row *results.Row) error
	Commit() error
}

// Options say how to carry a sweep out.
type Options struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// Shard is the part of the plan to carry out; nil is the whole.
	Shard *grid.Shard

	// FailFast stops the sweep after the first failed run.
	FailFast bool

	// Observe, if not nil, is called after each run that was kept, from
	// one goroutine.
	Observe func(row *results.Row)
}

// A Report says what one call of Run did. Runs that the store held before
// are not in it.
type Report struct {
	OK, Failed int64
	Failures   []Failure // those of lowest index, at most MaxFailures
}

// MaxFailures bounds the failures that a Report lists; the store has all.
const MaxFailures = 10

// A Failure is a run that failed, with what the store does not keep.
type Failure struct {
	Row   *results.Row
	Stack []byte // of a run that panicked; nil for an error
}

// ErrFailFast is the error of a sweep that FailFast stopped.
var ErrFailFast = errors.New("stopped at the first failed run")

// commitEvery bounds how long a finished run may wait to become lasting.
// Runs may be rare, so the store cannot see to that by itself.
const commitEvery = time.Second

// Run executes the plan's runs that store does not hold and appends their
// rows. A run that returns an error, breaks its experiment's declaration
// or panics is a failed row; the others go on.
//
// The error is nil if all runs were executed, failed or not. If ctx ends
// first, no further run starts, those under way are kept, and the error is
// ctx's cause. If FailFast stops the sweep likewise, it is ErrFailFast. In
// all three cases everything appended is committed. An error of the store
// ends the sweep at once and is returned as it is.
func Run(ctx context.Context, plan *grid.Plan, store Store, options Options) (Report, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	keeper := &keeper{store: store}
	endCommits := keeper.commitRegularly(stop)
	defer endCommits()

	var report Report
	err := runner.Run(ctx, runner.Options{Workers: options.Workers},
		keeper.missing(share(plan, options.Shard)),
		func(ctx context.Context, i int64) *results.Row { return execute(ctx, plan, i) },
		func(outcome runner.Outcome[*results.Row]) error {
			row, stack := outcome.Value, []byte(nil)
			if outcome.Panic != nil {
				row, stack = newRow(plan, outcome.Index), outcome.Panic.Stack
				fail(row, outcome.Panic)
			}
			if err := keeper.append(row); err != nil {
				return err
			}
			report.add(row, stack)
			if options.Observe != nil {
				options.Observe(row)
			}
			if row.Status == results.Failed && options.FailFast {
				stop(ErrFailFast)
			}
			return nil
		})
	endCommits()
	if commitErr := keeper.commit(); commitErr != nil && (err == nil || ctx.Err() != nil) {
		err = commitErr
	}
	return report, err
}

// add counts a row, and keeps it if it is among the first failures.
func (r *Report) add(row *results.Row, stack []byte) {
	if row.Status != results.Failed {
		r.OK++
		return
	}
	r.Failed++
	at := len(r.Failures)
	for at > 0 && r.Failures[at-1].Row.Index > row.Index {
		at--
	}
	if at == MaxFailures {
		return
	}
	r.Failures = append(r.Failures, Failure{})
	copy(r.Failures[at+1:], r.Failures[at:])
	r.Failures[at] = Failure{Row: row, Stack: stack}
	r.Failures = r.Failures[:min(len(r.Failures), MaxFailures)]
}

// A keeper lets sink, clock and workers take turns with the store.
type keeper struct {
	mu    sync.Mutex
	store Store
}

func (k *keeper) append(row *results.Row) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.store.Append(row)
}

func (k *keeper) commit() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.store.Commit()
}

// share returns the part of the plan that is to be carried out.
func share(plan *grid.Plan, shard *grid.Shard) grid.Shard {
	if shard == nil {
		return plan.Shard(0, 1)
	}
	return *shard
}

// missing yields the runs of a shard that the store does not hold, in
// order. It learns them a batch at a time, because workers that asked for
// every single one would wait whenever the store is writing.
func (k *keeper) missing(shard grid.Shard) func() (int64, bool) {
	const size = 4096
	at, batch := int64(0), []int64(nil)
	return func() (int64, bool) {
		if len(batch) == 0 {
			k.mu.Lock()
			defer k.mu.Unlock()
			batch = make([]int64, 0, size)
			for ; at < shard.Runs() && len(batch) < size; at++ {
				if i := shard.Run(at); !k.store.Done(i) {
					batch = append(batch, i)
				}
			}
		}
		if len(batch) == 0 {
			return 0, false
		}
		next := batch[0]
		batch = batch[1:]
		return next, true
	}
}

// commitRegularly commits until the returned function is called, which
// waits for the last commit and may be called again. An error goes to stop.
func (k *keeper) commitRegularly(stop context.CancelCauseFunc) (end func()) {
	ended := make(chan struct{})
	var clock sync.WaitGroup
	clock.Go(func() {
		ticker := time.NewTicker(commitEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := k.commit(); err != nil {
					stop(err)
					return
				}
			case <-ended:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		clock.Wait()
	})
}
