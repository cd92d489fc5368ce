package plots

import (
	"math"
	"slices"

	"sweep/internal/inference"
)

// moments describe numbers seen one after another, without keeping them
// (Welford, Note on a Method for Calculating Corrected Sums of Squares and
// Products, 1962). NaN is not seen.
type moments struct {
	n       int
	mean    float64
	squares float64 // sum of squared deviations from the mean
}

func (m *moments) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.squares += d * (x - m.mean)
}

// average returns the mean, NaN of nothing.
func (m *moments) average() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.mean
}

// variance returns the variance (n−1), NaN of fewer than two numbers.
func (m *moments) variance() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	return m.squares / float64(m.n-1)
}

// A student remembers the factors of Student's t, one for each sample size.
type student map[int]float64

// margin returns half the width of the confidence interval of the mean, NaN
// of fewer than two numbers.
func (s student) margin(m *moments) float64 {
	if m.n < 2 {
		return math.NaN()
	}
	t, ok := s[m.n]
	if !ok {
		t = inference.StudentFactor(float64(m.n-1), inference.Confidence)
		s[m.n] = t
	}
	return t * math.Sqrt(m.variance()/float64(m.n))
}

// quartiles returns the quartiles of values by linear interpolation between
// the nearest (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996,
// definition 7).
func quartiles(values []float64) (q [3]float64) {
	sorted := slices.Sorted(slices.Values(values))
	for i := range q {
		at := float64(len(sorted)-1) * float64(i+1) / 4
		below := int(at)
		above := min(below+1, len(sorted)-1)
		q[i] = sorted[below] + (sorted[above]-sorted[below])*(at-float64(below))
	}
	return q
}
