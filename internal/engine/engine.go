// Package engine carries a sweep out. It joins the stages that do not know
// each other: it takes the runs of a plan that a store does not hold yet
// (package grid), has a pool execute them (package runner), turns each
// point into a row by way of the experiment's declaration, and appends the
// rows to the store (package results).
//
// The files, from the whole to the single run:
//
//   - engine.go starts runs and ends the sweep, report.go says how it went.
//   - keeper.go lets those who need the store take turns.
//   - budget.go decides whether there is time for another run.
//   - attempt.go executes one run within its limits, row.go makes and
//     checks its row.
//
// Clock and signals decide which runs are computed, never what is in a
// row that succeeds.
package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// A Store keeps the rows of a sweep. *results.Store is one. Its methods are
// called from several goroutines, but one at a time.
type Store interface {
	// Done reports whether run i needs no execution: it is there with
	// status OK, or a stopping rule does not ask for it as far as the rows
	// tell. HasFailed reports whether it is there as a failed row.
	Done(i int64) bool
	HasFailed(i int64) bool

	// Append keeps a finished run; Commit makes what was appended last.
	Append(row *results.Row) error
	Commit() error
}

// Options say how to carry a sweep out. Workers apart, zero is a sensible
// value of each: no limit, no repetition, no patience.
type Options struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// Shard is the part of the plan to carry out; nil is the whole.
	Shard *grid.Shard

	// KeepFailed leaves runs that the store holds as failed rows as they
	// are; otherwise they are executed again.
	KeepFailed bool

	// RunTimeout bounds the time of one attempt at a run; 0 is no bound.
	// An attempt that takes longer has failed.
	RunTimeout time.Duration

	// Retries is how many further attempts are made at a run that failed.
	Retries int

	// MaxFailures, if not nil, returns how many failed runs stop the sweep,
	// at least 1; 0 is no bound. It is called as Observe is.
	MaxFailures func() int64

	// Grace is for how long the runs under way may go on after ctx has
	// ended or MaxFailures is reached.
	Grace time.Duration

	// Deadline is when all must be committed; zero is no deadline. Runs
	// that would not end in time, judged by what runs have cost, do not
	// start, and those that take longer nevertheless are given up.
	Deadline time.Time

	// Extended, if not nil, is called when a stopping rule may have come
	// to ask for more runs; nobody else uses the store then.
	Extended func()

	// Observe, if not nil, is called after each run that was kept, from
	// one goroutine.
	Observe func(o *Outcome)
}

// ErrOutOfTime is the error of a sweep that the Deadline stopped.
var ErrOutOfTime = errors.New("out of time")

// A FailuresError is the error of a sweep that MaxFailures stopped.
type FailuresError struct{ Limit int64 }

func (e *FailuresError) Error() string {
	if e.Limit == 1 {
		return "stopped at the first failed run"
	}
	return fmt.Sprintf("stopped after %d failed runs", e.Limit)
}

// A StraysError is the error of a sweep in which more than Limit attempts
// went on after they had been told to end. A run cannot be killed, so it
// goes on to occupy a processor and memory; with many of them the sweep
// would come to a halt without anyone knowing why.
type StraysError struct{ Limit int }

func (e *StraysError) Error() string {
	return fmt.Sprintf("stopped: more than %d runs go on after their time was up, because the experiment does not heed the end of its context", e.Limit)
}

// Run executes the plan's runs that store does not hold and appends their
// rows. A run that returns an error, breaks its experiment's declaration,
// panics or takes longer than RunTimeout is a failed row; the others go on.
//
// The error is nil if all runs were executed, failed or not. Otherwise it
// tells what stopped the sweep: ctx's cause, ErrOutOfTime, a *FailuresError
// or a *StraysError. No further run starts then; those under way are kept
// if they end within Grace, and given up if not: they leave no row. In all
// these cases everything appended is committed. An error of the store ends
// the sweep at once and is returned as it is.
//
// Run returns when all its runs have ended, but for the strays: attempts
// that went on for a second after they had been told to end.
func Run(ctx context.Context, plan *grid.Plan, store Store, options Options) (Report, error) {
	caller := ctx
	ctx, stop := context.WithCancelCause(caller)
	runs, giveUp := context.WithCancelCause(context.WithoutCancel(caller))
	defer stop(nil)
	defer giveUp(nil)
	halt := func(cause error) { stop(cause); giveUp(cause) }
	defer limitGrace(caller, ctx, options.Grace, giveUp)()

	budget := newBudget(plan, options.Deadline)
	defer budget.atEnd(halt)()
	keeper := &keeper{store: store, keepFailed: options.KeepFailed}
	endCommits := keeper.commitRegularly(halt)
	defer endCommits()
	worker := worker{plan: plan, options: &options, stopped: ctx, stop: stop}

	var report Report
	var err error
	refused := false
	do := func(ctx context.Context, i int64) Outcome {
		defer budget.ended(i)
		return worker.do(ctx, i)
	}
	sink := func(arrived runner.Outcome[Outcome]) error {
		if arrived.Panic != nil {
			panic(fault(arrived.Index, arrived.Panic))
		}
		outcome := &arrived.Value
		if outcome.Row != nil {
			if err := keeper.append(outcome); err != nil {
				return err
			}
		}
		report.add(outcome)
		if outcome.Row != nil && options.Observe != nil {
			options.Observe(outcome)
		}
		if options.MaxFailures == nil {
			return nil
		}
		if limit := options.MaxFailures(); limit > 0 && report.Failed >= limit {
			stop(&FailuresError{limit})
		}
		return nil
	}
	shard := share(plan, options.Shard)
	begin := int64(0)
	for _, end := range rounds(plan, shard) {
		if begin > 0 && options.Extended != nil {
			keeper.do(options.Extended)
		}
		missing := keeper.missing(shard, begin, end)
		next := func() (int64, bool) {
			i, ok := missing()
			if ok && !budget.admit(i) {
				stop(ErrOutOfTime)
				refused, ok = true, false
			}
			return i, ok
		}
		err = runner.Run(ctx, runner.Options{Workers: options.Workers, Runs: runs}, next, do, sink)
		if err != nil || refused {
			break
		}
		begin = end
	}
	endCommits()
	if err == nil && (refused || report.GivenUp > 0) {
		err = context.Cause(ctx)
	}
	if commitErr := keeper.commit(); commitErr != nil && (err == nil || ctx.Err() != nil) {
		err = commitErr
	}
	return report, err
}

// rounds returns the positions in the shard at which the rounds of a sweep
// end. Without a stopping rule there is one round. With a rule, a round is
// over when every cell that was to be judged at a checkpoint has all its
// rows, for only then is it known who needs the next round's.
func rounds(plan *grid.Plan, shard grid.Shard) []int64 {
	rule := plan.Stop()
	if rule == nil {
		return []int64{shard.Runs()}
	}
	ends := rule.Checkpoints()
	for k := range ends {
		ends[k] *= shard.Runs() / plan.Seeds() // its cells
	}
	return ends
}

// fault describes a panic of this package, or one that it calls, on a
// worker's goroutine. Those of experiments are caught before.
func fault(i int64, p *runner.Panic) string {
	return fmt.Sprintf("engine: run %d: %v\n%s", i, p, p.Stack)
}

// limitGrace gives the runs under way up when the grace is over, which
// begins when the caller's context ends or the sweep is stopped, unless the
// returned function is called before. Only a sweep that is out of time has
// its deadline instead.
func limitGrace(caller, sweep context.Context, grace time.Duration, giveUp context.CancelCauseFunc) (end func()) {
	ended := make(chan struct{})
	wait := func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			giveUp(context.Cause(sweep))
		case <-ended:
		}
	}
	forgetCaller := context.AfterFunc(caller, wait)
	forgetSweep := context.AfterFunc(sweep, func() {
		if !errors.Is(context.Cause(sweep), ErrOutOfTime) {
			wait()
		}
	})
	return func() {
		forgetCaller()
		forgetSweep()
		close(ended)
	}
}
