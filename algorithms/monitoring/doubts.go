package monitoring

import "sweep/internal/detmath"

// doubts weighs whether all that was learned has become wrong: a cumulative
// sum (Page 1954) of the logarithms of how much likelier the prior makes
// the feedback than what was learned does. While nodes stay, the sum falls.
type doubts struct {
	learned, prior float64 // products of likelihoods whose logarithms are not yet added
	count          int
	slot           float64 // the sum over the slot under way
	sum            float64
}

// alarming is the sum at which all is forgotten.
const alarming = 20

func (d *doubts) clear() { *d = doubts{learned: 1, prior: 1} }

// add adds a poll, by the probabilities of its outcome by what was learned
// and by the prior.
func (d *doubts) add(learned, prior float64) {
	d.learned *= max(learned, 1e-4)
	d.prior *= max(prior, 1e-4)
	if d.count++; d.count == 64 {
		d.takeLogarithm()
	}
}

func (d *doubts) takeLogarithm() {
	d.slot += detmath.Log(d.prior / d.learned)
	d.learned, d.prior, d.count = 1, 1, 0
}

// alarm ends a slot and reports whether the doubts are too many.
func (d *doubts) alarm() bool {
	d.takeLogarithm()
	d.sum = max(0, d.sum+d.slot)
	d.slot = 0
	return d.sum > alarming
}
