package inference

import (
	"math"
	"slices"

	"sweep/internal/rng"
)

// resamples is how many times a sample is resampled: enough that the error
// of a 95 % limit by resampling is about a hundredth of its margin.
const resamples = 20_000

// MinP is the smallest p-value that a bootstrap gives: that of a sample of
// which no resample is as far away.
const MinP = 2. / (1 + resamples)

// roundingError is the share of a sum of squares below which what is left of
// it after the mean is taken off is an error of rounding, not a variance.
const roundingError = 1e-12

// resampledMeans returns values of t for the mean of x, whose moments are m,
// in increasing order. The stream of random numbers depends on every bit of
// the sample, and on nothing else.
//
// The studentised bootstrap (Efron and Tibshirani, An Introduction to the
// Bootstrap, section 12.5) takes the distribution of t, the error of an
// estimate in units of its standard error, from samples drawn with
// replacement from the sample at hand. A resample whose values are all equal
// has no t and is drawn again; Mean resamples only where these are rare.
//
// Its limits of level 95 % enclosed the mean in 95 % of exponential samples
// of 15 to 50 values, and in 92 to 93 % of lognormal ones of 20 to 50, whose
// σ was 1; Student's in 91 to 93 % and in 87 to 89 %. (1,500 samples each.)
func resampledMeans(x []float64, m Moments) []float64 {
	n := float64(len(x))
	keys := []uint64{uint64(len(x))}
	deviations := make([]float64, len(x))
	_, exponent := math.Frexp(m.Std)
	for i, v := range x {
		keys = append(keys, math.Float64bits(v+0)) // 0 for −0
		deviations[i] = math.Ldexp(v-m.Mean, -exponent)
	}
	stream := rng.New("bootstrap", keys...)
	t := make([]float64, 0, resamples)
	for len(t) < resamples {
		sum := 0.0
		squares := 0.0
		for range x {
			d := deviations[stream.IntN(len(x))]
			sum += d
			squares += float64(d * d)
		}
		centred := squares - float64(sum*sum)/n
		if centred > squares*roundingError {
			se := math.Sqrt(centred / (n - 1) / n)
			t = append(t, sum/n/se)
		}
	}
	slices.Sort(t)
	return t
}
