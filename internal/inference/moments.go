// Package inference draws conclusions from samples: what a mean or a
// difference of means is, how sure that is, and what to doubt about it.
//
// The way through the package:
//
//   - moments.go describes one sample; quantiles.go has the quantiles of
//     Student's t and the normal distribution.
//   - location.go estimates a mean, such as that of paired differences. Its
//     limits are Student's or, where the sample is too skewed, those of
//     bootstrap.go.
//   - sequential.go has limits for who looks again and again.
//   - pairs.go estimates how often one of a pair is the larger, and corrects
//     for many comparisons.
//   - variance.go shares a variance out to the inputs of a sampled sweep and to
//     noise, with limits by resampling blocks; given.go does it for samples
//     that are not made of blocks.
//
// Everything is a function of the samples alone, and the same on every
// processor: sums run in a fixed order, products are rounded before they are
// added, results of functions whose last digits depend on the processor are
// rounded to twelve digits, and the data seed the resampling.
//
// NaN stands for what is not defined, such as the limits of the mean of a
// single value. Only NewStatistics accepts samples that hold NaN.
package inference

import (
	"math"
	"slices"
)

// Confidence is the level of limits where nothing else is said.
const Confidence = 0.95

// FewRuns is the size below which a sample hardly tells its own spread: with
// five values the 95 % limits of a standard deviation are 0.6 and 2.9 times it.
const FewRuns = 5

// Moments describe a sample.
type Moments struct {
	N    int
	Mean float64 // NaN if N is 0
	Std  float64 // with N−1; NaN if N is below 2
	Skew float64 // the moment coefficient m₃/m₂^(3/2); 0 if all values are equal, NaN if N is 0
}

// minExponent keeps the scale of Describe, 2 to the minus exponent, finite: the
// largest number is below 2^1024.
const minExponent = -1000

// Describe returns the moments of a sample. It sums in the order of the
// values.
func Describe(x []float64) Moments {
	if len(x) == 0 {
		return Moments{0, math.NaN(), math.NaN(), math.NaN()}
	}
	m := Moments{N: len(x)}
	n := float64(len(x))

	// Relative to the first value, so that the mean of equal values is exactly
	// their value, and they have no deviation.
	sum := 0.0
	size := 0.0
	for _, v := range x {
		sum += v - x[0]
		size = max(size, math.Abs(v-x[0]))
	}
	m.Mean = x[0] + sum/n

	// Scaled by a power of two, so that squares neither vanish nor overflow.
	_, exponent := math.Frexp(size)
	scale := math.Ldexp(1, -max(exponent, minExponent))
	squares := 0.0
	cubes := 0.0
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

// Statistics describe the values of a sample that are not NaN. A statistic that
// is not defined is NaN.
type Statistics struct {
	N                int64 // values
	Mean, Std, SEM   float64
	CILow, CIHigh    float64 // 95 % confidence limits of the mean by Student's t
	Min, Median, Max float64
}

// middle returns the mean of two values, also if their sum is too large.
func middle(a, b float64) float64 {
	sum := a + b
	if math.IsInf(sum, 0) {
		return a/2 + b/2
	}
	return sum / 2
}

// NewStatistics describes values, in whose order it sums, and sorts them.
// The result has the same bits on every processor.
func NewStatistics(values []float64) Statistics {
	values = slices.DeleteFunc(values, math.IsNaN)
	m := Describe(values)
	d := Statistics{
		N:      int64(m.N),
		Mean:   m.Mean,
		Std:    m.Std,
		SEM:    m.SE(),
		Min:    math.NaN(),
		Median: math.NaN(),
		Max:    math.NaN(),
	}
	if n := m.N; n > 0 {
		slices.Sort(values)
		d.Min = values[0]
		d.Median = middle(values[(n-1)/2], values[n/2])
		d.Max = values[n-1]
	}
	margin := float64(StudentFactor(float64(m.N-1), Confidence) * d.SEM)
	d.CILow = d.Mean - margin
	d.CIHigh = d.Mean + margin
	return d
}
