package runner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sweep/experiment"
	"sweep/results"
	"sweep/runner"
)

// sleep lasts for d, or until ctx ends, as an experiment should.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lasting returns an experiment whose runs with seed s last for cost(s).
func lasting(cost func(seed int64) time.Duration) *experiment.Experiment {
	return probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if err := sleep(ctx, cost(p.Seed)); err != nil {
			return err
		}
		return good(ctx, p, out)
	})
}

// seconds is how long all runs take that last for n seconds.
func seconds(n int64) func(seed int64) time.Duration {
	return func(int64) time.Duration { return time.Duration(n) * time.Second }
}

// outlive lets time pass until runs that are deaf have ended.
func outlive() { time.Sleep(2 * time.Hour) }

// deaf is a run that does not heed its context.
func deaf(ctx context.Context, p experiment.Point, out *experiment.Result) error {
	time.Sleep(time.Hour)
	return good(ctx, p, out)
}

func TestMaxFailuresStopsTheSweep(t *testing.T) {
	e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if p.Seed%3 == 0 {
			return errors.New("broken")
		}
		return good(ctx, p, out)
	})
	for limit, want := range map[int64]string{1: "stopped at the first failed run", 5: "stopped after 5 failed runs"} {
		store := newStore(t, e, "seeds = 100000")
		report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, MaxFailures: func(int64) int64 { return limit }, Grace: time.Minute})
		if !errors.Is(err, runner.ErrFailures) || err.Error() != want {
			t.Errorf("limit %d: error %v, want %q", limit, err, want)
		}
		// One worker runs ahead of the sink by a few runs.
		if report.Failed < limit || report.Failed > limit+3 {
			t.Errorf("limit %d: report %+v", limit, report)
		}
		if n := int64(len(store.rows())); n != report.OK+report.Failed {
			t.Errorf("%d rows, want those reported", n)
		}
	}
}

func TestFailedRunsMayStay(t *testing.T) {
	for keep, want := range map[bool]int64{true: 3, false: 4} {
		store := newStore(t, probe(good), "seeds = 5")
		store.put(results.OK, 0)
		store.put(results.Failed, 2)
		report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 2, KeepFailed: keep})
		if err != nil || report.OK != want || keep != (store.Status(2) == results.Failed) {
			t.Errorf("keep %v: report %+v, error %v; want %d runs", keep, report, err, want)
		}
	}
}

func TestRetries(t *testing.T) {
	const lasts = 3 // attempts that a run of seed 2 needs
	tests := []struct {
		retries, attempts int
		fault             string
		run               func() error
	}{
		{0, 1, runner.Errored, func() error { return errors.New("busy") }},
		{1, 2, runner.Errored, func() error { return errors.New("busy") }},
		{1, 2, runner.Panicked, func() error { panic("busy") }},
		{2, 3, "", func() error { return errors.New("busy") }},
		{9, 3, "", func() error { panic("busy") }},
	}
	for _, test := range tests {
		var calls atomic.Int64
		e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			if p.Seed == 2 && calls.Add(1) < lasts {
				out.Metrics = []float64{-1, -1} // of a failed attempt nothing may stay
				out.Series = []float64{1, 1}
				return test.run()
			}
			return good(ctx, p, out)
		})
		store := newStore(t, e, "seeds = 3")
		var seen runner.Outcome
		_, err := runner.Sweep(t.Context(), store.Store, runner.Options{
			Workers: 1, Retries: test.retries,
			Observe: ended(func(o *runner.Outcome) {
				if o.Row.Point.Seed == 2 {
					seen = *o
				}
			}),
		})
		if err != nil || seen.Attempts != test.attempts || seen.Fault != test.fault || (seen.Stack != nil) != (test.fault == runner.Panicked) ||
			test.fault != "" && seen.Row.Result.Metrics != nil {
			t.Errorf("%d retries: error %v, outcome %+v; want %d attempts and fault %q", test.retries, err, seen, test.attempts, test.fault)
		}
		row := store.rows()[1]
		if ok := test.fault == ""; ok != (row.Status == results.OK) || ok && (row.Result.Metrics[0] != 2 || len(row.Result.Series) > 0) || ok != (row.Error == "") {
			t.Errorf("%d retries: row %+v", test.retries, row)
		}
	}
}

// A sweep that is stopped makes no further attempts, and takes a run of which
// some are left neither for done nor for failed.
func TestNoRetriesAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		store := newStore(t, probe(func(context.Context, experiment.Point, *experiment.Result) error {
			attempts++
			time.Sleep(time.Second)
			return errors.New("broken")
		}), "seeds = 1")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2500*time.Millisecond, cancel)
		report, err := runner.Sweep(ctx, store.Store, runner.Options{Workers: 1, Retries: 10, Grace: time.Hour})
		if !errors.Is(err, context.Canceled) || attempts != 3 || report.GivenUp != 1 || len(store.rows()) != 0 {
			t.Errorf("%d attempts, report %+v, error %v; want 3, and the run given up", attempts, report, err)
		}
	})
}

func TestTimeoutIsAFailedRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t, lasting(func(seed int64) time.Duration { return time.Duration(seed) * 3 * time.Second }), "seeds = 5")
		report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, RunTimeout: 10 * time.Second, Retries: 1})
		if err != nil || report.OK != 3 || report.Failed != 2 || report.Hung != 0 {
			t.Fatalf("report %+v, error %v; want 3 runs and 2 failures", report, err)
		}
		for i, f := range report.Failures {
			if f.Row.Index != int64(3+i) || f.Row.Error != "took longer than 10s" || f.Fault != runner.TimedOut || f.Attempts != 2 {
				t.Errorf("failure %d is %+v: %+v", i, f, f.Row)
			}
		}
	})
}

// A run that does not heed its context is left, and the sweep goes on.
func TestHungRunsAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			if p.Seed == 2 {
				return deaf(ctx, p, out)
			}
			return good(ctx, p, out)
		})
		store := newStore(t, e, "seeds = 4")
		begin := time.Now()
		report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, RunTimeout: 10 * time.Second})
		if took := time.Since(begin); err != nil || report.OK != 3 || report.Failed != 1 || report.Hung != 1 || took > 12*time.Second {
			t.Errorf("report %+v, error %v after %v; want 3 runs and a hung one", report, err, took)
		}
		if row := store.rows()[1]; row.Error != "took longer than 10s" || len(row.Result.Metrics) > 0 {
			t.Errorf("row %+v", row)
		}
		outlive()
		if row := store.rows()[1]; row.Status != results.Failed || len(row.Result.Metrics) > 0 {
			t.Errorf("the hung run changed its row to %+v", row)
		}
	})
}

func TestManyHungRunsStopTheSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer outlive()
		store := newStore(t, probe(deaf), "seeds = 100")
		report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 2, RunTimeout: 10 * time.Second})
		if !errors.Is(err, runner.ErrHung) || !strings.HasPrefix(err.Error(), "stopped: more than 2 runs go on ") || report.Failed > 4 {
			t.Errorf("report %+v, error %v; want it to stop at the third hung run", report, err)
		}
	})
}

func TestGrace(t *testing.T) {
	tests := []struct {
		name   string
		grace  time.Duration
		e      *experiment.Experiment
		seeds  int
		ok     int64 // of two runs under way when the sweep is interrupted, after 10 s
		within time.Duration
	}{
		{"long enough", 20 * time.Second, lasting(seconds(15)), 10, 2, 16 * time.Second},
		{"too short", 20 * time.Second, lasting(seconds(3600)), 10, 0, 31 * time.Second},
		{"for one of two", 20 * time.Second, lasting(func(s int64) time.Duration { return time.Duration(s) * 20 * time.Second }), 10, 1, 31 * time.Second},
		{"none", 0, lasting(seconds(3600)), 10, 0, 11 * time.Second},
		{"not heeded", 20 * time.Second, probe(deaf), 10, 0, 32 * time.Second},
		{"nothing is left to start", time.Second, lasting(seconds(3600)), 2, 0, 12 * time.Second}, // and yet it is not complete
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer outlive()
				store := newStore(t, test.e, fmt.Sprint("seeds = ", test.seeds))
				interrupted := errors.New("interrupted")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(10*time.Second, func() { cancel(interrupted) })
				begin := time.Now()
				report, err := runner.Sweep(ctx, store.Store, runner.Options{Workers: 2, Grace: test.grace})
				if took := time.Since(begin); !errors.Is(err, interrupted) || took > test.within {
					t.Errorf("error %v after %v, want the cause within %v", err, took, test.within)
				}
				if report.OK != test.ok || report.Failed != 0 || report.GivenUp != 2-test.ok ||
					int64(len(store.rows())) != test.ok {
					t.Errorf("report %+v, %d rows; want %d", report, len(store.rows()), test.ok)
				}
			})
		})
	}
}

func TestDeadline(t *testing.T) {
	tests := []struct {
		name    string
		e       *experiment.Experiment
		ok      int64         // of two workers within 60 s, of which the last two are in reserve
		within  time.Duration // the sweep ends
		givenUp int64
	}{
		{"runs of 10 s", lasting(seconds(10)), 10, 50 * time.Second, 0},
		{"runs of 29 s", lasting(seconds(29)), 4, 58 * time.Second, 0},
		{"runs of 30 s", lasting(seconds(30)), 2, 30 * time.Second, 0},
		{"nothing ends in time", lasting(seconds(100)), 0, 58 * time.Second, 2},
		{"an algorithm that became slow", lasting(func(s int64) time.Duration {
			if s > 3 {
				return 100 * time.Second
			}
			return time.Second
		}), 3, 58 * time.Second, 2},
		{"one is refused while another is under way", lasting(func(s int64) time.Duration {
			return []time.Duration{40 * time.Second, 50 * time.Second}[(s-1)%2]
		}), 2, 50 * time.Second, 0},
		{"a straggler under way", lasting(func(s int64) time.Duration {
			if s == 2 {
				return 100 * time.Second
			}
			return 10 * time.Second
		}), 5, 58 * time.Second, 1},
		{"stragglers that have ended", lasting(func(s int64) time.Duration {
			if s > 40 && s <= 42 {
				return 10 * time.Second
			}
			return time.Second
		}), 2 * (20 + 1 + 28), 58 * time.Second, 0},
		{"not heeded", probe(deaf), 0, 59 * time.Second, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer outlive()
				store := newStore(t, test.e, "seeds = 100")
				begin := time.Now()
				report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 2, Deadline: begin.Add(time.Minute)})
				if took := time.Since(begin); !errors.Is(err, runner.ErrOutOfTime) || took > test.within {
					t.Errorf("error %v after %v, want %v within %v", err, took, runner.ErrOutOfTime, test.within)
				}
				if report.OK != test.ok || report.Failed != 0 || report.GivenUp != test.givenUp || int64(len(store.rows())) != test.ok {
					t.Errorf("report %+v, %d rows; want %d", report, len(store.rows()), test.ok)
				}
			})
		})
	}
}

// Where nothing is left to do, nothing can stop the sweep.
func TestDeadlineThatIsOver(t *testing.T) {
	store := newStore(t, probe(good), "seeds = 2")
	store.put(results.OK, 0)
	options := runner.Options{Workers: 2, Deadline: time.Now().Add(-time.Hour)}
	if report, err := runner.Sweep(t.Context(), store.Store, options); !errors.Is(err, runner.ErrOutOfTime) || report.OK != 0 {
		t.Errorf("report %+v, error %v; want %v", report, err, runner.ErrOutOfTime)
	}
	store.put(results.OK, 1)
	if report, err := runner.Sweep(t.Context(), store.Store, options); err != nil {
		t.Errorf("nothing to do: report %+v, error %v", report, err)
	}
}

// rivals returns an experiment whose runs last as long as their algorithm
// says.
func rivals(costs map[string]time.Duration) *experiment.Experiment {
	e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if err := sleep(ctx, costs[p.Value(experiment.Algorithm).Text()]); err != nil {
			return err
		}
		return good(ctx, p, out)
	})
	names := slices.Sorted(maps.Keys(costs))
	e.Params = append(e.Params, experiment.Param{Name: experiment.Algorithm, Kind: experiment.String,
		Default: experiment.StringValue(names[0]), Choices: names, Meaning: "what is done", Source: "none"})
	return e
}

func TestDeadlineKnowsTheAlgorithms(t *testing.T) {
	for _, test := range []struct {
		name    string
		workers int
		within  time.Duration
		costs   map[string]time.Duration
		spec    string
		ok      int64
		want    error
	}{
		{"a new one may be as dear as any other", 1, time.Minute, map[string]time.Duration{"known": 40 * time.Second, "new": time.Second},
			"[[grid]]\nalgorithm = 'known'\n[[grid]]\nalgorithm = 'new'", 1, runner.ErrOutOfTime},
		{"also as one that has not ended yet", 2, time.Minute, map[string]time.Duration{"endless": time.Hour, "fast": time.Second, "new": time.Second},
			"[[grid]]\nalgorithm = 'endless'\n[[grid]]\nalgorithm = 'fast'\nx = { from = 1, to = 40, step = 1 }\n[[grid]]\nalgorithm = 'new'", 40, runner.ErrOutOfTime},
		{"a cheap one may start when there is no time for a dear one", 1, 28 * time.Second, map[string]time.Duration{"slow": 20 * time.Second, "fast": time.Second},
			"[[grid]]\nalgorithm = 'fast'\n[[grid]]\nalgorithm = 'slow'\n[[grid]]\nalgorithm = 'fast'\nx = [2,3,4,5]", 6, nil},
		{"not reached", 1, 13 * time.Second, map[string]time.Duration{"fast": time.Second}, "seeds = 10", 10, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t, rivals(test.costs), test.spec)
			report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: test.workers, Deadline: time.Now().Add(test.within)})
			if !errors.Is(err, test.want) || report.OK != test.ok {
				t.Errorf("%s: report %+v, error %v; want %d runs", test.name, report, err, test.ok)
			}
		})
	}
}

// Whoever is out of time waits for what is under way, but not once the
// caller's patience has ended.
func TestInterruptionWhileOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t, lasting(func(s int64) time.Duration { return time.Duration(s) * time.Minute }), "seeds = 10")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(4*time.Minute, cancel) // run 4 would end after 10 min; run 3 has ended, run 5 is refused
		begin := time.Now()
		report, err := runner.Sweep(ctx, store.Store, runner.Options{Workers: 2, Grace: time.Second, Deadline: begin.Add(7 * time.Minute)})
		if took := time.Since(begin); err == nil || report.OK != 3 || report.GivenUp != 1 || took > 4*time.Minute+2*time.Second {
			t.Errorf("report %+v, error %v after %v; want 3 runs after 4 min", report, err, took)
		}
	})
}
