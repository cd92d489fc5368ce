package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	defer s.ended(i)
	row := results.Row{Index: i, ID: s.plan.ID(i), Point: s.plan.Point(i), Status: results.OK}
	if s.options.Directory != "" {
		ctx = experiment.WithDirectory(ctx, filepath.Join(s.options.Directory, row.ID.String()))
	}
	for {
		begin := time.Now()
		attempts, hung := o.Attempts+1, o.Hung
		o = s.attempt(ctx, row)
		o.Attempts, o.Hung = attempts, o.Hung+hung
		if o.Row != nil {
			o.Row.Seconds = time.Since(begin).Seconds()
		}
		switch {
		case o.Fault == "":
			return o
		case attempts > s.options.Retries:
			s.fail()
			return o
		case s.stopped.Err() != nil:
			return Outcome{Attempts: attempts, Hung: o.Hung}
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

func (e timeoutError) Error() string { return fmt.Sprintf("took longer than %v", time.Duration(e)) }

// Is makes it a context.DeadlineExceeded.
func (e timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// attempt executes a run once, and makes the row that of its outcome. It does so
// on another goroutine, because an experiment that does not heed its context can
// only be left.
func (s *sweep) attempt(ctx context.Context, row results.Row) Outcome {
	// Ticks measure the time: while the whole process is stopped, as by SIGSTOP
	// or a suspended machine, there is at most one.
	var ticks <-chan time.Time
	limit, end := s.options.RunTimeout, context.CancelCauseFunc(nil)
	period := min(max(limit/50, time.Millisecond), time.Second)
	if limit > 0 {
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		ticks = ticker.C
	}
	own := row
	o, ended := Outcome{Row: &own}, make(chan error, 1)
	s.attempts.Go(func() {
		err := errNoReturn
		defer func() { ended <- err }() // deferred because of runtime.Goexit
		panicked := panics.Try(func() { err = own.Point.Experiment.Run(ctx, own.Point, &own.Result) })
		if panicked != nil {
			// Without the stack, which differs from one process to the next: the
			// text of a failed run is part of the results.
			err, o.Fault, o.Stack = fmt.Errorf("panic: %v", panicked.Value), Panicked, panicked.Stack
		}
	})
	for spent := time.Duration(0); ctx.Err() == nil; {
		select {
		case err := <-ended:
			return o.judged(ctx, err)
		case <-ticks:
			if spent += period; spent >= limit {
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

// judged returns the outcome of an attempt that ended with an error, or with
// none. What a run returned because ctx ended is no error of its own: the row is
// nil then, unless it was the attempt's time that ended. The text of a failed run
// becomes part of the results, where it must be a non-empty string of valid UTF-8.
func (o Outcome) judged(ctx context.Context, err error) Outcome {
	switch {
	case o.Fault == Panicked:
	case err == nil:
		if err = o.Row.Point.Experiment.CheckResult(&o.Row.Result); err == nil {
			return o
		}
		o.Fault = Invalid
	case ctx.Err() != nil && errors.As(err, new(timeoutError)): // with words of the run's own
		o.Fault = TimedOut
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		if err = context.Cause(ctx); !errors.As(err, new(timeoutError)) {
			return Outcome{Hung: o.Hung}
		}
		o.Fault = TimedOut
	default:
		o.Fault = Errored
	}
	o.Row.Status, o.Row.Result = results.Failed, experiment.Result{}
	o.Row.Error = cmp.Or(strings.ToValidUTF8(err.Error(), "\uFFFD"), "an error without a text")
	return o
}

// leave counts an attempt as hung until it ends, and stops the sweep if
// there are more of them than workers.
func (s *sweep) leave(ended <-chan error) {
	if n := s.options.Workers; s.hung.Add(1) > int64(n) {
		s.stop(fmt.Errorf("%w: more than %d runs go on after their time was up, "+
			"because the experiment does not heed the end of its context", ErrHung, n))
	}
	go func() {
		<-ended
		s.hung.Add(-1)
	}()
}

// reserve is kept free before a deadline: for attempts to notice that they
// have to end (cancelGrace), and for the last commit.
const reserve = cancelGrace + time.Second

// admit reports whether run i, started now, can be expected to end before the
// deadline, judged by what runs have cost, each algorithm for itself. If so, it
// counts as started.
func (s *sweep) admit(i int64) bool {
	if s.options.Deadline.IsZero() {
		return true
	}
	s.costs.Lock()
	defer s.costs.Unlock()
	now := time.Now()
	if now.Add(s.estimate(i, now)).After(s.options.Deadline.Add(-reserve)) {
		return false
	}
	s.under[i] = now
	return true
}

// ended counts a run that was admitted as ended.
func (s *sweep) ended(i int64) {
	if s.options.Deadline.IsZero() {
		return
	}
	s.costs.Lock()
	defer s.costs.Unlock()
	const most = 64
	costs := append(s.recent[s.algorithm(i)], time.Since(s.under[i]))
	s.recent[s.algorithm(i)] = costs[max(0, len(costs)-most):]
	delete(s.under, i)
}

func (s *sweep) algorithm(i int64) (a experiment.Value) {
	if _, k := s.plan.Experiment().Param(experiment.Algorithm); k >= 0 {
		a = s.plan.Point(i).Values[k]
	}
	return a
}

// estimate returns what run i is not likely to exceed if it starts now: the
// high cost of its algorithm. Of an algorithm that has not shown its cost, those
// of the others tell, and for how long runs have been under way.
func (s *sweep) estimate(i int64, now time.Time) (most time.Duration) {
	if own := s.recent[s.algorithm(i)]; own != nil {
		return high(own)
	}
	for _, costs := range s.recent {
		most = max(most, high(costs))
	}
	for _, begin := range s.under {
		most = max(most, now.Sub(begin))
	}
	return most
}

// high returns what 95 % of costs do not exceed; of fewer than 20 it is the
// highest. A single straggler does not end the sweep.
func high(costs []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(costs))
	return sorted[(19*len(sorted)+19)/20-1]
}
