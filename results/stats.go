package results

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is the level of the limits in summaries.
const confidence = 0.95

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

// describe returns the statistics of the values, in whose order it sums:
// plain loops in a fixed order, with products rounded, give the same bits
// on every processor.
func (s *statistician) describe(values []float64) statistics {
	nan := math.NaN()
	d := statistics{
		n: int64(len(values)), mean: nan, std: nan, sem: nan,
		ciLow: nan, ciHigh: nan, min: nan, median: nan, max: nan,
	}
	if len(values) == 0 {
		return d
	}
	n := float64(len(values))

	// Relative to the first value, so that equal values have exactly
	// themselves as their mean, and no deviation.
	sum := 0.0
	for _, x := range values {
		sum += x - values[0]
	}
	d.mean = values[0] + sum/n

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
	squares := 0.0
	for _, x := range values {
		deviation := x - d.mean
		squares += float64(deviation * deviation)
	}
	d.std = math.Sqrt(squares / (n - 1))
	d.sem = d.std / math.Sqrt(n)
	margin := float64(s.quantile(len(values)) * d.sem)
	d.ciLow, d.ciHigh = d.mean-margin, d.mean+margin
	return d
}

// quantile returns the factor by which the standard error of the mean of n
// values becomes the margin of its confidence limits. It is rounded to
// twelve digits, because the last ones depend on the processor.
func (s *statistician) quantile(n int) float64 {
	q, ok := s.quantiles[n]
	if !ok {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - (1-confidence)/2)
		q, _ = strconv.ParseFloat(strconv.FormatFloat(t, 'e', 11, 64), 64)
		s.quantiles[n] = q
	}
	return q
}
