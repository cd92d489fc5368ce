package analysis

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"sweep/experiment"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/testutil"
	"sweep/results"
)

// sampleOf returns a sample of one measure.
func sampleOf(x []float64) *results.Sample {
	s := &results.Sample{Values: [][]float64{x}}
	for seed := range int64(len(x)) {
		s.Seeds = append(s.Seeds, seed)
	}
	return s
}

// contrastOf computes an expression of its names, whose values are known for
// each world, and joins the runs of the first again.
func contrastOf(text string, worlds ...map[string][]float64) *Contrast {
	e := testutil.Must(expr.Parse(text))
	c := &Contrast{number: e, left: e, right: e, over: len(worlds) > 1}
	if len(e.Args) == 2 {
		c.left, c.right = e.Args[0], e.Args[1]
	}
	e.Walk(func(n *expr.Node) {
		if n.Op == expr.Name {
			c.terms = append(c.terms, &term{node: n})
		}
	})
	var samples []*results.Sample
	for _, values := range worlds {
		var set []int64
		for _, t := range c.terms {
			set, samples = append(set, int64(len(samples))), append(samples, sampleOf(values[t.node.Text]))
		}
		c.sets = append(c.sets, set)
	}
	c.compute(samples)
	c.join(samples[:len(c.terms)])
	return c
}

func TestJoinPairsRunsOfOneSeed(t *testing.T) {
	nan := math.NaN()
	a := &results.Sample{Seeds: []int64{0, 1, 3, 4, 6}, Values: [][]float64{{10, 11, 13, 14, 16}}, Failed: 1}
	b := &results.Sample{Seeds: []int64{1, 2, 3, 4, 6}, Values: [][]float64{{0, 0, 0, 0, 0}, {21, 22, nan, 24, 26}}}
	var leaves [3]expr.Node
	terms := []*term{{node: &leaves[0]}, {node: &leaves[1], measure: 1}, {node: &leaves[2]}}
	j := &Contrast{terms: terms}
	j.join([]*results.Sample{a, b, a})
	x, y := j.columns[&leaves[0]], j.columns[&leaves[1]]
	if !slices.Equal(x, []float64{11, 14, 16}) || !slices.Equal(y, []float64{21, 24, 26}) || j.n != 3 || j.Unpaired != 3+2 {
		t.Errorf("two cells: %v, %v and %d alone, want 3 pairs and 5", x, y, j.Unpaired)
	}
	if j.join([]*results.Sample{a, nil, a}); j.n != 0 || len(j.column(&leaves[0])) != 0 {
		t.Errorf("a cell without runs has partners: %+v", j)
	}
}

func TestColumnTakesRowsOfAWindow(t *testing.T) {
	r := &resolver{experiment: crawler()}
	series := []float64{3, 0, 1, 6, 0, 5, 9, 0, math.NaN(), 12, 0, 3, 15, 0, 99} // three columns
	row := &results.Row{Result: experiment.Result{Series: series}}
	window := []condition{{sign: ">", number: 3}, {sign: "<=", number: 12}}
	for take, want := range map[string]float64{"mean": 4, "": 4, "min": 3, "max": 5, "std": math.Sqrt2} {
		if got := r.measures[r.column(1, take, window)](row); got != want {
			t.Errorf("%s after 3 up to 12: %v, want %v", take, got, want)
		}
	}
	if got := r.measures[r.column(1, "max", []condition{{sign: ">", number: 100}})](row); !math.IsNaN(got) {
		t.Errorf("of no rows: %v, want NaN", got)
	}
}

// Of what is linear the sample is what each run gives, to the bit; the
// pseudo-values of the jackknife would be the same but for rounding.
func TestEstimates(t *testing.T) {
	columns := map[string][]float64{"a": {3, 5, 4, 8, 6}, "b": {1, 2, 2, 3, 2}}
	for text, want := range map[string][]float64{
		"a - 2 * b": {1, 1, 0, 2, 2},
		"-a / 2":    {-1.5, -2.5, -2, -4, -3},
	} {
		c := contrastOf(text, columns)
		if got := c.estimate(c.number); !slices.Equal(got, want) || degree(c.number) != 1 {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	// By hand: without the first, 23/9; 5·2.6 − 4·23/9.
	ratio := contrastOf("a / b", columns)
	if got := ratio.estimate(ratio.number)[0]; math.Abs(got-(13-92./9)) > 1e-12 {
		t.Errorf("first pseudo-value of a ratio %v, want %v", got, 13-92./9)
	}
	variation := contrastOf("cv(a)", columns)
	for without := range 5 {
		m := inference.Describe(slices.Delete(slices.Clone(columns["a"]), without, without+1))
		if got := variation.value(variation.number, without); math.Abs(got-m.Std/m.Mean) > 1e-12 {
			t.Errorf("variation without %d: %v, want %v", without, got, m.Std/m.Mean)
		}
	}
	if c := contrastOf("a - b", map[string][]float64{"a": {1.1, 2.2, 3.3, 4.7}, "b": {1, 2.1, 3.2, 4.6}}); c.Estimate.P(0) != 1./8 {
		t.Errorf("equal but for rounding: p %v, want that of the sign test", c.Estimate.P(0))
	}
	// 3·z computed in two ways.
	sums := map[string][]float64{}
	for k := range 20 {
		z := 0.1 * float64(k)
		sums["a"] = append(sums["a"], z+z+z)
		sums["b"] = append(sums["b"], 3*z)
	}
	if c := contrastOf("a - b", sums); c.Estimate.Value != 0 || c.Estimate.P(0) != 1 {
		t.Errorf("rounding alone: %v, p %v, want no difference", c.Estimate.Value, c.Estimate.P(0))
	}
	// Means over runs are rounded more often.
	means := []map[string][]float64{}
	for k := range 5 {
		x := 1 + 8e-15*float64(k%2)
		means = append(means, map[string][]float64{"a": {x + 0.5, x + 0.5}, "b": {1, 1}})
	}
	if c := contrastOf("a - b", means...); c.Estimate.P(0) != 1./16 {
		t.Errorf("means that are equal but for rounding: p %v, want that of the sign test", c.Estimate.P(0))
	}
	// Times in microseconds are whole numbers, so that their differences are exact.
	const epoch = 1.7e15
	late := contrastOf("a - b", map[string][]float64{"a": {epoch, epoch + 3, epoch + 5, epoch}, "b": {epoch, epoch, epoch, epoch}})
	if want := inference.Mean([]float64{0, 3, 5, 0}).P(0); late.Estimate.P(0) != want {
		t.Errorf("large whole numbers: p %v, want %v", late.Estimate.P(0), want)
	}
	if c := contrastOf("a / b", map[string][]float64{"a": {1, 2, 3}, "b": {0, 0, 0}}); c.N != 0 || !math.IsNaN(c.Low) {
		t.Errorf("divided by 0: %+v", c)
	}
}

// Averaged over worlds, the worlds are the sample.
func TestContrastOverWorlds(t *testing.T) {
	var worlds []map[string][]float64
	for _, x := range []float64{1, 2, 4, math.NaN()} { // nothing of the last counts
		worlds = append(worlds, map[string][]float64{"a": {x, x + 2}, "b": {0, 0}})
	}
	c := contrastOf("a - b", worlds...)
	want := inference.Mean([]float64{2, 3, 5})
	if low, high := want.Interval(0.95); c.N != 3 || c.Left != want.Value || c.Right != 0 || c.Low != low || c.High != high {
		t.Errorf("%+v, want 3 worlds, %v to %v", c, low, high)
	}
}

// Rivals are compared where they face the same, a parameter's values where
// all else is equal, and the baseline's own parameters are shown.
func TestPartners(t *testing.T) {
	e := crawler()
	cell := func(algorithm string, rewired bool, n int64, f float64) []experiment.Value {
		v := []experiment.Value{experiment.StringValue(algorithm), experiment.StringValue("fixed"), experiment.StringValue("odd"), experiment.BoolValue(rewired), {}, {}}
		if n > 0 {
			v[4], v[5] = experiment.IntValue(n), experiment.FloatValue(f)
		}
		return v
	}
	r := &Question{experiment: e, Baseline: experiment.StringValue("FPA"), cells: [][]experiment.Value{
		0: cell("FPA", false, 16, 0.1), 1: cell("FPA", false, 16, 0.5), 2: cell("FPA", true, 16, 0.1),
		3: cell("WL", false, 64, 0.5), // shares f with cell 1
		4: cell("RL", false, 0, 0),    // shares nothing with either
		5: cell("RL", true, 0, 0),
	}}
	pairs := r.partners()
	if want := [][]int64{{3, 1}, {4, 0}, {4, 1}, {5, 2}}; !reflect.DeepEqual(pairs, want) {
		t.Errorf("by algorithm: %v, want %v", pairs, want)
	}
	r.Over = []int{3}
	if got := r.groups(pairs); len(got) != 3 || !reflect.DeepEqual(got[1], [][]int64{{4, 0}, {5, 2}}) {
		t.Errorf("averaged over rewired: %v", got)
	}
	r.By, r.Baseline = 5, experiment.FloatValue(0.1)
	if got, want := r.partners(), [][]int64{{1, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("by f: %v, want %v", got, want)
	}
}

func TestTestsAreCorrectedTogether(t *testing.T) {
	var family []*Contrast
	for _, x := range [][]float64{{1, 2, 3, 4, 5}, {-1, 1, 0, 2, -2}, {3, 3.1, 2.9, 3.2, 2.8}, {7}} {
		family = append(family, &Contrast{Estimate: inference.Mean(x)})
	}
	adjusted, level, n := correct(family)
	if n != 3 || math.Abs(level-(1-0.05/3)) > 1e-12 { // of one value there is no test
		t.Errorf("a family of %d with limits of level %v, want 3 and 1 - 0.05/3", n, level)
	}
	if got, want := adjusted[2], 3*family[2].Estimate.P(0); got != want {
		t.Errorf("the smallest p becomes %v, want %v", got, want)
	}
	// A bootstrap has a smallest p-value, which is only a bound.
	x := inference.Mean([]float64{101, 102, 103, 104, 105, 107, 110, 120, 150, 300})
	if bound, got := shownP(x, x.P(0)); x.Method != inference.Bootstrap || got != "≤0.0001" || !bound {
		t.Errorf("%s, p %s, want a bound", x.Method, got)
	}
}
