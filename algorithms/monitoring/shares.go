package monitoring

import (
	"math"

	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// shares is what is believed of nodes where updates disappear: p has a beta
// distribution. The index takes p at the upper end of an interval, since
// a node that is not polled is not learned about.
type shares struct {
	worth []float64 // importance-value per cost
	node  []share
	draws *rng.Stream // of Thompson sampling, else nil
	renew int         // slots after which likely is renewed
}

// share is what is believed of a node.
type share struct {
	a, b   float64 // the parameters of the beta distribution: hits and misses
	likely float64 // the upper end of the interval for p, or a draw
	slot   int     // up to which the parameters are discounted

	// doubt is how much likelier the prior makes the feedback of recent polls
	// than what was learned does: a cumulative sum as in doubts, but as a
	// product, which is at least 1.
	doubt float64
}

// What is believed of a node that was never polled: p about 0.3, and
// nothing sure.
const (
	priorHits   = 0.5
	priorMisses = 1.2

	optimism = 2.5 // standard deviations of the interval

	sharesFading = 1e-4 // the part of what is believed that fades in a slot

	// suspicious is the doubt from which on a node is forgotten. In overwrite
	// there is no such thing: it would repair the nodes that betray a switch
	// of all, which would then not be noticed.
	suspicious = 1e5
)

func newShares(worth []float64, draws *rng.Stream) *shares {
	return &shares{worth: worth, node: make([]share, len(worth)), draws: draws, renew: renewedAfter(draws)}
}

func (s *shares) forget(i, slot int) {
	n := &s.node[i]
	n.a, n.b, n.slot, n.doubt = priorHits, priorMisses, slot, 1
	s.estimate(n)
}

// discount lets beliefs fade since they were last discounted.
func (n *share) discount(slot int) {
	keep := kept(slot-n.slot, sharesFading)
	n.slot = slot
	n.a = priorHits + float64(keep*(n.a-priorHits))
	n.b = priorMisses + float64(keep*(n.b-priorMisses))
}

func (s *shares) estimate(n *share) {
	if s.draws != nil {
		n.likely = s.draws.Beta(n.a, n.b)
		return
	}
	n.likely = wilson(n.a, n.b)
}

// wilson returns the upper end of Wilson's score interval, of a hits and b
// misses: the p from which the share of hits is optimism standard deviations
// of that p away. Unlike the mean and its own deviations it does not give up a
// node after a few misses.
func wilson(a, b float64) float64 {
	const z = optimism
	total := a + b
	spread := math.Sqrt(float64(a*b)/total + z*z/4)
	return (a + z*z/2 + float64(z*spread)) / (total + z*z)
}

func (s *shares) evaluate(index []float64, nodes []int32, slot int) {
	for k, i := range nodes {
		n := &s.node[i]
		if slot-n.slot >= s.renew {
			n.discount(slot)
			s.estimate(n)
		}
		index[k] = float64(s.worth[i] * n.likely)
	}
}

func (s *shares) learn(nodes []int32, hits bitset.Set, slot int, d *doubts) {
	const miss = priorMisses / (priorHits + priorMisses)
	for _, i := range nodes {
		n := &s.node[i]
		n.discount(slot)
		learned, prior := n.b/(n.a+n.b), miss
		hit := hits.Has(int(i))
		if hit {
			learned, prior = 1-learned, 1-prior
		}
		d.add(learned, prior)
		if n.doubt = max(1, float64(n.doubt*prior)/learned); n.doubt > suspicious {
			s.forget(int(i), slot)
		}
		if hit {
			n.a++
		} else {
			n.b++
		}
		s.estimate(n)
	}
}

// await lets nodes that are worth the level now wait for a slot, and others
// for as long as possible.
func (s *shares) await(wait []int32, nodes []int32, slot int, level float64) {
	for k, i := range nodes {
		wait[k] = int32(s.renew)
		if float64(s.worth[i]*s.node[i].likely) >= level {
			wait[k] = 1
		}
	}
}
