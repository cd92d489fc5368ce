package monitoring

import (
	"math/bits"
	"slices"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// learnedNCIS is GREEDY-NCIS for estimates of p and of how good the signals
// are, which are renewed every 250 slots. It knows that all nodes have signals
// of the same quality, as they have in this experiment, and nothing else of
// them.
//
// Let v be the probability of a signal in a slot with an update, and f that in
// a slot without. The estimates are the most likely p of each node, v and f,
// given all signals, all hits and misses, and a prior: one update and four
// slots without for each node, one signal and one silence for v and f each.
// They are found by expectation maximisation (Dempster, Laird and Rubin 1977):
//
//	p = (1 + Σ updates) / (5 + Σ slots)
//	v = (1 + Σ signalled updates) / (2 + Σ updates)
//	f = (1 + Σ signals of nothing) / (2 + Σ slots without an update)
//
// with the updates that are expected, given what was seen: see expected. Where
// updates wait, a poll tells of all slots since the poll before; where they
// disappear, of its own slot, and of the others signals alone do. What was
// seen loses a fifth of its weight at each renewal.
type learnedNCIS struct {
	*greedyNCIS
	slot  int
	seen  []sightings
	p     []float64   // estimates
	rates signalRates // estimates
}

// signalRates are the probabilities of a signal in a slot with an update, v,
// and in one without, f.
type signalRates struct{ update, other float64 }

// quality returns the share of updates that are signalled, and the probability
// of a signal, that make these rates. Signals that updates make rarer are taken
// to have nothing to do with them.
func (r signalRates) quality() Signals {
	return Signals{Recall: max(1-(1-r.update)/(1-r.other), 0), False: r.other}
}

// sightings are what was seen of a node. Pairs are of silent and of signalled
// slots.
type sightings struct {
	open   [2]float64 // slots of which no poll told
	missed [2]float64 // slots without an update, as misses told

	// hits are the intervals that had an update at least, by how long they
	// were, from 2^k to 2^(k+1)−1 slots, and by how many signals they had. The
	// mean stands for all intervals of a class.
	hits [gapClasses][signalClasses]hitClass
}

type hitClass struct {
	n     float32
	slots [2]float32 // Σ
}

const (
	signalClasses = 4 // of intervals with 0, 1, 2 and more signals
	emRounds      = 4 // of expectation maximisation in a renewal
	minSlope      = 1e-8
)

func startLearnedNCIS(t *task) scheduler {
	rates := signalRates{0.5, 0.5}
	n := t.World.Nodes
	return &learnedNCIS{
		greedyNCIS: newGreedyNCIS(t, rates.quality()),
		seen:       make([]sightings, n),
		p:          slices.Repeat([]float64{firstGuess}, n),
		rates:      rates,
	}
}

func (s *learnedNCIS) begin(k known) {
	k.p = s.p
	s.greedyNCIS.begin(k)
	if s.Model == sources.Disappear {
		return
	}
	for i, step := range s.step {
		for kind, slots := range s.seen[i].open {
			step[kind] = s.ageOf(i, step[kind], slots)
		}
		s.age[i] = step[0] + step[1]
	}
}

// ageOf returns what slots with a step of the effective age add to that of a
// node: the steps or, where values are summed up, the expected updates.
func (s *learnedNCIS) ageOf(i int, step, slots float64) float64 {
	if s.values[i] == nil {
		return float64(slots * (1 - detmath.Exp(-step)))
	}
	return float64(slots * step)
}

func (s *learnedNCIS) choose(polls bitset.Set) int {
	s.slot++
	if s.slot%renewal == 0 {
		s.renew()
	}
	return s.greedyNCIS.choose(polls)
}

func (s *learnedNCIS) learn(polls, hits bitset.Set) {
	s.greedyNCIS.learn(polls, hits)
	alone := s.Model == sources.Disappear // a poll tells of its slot alone
	for i := range s.seen {
		signalled := s.signals.Has(i)
		s.seen[i].pass(signalled)
		if polls.Has(i) {
			s.seen[i].poll(hits.Has(i), alone, signalled)
		}
	}
}

// pass counts a slot.
func (o *sightings) pass(signalled bool) { o.open[kindOf(signalled)]++ }

// kindOf returns which of a pair belongs to a slot.
func kindOf(signalled bool) int {
	if signalled {
		return 1
	}
	return 0
}

// poll takes the outcome of a poll in the slot that was counted last. It tells
// of that slot alone, or of all that no poll told of.
func (o *sightings) poll(hit, alone, signalled bool) {
	interval := o.open
	if alone {
		interval = [2]float64{}
		interval[kindOf(signalled)] = 1
	}
	for kind, slots := range interval {
		o.open[kind] -= slots
		if !hit {
			o.missed[kind] += slots
		}
	}
	if !hit {
		return
	}
	gap := bits.Len(uint(interval[0]+interval[1])) - 1
	class := &o.hits[min(gap, gapClasses-1)][min(int(interval[1]), signalClasses-1)]
	class.n++
	for kind, slots := range interval {
		class.slots[kind] += float32(slots)
	}
}

// fade reduces the weight of what was seen. Slots whose outcome the next poll
// will tell are kept.
func (o *sightings) fade(alone bool) {
	for kind := range o.missed {
		o.missed[kind] *= memory
		if alone {
			o.open[kind] *= memory
		}
	}
	for gap := range o.hits {
		for k := range o.hits[gap] {
			class := &o.hits[gap][k]
			class.n *= memory
			class.slots[0] *= memory
			class.slots[1] *= memory
		}
	}
}

// slots returns how many slots were seen, of each kind.
func (o *sightings) slots() (sum [2]float64) {
	for kind := range sum {
		sum[kind] = o.open[kind] + o.missed[kind]
	}
	for gap := range o.hits {
		for k := range o.hits[gap] {
			sum[0] += float64(o.hits[gap][k].slots[0])
			sum[1] += float64(o.hits[gap][k].slots[1])
		}
	}
	return sum
}

// expected returns the updates of each kind that are expected in the slots of a
// node, given what was seen: none in those of misses; the share u in those of
// which nothing is known but whether they had a signal, which is pv/(pv +
// (1−p)f) in those with one; and u/H in those of a hit, which has H = 1 −
// Π(1−u) before it is known, the product being over its slots.
func (o *sightings) expected(p float64, r signalRates) (sum [2]float64) {
	signal := float64(p*r.update) + float64((1-p)*r.other)
	share := [2]float64{float64(p*(1-r.update)) / (1 - signal), float64(p*r.update) / signal}
	intact := [2]float64{
		float64((1-p)*(1-r.other)) / (1 - signal),
		float64((1-p)*r.other) / signal,
	}
	var slope [2]float64 // −ln(1−u)
	for kind, u := range share {
		sum[kind] = float64(o.open[kind] * u)
		slope[kind] = u
		if u > minSlope {
			slope[kind] = -detmath.Log(intact[kind])
		}
	}
	for gap := range o.hits {
		for k := range o.hits[gap] {
			class := &o.hits[gap][k]
			if class.n == 0 {
				continue
			}
			silent := float64(class.slots[0])
			signalled := float64(class.slots[1])
			steps := float64(silent*slope[0]) + float64(signalled*slope[1])
			steps /= float64(class.n)
			found := steps
			if steps > minSlope {
				found = 1 - detmath.Exp(-steps)
			}
			sum[0] += silent * share[0] / found
			sum[1] += signalled * share[1] / found
		}
	}
	return sum
}

// mostLikely returns the most likely p for some rates of signals, by bisection:
// the p that expects as many updates as it should.
func (o *sightings) mostLikely(r signalRates) float64 {
	const updates = firstGuess * slotsOfPrior
	seen := o.slots()
	slots := slotsOfPrior + seen[0] + seen[1]
	low := minEstimate
	high := 1 - minEstimate
	for range 32 {
		middle := (low + high) / 2
		sum := o.expected(middle, r)
		if updates+sum[0]+sum[1] > middle*slots {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// slotsOfPrior are the slots that make the first guess.
const slotsOfPrior = 5

// renew estimates everything anew.
func (s *learnedNCIS) renew() {
	for range emRounds {
		s.estimate()
	}
	for i := range s.seen {
		s.seen[i].fade(s.Model == sources.Disappear)
	}
	s.quality = s.rates.quality()
	s.begin(s.known)
}

// estimate takes a step: p for the estimates of the signals, and these for p.
func (s *learnedNCIS) estimate() {
	signals := [2]float64{1, 1} // with an update, and without
	slots := [2]float64{2, 2}
	for i := range s.seen {
		s.p[i] = s.seen[i].mostLikely(s.rates)
		updates := s.seen[i].expected(s.p[i], s.rates)
		all := s.seen[i].slots()
		signals[0] += updates[1]
		signals[1] += all[1] - updates[1]
		slots[0] += updates[0] + updates[1]
		slots[1] += all[0] + all[1] - updates[0] - updates[1]
	}
	s.rates = signalRates{update: signals[0] / slots[0], other: signals[1] / slots[1]}
}
