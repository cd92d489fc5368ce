package results

import (
	"math"
	"slices"

	"sweep/internal/inference"
)

// Statistics describe the values of one metric in the runs of one cell. A
// statistic that is not defined is NaN.
type statistics struct {
	n                int64
	mean, std, sem   float64
	ciLow, ciHigh    float64
	min, median, max float64
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
func (s *statistician) describe(values []float64) statistics {
	nan := math.NaN()
	d := statistics{
		n: int64(len(values)), mean: nan, std: nan, sem: nan,
		ciLow: nan, ciHigh: nan, min: nan, median: nan, max: nan,
	}
	if len(values) == 0 {
		return d
	}
	m := inference.Describe(values)
	d.mean = m.Mean
	s.sorted = append(s.sorted[:0], values...)
	slices.Sort(s.sorted)
	half := len(values) / 2
	d.min, d.median, d.max = s.sorted[0], s.sorted[half], s.sorted[len(values)-1]
	if len(values)%2 == 0 {
		d.median = (s.sorted[half-1] + s.sorted[half]) / 2
	}

	if len(values) == 1 {
		return d
	}
	d.std, d.sem = m.Std, m.SE()
	margin := float64(s.quantile(len(values)) * d.sem)
	d.ciLow, d.ciHigh = d.mean-margin, d.mean+margin
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
