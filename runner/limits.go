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

// cancelGrace is how long an attempt may take to notice that its context has
// ended. After that it is hung: nobody waits for it any longer.
const cancelGrace = time.Second

// do executes run i within the limits of the options, in several attempts if
// the first ones fail. It may be called from many goroutines. The outcome's row
// is nil if ctx ended, or if the sweep was stopped while there were attempts
// left.
func (s *sweep) do(ctx context.Context, i int64) Outcome {
	defer s.ended(i)
	row := results.Row{Index: i, ID: s.plan.ID(i), Point: s.plan.Point(i), Status: results.OK}
	id := row.ID.String()
	about := experiment.Attempt{RunID: id}
	if s.options.Directory != "" {
		about.Directory = s.options.Directory + string(filepath.Separator) + id
	}
	hung := 0
	step := 0 // the position in Room.Memory of what the run has
	for attempts := 1; ; attempts++ {
		held, ok := s.room.take(s.stopped, step)
		if !ok {
			return Outcome{Attempts: attempts - 1, Hung: hung}
		}
		about.Number = attempts
		own := experiment.WithAttempt(ctx, about)
		begin := time.Now()
		o := s.attempt(held.in(own), row)
		s.room.give(held)
		hung += o.Hung
		o.Hung = hung
		o.Attempts = attempts
		if o.Row != nil {
			o.Row.Seconds = time.Since(begin).Seconds()
			o.Row.Attempts = int64(attempts)
		}
		lacksMemory := o.Fault == OutOfMemory
		getsMore := lacksMemory && s.room.hasMore(step)
		retries := attempts - 1 - step // an attempt with more memory is none
		switch {
		case o.Fault == "":
			return o
		case !getsMore && retries >= s.options.Retries:
			if lacksMemory {
				o.Row.Error = s.room.verdict(step) + o.Row.Error
			}
			s.fail()
			return o
		case s.stopped.Err() != nil:
			return Outcome{Attempts: attempts, Hung: hung}
		case getsMore:
			step++
		}
	}
}

// fail counts a failed run, and stops the sweep if these are too many.
func (s *sweep) fail() {
	switch n := s.failed.Add(1); {
	case s.maxFailures <= 0 || n < s.maxFailures:
	case s.maxFailures == 1:
		s.stop(fmt.Errorf("%w at the first failed run", ErrFailures))
	default:
		s.stop(fmt.Errorf("%w after %d failed runs", ErrFailures, s.maxFailures))
	}
}

// errNoReturn reports an experiment that called runtime.Goexit.
var errNoReturn = errors.New("the run ended its goroutine instead of returning")

// A timeoutError is the end of an attempt that took longer than this limit.
// Its text becomes part of the results, so it does not tell how long.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("took longer than %v", time.Duration(e))
}

// Is makes it a context.DeadlineExceeded.
func (e timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// attempt executes a run once and returns its outcome. The run has a goroutine
// of its own, because an experiment that ignores its context can only be left.
func (s *sweep) attempt(ctx context.Context, row results.Row) Outcome {
	// Ticks measure the time, so that no more than one counts while the whole
	// process is stopped, by SIGSTOP or because the machine is suspended.
	var ticks <-chan time.Time
	var end context.CancelCauseFunc
	limit := s.options.RunTimeout
	period := min(max(limit/50, time.Millisecond), time.Second)
	if limit > 0 {
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		ticks = ticker.C
	}
	own := row
	o := Outcome{Row: &own}
	ended := make(chan error, 1)
	s.attempts.Go(func() {
		err := errNoReturn
		defer func() { ended <- err }() // deferred because of runtime.Goexit
		panicked := panics.Try(func() {
			err = own.Point.Experiment.Run(ctx, own.Point, &own.Result)
		})
		if panicked != nil {
			// The text of a failed run is part of the results, so it lacks the
			// stack, which differs from one process to the next.
			err = fmt.Errorf("panic: %v", panicked.Value)
			o.Fault = Panicked
			o.Stack = panicked.Stack
		}
	})
	for spent := time.Duration(0); ctx.Err() == nil; {
		select {
		case err := <-ended:
			return o.judged(ctx, err)
		case <-ticks:
			spent += period
			if spent >= limit {
				end(timeoutError(limit))
			}
		case <-ctx.Done():
		}
	}
	select {
	case err := <-ended:
		return o.judged(ctx, err)
	case <-time.After(cancelGrace):
		s.leave(ended)
		left := row // not own, which the run may still write
		return Outcome{Row: &left, Hung: 1}.judged(ctx, ctx.Err())
	}
}

// judged returns the outcome of an attempt that ended with err, which may be
// nil. The row is nil if the run ended because ctx did, unless the attempt's
// time was up. The text of a failed run becomes part of the results, where it
// must be a non-empty string of valid UTF-8.
func (o Outcome) judged(ctx context.Context, err error) Outcome {
	if err == nil && o.Fault == "" {
		err = o.Row.Point.Experiment.CheckResult(&o.Row.Result)
		if err == nil {
			err = o.Row.CheckSize()
		}
		if err == nil {
			return o
		}
		o.Fault = Invalid
	}
	if o.Fault == "" && ctx.Err() != nil && isOfContext(err) {
		if !errors.As(err, new(timeoutError)) { // else it keeps the run's own words
			err = context.Cause(ctx)
		}
		if !errors.As(err, new(timeoutError)) {
			return Outcome{Hung: o.Hung}
		}
		o.Fault = TimedOut
	}
	if o.Fault == "" && errors.Is(err, experiment.ErrOutOfMemory) {
		o.Fault = OutOfMemory
	}
	if o.Fault == "" {
		o.Fault = Errored
	}
	o.Row.Status = results.Failed
	o.Row.Result = experiment.Result{Usage: o.Row.Result.Usage}
	o.Row.Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
	if o.Row.Error == "" {
		o.Row.Error = "an error without a text"
	}
	return o
}

// isOfContext reports whether an error tells that a context has ended.
func isOfContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// leave counts an attempt as hung until it ends, and stops the sweep if more
// attempts than workers hang.
func (s *sweep) leave(ended <-chan error) {
	hung := s.hung.Add(1)
	if n := s.options.Workers; hung > int64(n) {
		s.stop(fmt.Errorf("%w: more than %d runs go on after their time was up, "+
			"because the experiment does not heed the end of its context", ErrHung, n))
	}
	go func() {
		<-ended
		s.hung.Add(-1)
	}()
}
