package inference

import (
	"cmp"
	"math"
	"slices"
)

// A Proportion is an estimated probability with confidence limits.
type Proportion struct {
	Value, Low, High float64 // NaN without observations
}

// PairedSuperiority estimates the probability that a difference is
// positive; one of zero counts half. The limits are Wilson's (1927), which
// ties make wider than they need be.
func PairedSuperiority(differences []float64, level float64) Proportion {
	n := float64(len(differences))
	if n == 0 {
		return Proportion{math.NaN(), math.NaN(), math.NaN()}
	}
	wins := 0.0
	for _, d := range differences {
		switch {
		case d > 0:
			wins++
		case d == 0:
			wins += 0.5
		}
	}
	p := wins / n
	z := normalFactor(level)
	z2 := z * z
	center := (wins + z2/2) / (n + z2)
	margin := z * math.Sqrt(float64(n*p*(1-p))+z2/4) / (n + z2)
	return Proportion{p, max(0, center-margin), min(1, center+margin)}
}

// UnpairedSuperiority estimates the probability that a value of x is
// larger than one of y, ties counting half: the Mann–Whitney statistic over
// the number of pairs. The limits are those of Newcombe (Confidence
// intervals for an effect size measure based on the Mann–Whitney statistic,
// part 2, Statistics in Medicine 25, 2006, method 5), which hold up at 0
// and 1 and with small samples.
func UnpairedSuperiority(x, y []float64, level float64) Proportion {
	m, n := float64(len(x)), float64(len(y))
	if m == 0 || n == 0 {
		return Proportion{math.NaN(), math.NaN(), math.NaN()}
	}
	p := wins(x, y) / (m * n)
	z := normalFactor(level)
	star := (m+n)/2 - 1
	// distance is the squared distance of p from a probability theta, in
	// squared standard errors at theta, less z².
	distance := func(theta float64) float64 {
		spread := 1 + float64(star*((1-theta)/(2-theta)+theta/(1+theta)))
		d := p - theta
		return float64(d*d) - float64(z*z*theta*(1-theta)/(m*n)*spread)
	}
	// Between p and the end of [0, 1] distance changes its sign once.
	bisect := func(inside, outside float64) float64 {
		for range 100 {
			if middle := (inside + outside) / 2; distance(middle) <= 0 {
				inside = middle
			} else {
				outside = middle
			}
		}
		return inside
	}
	return Proportion{p, bisect(p, 0), bisect(p, 1)}
}

// wins returns the number of pairs in which x is larger, ties counting
// half.
func wins(x, y []float64) float64 {
	sorted := slices.Sorted(slices.Values(y))
	total := 0.0
	for _, v := range x {
		below, _ := slices.BinarySearch(sorted, v)
		notAbove, _ := slices.BinarySearchFunc(sorted, v, func(e, t float64) int {
			if e <= t {
				return -1
			}
			return cmp.Compare(e, t)
		})
		total += float64(below+notAbove) / 2
	}
	return total
}
