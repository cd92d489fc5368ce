package inference

import (
	"cmp"
	"math"
	"slices"
)

// Superiority estimates the probability that a difference is positive; a
// difference of zero counts half. The limits are Wilson's (1927), which ties
// make wider than necessary. Without differences everything is NaN.
func Superiority(differences []float64, level float64) Share {
	n := float64(len(differences))
	wins := 0.0
	for _, d := range differences {
		wins += float64(1+cmp.Compare(d, 0)) / 2
	}
	p := wins / n
	z := normalFactor(level)
	z2 := z * z
	center := (wins + z2/2) / (n + z2)
	margin := z * math.Sqrt(float64(n*p*(1-p))+z2/4) / (n + z2)
	return Share{
		Value: p,
		Low:   max(0, center-margin),
		High:  min(1, center+margin),
	}
}

// Holm adjusts the p-values of a family of hypotheses: who rejects those that
// are at most α is wrong about any of them with probability at most α (Holm, A
// Simple Sequentially Rejective Multiple Test Procedure, 1979). NaN, of a test
// that could not be made, stays and does not count.
func Holm(p []float64) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted := slices.Clone(p)
	highest := 0.0
	for k, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(order)-k)))
		adjusted[i] = highest
	}
	return adjusted
}

// Simultaneous returns the level at which n intervals all enclose their truths
// with probability level (Bonferroni).
func Simultaneous(level float64, n int) float64 { return 1 - (1-level)/float64(max(1, n)) }
