package results

import (
	"math"
	"slices"

	"sweep/internal/inference"
)

// Statistics describe the values of one metric in the runs of one cell. A
// statistic that is not defined is NaN.
type Statistics struct {
	N                int64   // runs in which the metric is defined
	Mean, Std, SEM   float64 // Std with n−1; SEM is the standard error of the mean
	CILow, CIHigh    float64 // 95 % confidence limits of the mean by Student's t
	Min, Median, Max float64
}

// A statistician computes statistics. It remembers the quantiles of
// Student's t, one for each sample size.
type statistician struct {
	quantiles map[int]float64
	sorted    []float64
}

func newStatistician() *statistician {
	return &statistician{quantiles: map[int]float64{}}
}

// describe returns the statistics of the values, in whose order it sums.
// They have the same bits on every processor.
func (s *statistician) describe(values []float64) Statistics {
	nan := math.NaN()
	d := Statistics{
		N: int64(len(values)), Mean: nan, Std: nan, SEM: nan,
		CILow: nan, CIHigh: nan, Min: nan, Median: nan, Max: nan,
	}
	if len(values) == 0 {
		return d
	}
	m := inference.Describe(values)
	d.Mean = m.Mean
	s.sorted = append(s.sorted[:0], values...)
	slices.Sort(s.sorted)
	half := len(values) / 2
	d.Min, d.Median, d.Max = s.sorted[0], s.sorted[half], s.sorted[len(values)-1]
	if len(values)%2 == 0 {
		d.Median = (s.sorted[half-1] + s.sorted[half]) / 2
	}

	if len(values) == 1 {
		return d
	}
	d.Std, d.SEM = m.Std, m.SE()
	margin := float64(s.quantile(len(values)) * d.SEM)
	d.CILow, d.CIHigh = d.Mean-margin, d.Mean+margin
	return d
}

// quantile returns the factor by which the standard error of the mean of n
// values becomes the margin of its confidence limits.
func (s *statistician) quantile(n int) float64 {
	q, ok := s.quantiles[n]
	if !ok {
		q = inference.StudentFactor(float64(n-1), inference.Confidence)
		s.quantiles[n] = q
	}
	return q
}
