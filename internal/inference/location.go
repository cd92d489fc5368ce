package inference

import (
	"fmt"
	"math"
	"slices"
)

// The methods that give the limits of a Location. Student's t has N−1 degrees
// of freedom; Bootstrap takes the quantiles of t from resamples. Binomial is
// exact for values of two kinds.
const (
	Student   = "student"
	Bootstrap = "bootstrap"
	Binomial  = "binomial"
)

// A Location is an estimated mean.
type Location struct {
	N       int     // size of the sample
	Value   float64 // NaN if it is empty
	SE      float64 // standard error, NaN if N is below 2
	Method  string
	Warning string // what may be wrong with the limits

	bootstrap *bootstrap // nil unless it is the Method
	look      *look      // nil unless the limits are sequential
}

// maxSkew is the skewness of an estimate beyond which Student's t is not
// trusted: Cochran's rule n > 25·g₁² (Sampling Techniques, 3rd ed., section
// 2.15), read as a bound on g₁/√n, the skewness of the mean itself.
const maxSkew = 0.2

// minResampled is the size from which a sample is worth resampling. A smaller
// one tells that it is skewed, and hardly more.
const minResampled = 10

// minBeyond is how many resamples must lie beyond a limit. If there are fewer,
// the limit is at least as far away as Student's.
const minBeyond = 5

// Mean estimates the mean of a sample. It resamples a skewed one, or warns why
// it does not.
func Mean(x []float64) *Location {
	m := Describe(x)
	l := &Location{N: m.N, Value: m.Mean, SE: m.SE(), Method: Student}
	skewed := math.Abs(m.Skew/math.Sqrt(float64(m.N))) > maxSkew
	switch {
	case l.N < 2:
	case l.N < FewRuns:
		l.Warning = fmt.Sprintf("fewer than %d runs", FewRuns)
	case l.SE == 0:
		l.Warning = "all values are equal: their spread is not known"
	case skewed && mostlyEqual(x): // resampling would mostly repeat one value
		l.Warning = "skewed, with too many equal values to resample"
	case skewed && l.N < minResampled:
		l.Warning = "skewed, with too few runs to resample"
	case skewed:
		l.Method = Bootstrap
		l.bootstrap = newBootstrap(x, m)
	}
	return l
}

// mostlyEqual reports whether more than half of the values are one value.
func mostlyEqual(x []float64) bool {
	sorted := slices.Sorted(slices.Values(x))
	half := len(x) / 2
	for i := range len(x) - half {
		if sorted[i] == sorted[i+half] {
			return true
		}
	}
	return false
}

// Interval returns two-sided confidence limits, NaN if N is below 2.
func (l *Location) Interval(level float64) (low, high float64) {
	if l.look != nil {
		return l.look.interval(l, level)
	}
	return l.limits(level)
}

// limits returns limits for a single look.
func (l *Location) limits(level float64) (low, high float64) {
	student := StudentFactor(float64(l.N-1), level)
	// The distances of the limits in standard errors.
	below := student
	above := student
	if l.bootstrap != nil {
		beyond := int(rounded((1 - level) / 2 * resamples))
		low, high := l.bootstrap.quantiles(beyond)
		below = high
		above = -low
		if beyond < minBeyond {
			below = max(below, student)
			above = max(above, student)
		}
	}
	return l.Value - float64(below*l.SE), l.Value + float64(above*l.SE)
}

// P returns the two-sided p-value of the hypothesis that the true mean is null,
// NaN if there is none. That of a bootstrap is at least MinP; that of equal
// values is the p-value of the sign test.
func (l *Location) P(null float64) float64 {
	switch {
	case l.SE == 0 && l.Value == null:
		return 1
	case l.SE == 0:
		return math.Ldexp(1, 1-l.N)
	case l.bootstrap != nil:
		return l.bootstrap.p(null)
	}
	return studentP((l.Value-null)/l.SE, float64(l.N-1))
}
