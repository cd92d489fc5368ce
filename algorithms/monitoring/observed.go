package monitoring

import "sweep/internal/bitset"

// observedCrawl is LambdaCrawl for sources with complete change observations
// (Kolobov et al. 2019, Staying up to date with online content changes using
// reinforcement learning for scheduling, Algorithm 2): it is told of every
// update in its slot, and polls the node then with a probability x of its own.
//
// A copy has missed n updates with probability x·(1−x)^n, so that its harmonic
// staleness is −ln x, in slots as in continuous time. The x that make the sum
// of −w·ln x least, w being the weights, where px polls a slot cost the
// capacity, are w/λpc, at most 1, with the fee λ.
//
// Whether a poll is due is drawn at each update, and only then: one that does
// not fit into the capacity is dropped, and what slots with fewer polls than
// that leave is unused.
type observedCrawl struct {
	task
	solve solver
	drawn bitset.Planes // x
}

func startObservedCrawl(t *task) scheduler {
	return &observedCrawl{task: *t, solve: t.solving(observedRates)}
}

// observedRates returns the polls per slot px. They are those in proportion to
// the weights, per cost, but no more than there are updates.
func observedRates(k *known, capacity float64) []float64 {
	return solveFee(k, capacity, func(i int, fee, cost float64) float64 {
		return min(k.weight[i]/float64(fee*cost), k.p[i])
	})
}

func (s *observedCrawl) begin(k known) {
	s.known = k
	chances := s.solve(&k, s.capacity())
	for i, p := range k.p {
		chances[i] /= p
	}
	s.drawn = bitset.NewPlanes(chances)
}

func (s *observedCrawl) choose(polls bitset.Set) (dropped int) {
	s.random.at = s.drawn.DrawAll(polls, s.random.words, s.random.at)
	for g := range polls {
		polls[g] &= s.signals[g]
	}
	return s.trim(polls)
}
