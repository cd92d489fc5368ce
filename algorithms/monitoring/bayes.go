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
// In disappear, where indices do not rise, nodes wait in classes of them. These,
// the candidates, compete for the capacity. A node that is known well gets a
// lease: its next polls are decided at once, and learned from at once.
//
// Not from the thesis. READINGS.md says on what its constants were chosen, and what
// came of it on others.
type bayes struct {
	task
	selection
	prior
	links *links // nil: none
	nodes []evidence
	slot  int
	since int // the slot after which evidence was last forgotten of many nodes

	calendar   []bitset.Set // the nodes of each slot, modulo horizon
	classes    []bitset.Set // disappear: those without leases, by falling index, from 1 on, too
	top        float64      // the largest index of class 1 but for larger ones
	filled     uint64       // the classes that may have nodes, bit by bit
	candidates []int32      // of this slot; then those that are polled
	index      []float64    // theirs
	costs      []float64    // theirs
	polled     bitset.Set   // those that are polled, by their places

	leased    bitset.Set                // the nodes with leases
	ending    []int32                   // those whose leases end in this slot
	turns     [mostGap + 1][]bitset.Set // by their gap, those that are polled in a slot, modulo the gap
	leaseHits [][5]uint64               // bit by bit
	load      float64                   // of the leases that are polled in this slot, but for those that end
	leasable  float64                   // the most that this may be for another lease: the other polls make the cutoff

	cutoff  float64
	near    float64 // the part of it from which a node is a candidate
	renewal int     // the slot after which the prior is learned anew
	cusum   float64 // see learn
	alarm   float64 // where all is forgotten
}

const (
	horizon    = 64     // slots of the calendar; classes, and one
	classShift = 52 - 4 // classes of an octave
	longest    = 240    // slots after which every node is looked at
	patience   = 4      // nor does it wait longer than this part of the slots since all was forgotten
	cutoffGain = 0.1    // how fast the cutoff follows the least index polled in a slot
	mostPolls  = 31     // of a lease
	mostGap    = 16     // of its polls
)

func newBayes(t *task) *bayes {
	r, capacity := t.World.Nodes, float64(t.World.Capacity)
	noise := 1 / math.Sqrt(capacity) // of the cutoff, about
	s := &bayes{
		task:       *t,
		prior:      prior{model: t.Model, a: firstShape, b: firstSlots, bonus: mostBonus / 2, curves: curvesOnce()},
		nodes:      make([]evidence, r),
		candidates: make([]int32, 0, r), // all nodes at first
		index:      make([]float64, 0, r),
		polled:     bitset.NewSet(r),
		leased:     bitset.NewSet(r),
		leaseHits:  make([][5]uint64, bitset.Groups(r)),
		near:       1 - float64(0.3*noise*noise),
		leasable:   capacity * (1 - float64(1.5*noise)), // leases of gaps above 1 come in unequal numbers
		renewal:    8,
		alarm:      30,
	}
	gaps := []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, mostGap}
	if t.Model == sources.Overwrite {
		s.links = newLinks(t.Links, r)
		s.alarm = 20 + float64(r)/capacity // to poll all anew takes so many slots
	}
	if t.Model == sources.Disappear {
		gaps = gaps[:1]
		s.leasable = capacity * (1 - float64(0.7*noise))
		s.candidates, s.index = nil, nil // few are candidates here, and none is compared
	}
	s.prior.polls = capacity / float64(r)
	s.cutoff = s.share(s.prior.a, s.prior.b, 1)
	s.center = math.Float64bits(s.cutoff) >> shift
	for _, gap := range gaps {
		s.turns[gap] = newSets(gap, r)
	}
	return s
}

// newSets returns some empty sets.
func newSets(n, nodes int) []bitset.Set {
	sets := make([]bitset.Set, n)
	for k := range sets {
		sets[k] = bitset.NewSet(nodes)
	}
	return sets
}

func (s *bayes) begin(k known) {
	old := s.importance
	s.known = k
	s.recall(func(i int) bool { return old != nil && old[i] != k.importance[i] })
}

// recall has all nodes looked at in the next slot, and leaves what is believed of
// some that became others nothing was seen of. What may wait there from before
// counts as nothing.
func (s *bayes) recall(another func(i int) bool) {
	s.since = s.slot
	s.calendar = newSets(horizon, len(s.nodes))
	for i := range s.nodes {
		if s.leased.Has(i) {
			s.settle(int32(i), s.slot)
		}
		e := &s.nodes[i]
		e.weight = max(s.importance[i]/s.costOf(i), 1e-12)
		if another(i) {
			e.a, e.b, e.odds = 0, 0, 0
			if s.model == sources.Overwrite {
				e.polled = int32(s.slot)
			}
		}
		s.put(int32(i), 1)
	}
	s.classify()
}

// classify enters the nodes without leases into classes of their index.
func (s *bayes) classify() {
	if s.model != sources.Disappear {
		return
	}
	s.top = 4 * s.cutoff
	s.classes = newSets(horizon, len(s.nodes))
	for i := range int32(len(s.nodes)) {
		if !s.leased.Has(int(i)) {
			s.rest(i)
		}
	}
}

// put enters a node into the calendar.
func (s *bayes) put(i int32, ahead int) {
	s.nodes[i].due = int32(s.slot + ahead)
	s.calendar[(s.slot+ahead)%horizon].Add(int(i))
}

// rest has a node wait until it becomes a candidate.
func (s *bayes) rest(i int32) {
	if s.model == sources.Disappear {
		k := int(math.Float64bits(s.top)>>classShift) - int(math.Float64bits(s.indexOf(i))>>classShift)
		k = min(max(k, 0)+1, horizon-1)
		s.classes[k].Add(int(i))
		s.filled |= 1 << k
		s.nodes[i].due = int32(-k)
		return
	}
	a, b, ago := s.belief(i)
	g := s.gap(a, b, float64(s.near*s.cutoff)/s.nodes[i].weight)
	// A poll that comes late by a part of the gap costs little.
	s.put(i, int(min(max(g+0.5-ago, 1+ago/16), longest, 1+float64(s.slot-s.since)/patience)))
}

func (s *bayes) choose(polls bitset.Set) int {
	if s.slot == s.renewal {
		s.renew(s.nodes, s.slot)
		s.classify()
		s.renewal += min(max(8, s.slot/8), 256)
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
		if s.load <= float64(s.World.Capacity) {
			break
		}
		s.load -= s.costOf(k) // the turns of too many fell together
		polls.Remove(k)
		s.settle(int32(k), s.slot-1)
		s.put(int32(k), 0)
	}
	room := float64(s.World.Capacity) - s.load
	s.gather(room)
	if s.model != sources.Disappear {
		s.compare(room)
	} else if n := len(s.candidates); n > 0 {
		s.follow(s.indexOf(s.candidates[n-1]))
	}
	for _, i := range s.candidates {
		polls.Add(int(i))
	}
	return 0
}

// gather makes those nodes candidates that the calendar has for this slot, and
// those of later slots as long as there are not enough; or those of the first
// classes that there is room for, which are not compared.
func (s *bayes) gather(room float64) {
	s.candidates, s.ending = s.candidates[:0], s.ending[:0]
	wanted := 0.0
	for ahead := 0; ahead == 0 || ahead < horizon && wanted < room; ahead++ {
		row, due := s.calendar[(s.slot+ahead)%horizon], s.slot+ahead
		if ahead > 0 && s.model == sources.Disappear {
			row, due = s.classes[ahead], -ahead
			if s.filled>>ahead&1 == 0 {
				continue
			}
			s.filled &^= 1 << ahead
		}
		for g, nodes := range row {
			row[g] = 0
			for ; nodes != 0 && (due >= 0 || wanted < room); nodes &= nodes - 1 {
				i := g<<6 + bits.TrailingZeros64(nodes)
				cost := s.costOf(i)
				switch later := int(s.nodes[i].due) - due; {
				case later < 0 || later%horizon != 0: // it was entered elsewhere since
				case later > 0 && ahead == 0, ahead > 0 && s.leased.Has(i), due < 0 && wanted+cost > room:
					row[g] |= nodes & -nodes // it is for another round of the calendar, or costs too much
				case s.leased.Has(i):
					s.ending = append(s.ending, int32(i))
				default:
					s.candidates = append(s.candidates, int32(i))
					wanted += cost
				}
			}
			if row[g] |= nodes; row[g] != 0 {
				s.filled |= 1 << ahead
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

// indexOf returns the index of a node.
func (s *bayes) indexOf(i int32) float64 {
	a, b, gap := s.belief(i)
	none, less := s.links.unchanged(s.nodes, i)
	gap -= less
	if none < 1 { // it counts as if the node had waited until M(gap) is as small
		gap = (b+gap)/max(s.decay(-s.log(none)/a), 1e-6) - b
	}
	return float64(s.nodes[i].weight * s.share(a, b, gap))
}

// compare leaves the candidates of largest index that there is room for.
func (s *bayes) compare(room float64) {
	s.index, s.costs = s.index[:0], s.costs[:0]
	for _, i := range s.candidates {
		s.index = append(s.index, s.indexOf(i))
		if s.cost != nil {
			s.costs = append(s.costs, s.cost[i])
		}
	}
	s.follow(s.selection.choose(s.index, s.costs, room, s.polled[:bitset.Groups(len(s.index))]))
	kept := s.candidates[:0]
	for k, i := range s.candidates {
		switch {
		case s.polled.Has(k):
			kept = append(kept, i)
		case s.index[k] >= float64(s.near*s.cutoff):
			s.put(i, 1)
		default:
			s.rest(i)
		}
	}
	s.candidates = kept
}

// follow brings the cutoff nearer to the least index polled, if there is one.
func (s *bayes) follow(least float64) {
	if least >= 0 {
		s.cutoff += float64(cutoffGain * (least - s.cutoff))
	}
}

// learn forgets all evidence if the feedback of recent slots is much likelier
// without: a cumulative sum (Page 1954) of logarithms of likelihood ratios, which
// falls while nodes stay.
func (s *bayes) learn(polls, hits bitset.Set) {
	for g, nodes := range s.leased {
		c, carry := &s.leaseHits[g], nodes&hits[g]
		c[0], carry = c[0]^carry, c[0]&carry
		c[1], carry = c[1]^carry, c[1]&carry
		c[2], carry = c[2]^carry, c[2]&carry
		c[3], carry = c[3]^carry, c[3]&carry
		c[4] ^= carry
	}
	for _, i := range s.candidates {
		s.learnPoll(i, hits.Has(int(i)))
		s.next(i)
	}
	for _, i := range s.ending {
		s.load -= s.costOf(int(i))
		s.settle(i, s.slot)
		s.next(i)
	}
	if s.cusum = max(0, s.cusum); s.cusum > s.alarm {
		s.recall(func(int) bool { return true })
		s.cusum = 0
	}
}

// learnPoll takes the outcome of the poll of a candidate. After a hit the nodes
// that it is linked with are looked at in the next slot.
func (s *bayes) learnPoll(i int32, hit bool) {
	hits, waited := 0, s.slot-int(s.nodes[i].polled)
	if hit {
		hits = 1
	}
	if s.links != nil {
		a, b, g := s.belief(i)
		s.links.learn(s.nodes, i, waited, s.miss(a, b, g), hit)
		for _, k := range s.links.of[i] {
			if hit { // it has no lease, being linked
				s.put(k.other, 1)
			}
		}
	}
	s.learnPolls(i, waited, 1, hits)
}

// learnPolls takes the hits of n polls at equal gaps, for all of which a node waited
// some slots. They tell how much likelier they are if it became another. That it did so
// alone raises no alarm in disappear, where others are explored anyway. In overwrite
// alarms are what has seldom polled nodes learned anew.
func (s *bayes) learnPolls(i int32, waited, n, hits int) {
	e, g := &s.nodes[i], float64(waited/n)
	if s.model == sources.Disappear {
		g = 1
	}
	a, b := s.with(e, int(e.polled)+waited)
	var ratio, miss, unseen float64
	if n > 1 {
		ratio = s.surprise(a, b, g, float64(n), float64(hits))
	} else if miss, unseen = s.miss(a, b, g), s.miss(s.prior.a, s.prior.b, g); hits > 0 {
		ratio = max(1-unseen, 1e-4) / max(1-miss, 1e-4)
	} else {
		ratio = max(unseen, 1e-4) / max(miss, 1e-4)
	}
	odds := float64(e.odds) + float64(changeRate*float64(waited))
	s.cusum += s.log(ratio)
	if s.model == sources.Disappear {
		s.cusum -= s.log((1 + float64(odds*ratio)) / (1 + odds))
	}
	odds *= ratio
	if e.odds = float32(odds); odds > replaced {
		a, b, miss, e.odds = s.prior.a, s.prior.b, unseen, 0
	}
	if n == 1 && hits == 1 {
		a, b = afterHit(a, b, g, miss)
	} else {
		a, b = s.afterMany(a, b, g, float64(n), float64(hits))
	}
	e.a, e.b, e.polled = float32(a-s.prior.a), float32(b-s.prior.b), e.polled+int32(waited)
}

// next decides when a node that was just polled is looked at again. If
// enough is known of it, it gets a lease: polls at equal gaps, which are not
// compared with others and are learned from together. In disappear there are so
// many that its index is above the cutoff even if none is a hit, else so many as
// add a quarter to what is known.
func (s *bayes) next(i int32) {
	e := &s.nodes[i]
	if s.load < s.leasable && e.odds < 0.1 && (s.links == nil || s.links.of[i] == nil) {
		a, b := s.with(e, s.slot)
		share := s.cutoff / e.weight
		gap, polls := 1, a/4
		if s.model == sources.Disappear {
			polls = s.misses(a, b, share)
		} else if polls >= 2 {
			gap = int(min(max(s.gap(a, b, share), 1), mostGap+1))
			for gap <= mostGap && (s.turns[gap] == nil || s.share(a, b, float64(gap)) < share) {
				gap++
			}
		}
		n := int(min(polls, mostPolls, longest/float64(gap)-1, float64(s.slot-s.since)/patience))
		if gap <= mostGap && n >= 2 {
			s.leased.Add(int(i))
			s.turns[gap][s.slot%gap].Add(int(i))
			s.load += s.costOf(int(i))
			e.gap = int8(gap)
			s.put(i, n*gap)
			return
		}
	}
	s.rest(i)
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
	if n := (last - int(e.polled)) / g; n > 0 {
		s.learnPolls(i, n*g, n, hits)
	}
}
