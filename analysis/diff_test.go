package analysis

import (
	"math"
	"testing"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/results"
)

// recordOf returns a run of an experiment with one metric.
func recordOf(e *experiment.Experiment, seed int64, x float64, series ...float64) record {
	return record{
		row: results.Row{Status: results.OK, Point: experiment.Point{Experiment: e, Seed: seed},
			Result: experiment.Result{Metrics: []float64{x}}},
		series: seriesSum(series, 2, []int{0, 1}),
	}
}

func TestDiffOfACell(t *testing.T) {
	e := &experiment.Experiment{Metrics: []experiment.Metric{{Name: "x", Kind: experiment.Float}}}
	failed := recordOf(e, 6, 0)
	failed.row.Status, failed.row.Error = results.Failed, "broke"
	a := []record{recordOf(e, 3, 1), recordOf(e, 1, 1, 3, 7), recordOf(e, 2, math.NaN()), recordOf(e, 4, 2), recordOf(e, 6, 0)}
	b := []record{recordOf(e, 1, 1, 3, 8), recordOf(e, 2, math.NaN()), recordOf(e, 4, 2.5), recordOf(e, 5, 9), failed}
	d := &Diff{e: e, cells: [][]experiment.Value{nil}}
	d.cell(0, a, b)
	if d.Identical != 1 || d.Differing != 3 || d.OnlyA != 1 || d.OnlyB != 1 {
		t.Errorf("%s; want 1 identical, 3 differing, 1 and 1", d.summary())
	}
	want := []Example{{0, 1, "the series"}, {0, 4, "x: 2 and 2.5"}, {0, 6, "status: ok and failed (broke)"}}
	for i := range want {
		if i >= len(d.Examples) || d.Examples[i] != want[i] {
			t.Fatalf("examples %v, want %v", d.Examples, want)
		}
	}
	// Pairs with both numbers: seeds 1 and 4.
	if len(d.Effects) != 1 || !d.Effects[0].Paired || d.Effects[0].NA != 2 || d.Effects[0].Difference.Value != 0.25 {
		t.Errorf("effects %+v", d.Effects)
	}
}

func TestUnpairedEffect(t *testing.T) {
	e := &experiment.Experiment{Metrics: []experiment.Metric{{Name: "x", Kind: experiment.Float}}}
	a := []record{recordOf(e, 1, 1), recordOf(e, 2, 2), recordOf(e, 3, 3)}
	b := []record{recordOf(e, 4, 5), recordOf(e, 5, 7)}
	got, ok := effect(0, a, b, nil)
	if want := inference.Difference([]float64{5, 7}, []float64{1, 2, 3}); !ok || got.Paired || got.Difference.Value != 4 || got.P != want.P(0) {
		t.Errorf("%+v", got)
	}
	if _, ok := effect(0, a, nil, nil); ok {
		t.Error("an effect against nothing")
	}
	equal := []record{recordOf(e, 6, 5), recordOf(e, 7, 5)}
	if _, ok := effect(0, equal, []record{recordOf(e, 8, 5), recordOf(e, 9, 5)}, nil); ok {
		t.Error("an effect of 5 against 5")
	}
}

func TestSeriesSum(t *testing.T) {
	other := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1) // another of the many NaNs
	if seriesSum([]float64{1, math.NaN(), 5}, 3, []int{0, 1}) != seriesSum([]float64{1, other, 6}, 3, []int{0, 1}) {
		t.Error("it depends on a column that is not compared, or on the bits of NaN")
	}
	if seriesSum([]float64{1, 2}, 2, []int{0, 1}) == seriesSum([]float64{1, 2, 3, 4}, 2, []int{0, 1}) {
		t.Error("it does not depend on the number of rows")
	}
}

// Holm, by hand, of 0.01, 0.04, 0.03 and a test that could not be made: times
// 3, 1 and 2, none below a smaller one.
func TestDiffSeesEffectsAsOneFamily(t *testing.T) {
	d := &Diff{Effects: []Effect{{P: 0.01}, {P: 0.04}, {P: math.NaN()}, {P: 0.03}}}
	d.correct()
	for i, want := range []float64{0.03, 0.06, math.NaN(), 0.06} {
		if got := d.Effects[i].AdjustedP; math.Abs(got-want) > 1e-15 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("p %v is adjusted to %v, want %v", d.Effects[i].P, got, want)
		}
	}
	if d.tests != 3 {
		t.Errorf("a family of %d, want 3", d.tests)
	}
}

func TestSame(t *testing.T) {
	for _, d := range []Diff{{Differing: 1}, {OnlyA: 1}, {OnlyB: 1}, {Declarations: []string{"another version"}}} {
		if d.Identical = 5; d.Same() {
			t.Errorf("%s and %q are the same", d.summary(), d.Declarations)
		}
	}
	if d := (Diff{Identical: 5}); !d.Same() {
		t.Error("identical runs are not the same")
	}
}
