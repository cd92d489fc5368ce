package monitoring

import (
	"math"
	"slices"

	"sweep/internal/bitset"
)

// learnAndCrawl polls at the best rates for what it estimates of p, and
// renews estimates and rates from time to time: the learning scheme of
// Kolobov et al. 2019 (Algorithm 4), with a prior of its own, and with what was
// seen losing weight instead of leaving a window.
//
// With the rates of LambdaCrawl it is LambdaLearnAndCrawl. With those of
// refresh, which the authors call LambdaLearnAndCrawl with binary staleness,
// part of the capacity goes to all nodes alike, so that none is given up.
//
// Explore-and-commit (Upadhyay et al. 2020, Learning to crawl) polls the nodes in
// turn for some slots, estimates p once, and keeps the rates of refresh for these
// estimates. Its regret of O(√T) needs an exploration that is proportional to √T;
// the factor is open.
type learnAndCrawl struct {
	*execution // of the rates for the estimates
	slot       int
	seen       []estimator
	p          []float64 // estimates
	by         string    // one of Estimators

	turn    uniform
	explore int // slots of polls in turn
	renewal int // slots between estimates
}

const (
	renewal   = 250 // slots
	once      = 1 << 62
	evenShare = 0.1 // of the capacity, to all nodes alike
)

func startLambdaLearnAndCrawl(t *task) scheduler {
	return newLearnAndCrawl(t, t.executing(t.solving(lambdaRates)))
}

func startLearnAndCrawl(t *task) scheduler {
	return newLearnAndCrawl(t, t.evenly(withFloor(t.solving(refreshRates))))
}

func startExploreAndCommit(t *task) scheduler {
	s := newLearnAndCrawl(t, t.evenly(t.solving(refreshRates)))
	s.renewal, s.explore = once, t.Explore
	if s.explore == 0 {
		s.explore = int(math.Sqrt(float64(t.Slots)) * float64(t.World.Nodes) / float64(t.World.Capacity))
	}
	return s
}

func newLearnAndCrawl(t *task, rates *execution) *learnAndCrawl {
	r := t.World.Nodes
	return &learnAndCrawl{
		execution: rates,
		seen:      slices.Repeat([]estimator{{p: firstGuess}}, r),
		by:        t.Estimator,
		p:         slices.Repeat([]float64{firstGuess}, r),
		turn:      uniform{knapsack: t.knapsack()},
		renewal:   renewal,
	}
}

// withFloor mixes rates with equal ones.
func withFloor(solve solver) solver {
	return func(k *known, capacity float64) []float64 {
		rates := solve(k, capacity)
		spent := 0.0
		for i := range rates {
			spent += k.costOf(i)
		}
		floor := min(float64(evenShare*capacity)/spent, 1)
		for i, x := range rates {
			rates[i] = floor + float64((1-evenShare)*x)
		}
		return rates
	}
}

func (s *learnAndCrawl) begin(k known) {
	s.turn.begin(k)
	k.p = s.p
	s.execution.begin(k)
}

func (s *learnAndCrawl) choose(polls bitset.Set) int {
	if s.slot++; s.slot <= s.explore {
		return s.turn.choose(polls)
	}
	if s.slot%s.renewal == 0 || s.slot == s.explore+1 && s.explore > 0 {
		s.renew()
	}
	return s.execution.choose(polls)
}

// renew estimates p anew, and solves for the rates.
func (s *learnAndCrawl) renew() {
	for i := range s.p {
		s.p[i] = s.seen[i].estimate(s.by)
		s.seen[i].fade()
	}
	s.begin(s.turn.known)
}

func (s *learnAndCrawl) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		rate := s.rates[i]
		if s.slot <= s.explore {
			rate = float64(s.turn.capacity) / float64(s.turn.nodes)
		}
		s.seen[i].learn(hits.Has(i), s.slot, rate)
	}
	if s.slot > s.explore {
		s.execution.learn(polls, hits)
	}
}
