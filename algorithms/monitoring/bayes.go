package monitoring

import (
	"math"

	"sweep/environments/sources"
	"sweep/internal/detmath"
	"sweep/internal/lanes"
)

// bayes learns the change probabilities and polls by the indices that are
// optimal if one knows them: ω·p where updates disappear, Whittle's where
// they overwrite or accumulate. Not from the thesis; it simplifies a
// prototype that kept a grid of probabilities for each node.
//
// What it believes of a node are two numbers. Where updates disappear, p has
// a beta distribution, and the index takes p at the upper end of an interval,
// since a node that is not polled is not learned about. Where they overwrite, the rate θ = −ln(1−p) has a gamma distribution. A miss after
// a slots has likelihood e^(−θa), which keeps it one; a hit, 1 − e^(−θa), is
// followed by the gamma distribution of the same mean and variance. There
// every index rises with age, and needs no optimism.
//
// It forgets in two ways: slowly all the time, and everything at once when
// the prior explains the feedback of recent slots better than what it
// learned.
type bayes struct {
	knapsack
	selection
	disappear  bool
	importance []float64

	slot   int
	last   []int     // the slot up to which a node's beliefs are discounted
	a, b   []float64 // the parameters of the beta or gamma distribution
	index  []float64
	next   int // of the nodes whose index is refreshed in turn
	doubts doubts

	// Of overwrite, as in whittle.
	q           []float64 // the estimate of 1−p
	age, intact []float64
	missing     []float64 // by the prior, after each number of slots
}

// What bayes believes before it has polled: p about 0.19, and nothing sure.
// All constants were chosen by hand on the thesis's law; none is delicate.
const (
	priorA      = 0.3
	priorBeta   = 1.3  // b of the beta distribution
	priorGamma  = 1    // b of the gamma distribution
	optimism    = 2.5  // standard deviations of the interval
	forgetting  = 2e-4 // of what is believed, per slot
	refreshings = 64   // slots in which every index is refreshed once
)

func startBayes(t *task) scheduler {
	r := t.World.Nodes
	s := &bayes{
		knapsack:  knapsack{nodes: r, capacity: t.World.Capacity},
		disappear: t.Model == sources.Disappear,
		last:      make([]int, r),
		a:         make([]float64, r),
		b:         make([]float64, r),
		index:     make([]float64, r),
	}
	if !s.disappear {
		s.q, s.age, s.intact = make([]float64, r), make([]float64, r), make([]float64, r)
		for i := range s.intact {
			s.intact[i] = 1
		}
		s.missing = make([]float64, 4096)
		for age := range s.missing {
			s.missing[age] = detmath.Pow(priorGamma/(priorGamma+float64(age)), priorA)
		}
	}
	return s
}

func (s *bayes) begin(k known) {
	first := s.importance == nil
	s.cost, s.importance = k.cost, k.importance
	if first {
		s.forgetAll()
	}
}

// forgetAll returns to the prior. The time since the last poll of a node
// stays what it is, in terms of what may be found there.
func (s *bayes) forgetAll() {
	for i := range s.a {
		s.a[i], s.last[i] = priorA, s.slot
		s.b[i] = s.priorB()
		s.estimate(i)
	}
	s.doubts = doubts{product: 1}
}

func (s *bayes) priorB() float64 {
	if s.disappear {
		return priorBeta
	}
	return priorGamma
}

// discount lets beliefs of a node fade since they were last discounted.
func (s *bayes) discount(i int) {
	keep := 1 / (1 + float64(forgetting*float64(s.slot-s.last[i])))
	s.last[i] = s.slot
	s.a[i] = priorA + float64(keep*(s.a[i]-priorA))
	s.b[i] = s.priorB() + float64(keep*(s.b[i]-s.priorB()))
}

// estimate renews what follows from the beliefs of a node.
func (s *bayes) estimate(i int) {
	a, b := s.a[i], s.b[i]
	if s.disappear {
		n := a + b
		s.index[i] = float64(s.importance[i]*wilson(a/n, n)) / s.costOf(i)
		return
	}
	logQ := float64(-a * detmath.Log(1+1/b)) // of the mean of e^−θ
	s.q[i] = detmath.Exp(logQ)
	s.age[i] = detmath.Log(s.intact[i]) / logQ
}

// wilson returns the upper end of Wilson's score interval for a share, seen
// in n cases: the p from which the share is optimism standard deviations of
// that p away. Unlike the mean and its own deviations it does not give up a
// node after a few misses.
func wilson(share, n float64) float64 {
	const z = optimism
	spread := math.Sqrt(share*(1-share)/n + z*z/(4*n*n))
	return (share + z*z/(2*n) + float64(z*spread)) / (1 + z*z/n)
}

func (s *bayes) costOf(i int) float64 { return (&known{cost: s.cost}).costOf(i) }

func (s *bayes) choose(polls lanes.Set) int {
	s.slot++
	if s.disappear {
		// Nodes that are not polled become less sure.
		for range (s.nodes + refreshings - 1) / refreshings {
			s.discount(s.next)
			s.estimate(s.next)
			if s.next++; s.next == s.nodes {
				s.next = 0
			}
		}
	} else {
		for i, q := range s.q {
			m := max(float64(s.intact[i]*q), leastIntact)
			g := s.age[i] + 1
			s.intact[i], s.age[i] = m, g
			w := float64(s.importance[i] * (1 - float64(m*(1+float64(g*(1-q))))))
			s.index[i] = max(w, 0)
		}
		if s.cost != nil {
			for i, c := range s.cost {
				s.index[i] /= c
			}
		}
	}
	s.selection.choose(s.index, &s.knapsack, polls)
	return 0
}

func (s *bayes) learn(polls, hits lanes.Set) {
	for i := range polls.All {
		hit := hits.Has(i)
		s.discount(i)
		if s.disappear {
			s.learnShare(i, hit)
		} else {
			s.learnRate(i, hit)
			s.age[i], s.intact[i] = 0, 1
		}
		s.estimate(i)
	}
	if s.doubts.alarm() {
		s.forgetAll()
	}
}

// learnShare updates the beta distribution of a node's p.
func (s *bayes) learnShare(i int, hit bool) {
	const miss = priorBeta / (priorA + priorBeta)
	s.doubts.add(s.b[i]/(s.a[i]+s.b[i]), miss, hit)
	if hit {
		s.a[i]++
	} else {
		s.b[i]++
	}
}

// learnRate updates the gamma distribution of a node's rate.
func (s *bayes) learnRate(i int, hit bool) {
	a, b := s.a[i], s.b[i]
	after := b + s.age[i]
	shrink := b / after
	miss := detmath.Pow(shrink, a) // its probability
	s.doubts.add(miss, s.priorMiss(s.age[i]), hit)
	switch {
	case !hit:
		s.b[i] = after
	case 1-miss < 1e-9:
		s.a[i] = a + 1 // the limit for small rates
	default:
		mean := a / b * (1 - float64(miss*shrink)) / (1 - miss)
		square := float64(a*(a+1)) / float64(b*b) * (1 - float64(float64(miss*shrink)*shrink)) / (1 - miss)
		variance := square - float64(mean*mean)
		s.a[i] = float64(mean*mean) / variance
		s.b[i] = mean / variance
	}
}

// priorMiss returns the probability of a miss after some slots of a node of
// which nothing is known.
func (s *bayes) priorMiss(age float64) float64 {
	return s.missing[min(int(age+0.5), len(s.missing)-1)]
}

// doubts weighs whether all that was learned has become wrong: a cumulative
// sum (Page 1954) of the logarithms of how much likelier the prior makes
// the feedback than what was learned does. While nodes stay, the sum falls.
type doubts struct {
	product float64 // of likelihood ratios whose logarithms are not yet added
	count   int
	slot    float64 // the sum over the slot under way
	sum     float64
}

// alarming is the sum at which all is forgotten.
const alarming = 20

// add adds a poll, by the probabilities of a miss by what was learned and
// by the prior.
func (d *doubts) add(learned, prior float64, hit bool) {
	if hit {
		learned, prior = 1-learned, 1-prior
	}
	d.product *= min(max(prior/max(learned, 1e-12), 1e-4), 1e4)
	if d.count++; d.count == 64 {
		d.takeLogarithm()
	}
}

func (d *doubts) takeLogarithm() {
	d.slot += detmath.Log(d.product)
	d.product, d.count = 1, 0
}

// alarm ends a slot and reports whether the doubts are too many.
func (d *doubts) alarm() bool {
	d.takeLogarithm()
	d.sum = max(0, d.sum+d.slot)
	d.slot = 0
	return d.sum > alarming
}
