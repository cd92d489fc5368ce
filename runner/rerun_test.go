package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/results"
	"sweep/runner"
)

type run = func(ctx context.Context, p experiment.Point, out *experiment.Result) error

// rerun carries out a sweep of 60 runs and executes a sample of them again, in
// which now is what a run yields. It returns the IDs of the sample, those of
// all runs, and the parameters of runs that differ.
func rerun(t *testing.T, before, now run, sample int64) (executed, all []grid.ID, wrong []string) {
	t.Helper()
	store := newStore(t, probe(before), "seeds = 20\n[grid]\nx = [1, 2, 3]")
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 2}))
	view := testutil.Must(results.OpenReader(store.dir, []*experiment.Experiment{probe(now)}))
	for i := range view.Plan.Runs() {
		all = append(all, view.Plan.ID(i))
	}
	testutil.NoError(runner.Rerun(t.Context(), view, runner.Options{Workers: 2}, sample, func(stored, now *results.Row) {
		executed = append(executed, grid.Identify(now.Point))
		if stored.ID != now.ID || stored.ID != grid.Identify(now.Point) {
			t.Errorf("run %s was executed as %s", stored.ID, now.ID)
		}
		if stored.Hash() != now.Hash() {
			wrong = append(wrong, strings.TrimSuffix(fmt.Sprintf("%v %d: %s", now.Point.Value("x"), now.Point.Seed, now.Error), ": "))
		}
	}))
	slices.Sort(wrong)
	return executed, all, wrong
}

// withSeries is good with a series.
func withSeries(ctx context.Context, p experiment.Point, out *experiment.Result) error {
	out.Series = []float64{1, float64(p.Seed)}
	return good(ctx, p, out)
}

// Runs that depend on those before them are told: the sample has another order.
func TestRerunTellsDependentRuns(t *testing.T) {
	calls, differing := 0, 0
	e := probe(func(_ context.Context, _ experiment.Point, out *experiment.Result) error {
		calls++
		out.Metrics = []float64{float64(calls), 0}
		return nil
	})
	store := newStore(t, e, "seeds = 20")
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1}))
	view := testutil.Must(results.OpenReader(store.dir, []*experiment.Experiment{e}))
	calls = 0
	testutil.NoError(runner.Rerun(t.Context(), view, runner.Options{Workers: 1}, 20, func(stored, now *results.Row) {
		if stored.Hash() != now.Hash() {
			differing++
		}
	}))
	if differing != 20 {
		t.Errorf("%d of 20 runs differ that count each other", differing)
	}
}

// The sample is the same each time, part of any larger one, and that of the
// least IDs.
func TestRerunSample(t *testing.T) {
	order := func(a, b grid.ID) int { return slices.Compare(a[:], b[:]) }
	for _, size := range []int64{1, 7, 7, 59, 60, 1000} {
		executed, all, wrong := rerun(t, withSeries, withSeries, size)
		slices.SortFunc(all, order)
		slices.SortFunc(executed, order)
		if want := all[:min(size, 60)]; wrong != nil || !slices.Equal(executed, want) {
			t.Errorf("a sample of %d: got %v, want %v; %v differ", size, executed, want, wrong)
		}
	}
}

// A run that yields something else is found, whatever it yields. Failed rows
// are not executed again.
func TestRerunFindsDifferences(t *testing.T) {
	executed, _, got := rerun(t, func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if p.Value("x").Int() == 1 {
			return errors.New("the machine broke")
		}
		return withSeries(ctx, p, out)
	}, func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		err := withSeries(ctx, p, out)
		if x := p.Value("x").Int(); x == 2 {
			switch p.Seed {
			case 1:
				out.Metrics[1] += 1e-12
			case 2:
				out.Series[1]++
			case 3:
				out.Series = nil
			case 4:
				return errors.New("the machine broke")
			case 5:
				panic("gone")
			case 6:
				out.Metrics[0] = 0.5 // which the declaration forbids
			}
		} else if p.Seed > 15 && x == 3 {
			out.Metrics[0]++
		}
		return err
	}, 60)
	want := []string{"2 1", "2 2", "2 3", "2 4: the machine broke", "2 5: panic: gone", "2 6: count is 0.5, want a whole number below 2⁵³",
		"3 16", "3 17", "3 18", "3 19", "3 20"}
	if len(executed) != 40 || !slices.Equal(got, want) {
		t.Errorf("of %d runs got %q, want %q", len(executed), got, want)
	}
}

func TestRerunIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	store, executed := newStore(t, probe(good), "seeds = 60"), 0
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 2}))
	err := runner.Rerun(ctx, store.Reader, runner.Options{Workers: 1}, 60, func(_, _ *results.Row) {
		executed++
		time.Sleep(10 * time.Millisecond) // in which workers run ahead by a few: rows may be large
		stop(enough)
	})
	if !errors.Is(err, enough) || executed == 0 || executed == 60 {
		t.Errorf("%d runs, error %v; want some and %v", executed, err, enough)
	}
}
