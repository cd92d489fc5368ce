package monitoring

import (
	"math"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// bayes learns the change probabilities and polls by the indices that are optimal if one knows
// them, averaged over what is believed of the rate θ (belief.go), g slots after the last poll:
//
//   - overwrite: Whittle's, ω(1 − M(g) − g(M(g) − M(g+1)));
//   - accumulate: what waits at the node, ω·g·(1 − M(1));
//   - disappear: ω·p, with a change or so more than was seen (prior.bonus).
//
// Most nodes are not looked at in a slot. The calendar has the nodes whose
// index comes near the cutoff, which is about the least index that is polled.
// These, the candidates, are polled by falling classes of their index. In disappear,
// where indices do not rise, they stay in their classes. A node that is known well gets
// a lease: its next polls are decided at once, and learned from at once.
//
// Not from the thesis. READINGS.md says on what its constants were chosen, and what
// came of it on others.
type bayes struct {
	task
	prior
	links   *links // nil: none
	nodes   []evidence
	slot    int
	since   int     // the slot after which evidence was last forgotten of many nodes
	longest float64 // slots after which every node is looked at

	lists  lists      // the calendar, of the nodes of each slot modulo horizon; then classes, by falling index
	filled bitset.Set // the classes that have nodes
	middle float64    // the index of the class in the middle
	polled []int32    // the candidates that are polled in this slot
	ending []int32    // the nodes whose leases end in it

	turns     [mostGap + 1][]bitset.Set // by their gap, those that are polled in a slot, modulo the gap
	leaseHits [][5]uint64               // bit by bit, of nodes with leases
	load      float64                   // of the leases that are polled in this slot, but for those that end
	leasable  float64                   // the most that this may be for another lease: the other polls make the cutoff

	cutoff  float64
	near    float64 // the part of it from which a node is a candidate
	renewal int     // the slot after which the prior is learned anew
	cusum   float64 // see learn
	alarm   float64 // where all is forgotten

	tries, others float64 // recent polls, and how often these found that a node became another
}

const (
	horizon    = 1024 // slots of the calendar
	classes    = 128
	patience   = 4    // nor does it wait longer than this part of the slots since all was forgotten
	settling   = 10   // slots after that which do not count for it: hits of what waited mislead
	leastMiss  = 1e-4 // about what a probability is at least
	cutoffGain = 0.1  // how fast the cutoff follows the least index polled in a slot
	mostPolls  = 31   // of a lease
	mostGap    = 16   // of its polls
	mostTries  = 2e6  // polls that are recent
	fadingRate = 10   // evidence fades so many times as fast as nodes become others
	fewOthers  = 20   // are counted beside those that were found
)

func newBayes(t *task) *bayes {
	r, capacity := t.World.Nodes, float64(t.World.Capacity)
	noise := 1 / math.Sqrt(capacity) // of the cutoff, about
	s := &bayes{
		task:      *t,
		prior:     prior{a: firstShape, b: firstSlots, bonus: mostBonus / 2, curves: curvesOnce()},
		nodes:     make([]evidence, r),
		lists:     make(lists, r+horizon+classes),
		filled:    bitset.NewSet(classes),
		leaseHits: make([][5]uint64, bitset.Groups(r)),
		near:      1 - float64(0.3*noise*noise),
		leasable:  capacity * (1 - float64(1.5*noise)), // leases of gaps above 1 come in unequal numbers
		renewal:   8,
		longest:   1000,
		tries:     2e5, // as if there had been so many
		alarm:     30,
	}
	gaps := []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, mostGap}
	if t.Model == sources.Overwrite {
		if s.links = newLinks(t.Links, r); s.links != nil {
			s.longest = 240 // others may tell of nodes that wait
		}
		s.alarm = 20 + float64(r)/capacity // to poll all anew takes so many slots
	}
	s.accumulate = t.Model == sources.Accumulate
	if s.disappear = t.Model == sources.Disappear; s.disappear {
		gaps = gaps[:1]
		s.tries = 4e5 // here fading has nodes explored again
		s.leasable = capacity * (1 - float64(0.7*noise))
	}
	s.once = s.miss(s.prior.a, s.prior.b, 1)
	s.prior.polls = capacity / float64(r)
	s.cutoff = s.share(s.prior.a, s.prior.b, 1)
	for i := range s.lists { // which are empty
		s.lists[i].next, s.lists[i].before = int32(i), int32(i)
	}
	for _, gap := range gaps {
		s.turns[gap] = make([]bitset.Set, gap)
		for k := range s.turns[gap] {
			s.turns[gap][k] = bitset.NewSet(r)
		}
	}
	return s
}

func (s *bayes) begin(k known) {
	old := s.importance
	s.known = k
	s.recall(func(i int) bool { return old != nil && old[i] != k.importance[i] })
}

// recall has all nodes looked at in the next slot, and leaves what is believed of some that became
// others nothing was seen of. What may wait there from before counts as nothing.
func (s *bayes) recall(another func(i int) bool) {
	s.since = s.slot
	for i := range s.nodes {
		e := &s.nodes[i]
		if e.gap > 0 {
			s.settle(int32(i), s.slot)
		}
		e.slope = 0
		e.weight = max(s.importance[i]/s.costOf(i), 1e-12)
		if another(i) {
			e.a, e.b, e.odds = 0, 0, 0
			if s.Model == sources.Overwrite {
				e.polled = int32(s.slot)
			}
		}
		s.put(int32(i), 1)
	}
	s.middle = s.cutoff
}

// put enters a node into the calendar.
func (s *bayes) put(i int32, ahead int) { s.lists.move(i, s.day(ahead)) }

// day returns the list of the nodes that are looked at some slots ahead.
func (s *bayes) day(ahead int) int32 { return int32(len(s.nodes) + int(uint(s.slot+ahead)%horizon)) }

// enter makes a node of some index a candidate.
func (s *bayes) enter(i int32, index float64) {
	k := s.class(index)
	s.lists.move(i, int32(len(s.nodes)+horizon+k))
	s.filled.Add(k)
}

// class returns the class of an index.
func (s *bayes) class(index float64) int {
	return int(classes * 0.999 * s.middle / (s.middle + index + 1e-300)) // which is a number if all are 0
}

// rest has a node of some belief wait until it becomes a candidate.
func (s *bayes) rest(i int32, a, b, ago float64) {
	if s.disappear {
		s.enter(i, s.indexOf(i, a, b, ago))
		return
	}
	e, near := &s.nodes[i], float64(s.near*s.cutoff)
	gap := s.gap(a, b, near, e.weight)
	if e.slope = 0; !s.accumulate && s.links == nil && s.near > 0.9 && gap < s.longest {
		// The index rises as the square of the gap at first, less and less towards the weight.
		slope := 2 * near * (1 - near/e.weight) / (gap + 0.5)
		e.slope, e.start = float32(slope), float32(near-float64(slope*gap))
	}
	g := int(min(gap, s.longest))
	// A poll that comes late by a part of the gap costs little.
	s.put(i, min(1+max(g-int(ago), int(ago)/16), int(s.longest), 1+(s.slot-s.since)/patience))
}

func (s *bayes) choose(polls bitset.Set) int {
	if s.slot == s.renewal {
		recent := min(1, mostTries/s.tries)
		s.tries, s.others = float64(recent*s.tries), float64(recent*s.others)
		s.fading = fadingRate * (s.others + fewOthers) / s.tries
		s.renew(s.nodes, s.slot)
		s.middle = s.cutoff
		for i := range s.nodes {
			if s.disappear && s.nodes[i].gap == 0 {
				a, b, ago := s.belief(int32(i))
				s.enter(int32(i), s.indexOf(int32(i), a, b, ago))
			}
		}
		s.renewal += min(max(8, s.slot/8), 256)
	}
	s.slot++
	s.tries += float64(s.World.Capacity)
	clear(polls)
	for gap, turns := range s.turns {
		if turns != nil {
			for g, nodes := range turns[s.slot%gap][:len(polls)] {
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
	s.gather(float64(s.World.Capacity) - s.load)
	s.take(float64(s.World.Capacity) - s.load)
	if n := len(s.polled); n > 0 {
		last := s.polled[n-1]
		a, b, ago := s.belief(last)
		s.cutoff += float64(cutoffGain * (s.indexOf(last, a, b, ago) - s.cutoff))
	}
	for _, i := range s.polled {
		polls.Add(int(i))
	}
	return 0
}

// gather makes those nodes candidates that the calendar has for this slot, and
// those of later slots as long as there are not enough.
func (s *bayes) gather(room float64) {
	s.ending = s.ending[:0]
	for ahead := 0; ahead == 0 || ahead < horizon && room > 0 && !s.disappear; ahead++ {
		end := s.day(ahead)
		for i, next := s.lists[end].next, int32(0); i != end; i = next {
			next = s.lists[i].next
			if e := &s.nodes[i]; e.gap == 0 {
				if e.slope > 0 {
					s.enter(i, max(float64(e.start)+float64(float64(e.slope)*float64(s.slot-int(e.polled))), 0))
				} else {
					a, b, ago := s.belief(i)
					s.enter(i, s.indexOf(i, a, b, ago))
				}
				room -= s.costOf(int(i))
			} else if ahead == 0 {
				s.ending = append(s.ending, i)
			}
		}
	}
}

// take polls the candidates of the first classes that there is room for. In disappear
// the others stay in their classes.
func (s *bayes) take(room float64) {
	s.polled = s.polled[:0]
	near := s.class(float64(s.near * s.cutoff))
	for k := range s.filled.All {
		end := int32(len(s.nodes) + horizon + k)
		i, next := s.lists[end].next, int32(0)
		if i == end {
			s.filled.Remove(k)
		}
		for ; i != end; i = next {
			next = s.lists[i].next
			switch cost := s.costOf(int(i)); {
			case cost <= room:
				room -= cost
				s.polled = append(s.polled, i)
			case s.disappear:
				if room <= 0 {
					return
				}
			case k <= near:
				s.put(i, 1)
			default:
				a, b, ago := s.belief(i)
				s.rest(i, a, b, ago)
			}
		}
	}
}

// belief returns what is believed of a node, and the slots since its last poll.
func (s *bayes) belief(i int32) (a, b, ago float64) { return s.with(&s.nodes[i], s.slot) }

// indexOf returns the index of a node of some belief.
func (s *bayes) indexOf(i int32, a, b, ago float64) float64 {
	if s.links != nil {
		none, less := s.links.unchanged(s.nodes, i)
		ago -= less
		if none < 1 { // it counts as if the node had waited until M(ago) is as small
			ago = (b+ago)/max(s.decay(-s.log(none)/a), 1e-6) - b
		}
	}
	return float64(s.nodes[i].weight * s.share(a, b, ago))
}

// learn forgets all evidence if the feedback of recent slots is much likelier without: a cumulative
// sum (Page 1954) of logarithms of likelihood ratios, which falls while nodes stay.
func (s *bayes) learn(polls, hits bitset.Set) {
	for g, carry := range hits {
		c := &s.leaseHits[g]
		c[0], carry = c[0]^carry, c[0]&carry
		c[1], carry = c[1]^carry, c[1]&carry
		c[2], carry = c[2]^carry, c[2]&carry
		c[3], carry = c[3]^carry, c[3]&carry
		c[4] ^= carry
	}
	for _, i := range s.polled {
		if s.links != nil {
			s.tellLinked(i, hits.Has(int(i)))
		}
		a, b := s.learnPolls(i, s.slot-int(s.nodes[i].polled), 1, int(hits[i>>6]>>(i&63)&1))
		s.next(i, a, b)
	}
	for _, i := range s.ending {
		s.load -= s.costOf(int(i))
		a, b := s.settle(i, s.slot)
		s.next(i, a, b)
	}
	s.cusum = max(0, s.cusum)
	if s.slot < s.since+settling {
		s.cusum = 0
	} else if s.cusum > s.alarm {
		s.recall(func(int) bool { return true })
	}
}

// tellLinked has the outcome of a poll learned by links, before that is learned from otherwise.
// After a hit the nodes that the node is linked with are looked at in the next slot.
func (s *bayes) tellLinked(i int32, hit bool) {
	a, b, ago := s.belief(i)
	s.links.learn(s.nodes, i, int(ago), s.miss(a, b, ago), hit)
	for _, k := range s.links.of[i] {
		if hit { // it has no lease, being linked
			s.put(k.other, 1)
		}
	}
}

// learnPolls takes the hits of n polls at equal gaps. They tell how much likelier they are if the
// node became another. That it did so alone raises no alarm in disappear, where others are explored
// anyway. In overwrite alarms are what has seldom polled nodes learned anew.
func (s *bayes) learnPolls(i int32, gap, n, hits int) (a, b float64) {
	e, g, waited := &s.nodes[i], float64(gap), gap*n
	if s.disappear {
		g = 1
	}
	a, b, _ = s.with(e, int(e.polled)+waited)
	var ratio, miss, unseen float64
	if n > 1 {
		ratio = s.surprise(a, b, g, float64(n), float64(hits))
	} else {
		miss, unseen = s.miss(a, b, g), s.once
		if g > 1 {
			unseen = s.miss(s.prior.a, s.prior.b, g)
		}
		if ratio = (unseen + leastMiss) / (miss + leastMiss); hits > 0 {
			ratio = (1 - unseen + leastMiss) / (1 - miss + leastMiss)
		}
	}
	odds := float64(e.odds) + float64(changeRate*float64(waited))
	alarm := ratio
	if s.disappear {
		alarm *= (1 + odds) / (1 + float64(odds*ratio))
	}
	s.cusum += s.log(alarm)
	odds *= ratio
	if e.odds = float32(odds); odds > replaced {
		a, b, miss, e.odds = s.prior.a, s.prior.b, unseen, 0
		s.others++
	}
	if n == 1 && hits == 1 {
		a, b = afterHit(a, b, g, miss)
	} else {
		a, b = s.afterMany(a, b, g, float64(n), float64(hits))
	}
	e.a, e.b, e.polled = float32(a-s.prior.a), float32(b-s.prior.b), e.polled+int32(waited)
	return a, b
}

// next decides when a node that was just polled is looked at again. If enough is known of it, it
// gets a lease: polls at equal gaps, which are not compared with others and are learned from
// together. In disappear there are so many that its index is above the cutoff even if none is a
// hit, else so many as add a quarter to what is known.
func (s *bayes) next(i int32, a, b float64) {
	e := &s.nodes[i]
	if s.load < s.leasable && e.odds < 0.1 && (s.links == nil || s.links.of[i] == nil) {
		gap, polls := 1, a/4
		if s.disappear {
			polls = s.gap(a, b, s.cutoff, e.weight)
		} else if polls >= 2 {
			wanted := s.gap(a, b, s.cutoff, e.weight)
			for gap <= mostGap && (s.turns[gap] == nil || float64(gap) < wanted+0.1) {
				gap++
			}
		}
		n := int(min(polls, mostPolls, s.longest/float64(gap)-1, float64(s.slot-s.since)/patience))
		if gap <= mostGap && n >= 2 {
			for k := range s.leaseHits[i>>6] {
				s.leaseHits[i>>6][k] &^= 1 << (i & 63)
			}
			s.turns[gap][s.slot%gap].Add(int(i))
			s.load += s.costOf(int(i))
			e.gap, e.slope = int8(gap), 0
			s.put(i, n*gap)
			return
		}
	}
	s.rest(i, a, b, 0)
}

// settle ends the lease of a node and learns from its polls up to those of a slot.
func (s *bayes) settle(i int32, last int) (a, b float64) {
	e := &s.nodes[i]
	g := int(e.gap)
	e.gap = 0
	s.turns[g][int(e.polled)%g].Remove(int(i))
	hits := 0
	for k := range s.leaseHits[i>>6] {
		hits |= int(s.leaseHits[i>>6][k]>>(i&63)&1) << k
	}
	if n := (last - int(e.polled)) / g; n > 0 {
		return s.learnPolls(i, g, n, hits)
	}
	return 0, 0
}

// lists are lists of nodes, of which each node is in one: elements that link each node with
// the next ones. Each list begins and ends at an element of its own, after those of the nodes.
type lists []struct{ next, before int32 }

// move moves a node to the end of a list.
func (l lists) move(i, list int32) {
	e, end := &l[i], &l[list]
	l[e.next].before, l[e.before].next = e.before, e.next
	e.next, e.before = list, end.before
	l[end.before].next, end.before = i, i
}
