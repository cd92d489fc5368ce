// Package belief holds what the two halves of the project share: a learner's
// belief about how often a page has news, and Whittle's index, which says what
// a visit of that page is worth now. Schedulers of the monitoring experiment
// (package bayes) and the watching foragers (package foraging) use both.
//
// A belief is a gamma distribution of the rate θ at which a page gets news,
// with a density in proportion to θ^(a−1)·e^(−bθ): a pieces of news were seen
// in the time b. A visit at a time g after the last one finds nothing with
// probability E e^(−gθ) = (b/(b+g))^a.
package belief

import (
	"math"

	"sweep/internal/detmath"
)

// A Gamma is a belief. Both numbers are above 0; B has the unit of gaps.
type Gamma struct{ A, B float64 }

// Miss returns the probability that a visit finds nothing after a gap.
func (k Gamma) Miss(gap float64) float64 {
	return detmath.Pow(k.B/(k.B+gap), k.A)
}

// Learn returns the belief after a visit that found something, or nothing.
func (k Gamma) Learn(gap float64, found bool) Gamma {
	if !found {
		return Gamma{k.A, k.B + gap}
	}
	miss := k.Miss(gap)
	a, b := AfterHit(k.A, k.B, gap, miss)
	return Gamma{a, b}
}

// Index returns Whittle's index of a page that loses older news to newer: the
// price of a visit at which it is as good to visit the page now as to wait, in
// parts of what news brings. It is E(1 − e^(−gθ)(1 + gθ)).
func (k Gamma) Index(gap float64) float64 {
	return Index(k.Miss(gap), gap, k.A/(k.B+gap))
}

// minHit is the probability below which AfterHit is at its limit.
const minHit = 1e-9

// AfterHit returns the gamma distribution that has the mean and the variance of
// θ after a visit that found something: those of the distribution of a and b,
// less what a miss would have left, which has probability miss and the
// parameters a and b+g.
func AfterHit(a, b, g, miss float64) (afterA, afterB float64) {
	if 1-miss < minHit {
		return a + 1, b // the limit for small rates
	}
	shrink := b / (b + g)
	missShrink := float64(miss * shrink)
	scale := 1 / float64(b*(1-miss))
	mean := float64(a*(1-missShrink)) * scale
	second := float64(a*(a+1)) / b
	rest := 1 - float64(missShrink*shrink)
	square := float64(second * rest * scale)
	variance := square - float64(mean*mean)
	afterB = mean / variance
	return float64(mean * afterB), afterB
}

// Index returns Whittle's index at a gap g after a visit, of a page that had no
// news since then with the probability none, and if so, has some now at the
// given rate.
func Index(none, g, rate float64) float64 {
	expected := 1 + float64(g*rate)
	lost := float64(none * expected)
	return math.Abs(1 - lost)
}
