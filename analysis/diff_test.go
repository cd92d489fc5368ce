package analysis

import (
	"math"
	"slices"
	"testing"

	"sweep/experiment"
	"sweep/results"
)

func TestDiff(t *testing.T) {
	e := &experiment.Experiment{Name: "e", Version: 1, Metrics: []experiment.Metric{{Name: "x", Kind: experiment.Float}},
		Series: experiment.Series{Axis: experiment.Metric{Name: "hours"}, Columns: []experiment.Metric{{Name: "y"}}}}
	side := func(dir string, rows ...results.Row) Side {
		return Side{dir, e, func(yield func(*results.Row, error) bool) {
			for i := range rows {
				if !yield(&rows[i], nil) {
					return
				}
			}
		}}
	}
	run := func(seed int64, x float64, series ...float64) results.Row {
		return results.Row{Status: results.OK, Point: experiment.Point{Experiment: e, Seed: seed}, Result: experiment.Result{Metrics: []float64{x}, Series: series}}
	}
	failed := results.Row{Status: results.Failed, Error: "broke", Point: experiment.Point{Experiment: e, Seed: 6}}
	nan := math.NaN()
	d, err := NewDiff(side("a", run(3, 1), run(1, 1, 3, 7), run(2, nan), run(4, 2), run(6, 0)),
		side("b", run(1, 1, 3, 8), run(2, nan), run(4, 2.5), run(5, 9), failed))
	if err != nil {
		t.Fatal(err)
	}
	if d.Identical != 1 || d.Differing != 3 || d.Only != [2]int{1, 1} || d.Same() {
		t.Errorf("%+v; want 1 identical, 3 differing, 1 and 1", d)
	}
	if want := []string{"seed = 1: the series", "seed = 4: x: 2 and 2.5", "seed = 6: status: ok and failed (broke)"}; !slices.Equal(d.Examples, want) {
		t.Errorf("examples %q, want %q", d.Examples, want)
	}
	// Pairs with both numbers: seeds 1 and 4.
	if len(d.Effects) != 1 || d.Effects[0].N != 2 || d.Effects[0].Estimate.Value != 0.25 {
		t.Errorf("effects %+v", d.Effects)
	}
	if _, err := NewDiff(side("a", run(1, 1), run(1, 2)), side("b")); err == nil {
		t.Error("two runs that cannot be told apart are no fault")
	}
	if d, err := NewDiff(side("a", run(1, 1, 3, nan)), side("b", run(1, 1, 3, math.Float64frombits(math.Float64bits(nan)+1)))); err != nil || !d.Same() {
		t.Errorf("%+v, %v: a NaN is a NaN", d, err)
	}
}
