// Package inference draws conclusions from samples: what a mean or a
// difference of means is, how sure that is, and what to doubt about it.
//
// The way through the package:
//
//   - moments.go describes one sample; quantiles.go has the quantiles of
//     Student's t and the normal distribution.
//   - location.go estimates a mean, such as that of paired differences. Its
//     limits are Student's, or come from bootstrap.go where the sample is too
//     skewed for them.
//   - superiority.go estimates how often one of a pair is the larger.
//   - family.go corrects for many comparisons.
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

// Confidence is the level of limits where nothing else is said.
const Confidence = 0.95

// FewRuns is the size below which a sample says hardly anything about its
// own spread: with five values the 95 % limits of a standard deviation
// reach from 0.6 to 2.9 times it.
const FewRuns = 5
