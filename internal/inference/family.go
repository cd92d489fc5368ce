package inference

import (
	"math"
	"slices"
)

// Holm adjusts the p-values of a family of hypotheses so that rejecting
// those that are at most α errs in any of them with probability at most α
// (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979). A
// NaN, of a test that could not be made, stays and does not count.
func Holm(p []float64) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	adjusted := slices.Clone(p)
	highest := 0.0
	for k, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(order)-k)))
		adjusted[i] = highest
	}
	return adjusted
}

// Simultaneous returns the level that each of n intervals needs so that
// all of them enclose their truths with probability level (Bonferroni).
func Simultaneous(level float64, n int) float64 {
	return 1 - (1-level)/float64(max(1, n))
}
