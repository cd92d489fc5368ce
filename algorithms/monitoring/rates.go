package monitoring

import (
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// rates is what is believed of nodes where updates overwrite: the rate θ =
// −ln(1−p) of each has a gamma distribution. A miss after g slots has
// likelihood e^(−θg), which keeps it one; a hit, 1 − e^(−θg), is followed by
// the gamma distribution of the same mean and variance. Every index rises
// with age, so that no node needs optimism to be polled again.
type rates struct {
	worth []float64 // importance-value per cost
	node  []rate
	draws *rng.Stream // of Thompson sampling, else nil
	renew int         // slots after which theta is drawn anew
	*curves
}

// rate is what is believed of a node.
type rate struct {
	a, b  float64 // the parameters of the gamma distribution: updates and slots
	theta float64 // −ln of the mean of e^(−θ), which is 1−p, or a draw
	slots float64 // 1/theta
	share float64 // p/theta

	// since is the slot of the last poll, or in which the node was forgotten;
	// gone is −ln of the probability that nothing could be found there by then.
	since int
	gone  float64
	drawn int // the slot in which theta was estimated
}

// What is believed of a node that was never polled: p about 0.25, and
// nothing sure.
const (
	priorUpdates = 0.3
	priorSlots   = 0.6

	leastRate = 1e-9 // of those drawn

	ratesFading = 5e-4 // the part of what is believed that fades in a slot
)

func newRates(worth []float64, draws *rng.Stream) *rates {
	return &rates{worth: worth, node: make([]rate, len(worth)), draws: draws, renew: renewedAfter(draws), curves: curvesOnce()}
}

func (s *rates) forget(i, slot int) {
	n := &s.node[i]
	n.gone += float64(n.theta * float64(slot-n.since))
	n.a, n.b, n.since = priorUpdates, priorSlots, slot
	s.estimate(n, slot)
}

func (s *rates) estimate(n *rate, slot int) {
	n.drawn = slot
	if s.draws != nil {
		n.theta = max(s.draws.Gamma(n.a)/n.b, leastRate)
	} else {
		n.theta = float64(n.a * s.log(1+1/n.b))
	}
	n.slots = 1 / n.theta
	n.share = float64((1 - s.decay(n.theta)) * n.slots)
}

// evaluate sets Whittle's index: ω(1 − m(1 + gp)), where m is the probability
// that nothing can be found, and g the slots that would lead to it.
func (s *rates) evaluate(index []float64, nodes []int32, slot int) {
	for k, i := range nodes {
		n := &s.node[i]
		if s.draws != nil && slot-n.drawn >= s.renew {
			s.estimate(n, slot)
		}
		x := n.gone + float64(n.theta*float64(slot-n.since)) // −ln m
		w := 1 - float64(s.decay(x)*(1+float64(x*n.share)))
		index[k] = float64(s.worth[i] * max(w, 0))
	}
}

func (s *rates) learn(nodes []int32, hits bitset.Set, slot int, d *doubts) {
	for _, i := range nodes {
		n := &s.node[i]
		gap := slot - n.since
		keep := kept(gap, ratesFading)
		a := priorUpdates + float64(keep*(n.a-priorUpdates))
		b := priorSlots + float64(keep*(n.b-priorSlots))
		after := b + float64(gap)
		shrink := b / after
		miss := s.decay(float64(a * s.log(after/b))) // its probability
		prior := s.miss(gap)
		if n.gone > 0 {
			m := s.decay(n.gone)
			miss, prior, n.gone = float64(miss*m), float64(prior*m), 0
		}
		if hits.Has(int(i)) {
			d.add(1-miss, 1-prior)
			a, b = afterHit(a, b, miss, shrink)
		} else {
			d.add(miss, prior)
			b = after
		}
		n.a, n.b, n.since = a, b, slot
		s.estimate(n, slot)
	}
}

// afterHit returns the gamma distribution that has the mean and the variance
// of θ after a hit: those of the distribution of a and b, less what a miss
// would have left, which has probability miss and the parameters a and
// b/shrink.
func afterHit(a, b, miss, shrink float64) (afterA, afterB float64) {
	if 1-miss < 1e-9 {
		return a + 1, b // the limit for small rates
	}
	scale := 1 / float64(b*(1-miss))
	mean := float64(a*(1-float64(miss*shrink))) * scale
	square := float64(float64(a*(a+1)) / b * (1 - float64(float64(miss*shrink)*shrink)) * scale)
	afterB = mean / (square - float64(mean*mean))
	return float64(mean * afterB), afterB
}

func (s *rates) await(wait []int32, nodes []int32, slot int, level float64) {
	for k, i := range nodes {
		n := &s.node[i]
		x := s.ripe(level/s.worth[i]) - n.gone
		wait[k] = int32(min(max(float64(x*n.slots)-float64(slot-n.since), 1), float64(s.renew)))
	}
}
