package runner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sweep/experiment"
	"sweep/internal/testutil"
	"sweep/results"
	"sweep/runner"
)

// lasting returns an experiment whose runs last for cost, or until ctx ends, as
// they should.
func lasting(cost func(p experiment.Point) time.Duration) *experiment.Experiment {
	return probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		begin, most := time.Now(), cost(p)
		select {
		case <-time.After(most):
		case <-ctx.Done():
			if time.Since(begin) < most { // else both at the same instant, in either order
				return ctx.Err()
			}
		}
		return good(ctx, p, out)
	})
}

// seconds is how long runs take: those of seed s the s-th of the list, or the
// last.
func seconds(list ...float64) func(p experiment.Point) time.Duration {
	return func(p experiment.Point) time.Duration {
		return time.Duration(list[min(p.Seed, int64(len(list)))-1] * float64(time.Second))
	}
}

// rivals returns an experiment whose runs last for so many seconds as their
// algorithm says.
func rivals(costs map[string]float64) *experiment.Experiment {
	e := lasting(func(p experiment.Point) time.Duration { return seconds(costs[p.Value(experiment.Algorithm).Text()])(p) })
	names := slices.Sorted(maps.Keys(costs))
	e.Params = append([]experiment.Param{{Name: experiment.Algorithm, Kind: experiment.String,
		Default: experiment.StringValue(names[0]), Choices: names, Meaning: "what is done", Source: "none"}}, e.Params...)
	return e
}

// deaf is an experiment of which the seed, or every one if it is 0, lasts for d
// and does not heed its context.
func deaf(seed int64, d time.Duration) *experiment.Experiment {
	return probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if seed == 0 || p.Seed == seed {
			time.Sleep(d)
		}
		return good(ctx, p, out)
	})
}

// failing is an experiment of which every third seed fails.
func failing(ctx context.Context, p experiment.Point, out *experiment.Result) error {
	if p.Seed%3 == 0 {
		return fmt.Errorf("seed %d", p.Seed)
	}
	return good(ctx, p, out)
}

// flaky is an experiment of which seed 2 needs three attempts: the others fail
// by an error, or panic without one. Of these nothing may stay.
func flaky(err error) *experiment.Experiment {
	attempts := 0
	return probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if p.Seed == 2 {
			attempts++
		}
		if p.Seed != 2 || attempts == 3 {
			return good(ctx, p, out)
		}
		if out.Metrics, out.Series = []float64{-1, -1}, []float64{1, 1}; err == nil {
			panic("busy")
		}
		return err
	})
}

// How sweeps end: what has become of their runs, when, and with which error.
func TestEnds(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	const many = "seeds = 100"
	type options = runner.Options
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of synctest
	in := func(d time.Duration) time.Time { return start.Add(d) }
	graceful, minute := options{Workers: 2, Grace: 20 * s}, options{Workers: 2, Deadline: in(m)}
	most := func(n int64) func(int64) int64 { return func(int64) int64 { return n } }
	interrupted, late := errors.New("interrupted"), runner.ErrOutOfTime
	listed := "200 100 0 0 <nil>"
	for i := range runner.MaxListed {
		listed += fmt.Sprintf("; %d error 1 seed %d", 3*i+2, 3*i+3)
	}
	broken := probe(func(context.Context, experiment.Point, *experiment.Result) error {
		time.Sleep(s)
		return errors.New("broken")
	})
	worded := probe(func(ctx context.Context, p experiment.Point, _ *experiment.Result) error {
		<-ctx.Done()
		return map[int64]error{1: fmt.Errorf("page 7: %w", context.Cause(ctx)), 2: context.DeadlineExceeded}[p.Seed]
	})
	for _, c := range []struct {
		name      string
		e         *experiment.Experiment
		spec      string
		options   options
		interrupt time.Duration // after which ctx ends; 0: it does not
		within    time.Duration
		want      string // how many runs succeeded, failed, were given up, hung; the error; the failures
		err       error
	}{
		{"the first failures", probe(failing), "seeds = 300", options{Workers: 1}, 0, 0, listed, nil},
		{"of several workers", probe(failing), "seeds = 300", options{Workers: 4}, 0, 0, listed, nil},
		{"no retries", flaky(errors.New("busy")), "seeds = 3", options{Workers: 1}, 0, 0, "2 1 0 0 <nil>; 1 error 1 busy", nil},
		{"two retries", flaky(errors.New("busy")), "seeds = 3", options{Workers: 1, Retries: 2}, 0, 0, "3 0 0 0 <nil>", nil},
		{"one more panic", flaky(nil), "seeds = 3", options{Workers: 1, Retries: 1}, 0, 0, "2 1 0 0 <nil>; 1 panic 2 panic: busy", nil},
		{"no more panics", flaky(nil), "seeds = 3", options{Workers: 1, Retries: 9}, 0, 0, "3 0 0 0 <nil>", nil},
		{"too long", lasting(seconds(3, 6, 9, 12)), "seeds = 5", options{Workers: 1, RunTimeout: 10 * s, Retries: 1}, 0, 58 * s,
			"3 2 0 0 <nil>; 3 timeout 2 took longer than 10s; 4 timeout 2 took longer than 10s", nil},
		{"a fraction of a second", lasting(seconds(3600)), "", options{Workers: 1, RunTimeout: s / 10}, 0, s / 5,
			"0 1 0 0 <nil>; 0 timeout 1 took longer than 100ms", nil},
		{"in words of their own", worded, "seeds = 2", options{Workers: 1, RunTimeout: 10 * s}, 0, 20 * s,
			"0 2 0 0 <nil>; 0 timeout 1 page 7: took longer than 10s; 1 timeout 1 took longer than 10s", nil},
		{"hung", deaf(2, h), "seeds = 4", options{Workers: 1, RunTimeout: 10 * s}, 0, 12 * s,
			"3 1 0 1 <nil>; 1 timeout 1 took longer than 10s", nil},
		{"one hung at a time", deaf(0, 15*s), "seeds = 3", options{Workers: 1, RunTimeout: 10 * s, Retries: 1}, 0, 66 * s, "0 3 0 6 <nil>", nil},
		{"more hung ones than workers", deaf(0, h), many, options{Workers: 2, RunTimeout: 10 * s}, 0, 22 * s,
			"0 4 0 4 stopped: more than 2 runs go on after their time was up", runner.ErrHung},
		{"no retries after the end", broken, "", options{Workers: 1, Retries: 10, Grace: h}, 2500 * time.Millisecond, 3 * s,
			"0 0 1 0 interrupted", interrupted},

		{"the first failure", probe(failing), "seeds = 100000", options{Workers: 1, Grace: m, MaxFailures: most(1)}, 0, 0,
			"2 1 0 0 stopped at the first failed run; 2 error 1 seed 3", runner.ErrFailures},
		{"the fifth failure", probe(failing), "seeds = 100000", options{Workers: 1, Grace: m, MaxFailures: most(5)}, 0, 0,
			"10 5 0 0 stopped after 5 failed runs; 2 error 1 seed 3", runner.ErrFailures},

		// Two runs are under way when the sweep is interrupted.
		{"long grace", lasting(seconds(15)), many, graceful, 10 * s, 16 * s, "2 0 0 0 interrupted", interrupted},
		{"short grace", lasting(seconds(3600)), many, graceful, 10 * s, 31 * s, "0 0 2 0 interrupted", interrupted},
		{"grace for one of two", lasting(seconds(20, 40)), many, graceful, 10 * s, 31 * s, "1 0 1 0 interrupted", interrupted},
		{"no grace", lasting(seconds(3600)), many, options{Workers: 2}, 10 * s, 11 * s, "0 0 2 0 interrupted", interrupted},
		{"not heeded", deaf(0, h), many, graceful, 10 * s, 32 * s, "0 0 2 2 interrupted", interrupted},
		{"nothing left to start", lasting(seconds(3600)), "seeds = 2", options{Workers: 2, Grace: s}, 10 * s, 12 * s, "0 0 2 0 interrupted", interrupted},

		// Deadlines, of which the last two seconds are in reserve.
		{"runs of 10 s", lasting(seconds(10)), many, minute, 0, 50 * s, "10 0 0 0 out of time", late},
		{"runs of 29 s", lasting(seconds(29)), many, minute, 0, 58 * s, "4 0 0 0 out of time", late},
		{"runs of 30 s", lasting(seconds(30)), many, minute, 0, 30 * s, "2 0 0 0 out of time", late},
		{"nothing ends in time", lasting(seconds(100)), many, minute, 0, 58 * s, "0 0 2 0 out of time", late},
		{"it became slow", lasting(seconds(1, 1, 1, 100)), many, minute, 0, 58 * s, "3 0 2 0 out of time", late},
		{"one is refused, one under way", lasting(seconds(40, 50)), many, minute, 0, 50 * s, "2 0 0 0 out of time", late},
		{"a straggler under way", lasting(seconds(10, 100, 10)), many, minute, 0, 58 * s, "5 0 1 0 out of time", late},
		{"stragglers that have ended", lasting(func(p experiment.Point) time.Duration {
			return map[bool]time.Duration{true: 10 * s, false: s}[p.Seed > 40 && p.Seed <= 42]
		}), many, minute, 0, 58 * s, "98 0 0 0 out of time", late},
		{"what was long ago", lasting(seconds(5, 5, 5, 5, 0.5)), many, options{Workers: 1, Deadline: in(m)}, 0, 58 * s, "80 0 0 0 out of time", late},
		{"no time, and not heeded", deaf(0, h), many, minute, 0, 59 * s, "0 0 2 2 out of time", late},
		{"over", probe(good), many, options{Workers: 2, Deadline: in(-h)}, 0, 0, "0 0 0 0 out of time", late},
		{"not reached", lasting(seconds(1)), "seeds = 10", options{Workers: 1, Deadline: in(13 * s)}, 0, 10 * s, "10 0 0 0 <nil>", nil},
		// Run 3 has ended, run 4 would end after 6 min, run 5 is refused.
		{"no patience", lasting(seconds(60, 120, 180, 240)), many, options{Workers: 2, Grace: s, Deadline: in(7 * m)},
			4*m + 30*s, 4*m + 32*s, "3 0 1 0 out of time", late},

		// Deadlines and algorithms.
		{"a new one may be as dear as any other", rivals(map[string]float64{"known": 40, "new": 1}),
			"[[grid]]\nalgorithm = 'known'\n[[grid]]\nalgorithm = 'new'",
			options{Workers: 1, Deadline: in(m)}, 0, 58 * s, "1 0 0 0 out of time", late},
		{"also as one that has not ended yet", rivals(map[string]float64{"endless": 3600, "fast": 1, "new": 1}),
			"[[grid]]\nalgorithm = 'endless'\n[[grid]]\nalgorithm = 'fast'\nx = '1..40'\n[[grid]]\nalgorithm = 'new'",
			minute, 0, 58 * s, "40 0 1 0 out of time", late},
		{"but not as those that have ended", rivals(map[string]float64{"fast": 1, "new": 1}),
			"[[grid]]\nalgorithm = 'fast'\nx = '1..40'\n[[grid]]\nalgorithm = 'new'",
			options{Workers: 1, Deadline: in(m)}, 0, 41 * s, "41 0 0 0 <nil>", nil},
		{"a cheap one may start when there is no time for a dear one", rivals(map[string]float64{"slow": 20, "fast": 1}),
			"[[grid]]\nalgorithm = 'fast'\n[[grid]]\nalgorithm = 'slow'\n[[grid]]\nalgorithm = 'fast'\nx = [2,3,4,5]",
			options{Workers: 1, Deadline: in(28 * s)}, 0, 26 * s, "6 0 0 0 <nil>", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t, c.e, c.spec)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.interrupt > 0 {
				time.AfterFunc(c.interrupt, func() { cancel(interrupted) })
			}
			report, err := runner.Sweep(ctx, store.Store, c.options)
			took := time.Since(start)
			got := fmt.Sprint(report.OK, report.Failed, report.GivenUp, report.Hung, err)
			time.Sleep(2 * h) // until runs that are deaf have ended
			rows := store.rows()
			for _, f := range report.Failures {
				got += fmt.Sprintf("; %d %s %d %s", f.Row.Index, f.Fault, f.Attempts, f.Row.Error)
				if rows[f.Row.Index].Error != f.Row.Error || f.Row.Result.Metrics != nil || (f.Stack != nil) != (f.Fault == runner.Panicked) {
					t.Errorf("%s: row %+v of failure %+v", c.name, rows[f.Row.Index], f)
				}
			}
			if !strings.HasPrefix(got, c.want) || !errors.Is(err, c.err) || took > c.within {
				t.Errorf("%s: got %s after %v\nwant %s within %v", c.name, got, took, c.want, c.within)
			}
			if len(rows) != int(report.OK+report.Failed) || len(report.Failures) != min(int(report.Failed), runner.MaxListed) {
				t.Errorf("%s: %d rows and %d failures, want those reported: %s", c.name, len(rows), len(report.Failures), got)
			}
			for _, row := range rows {
				ok := row.Status == results.OK && row.Error == "" && row.Result.Metrics[0] == float64(row.Point.Seed)
				failed := row.Status == results.Failed && row.Error != "" && row.Result.Metrics == nil
				if !ok && !failed || row.Result.Series != nil || c.name == "runs of 29 s" && row.Seconds != 29 {
					t.Errorf("%s: row %+v", c.name, row)
				}
			}
		})
	}
}

// A run knows its name and which attempt is under way.
func TestAttempts(t *testing.T) {
	var got []experiment.Attempt
	e := probe(func(ctx context.Context, _ experiment.Point, _ *experiment.Result) error {
		got = append(got, experiment.AttemptOf(ctx))
		return errors.New("again")
	})
	store := newStore(t, e, "seeds = 1")
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, Retries: 1}))
	id := store.Plan.ID(0).String()
	if want := []experiment.Attempt{{RunID: id, Number: 1}, {RunID: id, Number: 2}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What a run used is known whether it failed or not, with its attempts.
func TestUsageOfFailedRuns(t *testing.T) {
	e := probe(func(_ context.Context, p experiment.Point, out *experiment.Result) error {
		out.Usage.PeakMemory = 100 * p.Seed
		out.Metrics = []float64{1, 0}
		if p.Seed == 2 {
			return errors.New("no memory")
		}
		return nil
	})
	got := map[int64]string{}
	store := newStore(t, e, "seeds = 2")
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, Retries: 2, Observe: func(e runner.Event) {
		if e.Kind == runner.RunEnded {
			row := e.Outcome.Row
			got[row.Point.Seed] = fmt.Sprint(row.Status, row.Attempts, row.Result.Usage.PeakMemory, row.Result.Metrics)
		}
	}}))
	if want := map[int64]string{1: "ok1 100 [1 0]", 2: "failed3 200 []"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
