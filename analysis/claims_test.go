package analysis

import (
	"math"
	"slices"
	"testing"

	"sweep/grid"
	"sweep/internal/inference"
)

// judging returns a judge of cells whose runs measured the given numbers.
func judging(cells ...[]float64) *judge {
	j := &judge{at: map[measureKey]int{key(grid.Measure{}, all(0)): 0}, samples: &samples{cells: map[int64]*cellSample{}}}
	for c, x := range cells {
		s := &cellSample{values: [][]float64{x}}
		for seed := range x {
			s.seeds = append(s.seeds, int64(seed))
		}
		j.samples.cells[int64(c)] = s
	}
	return j
}

func all(cell int64) grid.Term {
	return grid.Term{Cell: cell, After: math.Inf(-1), To: math.Inf(1)}
}

func claimOf(r grid.Rule, cases ...grid.Case) *grid.Claim {
	return &grid.Claim{Measures: make([]grid.Measure, 1), Statistic: grid.StatisticMean, Rule: r, Cases: cases}
}

var (
	base   = []float64{10, 11, 12, 13, 14, 15, 16, 17}
	noise  = []float64{0.1, -0.1, 0.2, -0.2, 0.1, -0.1, -0.2, 0.2}
	double = combine(func(x, e float64) float64 { return 2*x + e })
	more   = combine(func(x, e float64) float64 { return x + 3 + e })
)

func combine(f func(x, e float64) float64) []float64 {
	x := slices.Clone(base)
	for i := range x {
		x[i] = f(base[i], noise[i])
	}
	return x
}

// What is measured follows from the rule: a difference of pairs, a ratio
// where the rule speaks of times or percentages, else the value itself.
func TestQuantities(t *testing.T) {
	j := judging(base, double, more)
	against := func(left, right int64) grid.Case {
		side := grid.Side{Of: all(right)}
		return grid.Case{Left: grid.Side{Of: all(left)}, Right: &side}
	}
	minus := all(0)
	for name, c := range map[string]struct {
		rule     grid.Rule
		c        grid.Case
		quantity Quantity
		measured float64
		width    float64 // at most
		want     Verdict
	}{
		"difference": {grid.Rule{Relation: grid.Above, Times: 1, By: 2.7}, against(2, 0), Difference, 3, 0.3, Holds},
		"ratio":      {grid.Rule{Relation: grid.Above, Times: 1.9}, against(1, 0), Ratio, 2, 0.1, Holds},
		"percentage": {grid.Rule{Relation: grid.Near, Times: 1, Within: 0.1, Relative: true}, against(1, 0), Ratio, 2, 0.1, Fails},
		"both":       {grid.Rule{Relation: grid.Near, Times: 2, Within: 0.1, Relative: true}, against(1, 0), Ratio, 2, 0.1, Holds},
		"value":      {grid.Rule{Relation: grid.Near, Times: 1, Within: 3}, grid.Case{Left: grid.Side{Of: all(0)}, Number: 13}, Value, 13.5, 5, Holds},
		"less":       {grid.Rule{Relation: grid.Near, Times: 1, Within: 0.2}, grid.Case{Left: grid.Side{Of: all(2), Minus: &minus}, Number: 3}, Value, 3, 0.3, Holds},
	} {
		got := j.judgeCase(claimOf(c.rule, c.c), &c.c)
		if got.Quantity != c.quantity || math.Abs(got.Measured-c.measured) > 1e-9 || got.High-got.Low > c.width || got.Verdict != c.want {
			t.Errorf("%s: %s %v [%v, %v], %s; want %s %v and %s", name, got.Quantity, got.Measured, got.Low, got.High, got.Verdict, c.quantity, c.measured, c.want)
		}
	}
}

// 2 and −1: the ratio −2 is not above 1.9, nor is it surely not, as the rule
// would turn round with the sign of what is divided by.
func TestRatioToWhatIsNotPositive(t *testing.T) {
	negative := combine(func(x, e float64) float64 { return e - x })
	side := grid.Side{Of: all(1)}
	c := grid.Case{Left: grid.Side{Of: all(0)}, Right: &side}
	claim := claimOf(grid.Rule{Relation: grid.Above, Times: 1.9}, c)
	got := judging(double, negative).claim(claim)
	if got.Verdict != Undecided || !slices.Contains(got.Cases[0].Doubts, "a ratio to what is not positive") {
		t.Errorf("%s, doubts %q; want undecided, and why", got.Verdict, got.Cases[0].Doubts)
	}
}

func TestComparisonWithAPrintedNumber(t *testing.T) {
	c := grid.Case{Left: grid.Side{Of: all(0)}, Number: 15, Std: 0.5}
	got := judging(base).judgeCase(claimOf(grid.Rule{Relation: grid.Near, Times: 1, Within: 0.1, Relative: true}, c), &c)
	if got.PaperRatio != 0.9 || got.Z != -3 || got.Least != 13.5 || got.Most != 16.5 {
		t.Errorf("ratio %v, z %v, %v to %v; want 0.9, -3, 13.5 to 16.5", got.PaperRatio, got.Z, got.Least, got.Most)
	}
}

// One of many cases that fails by itself does not make the claim fail, as
// long as it might be chance.
func TestFamilyOfCases(t *testing.T) {
	low, high := inference.Mean(base).Interval(0.95)
	familyLow, familyHigh := inference.Mean(base).Interval(1 - 0.05/2)
	number := (high + familyHigh) / 2 // beyond the limits, within those of two
	cases := []grid.Case{{Left: grid.Side{Of: all(0)}, Number: 0}, {Left: grid.Side{Of: all(0)}, Number: number}}
	claim := claimOf(grid.Rule{Relation: grid.Above, Times: 1}, cases...)
	j := judging(base)
	got := j.claim(claim)
	if got.Cases[0].Verdict != Holds || got.Cases[1].Verdict != Fails || got.Verdict != Undecided {
		t.Errorf("%s, %s: %s; want holds, fails: undecided", got.Cases[0].Verdict, got.Cases[1].Verdict, got.Verdict)
	}
	claim.Cases[1].Number = familyHigh + 1
	if got := j.claim(claim); got.Verdict != Fails {
		t.Errorf("far beyond the limits: %s, want fails", got.Verdict)
	}
	claim.Some, claim.Cases[0].Number = true, (low+familyLow)/2
	if got := j.claim(claim); got.Verdict != Undecided {
		t.Errorf("about some case, of which one holds by itself: %s, want undecided", got.Verdict)
	}
}
