package monitoring

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// learnAndCrawl polls at the best rates for its estimates of p, and renews
// estimates and rates from time to time: the learning scheme of Kolobov et al.
// 2019 (Algorithm 4), with another prior, and with observations that lose
// weight instead of leaving a window.
//
// With the rates of LambdaCrawl it is LambdaLearnAndCrawl. With those of
// refresh, which the authors call LambdaLearnAndCrawl with binary staleness,
// part of the capacity goes to all nodes alike, so that none is given up.
//
// Explore-and-commit (Upadhyay et al. 2020, Learning to crawl) polls the nodes
// in turn for some slots, estimates p once, and keeps the rates of refresh for
// these estimates. Its regret of O(√T) needs an exploration that is
// proportional to √T; the factor is open.
type learnAndCrawl struct {
	*execution // of the rates for the estimates
	slot       int
	seen       []estimator
	p          []float64 // estimates

	// explore is the number of slots in which nodes are polled in turn, before
	// p is estimated once; −1 until it is known how long √Slots turns take; 0
	// if estimates are renewed.
	explore int
}

const (
	renewal   = 250 // slots between estimates
	evenShare = 0.1 // of the capacity, to all nodes alike
)

// learned returns how a scheduler starts that polls at the given rates for its
// estimates of p.
func learned(rates solver, how string) func(*task) scheduler {
	return func(t *task) scheduler { return newLearnAndCrawl(t, rates, how) }
}

func startExploreAndCommit(t *task) scheduler {
	s := newLearnAndCrawl(t, refreshRates, even)
	s.explore = cmp.Or(t.Explore, -1)
	return s
}

func newLearnAndCrawl(t *task, rates solver, how string) *learnAndCrawl {
	r := t.World.Nodes
	return &learnAndCrawl{
		execution: t.executing(t.solving(rates), how),
		seen:      slices.Repeat([]estimator{{p: firstGuess}}, r),
		p:         slices.Repeat([]float64{firstGuess}, r),
	}
}

// withFloor mixes rates with equal ones.
func withFloor(solve solver) solver {
	return func(k *known, capacity float64) []float64 {
		rates := solve(k, capacity)
		spent := 0.0
		for i := range rates {
			spent += k.cost.Of(i)
		}
		floor := min(float64(evenShare*capacity)/spent, evenShare)
		for i, x := range rates {
			rates[i] = floor + float64((1-evenShare)*x)
		}
		return rates
	}
}

func (s *learnAndCrawl) begin(k known) {
	k.p = s.p
	s.execution.begin(k)
	capacity := s.capacity()
	cost := 0.0 // of a poll of each node
	for i := range s.p {
		cost += min(k.cost.Of(i), capacity) // a node that costs more is skipped
	}
	if s.explore < 0 {
		s.explore = max(int(math.Sqrt(float64(s.Slots))*cost/capacity), 1)
	}
	if s.slot < s.explore { // nodes are polled in turn
		s.rates = slices.Repeat([]float64{min(capacity/cost, 1)}, len(s.p))
	}
}

func (s *learnAndCrawl) choose(polls bitset.Set) int {
	s.slot++
	if s.slot <= s.explore {
		return s.task.choose(polls)
	}
	due := s.slot%renewal == 0
	if s.explore > 0 {
		due = s.slot == s.explore+1
	}
	if due {
		s.renew()
	}
	return s.execution.choose(polls)
}

// renew estimates p anew, and solves for the rates.
func (s *learnAndCrawl) renew() {
	for i := range s.p {
		s.p[i] = s.seen[i].estimate(s.Estimator)
		s.seen[i].fade()
	}
	s.begin(s.known)
}

func (s *learnAndCrawl) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		s.seen[i].learn(hits.Has(i), s.slot, s.rates[i])
	}
	if s.slot > s.explore {
		s.execution.learn(polls, hits)
	}
}

// The estimators of p from polls.
const (
	byLikelihood    = "likelihood"    // the most likely p
	byLargeNumbers  = "large_numbers" // from the share of polls that are hits
	byApproximation = "approximation" // by stochastic approximation, poll by poll
)

// Estimators lists the values of Config.Estimator.
//
// The last two are those of Avrachenkov, Patil and Thoppe 2020, Change rate
// estimation and optimal freshness in web page crawling: with polls at random,
// at rate x, a poll is a hit with probability h = p/(x + p − xp) (in continuous
// time p/(x + p)). They hold for such polls only: where polls are evenly
// spaced, which makes hits rarer than that at gaps above one, they are biased.
func Estimators() []string {
	return []string{byLikelihood, byLargeNumbers, byApproximation}
}

// estimator estimates p of a node in each of these ways.
type estimator struct {
	polls, hits float64 // since the start
	last        int     // the slot of the last poll
	p           float64 // by approximation

	// What the likelihood needs: the slots since the poll before, summed over
	// misses; and by class k, the number of hits 2^k to 2^(k+1)−1 slots after
	// the poll before, and the sum of these slots. Their mean stands for all
	// gaps of a class.
	missed              float64
	classHits, hitSlots [gapClasses]float32
}

const (
	gapClasses  = 12
	firstGuess  = 0.2  // p of a node of which nothing was seen
	memory      = 0.8  // of what the likelihood needs, kept when it fades
	minEstimate = 1e-9 // keeps rates defined
)

// learn takes the outcome of a poll in a slot, counted from 1, of a node that
// is polled at some rate.
func (e *estimator) learn(hit bool, slot int, rate float64) {
	gap := slot - e.last
	e.last = slot
	e.polls++
	// y ← y + η·(I·(y + x − xy) − y), whose expectation is at rest where y is
	// p; η is polls^−3/4, within what the paper allows.
	step := -e.p
	if hit {
		e.hits++
		step += e.p + rate - float64(rate*e.p)
		class := min(bits.Len(uint(gap))-1, gapClasses-1)
		e.classHits[class]++
		e.hitSlots[class] += float32(gap)
	} else {
		e.missed += float64(gap)
	}
	e.p += step / math.Sqrt(float64(e.polls*math.Sqrt(e.polls)))
}

// fade reduces the weight of what was seen, for the likelihood.
func (e *estimator) fade() {
	e.missed *= memory
	for k := range e.classHits {
		e.classHits[k] *= memory
		e.hitSlots[k] *= memory
	}
}

// estimate returns p by one of the estimators.
func (e *estimator) estimate(by string) (p float64) {
	switch by {
	case byLargeNumbers:
		p = e.byShare()
	case byApproximation:
		p = e.p
	default:
		p = e.mostLikely()
	}
	return min(max(p, minEstimate), 1-minEstimate)
}

// byShare solves h = hits/(polls + 1) for p, where x is polls per slot. The 1
// keeps it defined, as α does in the paper.
func (e *estimator) byShare() float64 {
	if e.polls == 0 {
		return firstGuess
	}
	x := e.polls / float64(e.last)
	return float64(x*e.hits) / (e.polls + 1 - e.hits + float64(x*e.hits))
}

// mostLikely returns the most likely p after one more hit and four more
// misses of one slot each, which make the first guess of no history. With θ =
// −ln(1−p) the likelihood is stationary where Σ a/(e^θa − 1) over hits equals
// Σ a over misses; the left side falls with θ.
func (e *estimator) mostLikely() float64 {
	const hits = 1
	const misses = 4
	excess := func(theta float64) float64 {
		sum := hits/(detmath.Exp(theta)-1) - misses - e.missed
		for k, n := range e.classHits {
			if n > 0 {
				gap := float64(e.hitSlots[k]) / float64(n)
				sum += float64(e.hitSlots[k]) / (detmath.Exp(float64(theta*gap)) - 1)
			}
		}
		return sum
	}
	low := 1e-9
	high := 25.0
	for range 40 {
		middle := (low + high) / 2
		if excess(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return 1 - detmath.Exp(-low)
}
