package monitoring

import (
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
	"sweep/internal/detmath"
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
	execution scheduler // of the rates for the estimates
	slot      int
	last      []int // the slot of the last poll
	history   []gaps
	seen      []estimator // of the other estimators
	by        string      // one of Estimators
	rates     []float64   // that are executed
	p         []float64   // estimates

	turn    uniform
	explore int // slots of polls in turn
	renewal int // slots between estimates
}

// gaps is what was seen of a node: hits and misses by the slots since the
// poll before.
type gaps struct {
	missed float64 // Σ slots over misses
	// Hits after 2^k to 2^(k+1)−1 slots, and the slots: one gap, their mean,
	// stands for all of a class.
	hits, slots [gapClasses]float32
}

const (
	gapClasses = 12
	renewal    = 250 // slots
	once       = 1 << 62
	evenShare  = 0.1 // of the capacity, to all nodes alike
	firstGuess = 0.2 // p of a node before the first renewal
	memory     = 0.8 // of what was seen, kept at a renewal
)

func startLambdaLearnAndCrawl(t *task) scheduler {
	return newLearnAndCrawl(t, t.solving(lambdaRates), t.executing)
}

func startLearnAndCrawl(t *task) scheduler {
	return newLearnAndCrawl(t, withFloor(t.solving(refreshRates)), t.evenly)
}

func startExploreAndCommit(t *task) scheduler {
	s := newLearnAndCrawl(t, t.solving(refreshRates), t.evenly)
	s.renewal, s.explore = once, t.Explore
	if s.explore == 0 {
		s.explore = int(math.Sqrt(float64(t.Slots)) * float64(t.World.Nodes) / float64(t.World.Capacity))
	}
	return s
}

func newLearnAndCrawl(t *task, solve solver, execute func(solver) scheduler) *learnAndCrawl {
	r := t.World.Nodes
	s := &learnAndCrawl{
		last:    make([]int, r),
		history: make([]gaps, r),
		seen:    slices.Repeat([]estimator{{p: firstGuess}}, r),
		by:      t.Estimator,
		p:       slices.Repeat([]float64{firstGuess}, r),
		turn:    uniform{knapsack: t.knapsack()},
		renewal: renewal,
	}
	s.execution = execute(func(k *known, capacity float64) []float64 {
		s.rates = solve(k, capacity)
		return s.rates
	})
	return s
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
	s.solveRates()
}

func (s *learnAndCrawl) solveRates() {
	k := s.turn.known
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

// leastEstimate keeps rates defined.
const leastEstimate = 1e-9

// renew estimates p anew, and solves for the rates.
func (s *learnAndCrawl) renew() {
	for i := range s.history {
		switch s.by {
		case byLargeNumbers:
			s.p[i] = s.seen[i].byShare()
		case byApproximation:
			s.p[i] = s.seen[i].p
		default:
			s.p[i] = s.history[i].estimate()
			h := &s.history[i]
			h.missed *= memory
			for k := range h.hits {
				h.hits[k] *= memory
				h.slots[k] *= memory
			}
		}
		s.p[i] = min(max(s.p[i], leastEstimate), 1-leastEstimate)
	}
	s.solveRates()
}

func (s *learnAndCrawl) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		gap, rate := s.slot-s.last[i], s.rates[i]
		if s.slot <= s.explore {
			rate = float64(s.turn.capacity) / float64(s.turn.nodes)
		}
		s.last[i] = s.slot
		s.seen[i].learn(hits.Has(i), gap, rate)
		h := &s.history[i]
		if !hits.Has(i) {
			h.missed += float64(gap)
			continue
		}
		class := min(bits.Len(uint(gap))-1, gapClasses-1)
		h.hits[class]++
		h.slots[class] += float32(gap)
	}
	if s.slot > s.explore {
		s.execution.learn(polls, hits)
	}
}

// estimate returns the most likely p after one more hit and four more
// misses of one slot each, which make the first guess of no history. With θ =
// −ln(1−p) the likelihood is stationary where Σ a/(e^θa − 1) over hits equals
// Σ a over misses; the left side falls with θ.
func (h *gaps) estimate() float64 {
	const hits, misses = 1, 4
	excess := func(theta float64) float64 {
		sum := hits/(detmath.Exp(theta)-1) - misses - h.missed
		for k, n := range h.hits {
			if n > 0 {
				gap := float64(h.slots[k]) / float64(n)
				sum += float64(h.slots[k]) / (detmath.Exp(float64(theta*gap)) - 1)
			}
		}
		return sum
	}
	low, high := 1e-9, 25.0
	for range 40 {
		if middle := (low + high) / 2; excess(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return 1 - detmath.Exp(-low)
}
