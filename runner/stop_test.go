package runner_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"sweep/experiment"
	"sweep/results"
	"sweep/runner"
)

const stopSpec = `
seeds = "1..40"
[stop]
metric = "share"
half_width = 4
min = 5
[grid]
x = { from = 0, to = 20, step = 1 }
`

// spread yields a share whose deviation grows with x.
func spread(_ context.Context, p experiment.Point, out *experiment.Result) error {
	noise := float64(p.Seed*7919%101)/50 - 1
	out.Metrics = []float64{0, float64(p.Value("x").Int()) * noise}
	return nil
}

// A sweep under a stopping rule executes the same runs with any number of
// workers, and after any interruption.
func TestStoppingRule(t *testing.T) {
	e := probe(spread)
	spec := parse(e, stopSpec)
	plan := spec.Plan()
	execute := func(dir string, workers int, until int) (ran []int64, extended int) {
		t.Helper()
		store, asked := open(t, dir, spec).put(results.Failed, 3), int64(0)
		defer store.Close()
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		enough := errors.New("enough")
		_, err := runner.Sweep(ctx, store.Store, runner.Options{Workers: workers, MaxFailures: func(runs int64) int64 {
			asked = runs
			return 0
		}, Observe: func(e runner.Event) {
			switch e.Kind {
			case runner.Extended:
				extended++
			case runner.RunEnded:
				if ran = append(ran, e.Outcome.Row.Index); len(ran) == until {
					cancel(enough)
				}
			}
		}})
		if until > 0 && !errors.Is(err, enough) || until == 0 && err != nil || (store.Missing() == 0) != (until == 0) {
			t.Fatalf("error %v, %d runs are missing after %d", err, store.Missing(), len(ran))
		}
		if until == 0 && asked != int64(len(ran)) {
			t.Errorf("in the last round the runs to do are %d, want %d", asked, len(ran))
		}
		slices.Sort(ran)
		return ran, extended
	}
	want, extended := execute(t.TempDir(), 1, 0)
	if n := int64(len(want)); n <= 5*plan.Cells() || n >= plan.Runs()*2/3 {
		t.Errorf("%d of %d runs were executed: the rule shows no effect", n, plan.Runs())
	}
	if rounds := len(plan.Stop().Checkpoints()); extended != rounds-1 {
		t.Errorf("Extended was called %d times in %d rounds", extended, rounds)
	}
	if got, _ := execute(t.TempDir(), 7, 0); !slices.Equal(got, want) {
		t.Errorf("7 workers executed %d runs, 1 worker %d", len(got), len(want))
	}
	for _, until := range []int{1, 105, 106, 150, len(want) / 2} {
		dir := t.TempDir()
		first, _ := execute(dir, 1, until)
		rest, _ := execute(dir, 2, 0)
		if got := slices.Sorted(slices.Values(append(first, rest...))); !slices.Equal(got, want) {
			t.Errorf("interrupted after %d runs, %d were executed in all, want %d", until, len(got), len(want))
		}
	}
}
