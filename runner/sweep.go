package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sweep/grid"
	"sweep/results"
)

// Options say how to carry a sweep out. Workers apart, zero is a sensible
// value of each: no limit, no repetition, no grace.
type Options struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// KeepFailed leaves runs that the store holds as failed rows as they
	// are; otherwise they are executed again.
	KeepFailed bool

	// RunTimeout bounds the time of one attempt at a run; 0 is no bound.
	// An attempt that takes longer has failed. Time in which the process
	// was stopped does not count.
	RunTimeout time.Duration

	// Retries is how many further attempts are made at a run that failed.
	Retries int

	// MaxFailures, if not nil, returns how many failed runs stop a sweep
	// that is to execute so many; 0 is no bound. It is asked again when a
	// stopping rule has come to ask for more runs.
	MaxFailures func(runs int64) int64

	// Grace is for how long the runs under way may go on after ctx has
	// ended or MaxFailures is reached.
	Grace time.Duration

	// Deadline is when all must be committed; zero is no deadline. Runs
	// that would not end in time, judged by what runs have cost, do not
	// start, and those that take longer nevertheless are given up.
	Deadline time.Time

	// Directory, if not empty, is where runs may keep files
	// (experiment.Directory), each in a directory named by its ID.
	Directory string

	// Observe, if not nil, is told what happens, one event at a time. It
	// must not use the store, but for WriteManifest.
	Observe func(Event)
}

// ErrOutOfTime is the error of a sweep that the Deadline stopped.
var ErrOutOfTime = errors.New("out of time")

// A FailuresError is the error of a sweep that MaxFailures stopped.
type FailuresError struct{ Limit int64 }

// Error tells the limit.
func (e *FailuresError) Error() string {
	if e.Limit == 1 {
		return "stopped at the first failed run"
	}
	return fmt.Sprintf("stopped after %d failed runs", e.Limit)
}

// A HungError is the error of a sweep in which more than Limit attempts
// went on after they had been told to end. A run cannot be killed, so it
// goes on to occupy a processor and memory; with many of them the sweep
// would come to a halt without anyone knowing why.
type HungError struct{ Limit int }

// Error tells what the experiment does wrong.
func (e *HungError) Error() string {
	return fmt.Sprintf("stopped: more than %d runs go on after their time was up, because the experiment does not heed the end of its context", e.Limit)
}

// Sweep executes the runs that belong into a store and that it does not
// hold, and appends their rows. A run that returns an error, breaks its
// experiment's declaration, panics or takes longer than RunTimeout is a
// failed row; the others go on. While the sweep runs, its exported files are
// refreshed at growing intervals.
//
// The error is nil if all runs were executed, failed or not. Otherwise it
// tells what stopped the sweep: ctx's cause, ErrOutOfTime, a *FailuresError
// or a *HungError. No further run starts then; those under way are kept
// if they end within Grace, and given up if not: they leave no row. In all
// these cases everything appended is committed. An error of the store ends
// the sweep at once and is returned as it is.
//
// Sweep returns when all its runs have ended, but for hung ones: attempts
// that went on for a second after they had been told to end.
func Sweep(ctx context.Context, store *results.Store, options Options) (report Report, err error) {
	caller := ctx
	ctx, stop := context.WithCancelCause(caller)
	runs, giveUp := context.WithCancelCause(context.WithoutCancel(caller))
	defer stop(nil)
	defer giveUp(nil)
	halt := func(cause error) { stop(cause); giveUp(cause) }
	defer limitGrace(caller, ctx, options.Grace, giveUp)()

	plan := store.Spec().Plan()
	deadline := newDeadline(plan, options.Deadline)
	defer deadline.atEnd(halt)()
	locked := newLockedStore(store, &options)
	locked.tell(Started, nil)
	interrupted := make(chan struct{})
	forget := context.AfterFunc(caller, func() {
		defer close(interrupted)
		locked.tell(Interrupted, context.Cause(caller))
	})
	endTicks := locked.tickRegularly(halt)
	defer func() {
		endTicks()
		if !forget() {
			<-interrupted
		}
		locked.tell(Ended, nil)
	}()

	s := &sweep{
		plan: plan, locked: locked, options: &options, deadline: deadline, stop: stop, report: &report,
		worker: worker{plan: plan, options: &options, stopped: ctx, stop: stop},
	}
	err = s.rounds(ctx, runs, share(plan, store.Shard()))
	endTicks()
	if err == nil && (s.refused || report.GivenUp > 0) {
		err = context.Cause(ctx)
	}
	if commitErr := locked.commit(); commitErr != nil && (err == nil || ctx.Err() != nil) {
		err = commitErr
	}
	return report, err
}

// A sweep is what rounds of runs have in common.
type sweep struct {
	plan        *grid.Plan
	locked      *lockedStore
	options     *Options
	deadline    *deadline
	worker      worker
	stop        context.CancelCauseFunc
	report      *Report
	maxFailures int64
	refused     bool // a run did not start, for lack of time
}

// rounds executes the runs of a shard. Without a stopping rule there is one
// round. With a rule, a round is over when every cell that was to be judged
// at a checkpoint has all its runs, for only then is it known who needs the
// next round's.
func (s *sweep) rounds(ctx, runs context.Context, shard grid.Shard) error {
	ends := []int64{shard.Runs()}
	if rule := s.plan.Stop(); rule != nil {
		ends = rule.Checkpoints()
		for k := range ends {
			ends[k] *= shard.Runs() / s.plan.Seeds() // its cells
		}
	}
	begin := int64(0)
	for _, end := range ends {
		if begin > 0 {
			s.locked.tell(Extended, nil)
		}
		if limit := s.options.MaxFailures; limit != nil {
			s.maxFailures = limit(s.locked.counts.Executed + s.locked.counts.Left) // no run ends now
		}
		missing := s.locked.missing(shard, begin, end)
		next := func() (int64, bool) {
			i, ok := missing()
			if ok && !s.deadline.admit(i) {
				s.stop(ErrOutOfTime)
				s.refused, ok = true, false
			}
			return i, ok
		}
		err := Run(ctx, Pool{Workers: s.options.Workers, Runs: runs}, next, s.do, s.keep)
		if err != nil || s.refused {
			return err
		}
		begin = end
	}
	return nil
}

func (s *sweep) do(ctx context.Context, i int64) Outcome {
	defer s.deadline.ended(i)
	return s.worker.do(ctx, i)
}

// keep takes what became of a run.
func (s *sweep) keep(f Finished[Outcome]) error {
	if f.Panic != nil {
		panic(fault(f.Index, f.Panic))
	}
	if f.Value.Row != nil {
		if err := s.locked.append(&f.Value); err != nil {
			return err
		}
	}
	s.report.add(&f.Value)
	if s.maxFailures > 0 && s.report.Failed >= s.maxFailures {
		s.stop(&FailuresError{s.maxFailures})
	}
	return nil
}

// share returns the part of the plan that is to be carried out.
func share(plan *grid.Plan, shard *grid.Shard) grid.Shard {
	if shard == nil {
		return plan.Shard(0, 1)
	}
	return *shard
}

// fault describes a panic of this package, or one that it calls, on a
// worker's goroutine. Those of experiments are caught before.
func fault(i int64, p *Panic) string {
	return fmt.Sprintf("runner: run %d: %v\n%s", i, p, p.Stack)
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
