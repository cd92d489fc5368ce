package monitoring

import (
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
)

// fpa is the fixed partitioning automaton (section 5.2). The nodes of class
// P1 are polled in every slot, those of P2 in turn; within each class a node
// is in a state from 1, the most internal, to N, at the boundary. Hits at
// nodes of P1 and misses of P2 confirm the class; the opposite leads to the
// boundary, and across it in exchange for a node of the other class.
//
// Where costs differ, it is the costs of P1 that are fixed.
type fpa struct {
	task

	n     int
	hit   []uint32      // the probability that a hit moves a node, in units of 2⁻³²
	miss  bitset.Planes // the probability that a miss does; empty: 1
	state []uint16      // of each node, in its class

	first  bitset.Set // the nodes of P1
	outer  bitset.Set // those that may be in another state than 1, where a hit changes nothing
	room   float64    // the capacity of P1 that its nodes leave
	second []int32    // the nodes of P2 that were polled in this slot
	share  float64    // the capacity of P2

	order []int32 // all nodes in the order of turns; those of P1 are skipped
	place []int32 // the place of each node in that order
	turn  int     // the place whose turn is next

	misses  bitset.Set // of this slot, those that move nodes
	before  bitset.Set // the nodes of P1 when they were polled
	leaving []int32    // nodes of P1 at the boundary that had a miss

	candidates []int32 // for an exchange
	nearest    []int32 // those nearest to the boundary, which are taken first
	below      uint16  // the others are in lower states than this
}

func startFPA(t *task) scheduler {
	r := t.World.Nodes
	c := t.capacity()
	a := &fpa{
		task:   *t,
		n:      t.N,
		hit:    make([]uint32, r),
		state:  slices.Repeat([]uint16{uint16(t.N)}, r),
		share:  min(math.Floor(float64(t.F*c)+0.5), c),
		order:  make([]int32, r),
		place:  make([]int32, r),
		outer:  bitset.NewSet(r),
		misses: bitset.NewSet(r),
		before: bitset.NewSet(r),
	}
	for i := range a.order {
		a.order[i] = int32(i)
	}
	for i := r - 1; i > 0; i-- {
		j := a.random.below(i + 1)
		a.order[i], a.order[j] = a.order[j], a.order[i]
	}
	for place, i := range a.order {
		a.place[i] = int32(place)
	}
	return a
}

// begin puts nodes into P1 in the order of turns, as long as they fit: any
// nodes at first, later only those that were there, since a switch changes
// costs.
func (a *fpa) begin(k known) {
	hit, miss := stepsOf(k)
	for i, p := range hit {
		a.hit[i] = bitset.Fixed(p)
	}
	a.cost = k.cost
	a.miss = bitset.NewPlanes(miss)
	before := a.first
	a.first = bitset.NewSet(a.World.Nodes)
	a.room = a.capacity() - a.share
	for _, i := range a.order {
		cost := a.cost.Of(int(i))
		if cost <= a.room && (before == nil || before.Has(int(i))) {
			a.first.Add(int(i))
			a.outer.Add(int(i))
			a.room -= cost
		}
	}
}

func (a *fpa) choose(polls bitset.Set) (dropped int) {
	copy(polls, a.first)
	copy(a.before, a.first)
	a.second = a.second[:0]
	left := a.room + a.share
	for n := len(a.order); n > 0 && left > 0; n-- {
		i := a.order[a.turn]
		if !a.first.Has(int(i)) {
			cost := a.cost.Of(int(i))
			if cost > left && len(a.second) > 0 {
				break // its turn is in the next slot
			}
			if cost <= left {
				left -= cost
				polls.Add(int(i))
				a.second = append(a.second, i)
			}
		}
		a.turn++
		if a.turn == len(a.order) {
			a.turn = 0
		}
	}
	return 0
}

func (a *fpa) learn(polls, hits bitset.Set) {
	for g, polled := range polls {
		a.misses[g] = a.random.misses(g, polled&^hits[g], a.miss)
	}
	a.learnSecond(hits)
	a.learnFirst(hits)
}

// learnSecond moves the polled nodes of P2.
func (a *fpa) learnSecond(hits bitset.Set) {
	listed := false
	for _, i := range a.second {
		switch {
		case a.misses.Has(int(i)):
			a.state[i] = max(a.state[i]-1, 1)
		case !hits.Has(int(i)) || !a.random.chance(a.hit[i]):
		case int(a.state[i]) < a.n:
			a.state[i]++
		default:
			if !listed {
				listed = true
				a.listMisses()
			}
			a.join(i)
		}
	}
}

// listMisses makes the nodes of P1 candidates that may leave it.
func (a *fpa) listMisses() {
	a.clearCandidates()
	for g, w := range a.first {
		for w &= a.misses[g]; w != 0; w &= w - 1 {
			a.candidates = append(a.candidates, int32(g<<6+bits.TrailingZeros64(w)))
		}
	}
}

// join moves a node of P2 to P1, in exchange for as many candidates as are
// needed to make room for it. Without enough candidates nothing happens.
func (a *fpa) join(i int32) {
	leaves := a.leaving[:0]
	room := a.room
	for room < a.cost.Of(int(i)) && a.hasCandidate() {
		partner := a.take()
		leaves = append(leaves, partner)
		room += a.cost.Of(int(partner))
	}
	a.exchange(leaves, i)
}

// learnFirst moves the nodes that were in P1 when they were polled. Those that
// want to leave do so in random order: partners are scarce, and the numbering
// of the nodes must not decide which of them get one.
func (a *fpa) learnFirst(hits bitset.Set) {
	a.leaving = a.leaving[:0]
	words := a.random.words
	at := a.random.at
	n := uint64(a.n)
	groups := len(a.first)
	before := a.before[:groups]
	misses := a.misses[:groups]
	outer := a.outer[:groups]
	hits = hits[:groups]
	for g, first := range a.first {
		polled := first & before[g]
		hit := polled & hits[g] & outer[g]
		miss := polled & misses[g]
		state := a.state[g<<6:]
		chances := a.hit[g<<6:]
		inner := uint64(0)
		for w := hit | miss; w != 0; w &= w - 1 { // without branches, which would be mispredicted
			b := bits.TrailingZeros64(w) & 63
			s := uint64(state[b])
			missed := miss >> b & 1
			_, below := bits.Sub64(s, n, 0)
			if missed&^below != 0 {
				a.leaving = append(a.leaving, int32(g<<6+b))
			}
			_, above := bits.Sub64(1, s, 0)
			_, chance := bits.Sub64(words.At(at)>>32, uint64(chances[b]), 0)
			inwards := above &^ missed
			at += inwards // the word was read if it mattered
			s += missed&below - inwards&chance
			state[b] = uint16(s)
			_, innermost := bits.Sub64(s, 2, 0)
			inner |= innermost << b
		}
		outer[g] = (outer[g] | miss) &^ inner
	}
	a.random.at = at
	left := len(a.leaving)
	if left > 0 {
		a.listHits(hits)
	}
	for ; left > 0 && a.hasCandidate(); left-- {
		k := a.random.below(left)
		a.exchange(a.leaving[k:k+1], a.take())
		a.leaving[k] = a.leaving[left-1]
	}
}

// listHits makes the nodes of P2 candidates that may leave it.
func (a *fpa) listHits(hits bitset.Set) {
	a.clearCandidates()
	for _, i := range a.second {
		if hits.Has(int(i)) && !a.first.Has(int(i)) {
			a.candidates = append(a.candidates, i)
		}
	}
}

// clearCandidates forgets the candidates for an exchange.
func (a *fpa) clearCandidates() {
	a.candidates = a.candidates[:0]
	a.nearest = a.nearest[:0]
	a.below = math.MaxUint16
}

// exchange moves nodes of P1 to P2, and one of P2 to P1, all into the boundary
// state, if there is room.
func (a *fpa) exchange(leave []int32, joins int32) {
	room := a.room - a.cost.Of(int(joins))
	for _, i := range leave {
		room += a.cost.Of(int(i))
	}
	if room < 0 {
		return
	}
	a.room = room
	for _, i := range leave {
		a.first.Remove(int(i))
		a.state[i] = uint16(a.n)
	}
	a.first.Add(int(joins))
	a.outer.Add(int(joins))
	a.state[joins] = uint16(a.n)
	if len(leave) > 0 { // the first takes the other's turn
		left := leave[0]
		a.place[left], a.place[joins] = a.place[joins], a.place[left]
		a.order[a.place[left]] = left
		a.order[a.place[joins]] = joins
	}
}

// hasCandidate reports whether there is a candidate left.
func (a *fpa) hasCandidate() bool {
	if len(a.nearest) > 0 {
		return true
	}
	highest := uint16(0)
	for _, i := range a.candidates {
		s := a.state[i]
		if s < highest || s >= a.below { // those exchanged are in state N
			continue
		}
		if s > highest {
			highest = s
			a.nearest = a.nearest[:0]
		}
		a.nearest = append(a.nearest, i)
	}
	a.below = highest
	return highest > 0
}

// take removes one of the candidates nearest to the boundary, each equally
// likely.
func (a *fpa) take() int32 {
	k := a.random.below(len(a.nearest))
	last := len(a.nearest) - 1
	i := a.nearest[k]
	a.nearest[k] = a.nearest[last]
	a.nearest = a.nearest[:last]
	return i
}
