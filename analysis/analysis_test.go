package analysis

import (
	"math"
	"reflect"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/results"
)

func TestAlignedPairsRunsOfOneSeed(t *testing.T) {
	nan := math.NaN()
	a := &cellSample{seeds: []int64{0, 1, 3, 4, 6}, values: [][]float64{{10, 11, 13, 14, 16}}, failed: 1}
	b := &cellSample{seeds: []int64{1, 2, 3, 4, 6}, values: [][]float64{{0}, {21, 22, nan, 24, 26}}}
	c := &cellSample{seeds: []int64{1, 3, 4}, values: [][]float64{{31, 33, 34}}}
	values, alone := aligned(column{a, 0}, column{b, 1})
	if want := [][]float64{{11, 14, 16}, {21, 24, 26}}; !reflect.DeepEqual(values, want) || alone != 3+2 {
		t.Errorf("two cells: %v and %d alone, want %v and 5", values, alone, want)
	}
	values, alone = aligned(column{a, 0}, column{b, 1}, column{c, 0})
	if want := [][]float64{{11, 14}, {21, 24}, {31, 34}}; !reflect.DeepEqual(values, want) || alone != 4+3+1 {
		t.Errorf("three cells: %v and %d alone, want %v and 8", values, alone, want)
	}
	if values, _ := aligned(column{a, 0}, column{nil, 0}); len(values[0]) != 0 {
		t.Errorf("a cell without runs has partners: %v", values)
	}
}

func TestOverTakesRowsOfAWindow(t *testing.T) {
	s := experiment.Series{Columns: make([]experiment.Metric, 2)}
	row := &results.Row{Result: experiment.Result{Series: []float64{
		3, 0, 1,
		6, 0, 5,
		9, 0, math.NaN(),
		12, 0, 3,
		15, 0, 99,
	}}}
	for take, want := range map[grid.Take]float64{grid.TakeMean: 4, grid.TakeMin: 3, grid.TakeMax: 5, grid.TakeStd: math.Sqrt2} {
		if got := over(&s, 1, take, 3, 12)(row); got != want {
			t.Errorf("%s after 3 up to 12: %v, want %v", take, got, want)
		}
	}
	if got := over(&s, 1, grid.TakeMean, 100, 200)(row); !math.IsNaN(got) {
		t.Errorf("of no rows: %v, want NaN", got)
	}
}

func TestJudge(t *testing.T) {
	near := grid.Rule{Relation: grid.Near, Times: 1, Within: 0.1, Relative: true}
	nan := math.NaN()
	for _, c := range []struct {
		rule              grid.Rule
		center, low, high float64
		want              Verdict
	}{
		{grid.Rule{Relation: grid.Above}, 2, 2.1, 3, Holds},
		{grid.Rule{Relation: grid.Above}, 2, 1.9, 3, Undecided},
		{grid.Rule{Relation: grid.Above}, 2, 1, 1.9, Fails},
		{grid.Rule{Relation: grid.Above}, 2, 2, 2, Fails}, // not above
		{grid.Rule{Relation: grid.Above, By: 0.5}, 2, 2.1, 3, Undecided},
		{grid.Rule{Relation: grid.Below, By: 0.5}, 2, 1, 1.4, Holds},
		{grid.Rule{Relation: grid.Below}, 2, 2, 2, Fails},
		{grid.Rule{Relation: grid.Below}, 2, 2.1, 3, Fails},
		{near, 10, 9, 11, Holds},
		{near, -10, -11, -9, Holds},
		{near, 10, 8.9, 10, Undecided},
		{near, 10, 8, 12, Undecided},
		{near, 10, 11.1, 12, Fails},
		{grid.Rule{Relation: grid.Near}, 2, 2, 2, Holds},
		{near, 10, nan, nan, Undecided},
	} {
		var r JudgedCase
		r.accept(c.rule, c.center)
		if got := r.judge(c.low, c.high); got != c.want {
			t.Errorf("%+v of %v, limits %v to %v: %s, want %s", c.rule, c.center, c.low, c.high, got, c.want)
		}
	}
}

// A claim about every case holds only if each does, and fails only if one
// does at the level of the family; a claim about some case is the reverse.
func TestVerdict(t *testing.T) {
	c := func(alone, family Verdict) JudgedCase { return JudgedCase{Verdict: alone, family: family} }
	for _, k := range []struct {
		cases       []JudgedCase
		every, some Verdict
	}{
		{[]JudgedCase{c(Holds, Holds), c(Holds, Holds)}, Holds, Holds},
		{[]JudgedCase{c(Holds, Undecided), c(Holds, Undecided)}, Holds, Undecided},
		{[]JudgedCase{c(Holds, Holds), c(Fails, Undecided)}, Undecided, Holds},
		{[]JudgedCase{c(Holds, Holds), c(Fails, Fails)}, Fails, Holds},
		{[]JudgedCase{c(Fails, Undecided), c(Fails, Undecided)}, Undecided, Fails},
		{[]JudgedCase{c(Fails, Fails), c(Fails, Fails)}, Fails, Fails},
		{[]JudgedCase{c(Holds, Holds), c(Undecided, Undecided)}, Undecided, Holds},
	} {
		if every, some := verdict(false, k.cases), verdict(true, k.cases); every != k.every || some != k.some {
			t.Errorf("%+v: every %s, some %s; want %s and %s", k.cases, every, some, k.every, k.some)
		}
	}
}

// Rivals are compared where they face the same, and a parameter's values
// where all else is equal.
func TestPartners(t *testing.T) {
	e := &experiment.Experiment{Name: "x", Params: []experiment.Param{
		{Name: experiment.Algorithm, Kind: experiment.String}, {Name: "world", Kind: experiment.Int},
		{Name: "N", Kind: experiment.Int, UsedBy: []string{"A", "B"}}, {Name: "f", Kind: experiment.Float, UsedBy: []string{"A", "B"}},
	}}
	cell := func(algorithm string, world, n int64, f float64) []experiment.Value {
		if algorithm == "C" {
			return []experiment.Value{experiment.StringValue(algorithm), experiment.IntValue(world), {}, {}}
		}
		return []experiment.Value{experiment.StringValue(algorithm), experiment.IntValue(world), experiment.IntValue(n), experiment.FloatValue(f)}
	}
	r := &Comparisons{experiment: e, Value: experiment.StringValue("A"), cells: map[int64][]experiment.Value{
		0: cell("A", 1, 16, 0.1), 1: cell("A", 1, 16, 0.5), 2: cell("A", 2, 16, 0.1),
		3: cell("B", 1, 64, 0.5), // shares f with cell 1
		4: cell("C", 1, 0, 0),    // shares nothing with either of world 1
		5: cell("C", 3, 0, 0),    // nobody is there
	}}
	order := []int64{0, 1, 2, 3, 4, 5}
	if got, want := r.partners(order), [][2]int64{{3, 1}, {4, 0}, {4, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("by algorithm: %v, want %v", got, want)
	}
	r.By, r.Value = 3, experiment.FloatValue(0.1)
	if got, want := r.partners(order), [][2]int64{{1, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("by f: %v, want %v", got, want)
	}
}

func TestComparisonsAreCorrectedTogether(t *testing.T) {
	r := &Comparisons{}
	for _, x := range [][]float64{{1, 2, 3, 4, 5}, {-1, 1, 0, 2, -2}, {3, 3.1, 2.9, 3.2, 2.8}} {
		d := inference.Mean(x)
		r.List = append(r.List, Comparison{Difference: d, P: d.P(0)})
	}
	alone := inference.Mean([]float64{7}) // no p-value, and no member of the family
	r.List = append(r.List, Comparison{Difference: alone, P: alone.P(0)})
	r.correct()
	for i, c := range r.List[:3] {
		low, high := c.Difference.Interval(1 - 0.05/3)
		if c.AdjustedP < c.P || math.Abs(c.FamilyLow-low) > 1e-12 || math.Abs(c.FamilyHigh-high) > 1e-12 {
			t.Errorf("comparison %d: %+v", i, c)
		}
	}
	if got, want := r.List[2].AdjustedP, 3*r.List[2].P; got != want {
		t.Errorf("the smallest p becomes %v, want %v", got, want)
	}
}
