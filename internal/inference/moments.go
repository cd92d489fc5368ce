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
// single value. Samples must not hold NaN.
package inference

import "math"

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
	m := Moments{N: len(x), Mean: math.NaN(), Std: math.NaN(), Skew: math.NaN()}
	if len(x) == 0 {
		return m
	}
	n := float64(len(x))

	// Relative to the first value, so that equal values have exactly
	// themselves as their mean, and no deviation.
	sum := 0.0
	for _, v := range x {
		sum += v - x[0]
	}
	m.Mean = x[0] + sum/n

	squares, cubes := 0.0, 0.0
	for _, v := range x {
		d := v - m.Mean
		square := float64(d * d)
		squares += square
		cubes += float64(square * d)
	}
	m.Skew = 0
	if squares > 0 {
		variance := squares / n
		m.Skew = cubes / n / (variance * math.Sqrt(variance))
	}
	if len(x) > 1 {
		m.Std = math.Sqrt(squares / (n - 1))
	}
	return m
}

// SE returns the standard error of the mean, NaN if N is below 2.
func (m Moments) SE() float64 { return m.Std / math.Sqrt(float64(m.N)) }
