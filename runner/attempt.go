package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"

	"sweep/experiment"
	"sweep/results"
)

// cancelGrace is how long an attempt may take to notice that its context
// has ended. After that it is hung: left to itself and no longer waited for.
const cancelGrace = time.Second

// do executes run i within the limits of the options, if need be in several
// attempts. It may be called from many goroutines. The outcome's row is nil if
// ctx ended, or if the sweep was stopped while there were attempts left.
func (s *sweep) do(ctx context.Context, i int64) (o Outcome) {
	defer s.deadline.ended(i)
	point := s.plan.Point(i)
	row := &results.Row{Index: i, ID: s.plan.ID(i), Point: point, Status: results.OK}
	if s.options.Directory != "" {
		ctx = experiment.WithDirectory(ctx, filepath.Join(s.options.Directory, row.ID.String()))
	}
	for {
		begin := time.Now()
		a := s.attempt(ctx, point)
		row.Seconds = time.Since(begin).Seconds()
		o.Attempts++
		if a.hung {
			o.Hung++
		}
		switch {
		case a.err == nil:
			row.Result = a.result
			o.Row = row
			return o
		case a.fault == "":
			return o // ctx has ended
		case o.Attempts > s.options.Retries:
			fail(row, a.err)
			o.Row, o.Fault, o.Stack = row, a.fault, a.stack
			return o
		case s.stopped.Err() != nil:
			return o
		}
	}
}

// fail makes the row that of a failed run. The text becomes part of the
// results, where it must be a non-empty string of valid UTF-8.
func fail(row *results.Row, err error) {
	row.Status, row.Result = results.Failed, experiment.Result{}
	row.Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
	if row.Error == "" {
		row.Error = "an error without a text"
	}
}

// An attempt is what came of one execution of a point.
type attempt struct {
	result experiment.Result
	err    error
	fault  Fault  // empty if err is nil, or ctx ended and not the attempt's time
	stack  []byte // of a panic
	hung   bool   // nothing came of it
}

// errNoReturn reports an experiment that called runtime.Goexit.
var errNoReturn = errors.New("the run ended its goroutine instead of returning")

// A timeoutError is the end of an attempt that took longer than this limit.
// Its text becomes part of the results, so it does not tell how long.
type timeoutError time.Duration

func (e timeoutError) Error() string { return fmt.Sprintf("took longer than %v", time.Duration(e)) }

// Is makes it a context.DeadlineExceeded.
func (e timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// attempt executes a point once. It does so on another goroutine, because
// an experiment that does not heed its context can only be left.
func (s *sweep) attempt(ctx context.Context, p experiment.Point) attempt {
	limit, end := s.options.RunTimeout, context.CancelCauseFunc(nil)
	if limit > 0 {
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
	}
	ended := make(chan attempt, 1)
	go func() {
		a := attempt{err: errNoReturn}
		defer func() { ended <- a }() // deferred because of runtime.Goexit
		panicked := panics.Try(func() { a.err = p.Experiment.Run(ctx, p, &a.result) })
		if panicked != nil {
			// Without the stack, which differs from one process to the next: the
			// text of a failed run is part of the results.
			a.err, a.fault, a.stack = fmt.Errorf("panic: %v", panicked.Value), Panicked, panicked.Stack
		}
	}()
	// Ticks measure the time: while the whole process is stopped, as by SIGSTOP
	// or a suspended machine, there is at most one.
	var ticks <-chan time.Time
	period := min(max(limit/50, time.Millisecond), time.Second)
	if limit > 0 {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for spent := time.Duration(0); ctx.Err() == nil; {
		select {
		case a := <-ended:
			return a.judged(ctx, p.Experiment)
		case <-ticks:
			if spent += period; spent >= limit {
				end(timeoutError(limit))
			}
		case <-ctx.Done():
		}
	}
	select {
	case a := <-ended:
		return a.judged(ctx, p.Experiment)
	case <-time.After(cancelGrace):
		s.leave(ended)
		return attempt{err: ctx.Err(), hung: true}.judged(ctx, p.Experiment)
	}
}

// judged returns the attempt with its error and fault as they go into the
// outcome. What a run returned because ctx ended is no error of its own.
func (a attempt) judged(ctx context.Context, e *experiment.Experiment) attempt {
	switch {
	case a.fault == Panicked:
	case a.err == nil:
		if a.err = results.Check(e, &a.result); a.err != nil {
			a.fault = Invalid
		}
	case ctx.Err() != nil && errors.As(a.err, new(timeoutError)): // with words of the run's own
		a.fault = TimedOut
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

// leave counts an attempt as hung until it ends, and stops the sweep if
// there are more of them than workers.
func (s *sweep) leave(ended <-chan attempt) {
	if s.hung.Add(1) > int64(s.options.Workers) {
		s.stop(&HungError{s.options.Workers})
	}
	go func() {
		<-ended
		s.hung.Add(-1)
	}()
}
