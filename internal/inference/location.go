package inference

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// A Method says where the limits of a Location come from.
type Method string

// The methods. Student's t has N−1 degrees of freedom; Bootstrap takes the
// quantiles of t from resamples.
const (
	Student   Method = "student"
	Bootstrap Method = "bootstrap"
)

// A Location is an estimated mean.
type Location struct {
	N      int     // size of the sample
	Value  float64 // NaN if it is empty
	SE     float64 // standard error, NaN if N is below 2
	Method Method

	df     float64
	t      []float64 // resampled values of t, sorted; nil unless Bootstrap
	doubts []string
}

// mostSkew is the skewness of an estimate beyond which Student's t is not
// trusted: Cochran's rule n > 25·g₁² (Sampling Techniques, 3rd ed., section
// 2.15), read as a bound on g₁/√n, the skewness of the mean itself.
const mostSkew = 0.2

// leastResampled is the size from which a sample is worth resampling; of
// fewer values hardly more is known than that they are skewed.
const leastResampled = 10

// Mean estimates the mean of a sample; of the differences of pairs, if it
// is those. If it is skewed, it turns to resampling, or says why it does not.
func Mean(x []float64) *Location {
	m := Describe(x)
	l := &Location{N: m.N, Value: m.Mean, SE: m.SE(), Method: Student, df: float64(m.N - 1)}
	skewed := math.Abs(m.Skew/math.Sqrt(float64(m.N))) > mostSkew
	switch {
	case l.N < 2:
	case l.N < FewRuns:
		l.doubts = append(l.doubts, fmt.Sprintf("fewer than %d runs", FewRuns))
	case l.SE == 0:
		l.doubts = append(l.doubts, "all values are equal: their spread is not known")
	case skewed && mostlyEqual(x): // resampling would mostly repeat one value
		l.doubts = append(l.doubts, "skewed, with too many equal values to resample")
	case skewed && l.N < leastResampled:
		l.doubts = append(l.doubts, "skewed, with too few runs to resample")
	case skewed:
		l.Method, l.t = Bootstrap, resampledMeans(x, m)
		slices.Sort(l.t)
	}
	return l
}

// mostlyEqual reports whether more than half of the values are one value.
func mostlyEqual(x []float64) bool {
	sorted := slices.Sorted(slices.Values(x))
	for i, half := 0, len(x)/2; i+half < len(x); i++ {
		if sorted[i] == sorted[i+half] {
			return true
		}
	}
	return false
}

// Doubts tell what may be wrong with the limits.
func (l *Location) Doubts() []string { return l.doubts }

// Interval returns two-sided confidence limits.
func (l *Location) Interval(level float64) (low, high float64) {
	switch {
	case l.N < 2:
		return math.NaN(), math.NaN()
	case l.SE == 0:
		return l.Value, l.Value
	}
	factor := StudentFactor(l.df, level)
	below, above := factor, factor
	if l.t != nil {
		below, above = l.resampledFactors(level, factor)
	}
	return l.Value - float64(below*l.SE), l.Value + float64(above*l.SE)
}

// resampledFactors returns how many standard errors the limits lie below
// and above the estimate. Where fewer than leastBeyond resamples lie beyond
// a limit, it is at least as far as Student's.
func (l *Location) resampledFactors(level, student float64) (below, above float64) {
	const leastBeyond = 5
	n := len(l.t)
	beyond := int(rounded((1 - level) / 2 * float64(n)))
	below, above = l.t[n-1-min(beyond, n-1)], -l.t[min(beyond, n-1)]
	if beyond < leastBeyond {
		below, above = max(below, student), max(above, student)
	}
	return below, above
}

// P returns the two-sided p-value of the hypothesis that the truth is null;
// NaN if there is none. From a bootstrap it is at least 2/resamples.
func (l *Location) P(null float64) float64 {
	switch {
	case l.N < 2:
		return math.NaN()
	case l.SE == 0 && l.Value == null:
		return 1
	case l.SE == 0:
		return 0
	}
	t := (l.Value - null) / l.SE
	if l.t == nil {
		return studentP(t, l.df)
	}
	n := len(l.t)
	atMost := sort.Search(n, func(i int) bool { return l.t[i] > t })
	atLeast := n - sort.SearchFloat64s(l.t, t)
	return min(1, 2*float64(1+min(atMost, atLeast))/float64(1+n))
}

// LeastP returns the smallest p-value that there can be: 0, or that of a
// bootstrap none of whose resamples is as far away.
func (l *Location) LeastP() float64 {
	if l.t == nil {
		return 0
	}
	return min(1, 2/float64(1+len(l.t)))
}
