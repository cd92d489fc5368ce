package plots

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sweep/experiment"
)

// What can be drawn does not depend on the size of numbers.
func TestSpansVary(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{
		{1, 1, false},
		{0, 0, false},
		{1, 1 + 1e-13, false},
		{1, 1.1, true},
		{1e200, 2e200, true},
		{1e-200, 2e-200, true},
		{-1e308, 1e308, true},
		{math.Inf(1), math.Inf(-1), false}, // of no numbers
	} {
		if got := (span{c.low, c.high}).varies(); got != c.want {
			t.Errorf("%v to %v varies: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

// Limits have the same digits whatever the size of the numbers, and those of a
// plain sum of squares.
func TestMomentsOfAnySize(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var values []float64
	for range 20 {
		values = append(values, random.NormFloat64())
	}
	var plain moments
	squares := 0.0 // in units of 1
	for _, x := range values {
		before := x - plain.mean
		plain.add(x)
		squares += float64(before * (x - plain.mean))
	}
	if got := plain.squaresIn(0); got != squares {
		t.Errorf("the sum of squares is %v, want %v", got, squares)
	}
	mean, margin := plain.limits()
	for _, exponent := range []int{-1000, -520, 0, 520, 1000} {
		var m moments
		for _, x := range values {
			m.add(math.Ldexp(x, exponent))
		}
		gotMean, gotMargin := m.limits()
		if gotMean != math.Ldexp(mean, exponent) || gotMargin != math.Ldexp(margin, exponent) {
			t.Errorf("times 2^%d: %v ± %v, want those of %v ± %v", exponent, gotMean, gotMargin, mean, margin)
		}
	}
	var mixed moments // the large ones alone count
	mixed.add(-1e-200, 1e-200, 1, 1e200, 3e200, 0)
	if got := mixed.spread(); math.Abs(got-1.1055e200) > 1e196 {
		t.Errorf("the spread of numbers of all sizes is %v, want 1.1055e200", got)
	}
}

// Effects are shares, which do not depend on the size of numbers.
func TestEffectsOfAnySize(t *testing.T) {
	v := experiment.IntValue
	a := experiment.Param{Name: "a", Kind: experiment.Int}
	b := experiment.Param{Name: "b", Kind: experiment.Int}
	want := []float64{2.25 / 4.5, 0.25 / 4.5, 2 / 4.5} // as in TestTotalEffects
	for _, size := range []float64{1e-300, 1e-170, 1e160, 1e300} {
		means := map[float64][]experiment.Value{
			0: {v(0), v(0)}, size: {v(0), v(1)}, 3 * size: {v(1), v(0)}, 4 * size: {v(1), v(1)},
		}
		d := flat(size, means, a, b)
		if got := d.totalEffects(0, d.axes); !slices.EqualFunc(got, want, near) {
			t.Errorf("effects of numbers near %v are %v, want %v", size, got, want)
		}
	}
}
