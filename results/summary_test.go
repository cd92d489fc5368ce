package results

import (
	"fmt"
	"math"
	"testing"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/internal/testutil"
)

// Of what is pooled, means are taken, and spreads within are pooled by their
// degrees of freedom; a cell of one run has none.
func TestPool(t *testing.T) {
	cell := func(algorithm string, world int64, values ...float64) *Cell {
		return &Cell{
			Values:  []experiment.Value{experiment.StringValue(algorithm), experiment.IntValue(world)},
			Metrics: []inference.Statistics{inference.NewStatistics(values)},
		}
	}
	pooled := pool([]*Cell{
		cell("RL", 1, 1, 3), cell("WL", 1, 5), cell("RL", 2, 4, 6, 8, 10), cell("WL", 2, 7), cell("RL", 3, 9),
	}, []int{0})
	if len(pooled) != 2 || !pooled[0].Values[1].IsNull() {
		t.Fatalf("%d cells, the first of %v", len(pooled), pooled[0].Values)
	}
	// Squares about the means: 2 with one degree of freedom, 20 with three.
	rl, want := pooled[0], math.Sqrt(22./4)
	if x := rl.Metrics[0]; x.N != 3 || x.Mean != 6 || math.Abs(rl.Within[0]-want) > 1e-12 {
		t.Errorf("RL: mean %v of %d, within %v, want 6 of 3, %v", x.Mean, x.N, rl.Within[0], want)
	}
	if !math.IsNaN(pooled[1].Within[0]) {
		t.Errorf("WL, of one run in each world, has a spread of %v within", pooled[1].Within[0])
	}
}

// The squares of spreads within may be too large or too small for a number.
func TestPoolOfAnySize(t *testing.T) {
	for _, size := range []float64{1, 1e-300, 1e300} {
		cell := func(world int64, values ...float64) *Cell {
			for i := range values {
				values[i] *= size
			}
			return &Cell{Values: []experiment.Value{experiment.IntValue(world)}, Metrics: []inference.Statistics{inference.NewStatistics(values)}}
		}
		pooled := pool([]*Cell{cell(1, 1, 3), cell(2, 4, 6, 8, 10), cell(3, 9)}, nil)
		if got, want := pooled[0].Within[0]/size, math.Sqrt(22./4); !(math.Abs(got-want) < 1e-12) {
			t.Errorf("in units of %g the spread within is %v, want %v", size, got, want)
		}
	}
}

// Texts with blanks are alike when they are printed one after another.
func TestPoolTellsTextsApart(t *testing.T) {
	cell := func(x, y string) *Cell {
		return &Cell{
			Values:  []experiment.Value{experiment.StringValue(x), experiment.StringValue(y)},
			Metrics: []inference.Statistics{inference.NewStatistics([]float64{1})},
		}
	}
	if pooled := pool([]*Cell{cell("a b", "c"), cell("a", "b c")}, []int{0, 1}); len(pooled) != 2 {
		t.Errorf("%d cells, want 2", len(pooled))
	}
}

// A summary leaves the samples as they are: a report makes several of one.
func TestDescribeKeepsSamples(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, smallSpec)
	r, _ := read(dir, false)
	samples := r.NewSummarySampler()
	testutil.NoError(samples.AddAll(r.Runs(false)))
	first := testutil.Must(r.Summarize(samples, nil))
	again := testutil.Must(r.Summarize(samples, nil))
	undefined := false
	for i, c := range first.Cells {
		for m, want := range c.Metrics {
			undefined = undefined || want.N < c.Metrics[0].N
			if got := again.Cells[i].Metrics[m]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("cell %d, metric %d: %+v, then %+v", i, m, want, got)
			}
		}
	}
	if !undefined {
		t.Error("no value is undefined: nothing was tested")
	}
}
