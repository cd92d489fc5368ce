package monitoring

import "math"

// The estimators of p from polls.
const (
	byLikelihood    = "likelihood"    // the most likely p (see gaps.estimate)
	byLargeNumbers  = "large_numbers" // from the share of polls that are hits
	byApproximation = "approximation" // by stochastic approximation, poll by poll
)

// Estimators lists the values of Config.Estimator.
//
// The last two are those of Avrachenkov, Patil and Thoppe 2020, Change rate
// estimation and optimal freshness in web page crawling: with polls at
// random, at rate x, a poll is a hit with probability h = p/(x + p − xp)
// (in continuous time p/(x + p)). They hold for such polls only: where polls are
// evenly spaced, which makes hits rarer than that at gaps above one, they are
// biased.
func Estimators() []string { return []string{byLikelihood, byLargeNumbers, byApproximation} }

// estimator estimates p of a node from its polls since the start.
type estimator struct {
	polls, hits, slots float64
	p                  float64 // by approximation
}

// learn takes the outcome of a poll at a rate.
func (e *estimator) learn(hit bool, gap int, rate float64) {
	e.polls++
	e.slots += float64(gap)
	found := 0.0
	if hit {
		e.hits++
		found = 1
	}
	// y ← y + η·(I·(y + x − xy) − y), whose expectation is at rest where y is p;
	// η is polls^−3/4, within what the paper allows.
	step := float64(found*(e.p+rate-float64(rate*e.p))) - e.p
	e.p += step / math.Sqrt(float64(e.polls*math.Sqrt(e.polls)))
}

// byShare solves h = hits/(polls + 1) for p; the 1 keeps it defined, as α does
// in the paper. x is polls per slot.
func (e *estimator) byShare() float64 {
	if e.polls == 0 {
		return firstGuess
	}
	x := e.polls / e.slots
	return float64(x*e.hits) / (e.polls + 1 - e.hits + float64(x*e.hits))
}
