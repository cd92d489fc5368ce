package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

const rerunSpec = "seeds = 20\n[grid]\nx = [1, 2, 3]"

// stored runs the spec into a directory and returns a view of it, in which
// rerun is what a run yields when it is executed again.
func stored(t *testing.T, run, rerun func(ctx context.Context, p experiment.Point, out *experiment.Result) error) *results.Reader {
	t.Helper()
	store := newStore(t, probe(run), rerunSpec)
	if _, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Export(), store.Close()); err != nil {
		t.Fatal(err)
	}
	view, err := results.OpenReader(store.dir, []*experiment.Experiment{probe(rerun)})
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// rerun executes a sample again; it returns how many runs that were, and
// the parameters of those that differ.
func rerun(t *testing.T, view *results.Reader, sample int64) (executed int, wrong []string) {
	t.Helper()
	err := runner.Rerun(t.Context(), view, 2, sample, func(stored, now *results.Row) {
		executed++
		if stored.ID != now.ID || stored.ID != grid.Identify(now.Point) {
			t.Errorf("run %s was executed as %s", stored.ID, now.ID)
		}
		if stored.Hash() != now.Hash() {
			wrong = append(wrong, strings.TrimSuffix(fmt.Sprintf("%v %d: %s", now.Point.Value("x"), now.Point.Seed, now.Error), ": "))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(wrong)
	return executed, wrong
}

// withSeries is good with a series.
func withSeries(ctx context.Context, p experiment.Point, out *experiment.Result) error {
	out.Series = []float64{1, float64(p.Seed)}
	return good(ctx, p, out)
}

// The sample is the same each time, part of any larger one, and that of the
// least IDs.
func TestRerunSample(t *testing.T) {
	var mu sync.Mutex
	var executed []grid.ID
	view := stored(t, withSeries, func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		mu.Lock()
		executed = append(executed, grid.Identify(p))
		mu.Unlock()
		return withSeries(ctx, p, out)
	})
	var all []grid.ID
	for i := range view.Plan.Runs() {
		all = append(all, grid.Identify(view.Plan.Point(i)))
	}
	order := func(a, b grid.ID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(all, order)
	for _, size := range []int64{1, 7, 7, 59, 60, 1000} {
		executed = nil
		if _, wrong := rerun(t, view, size); wrong != nil {
			t.Errorf("runs differ: %v", wrong)
		}
		slices.SortFunc(executed, order)
		if want := all[:min(size, 60)]; !slices.Equal(executed, want) {
			t.Errorf("a sample of %d: got %v, want %v", size, executed, want)
		}
	}
}

// A run that yields something else is found, whatever it yields. Failed rows are
// not executed again.
func TestRerunFindsDifferences(t *testing.T) {
	view := stored(t, func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
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
	})
	executed, got := rerun(t, view, 60)
	want := []string{"2 1", "2 2", "2 3", "2 4: the machine broke", "2 5: panic: gone", "2 6: count is 0.5, want a whole number below 2⁵³",
		"3 16", "3 17", "3 18", "3 19", "3 20"}
	if executed != 40 || !slices.Equal(got, want) {
		t.Errorf("of %d runs got %q, want %q", executed, got, want)
	}
}

func TestRerunIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	view := stored(t, good, good)
	executed := 0
	err := runner.Rerun(ctx, view, 1, 60, func(_, _ *results.Row) {
		executed++
		stop(enough)
	})
	if !errors.Is(err, enough) || executed == 0 || executed == 60 {
		t.Errorf("%d runs, error %v; want some and %v", executed, err, enough)
	}
}
