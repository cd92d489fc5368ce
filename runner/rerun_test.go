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
	if err := errors.Join(store.Finish(), store.Close()); err != nil {
		t.Fatal(err)
	}
	view, err := results.OpenReader(store.dir, []*experiment.Experiment{probe(rerun)})
	if err != nil {
		t.Fatal(err)
	}
	return view
}

func rerun(t *testing.T, view *results.Reader, sample int64) runner.Comparison {
	t.Helper()
	observed := int64(0)
	v, err := runner.Rerun(t.Context(), view, runner.RerunOptions{
		Workers: 2, Sample: sample, Observe: func(bool) { observed++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if observed != v.Executed {
		t.Errorf("%d runs executed, %d observed", v.Executed, observed)
	}
	return v
}

func TestRerunFindsNothing(t *testing.T) {
	v := rerun(t, stored(t, withSeries, withSeries), 60)
	if v.Executed != 60 || v.Wrong != 0 || len(v.Mismatches) != 0 {
		t.Errorf("got %+v, want 60 rows, all as they were", v)
	}
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
		if v := rerun(t, view, size); v.Wrong != 0 {
			t.Errorf("%d of %d runs differ", v.Wrong, v.Executed)
		}
		slices.SortFunc(executed, order)
		if want := all[:min(size, 60)]; !slices.Equal(executed, want) {
			t.Errorf("a sample of %d: got %v, want %v", size, executed, want)
		}
	}
}

// A run that yields something else is found, whatever it yields.
func TestRerunFindsDifferences(t *testing.T) {
	view := stored(t, withSeries, func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
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
	v := rerun(t, view, 60)
	if v.Executed != 60 || v.Wrong != 11 || len(v.Mismatches) != runner.MaxListed {
		t.Fatalf("got %d wrong of %d, %d listed; want 11 of 60 and %d", v.Wrong, v.Executed, len(v.Mismatches), runner.MaxListed)
	}
	var got strings.Builder
	for _, m := range v.Mismatches {
		p := view.Plan.Point(m.Index)
		if m.ID != grid.Identify(p) {
			t.Errorf("the id of run %d is %s", m.Index, m.ID)
		}
		fmt.Fprintln(&got, p.Value("x"), p.Seed, m.Differences)
	}
	const want = `2 1 [share: 1 and 1.000000000001]
2 2 [alive in window 0: 2 and 3]
2 3 [windows of the series: 1 and 0]
2 4 [status: ok and failed (the machine broke)]
2 5 [status: ok and failed (panic: gone)]
2 6 [status: ok and failed (count is 0.5, want a whole number below 2⁵³)]
3 16 [count: 16 and 17]
3 17 [count: 17 and 18]
3 18 [count: 18 and 19]
3 19 [count: 19 and 20]
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// Failed rows are not executed again.
func TestRerunLeavesFailedRuns(t *testing.T) {
	view := stored(t, func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if p.Seed%2 == 0 {
			return errors.New("the machine broke")
		}
		return withSeries(ctx, p, out)
	}, withSeries)
	if v := rerun(t, view, 60); v.Executed != 30 || v.Wrong != 0 {
		t.Errorf("got %+v, want 30 of 60 executed and none wrong", v)
	}
}

func TestRerunIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	view := stored(t, good, good)
	v, err := runner.Rerun(ctx, view, runner.RerunOptions{Workers: 1, Sample: 60, Observe: func(bool) { stop(enough) }})
	if !errors.Is(err, enough) || v.Executed == 0 || v.Executed == 60 {
		t.Errorf("%d runs, error %v; want some and %v", v.Executed, err, enough)
	}
}
