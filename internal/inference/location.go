package inference

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"sweep/internal/rng"
)

// The methods by which there are limits of a Location. Student's t has N−1 degrees
// of freedom; Bootstrap takes the quantiles of t from resamples.
const (
	Student   = "student"
	Bootstrap = "bootstrap"
)

// A Location is an estimated mean.
type Location struct {
	N        int     // size of the sample
	Value    float64 // NaN if it is empty
	SE       float64 // standard error, NaN if N is below 2
	Method   string
	Warnings []string // what may be wrong with the limits

	t []float64 // resampled values of t, sorted; nil unless Bootstrap
}

// mostSkew is the skewness of an estimate beyond which Student's t is not
// trusted: Cochran's rule n > 25·g₁² (Sampling Techniques, 3rd ed., section
// 2.15), read as a bound on g₁/√n, the skewness of the mean itself.
const mostSkew = 0.2

// leastResampled is the size from which a sample is worth resampling; of
// fewer values hardly more is known than that they are skewed.
const leastResampled = 10

// leastBeyond is how many resamples must lie beyond a limit; else it is at
// least as far as Student's.
const leastBeyond = 5

// Mean estimates the mean of a sample; of the differences of pairs, if it
// is those. If it is skewed, it turns to resampling, or says why it does not.
func Mean(x []float64) *Location {
	m := Describe(x)
	l := &Location{N: m.N, Value: m.Mean, SE: m.SE(), Method: Student}
	skewed := math.Abs(m.Skew/math.Sqrt(float64(m.N))) > mostSkew
	switch {
	case l.N < 2:
	case l.N < FewRuns:
		l.Warnings = append(l.Warnings, fmt.Sprintf("fewer than %d runs", FewRuns))
	case l.SE == 0:
		l.Warnings = append(l.Warnings, "all values are equal: their spread is not known")
	case skewed && mostlyEqual(x): // resampling would mostly repeat one value
		l.Warnings = append(l.Warnings, "skewed, with too many equal values to resample")
	case skewed && l.N < leastResampled:
		l.Warnings = append(l.Warnings, "skewed, with too few runs to resample")
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

// Interval returns two-sided confidence limits, NaN of less than two values.
func (l *Location) Interval(level float64) (low, high float64) {
	student := StudentFactor(float64(l.N-1), level)
	below, above := student, student // how many standard errors the limits are away
	if n := len(l.t); n > 0 {
		beyond := int(rounded((1 - level) / 2 * float64(n)))
		below, above = l.t[n-1-min(beyond, n-1)], -l.t[min(beyond, n-1)]
		if beyond < leastBeyond {
			below, above = max(below, student), max(above, student)
		}
	}
	return l.Value - float64(below*l.SE), l.Value + float64(above*l.SE)
}

// P returns the two-sided p-value of the hypothesis that the truth is null;
// NaN if there is none. From a bootstrap it is at least LeastP; of equal values it
// is that of the sign test.
func (l *Location) P(null float64) float64 {
	switch {
	case l.SE == 0 && l.Value == null:
		return 1
	case l.SE == 0:
		return math.Ldexp(1, 1-l.N)
	}
	t := (l.Value - null) / l.SE
	if l.t == nil {
		return studentP(t, float64(l.N-1))
	}
	n := len(l.t)
	atMost := sort.Search(n, func(i int) bool { return l.t[i] > t })
	atLeast := n - sort.SearchFloat64s(l.t, t)
	return min(1, 2*float64(1+min(atMost, atLeast))/float64(1+n))
}

// resamples is how many times a sample is resampled: enough that the error
// of a 95 % limit by resampling is about a hundredth of its margin.
const resamples = 20_000

// LeastP is the smallest p-value that a bootstrap gives: if no resample is as far
// away.
const LeastP = 2. / (1 + resamples)

// The studentised bootstrap (Efron and Tibshirani, An Introduction to the
// Bootstrap, section 12.5) takes the distribution of t, the error of an
// estimate in units of its standard error, from samples drawn with
// replacement from the sample at hand. A resample whose values are all
// equal, of which Mean sees to it that there are next to none, has no t
// and is drawn again.
//
// Its limits of level 95 % enclosed the mean in 95 % of exponential samples
// of 15 to 50 values, and in 92 to 93 % of lognormal ones of 20 to 50, whose
// σ was 1; Student's in 91 to 93 % and in 87 to 89 %. (1,500 samples each.)

// resampledMeans returns values of t for the mean of x, whose moments are m.
// The stream depends on every bit of the sample, and on nothing else.
func resampledMeans(x []float64, m Moments) []float64 {
	n := float64(len(x))
	keys := []uint64{uint64(len(x))}
	_, exponent := math.Frexp(m.Std)
	var deviations []float64
	for _, v := range x {
		keys = append(keys, math.Float64bits(v+0)) // 0 for −0
		deviations = append(deviations, math.Ldexp(v-m.Mean, -exponent))
	}
	stream := rng.New("bootstrap", keys...)
	t := make([]float64, 0, resamples)
	for len(t) < resamples {
		sum, squares := 0.0, 0.0
		for range x {
			d := deviations[stream.IntN(len(x))]
			sum += d
			squares += float64(d * d)
		}
		v := squares - float64(sum*sum)/n
		if v > squares*1e-12 { // and no rounding error
			t = append(t, sum/n/math.Sqrt(v/(n-1)/n))
		}
	}
	return t
}
