package runner_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	spec := parse(t, e, stopSpec)
	plan := spec.Plan()
	execute := func(dir string, workers int, until int64) (ran []string, extended int) {
		t.Helper()
		store, err := results.Open(dir, spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		enough := errors.New("enough")
		_, err = runner.Sweep(ctx, store, runner.Options{
			Workers: workers,
			Observe: func(e runner.Event) {
				switch e.Kind {
				case runner.Extended:
					extended++
				case runner.RunEnded:
					ran = append(ran, fmt.Sprintf("%05d", e.Outcome.Row.Index))
					if int64(len(ran)) == until {
						cancel(enough)
					}
				}
			},
		})
		if until > 0 && !errors.Is(err, enough) || until == 0 && err != nil {
			t.Fatal(err)
		}
		missing := store.Assigned() - store.OK() - store.Failed()
		if (missing == 0) != (until == 0) {
			t.Errorf("%d runs are missing after %d", missing, len(ran))
		}
		if err := store.Commit(); err != nil {
			t.Fatal(err)
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
	for _, until := range []int64{1, 105, 106, 150, int64(len(want)) / 2} {
		dir := filepath.Join(t.TempDir(), "out")
		first, _ := execute(dir, 1, until)
		rest, _ := execute(dir, 2, 0)
		if got := append(first, rest...); strings.Join(slices.Sorted(slices.Values(got)), " ") != strings.Join(want, " ") {
			t.Errorf("interrupted after %d runs, %d were executed in all, want %d", until, len(got), len(want))
		}
	}
}
