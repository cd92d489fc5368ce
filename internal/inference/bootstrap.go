package inference

import (
	"math"

	"sweep/internal/rng"
)

// resamples is how many times a sample is resampled: enough that the error
// of a 95 % limit by resampling is about a hundredth of its margin.
const resamples = 20_000

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
func resampledMeans(x []float64, m Moments) []float64 {
	stream := seeded(x)
	t := make([]float64, 0, resamples)
	for len(t) < resamples {
		sum, squares := draw(stream, x, m.Mean)
		if v := meanVariance(sum, squares, len(x)); v > 0 {
			t = append(t, sum/float64(len(x))/math.Sqrt(v))
		}
	}
	return t
}

// draw draws a sample of x's size from x with replacement and returns the
// sums of its deviations from center and of their squares.
func draw(stream *rng.Stream, x []float64, center float64) (sum, squares float64) {
	for range x {
		d := x[stream.IntN(len(x))] - center
		sum += d
		squares += float64(d * d)
	}
	return sum, squares
}

// meanVariance returns the estimated variance of the mean of n values with
// these sums of deviations and squares. A rounding error counts as zero.
func meanVariance(sum, squares float64, n int) float64 {
	v := squares - float64(sum*sum)/float64(n)
	if v <= squares*1e-12 {
		return 0
	}
	return v / float64(n-1) / float64(n)
}

// seeded returns a stream that depends on every bit of the sample, and on
// nothing else.
func seeded(x []float64) *rng.Stream {
	keys := []uint64{uint64(len(x))}
	for _, v := range x {
		keys = append(keys, math.Float64bits(v+0)) // 0 for −0
	}
	return rng.New("bootstrap", keys...)
}
