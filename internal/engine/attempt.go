package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/runner"
)

// patience is how long an attempt may take to notice that its context has
// ended. After that it is a stray: left to itself and no longer waited for.
const patience = time.Second

// A worker executes runs within the limits of the options. Its method do
// may be called from many goroutines.
type worker struct {
	plan    *grid.Plan
	options *Options
	stopped context.Context // ends when no further run is to start
	stop    context.CancelCauseFunc

	strays atomic.Int64 // that have not ended yet
}

// do executes run i, if need be in several attempts. The outcome's row is
// nil if ctx ended, or if the sweep was stopped while there were attempts
// left.
func (w *worker) do(ctx context.Context, i int64) (o Outcome) {
	row := newRow(w.plan, i)
	for {
		a := w.attempt(ctx, row.Point)
		o.Attempts++
		if a.stray {
			o.Strays++
		}
		switch {
		case a.err == nil:
			row.Result = a.result
			o.Row = row
			return o
		case a.fault == "":
			return o // ctx has ended
		case o.Attempts > w.options.Retries:
			fail(row, a.err)
			o.Row, o.Fault, o.Stack = row, a.fault, a.stack
			return o
		case w.stopped.Err() != nil:
			return o
		}
	}
}

// An attempt is what came of one execution of a point.
type attempt struct {
	result experiment.Result
	err    error
	fault  Fault  // empty if err is nil, or ctx ended and not the attempt's time
	stack  []byte // of a panic
	stray  bool   // nothing came of it
}

// errVanished reports an experiment that called runtime.Goexit.
var errVanished = errors.New("the run ended its goroutine instead of returning")

// A timeoutError is the end of an attempt that took longer than this limit.
// Its text becomes part of the results, so it does not tell how long.
type timeoutError time.Duration

func (e timeoutError) Error() string { return fmt.Sprintf("took longer than %v", time.Duration(e)) }

// attempt executes a point once. It does so on another goroutine, because
// an experiment that does not heed its context can only be left.
func (w *worker) attempt(ctx context.Context, p experiment.Point) attempt {
	if limit := w.options.RunTimeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, timeoutError(limit))
		defer cancel()
	}
	ended := make(chan attempt, 1)
	go func() {
		a := attempt{err: errVanished}
		defer func() { ended <- a }() // deferred because of runtime.Goexit
		panicked := runner.Recover(func() { a.err = p.Experiment.Run(ctx, p, &a.result) })
		if panicked != nil {
			a.err, a.fault, a.stack = panicked, Panicked, panicked.Stack
		}
	}()
	select {
	case a := <-ended:
		return a.judged(ctx, p.Experiment)
	case <-ctx.Done():
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a := <-ended:
		return a.judged(ctx, p.Experiment)
	case <-timer.C:
		w.leave(ended)
		return attempt{err: ctx.Err(), stray: true}.judged(ctx, p.Experiment)
	}
}

// judged returns the attempt with its error and fault as they go into the
// outcome. What a run returned because ctx ended is no error of its own.
func (a attempt) judged(ctx context.Context, e *experiment.Experiment) attempt {
	switch {
	case a.fault == Panicked:
	case a.err == nil:
		if a.err = check(e, &a.result); a.err != nil {
			a.fault = Unlawful
		}
	case ctx.Err() != nil && (errors.Is(a.err, context.Canceled) || errors.Is(a.err, context.DeadlineExceeded)):
		a.err = context.Cause(ctx)
		if errors.As(a.err, new(timeoutError)) {
			a.fault = TimedOut
		}
	default:
		a.fault = Errored
	}
	return a
}

// leave counts a stray until it ends, and stops the sweep if there are more
// of them than workers.
func (w *worker) leave(ended <-chan attempt) {
	if w.strays.Add(1) > int64(w.options.Workers) {
		w.stop(&StraysError{w.options.Workers})
	}
	go func() {
		<-ended
		w.strays.Add(-1)
	}()
}
