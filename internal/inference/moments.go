// Package inference draws conclusions from samples: what a mean or a
// difference of means is, how sure that is, and what to doubt about it.
//
// The way through the package:
//
//   - moments.go describes one sample; quantiles.go has the quantiles of
//     Student's t and the normal distribution.
//   - location.go estimates a mean, such as that of paired differences. Its
//     limits are Student's, or come from resampling where the sample is too
//     skewed for them.
//   - pairs.go estimates how often one of a pair is the larger, and corrects
//     for many comparisons.
//   - variance.go shares a variance out to the inputs of a sampled sweep and to
//     noise, with limits by resampling blocks.
//
// Everything is a function of the samples alone: sums run in a fixed
// order, products are rounded before they are added, what the mathematical
// functions of a processor may blur is rounded to twelve digits, and the
// resampling is seeded by the data. The results are the same on every
// processor.
//
// NaN stands for what is not defined, such as the limits of the mean of a
// single value. Samples must not hold NaN, but for NewStatistics.
package inference

import (
	"math"
	"slices"
)

// Confidence is the level of limits where nothing else is said.
const Confidence = 0.95

// FewRuns is the size below which a sample says hardly anything about its
// own spread: with five values the 95 % limits of a standard deviation
// reach from 0.6 to 2.9 times it.
const FewRuns = 5

// Moments describe a sample.
type Moments struct {
	N    int
	Mean float64 // NaN if N is 0
	Std  float64 // with N−1; NaN if N is below 2
	Skew float64 // the moment coefficient m₃/m₂^(3/2); 0 if all values are equal, NaN if N is 0
}

// Describe returns the moments of a sample. It sums in the order of the
// values.
func Describe(x []float64) Moments {
	if len(x) == 0 {
		return Moments{0, math.NaN(), math.NaN(), math.NaN()}
	}
	m, n := Moments{N: len(x)}, float64(len(x))

	// Relative to the first value, so that equal values have exactly
	// themselves as their mean, and no deviation.
	sum, most := 0.0, 0.0
	for _, v := range x {
		sum += v - x[0]
		most = max(most, math.Abs(v-x[0]))
	}
	m.Mean = x[0] + sum/n
	squares, cubes := 0.0, 0.0
	_, exponent := math.Frexp(most)
	scale := math.Ldexp(1, -max(exponent, -1000)) // so that squares do not vanish or overflow
	for _, v := range x {
		d := float64((v - m.Mean) * scale)
		square := float64(d * d)
		squares += square
		cubes += float64(square * d)
	}
	if squares > 0 {
		variance := squares / n
		m.Skew = cubes / n / (variance * math.Sqrt(variance))
	}
	m.Std = math.Sqrt(squares/(n-1)) / scale // of one value NaN, from 0/0
	return m
}

// SE returns the standard error of the mean, NaN if N is below 2.
func (m Moments) SE() float64 { return m.Std / math.Sqrt(float64(m.N)) }

// Statistics describe the values of a sample, NaN apart. A statistic that is not
// defined is NaN.
type Statistics struct {
	N                int64 // values
	Mean, Std, SEM   float64
	CILow, CIHigh    float64 // 95 % confidence limits of the mean by Student's t
	Min, Median, Max float64
}

// NewStatistics describes values, in whose order it sums, and sorts them.
// The result has the same bits on every processor.
func NewStatistics(values []float64) Statistics {
	values = slices.DeleteFunc(values, math.IsNaN)
	m, nan := Describe(values), math.NaN()
	d := Statistics{N: int64(m.N), Mean: m.Mean, Std: m.Std, SEM: m.SE(), Min: nan, Median: nan, Max: nan}
	if n := m.N; n > 0 {
		slices.Sort(values)
		d.Min, d.Median, d.Max = values[0], (values[(n-1)/2]+values[n/2])/2, values[n-1]
	}
	margin := float64(StudentFactor(float64(m.N-1), Confidence) * d.SEM)
	d.CILow, d.CIHigh = d.Mean-margin, d.Mean+margin
	return d
}
