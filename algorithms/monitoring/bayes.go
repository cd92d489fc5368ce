package monitoring

import (
	"cmp"
	"math"
	"slices"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// bayes learns the change probabilities and polls by the indices that are
// optimal if one knows them, averaged over what is believed of the rate θ
// (belief.go), g slots after the last poll:
//
//   - overwrite: Whittle's, ω(1 − M(g) − g(M(g) − M(g+1)));
//   - accumulate: what waits at the node, ω·g·(1 − M(1));
//   - disappear: ω·p, with half a change more than was seen, so that a node
//     is not given up too early.
//
// Most nodes are not looked at in a slot. The calendar has for each the slot in
// which its index comes near the cutoff, which is about the least index that is
// polled. The nodes of this slot, the candidates, compete for the capacity; one
// that is known well enough gets a lease.
//
// Not from the thesis. Its constants were chosen on nodes drawn with seeds
// 501 to 504 and on the record crates from 2018 to 2024; READINGS.md says what came of it
// on others.
type bayes struct {
	knapsack
	selection
	prior
	model      sources.Model
	importance []float64
	weight     []float64 // importance-value per cost
	nodes      []evidence
	slot       int

	calendar   [horizon][]int32 // the nodes of each slot, modulo horizon
	candidates []int32          // first those that are polled
	chosen     int              // how many these are
	index      []float64        // of the candidates
	missing    []float64        // their probabilities of a miss
	leased     []int32          // polled in this slot by leases with gaps

	steady     bitset.Set  // the leases of gap 1
	steadyLoad float64     // their costs
	leaseLoad  float64     // the costs of all leases in a slot, a mean
	steadyHits [][5]uint64 // and hits, bit by bit

	cutoff      float64
	near, close float64 // the parts of it from which nodes are looked at, and stay candidates

	unseen  [knownGaps]float64 // the index of the prior, as a share of ω, by gap
	renewal int                // the slot in which the prior is learned anew
	cusum   float64            // see suspect
}

const (
	horizon    = 256  // slots after which every node is looked at
	cutoffGain = 0.1  // how fast the cutoff follows the least index polled in a slot
	longest    = 64   // slots of a lease
	most       = 31   // polls of a lease
	leasable   = 0.8  // the share of the capacity that leases may take
	alarm      = 20   // of suspect
	bonus      = 0.5  // changes
	notable    = 0.02 // the least odds that are not left out
)

func startBayes(t *task) scheduler { return newBayes(t) }

func newBayes(t *task) *bayes {
	r := t.World.Nodes
	noise := 1 / math.Sqrt(float64(t.World.Capacity)) // the cutoff's, about
	s := &bayes{
		knapsack:   t.knapsack(),
		prior:      newPrior(),
		model:      t.Model,
		weight:     make([]float64, r),
		nodes:      make([]evidence, r),
		steady:     bitset.NewSet(r),
		steadyHits: make([][5]uint64, bitset.Groups(r)),
		near:       1 - min(0.5, 1.5*noise),
		close:      1 - min(0.3, 0.3*noise),
		renewal:    8,
	}
	s.fillUnseen()
	return s
}

func (s *bayes) begin(k known) {
	s.gather() // with the old costs
	s.cost = k.cost
	for i, v := range k.importance {
		if s.importance != nil && s.importance[i] != v {
			s.nodes[i] = evidence{polled: s.nodes[i].polled} // it is another node
		}
		s.weight[i] = max(v/k.costOf(i), 1e-12)
	}
	s.importance = k.importance
}

// gather makes all nodes candidates, between slots.
func (s *bayes) gather() {
	s.candidates = s.candidates[:0]
	for k := range s.calendar {
		s.calendar[k] = s.calendar[k][:0]
	}
	for i := range int32(len(s.nodes)) {
		s.settle(i, s.slot)
		s.candidates = append(s.candidates, i)
	}
}

func (s *bayes) choose(polls bitset.Set) int {
	s.tick()
	left := s.open(polls)
	s.evaluate()
	s.pick(polls, left)
	return 0
}

// tick begins a slot.
func (s *bayes) tick() {
	if s.slot++; s.slot == s.renewal {
		s.renew(s.nodes, s.slot)
		s.fillUnseen()
		s.renewal += min(max(8, s.slot/8), 512)
	}
}

// open polls the leased nodes, and makes those that the calendar has for this
// slot candidates; and those of later slots as long as there are not enough. It
// returns the capacity that leases leave.
func (s *bayes) open(polls bitset.Set) (left float64) {
	copy(polls, s.steady)
	s.leased = s.leased[:0]
	left = float64(s.capacity) - s.steadyLoad
	wanted := 0.0
	for _, i := range s.candidates {
		wanted += s.costOf(int(i))
	}
	for _, i := range s.take(0) {
		e, cost := &s.nodes[i], s.costOf(int(i))
		if e.left > 0 && cost <= left {
			left -= cost
			e.left--
			s.leased = append(s.leased, i)
			s.put(i, int(e.gap))
			polls.Add(int(i))
			continue
		}
		if e.gap == 1 {
			left += cost
			polls.Remove(int(i))
		}
		s.settle(i, s.slot-1)
		s.candidates = append(s.candidates, i)
		wanted += cost
	}
	for ahead := 1; ahead < horizon && wanted < left; ahead++ {
		for _, i := range s.take(ahead) {
			if s.nodes[i].gap > 0 {
				s.put(i, ahead)
				continue
			}
			s.candidates = append(s.candidates, i)
			wanted += s.costOf(int(i))
		}
	}
	return left
}

// take empties the calendar's entry for the slot some slots from now.
func (s *bayes) take(ahead int) []int32 {
	entry := &s.calendar[uint(s.slot+ahead)%horizon]
	nodes := *entry
	*entry = nodes[:0]
	return nodes
}

// put enters a node into the calendar.
func (s *bayes) put(i int32, ahead int) {
	entry := &s.calendar[uint(s.slot+ahead)%horizon]
	*entry = append(*entry, i)
}

// evaluate sets the indices of the candidates.
func (s *bayes) evaluate() {
	s.index, s.missing = s.index[:0], s.missing[:0]
	for _, i := range s.candidates {
		e := &s.nodes[i]
		a, b := s.with(e, s.slot)
		g := s.slot - int(e.polled)
		share, miss := s.share(s.model, a, b, g)
		if d := float64(e.odds); d > notable {
			share = (share + float64(d*s.unseen[min(g, knownGaps-1)])) / (1 + d)
		}
		s.index = append(s.index, float64(s.weight[i]*share))
		s.missing = append(s.missing, miss)
	}
}

func (s *bayes) fillUnseen() {
	for g := range s.unseen {
		s.unseen[g], _ = s.share(s.model, s.prior.a, s.prior.b, g)
	}
}

// pick polls the candidates of largest index. Of the others those stay whose
// index is close to the cutoff.
func (s *bayes) pick(polls bitset.Set, left float64) {
	s.chosen = 0
	if least := s.largest(polls, left); s.chosen > 0 {
		s.cutoff += float64(cutoffGain * (least - s.cutoff))
	}
	stay := s.chosen
	for k := s.chosen; k < len(s.candidates); k++ {
		i := s.candidates[k]
		switch x := s.index[k] / s.cutoff; {
		case x >= s.close:
			s.candidates[stay] = i
			stay++
		case x >= s.near:
			s.put(i, s.wait(i, s.close))
		default:
			s.put(i, s.wait(i, s.near))
		}
	}
	s.candidates = s.candidates[:stay]
}

// largest polls the candidates of largest index that fit, moves them to the
// front, and returns the least index among them.
func (s *bayes) largest(polls bitset.Set, left float64) (least float64) {
	if s.cost == nil {
		n := min(int(left), len(s.candidates))
		if n == 0 {
			return 0
		}
		least, equal := s.threshold(s.index, n)
		for k, x := range s.index {
			if x > least || x == least && equal > 0 {
				if x == least {
					equal--
				}
				s.poll(k, polls)
			}
		}
		return least
	}
	s.order = s.order[:0]
	for k := range s.candidates {
		s.order = append(s.order, int32(k))
	}
	slices.SortFunc(s.order, func(j, k int32) int {
		return cmp.Or(cmp.Compare(s.index[k], s.index[j]), cmp.Compare(s.candidates[j], s.candidates[k]))
	})
	fit := s.order[:0]
	for _, k := range s.order {
		if cost := s.cost[s.candidates[k]]; cost <= left {
			left -= cost
			least = s.index[k]
			fit = append(fit, k)
		}
	}
	slices.Sort(fit) // so that none is moved before its turn
	for _, k := range fit {
		s.poll(int(k), polls)
	}
	return least
}

// poll moves candidate k to those that are polled.
func (s *bayes) poll(k int, polls bitset.Set) {
	polls.Add(int(s.candidates[k]))
	j := s.chosen
	s.candidates[j], s.candidates[k] = s.candidates[k], s.candidates[j]
	s.index[j], s.index[k] = s.index[k], s.index[j]
	s.missing[j], s.missing[k] = s.missing[k], s.missing[j]
	s.chosen++
}

// wait returns the slots, at least 1, until the index of a node is about to
// reach a part of the cutoff.
func (s *bayes) wait(i int32, part float64) int {
	e := &s.nodes[i]
	age := s.slot - int(e.polled)
	a, b := s.with(e, s.slot)
	share := float64(part*s.cutoff) / s.weight[i]
	g := s.gap(s.model, a, b, share)
	if d := float64(e.odds); d > notable {
		for range 2 { // what the learned belief has to contribute at that gap
			g = s.gap(s.model, a, b, share+float64(d*(share-s.unseen[int(min(max(g, 1), knownGaps-1))])))
		}
	}
	if s.model == sources.Disappear {
		return int(max(g, 1))
	}
	// A poll that comes late by a part of the gap costs little.
	return int(min(max(g+0.5-float64(age), float64(1+age/16)), horizon-1))
}

func (s *bayes) learn(polls, hits bitset.Set) {
	for g, nodes := range s.steady {
		carry := nodes & hits[g]
		for k, plane := range s.steadyHits[g] {
			s.steadyHits[g][k], carry = plane^carry, plane&carry
		}
	}
	for _, i := range s.leased {
		s.nodes[i].hits += int8(hits[i>>6] >> (i & 63) & 1)
	}
	for k, i := range s.candidates[:s.chosen] {
		s.learnPoll(i, hits.Has(int(i)), s.missing[k])
		if !s.grant(i) {
			s.put(i, s.wait(i, s.near))
		}
	}
	s.candidates = s.candidates[:copy(s.candidates, s.candidates[s.chosen:])]
	s.suspect()
}

// learnPoll takes the outcome of the poll of a node, of which a miss was
// believed to have the given probability.
func (s *bayes) learnPoll(i int32, hit bool, miss float64) {
	e := &s.nodes[i]
	a, b := s.with(e, s.slot)
	waited := s.slot - int(e.polled)
	g := waited
	if s.model == sources.Disappear {
		g = 1
	}
	unseen := s.missed[min(g, knownGaps-1)]
	ratio := max(unseen, 1e-4) / max(miss, 1e-4)
	if hit {
		ratio = max(1-unseen, 1e-4) / max(1-miss, 1e-4)
	}
	if s.judge(e, waited, ratio, s.log(ratio)) {
		a, b, miss = s.prior.a, s.prior.b, unseen
	}
	if hit {
		a, b = afterHit(a, b, float64(g), miss)
	} else {
		b += float64(g)
	}
	s.keep(e, a, b, s.slot)
}

// judge takes how much likelier feedback is if the node became another, the
// ratio and its logarithm, and reports whether it did.
func (s *bayes) judge(e *evidence, waited int, ratio, logarithm float64) bool {
	s.cusum += logarithm
	odds := float64((float64(e.odds) + float64(changeRate*float64(waited))) * ratio)
	e.odds = float32(odds)
	if odds <= replaced {
		return false
	}
	e.odds = 0
	return true
}

// keep sets what is believed of a node after the poll of a slot.
func (s *bayes) keep(e *evidence, a, b float64, slot int) {
	e.a, e.b, e.polled = float32(a-s.prior.a), float32(b-s.prior.b), int32(slot)
}

// grant gives a node that was just polled a lease, if it is known well enough:
// for so many polls as add a quarter to what is known. Leases leave a part of
// the capacity to the candidates, by the least index of which the cutoff is
// known: without that it may follow the few that are left, away from the
// others. (In disappear there are no gaps to go wrong by.)
func (s *bayes) grant(i int32) bool {
	e := &s.nodes[i]
	a, b := s.with(e, s.slot)
	if a < 8 || e.odds > 0.1 {
		return false
	}
	share := s.cutoff / s.weight[i]
	g := 1.0
	if s.model != sources.Disappear {
		g = max(math.Floor(s.gap(s.model, a, b, share)+1), 1)
	}
	n := int(min(a/4, longest/g, most))
	load := s.costOf(int(i)) / g
	if n < 2 || s.model != sources.Disappear && s.leaseLoad+load > leasable*float64(s.capacity) {
		return false
	}
	if x, _ := s.share(s.model, a, b, int(g)); x < share {
		return false
	}
	s.leaseLoad += load
	if g == 1 {
		e.lease = lease{gap: 1}
		s.steady.Add(int(i))
		s.steadyLoad += s.costOf(int(i))
		s.put(i, n+1)
		return true
	}
	e.lease = lease{gap: int16(g), n: int8(n), left: int8(n)}
	s.put(i, int(g))
	return true
}

// settle ends the lease of a node, if it has one, and learns from its polls up
// to those of the last slot.
func (s *bayes) settle(i int32, last int) {
	e := &s.nodes[i]
	if e.gap == 0 {
		return
	}
	n, hits := int(e.n-e.left), int(e.hits)
	if e.gap == 1 {
		n, hits = last-int(e.polled), s.endSteady(i)
	}
	waited := n * int(e.gap)
	g := float64(e.gap)
	s.leaseLoad -= s.costOf(int(i)) / g
	if s.model == sources.Disappear {
		g = 1
	}
	e.lease = lease{}
	if n == 0 {
		return
	}
	slot := int(e.polled) + waited
	a, b := s.with(e, slot)
	logarithm := s.surprise(a, b, g, float64(n), float64(hits))
	if s.judge(e, waited, detmath.Exp(min(logarithm, 50)), logarithm) {
		a, b = s.prior.a, s.prior.b
	}
	a, b = s.afterLease(a, b, g, float64(n), float64(hits))
	s.keep(e, a, b, slot)
}

// endSteady ends a lease of gap 1 and returns its hits.
func (s *bayes) endSteady(i int32) (hits int) {
	s.steady.Remove(int(i))
	s.steadyLoad -= s.costOf(int(i))
	for k := range s.steadyHits[i>>6] {
		plane := &s.steadyHits[i>>6][k]
		hits |= int(*plane>>(i&63)&1) << k
		*plane &^= 1 << (i & 63)
	}
	return hits
}

// suspect ends a slot. It forgets all evidence if the feedback of recent
// slots is much likelier without: a cumulative sum (Page 1954) of
// logarithms of likelihood ratios, which falls while nodes stay.
func (s *bayes) suspect() {
	if s.cusum = max(0, s.cusum); s.cusum <= alarm {
		return
	}
	s.gather()
	for i := range s.nodes {
		s.nodes[i] = evidence{polled: s.nodes[i].polled}
	}
	s.cusum = 0
}
