package inference

import (
	"fmt"
	"math"
)

// A Variation is an estimated coefficient of variation: the standard
// deviation of a sample in units of its mean. Its limits are those of the
// standard deviation of a normal sample, by the χ² distribution; the error
// of the mean is left out of them, which is small where the coefficient is.
type Variation struct {
	N      int
	value  float64
	doubts []string
}

// CoefficientOfVariation estimates std(x)/|mean(x)|.
func CoefficientOfVariation(x []float64) *Variation {
	m := Describe(x)
	v := &Variation{N: m.N, value: math.NaN()}
	if m.Mean != 0 {
		v.value = m.Std / math.Abs(m.Mean)
	}
	if m.N < FewRuns {
		v.doubts = append(v.doubts, fmt.Sprintf("fewer than %d runs", FewRuns))
	}
	return v
}

// Point returns the coefficient, NaN if the mean is 0 or N is below 2.
func (v *Variation) Point() float64 { return v.value }

// Doubts tell what may be wrong with the limits.
func (v *Variation) Doubts() []string { return v.doubts }

// Interval returns two-sided confidence limits.
func (v *Variation) Interval(level float64) (low, high float64) {
	if v.N < 2 || math.IsNaN(v.value) {
		return math.NaN(), math.NaN()
	}
	df, tail := float64(v.N-1), (1-level)/2
	low = v.value * math.Sqrt(df/chiSquaredQuantile(1-tail, df))
	high = v.value * math.Sqrt(df/chiSquaredQuantile(tail, df))
	return low, high
}
