package monitoring

import (
	"math/bits"

	"sweep/internal/bitset"
)

// fpa is the fixed partitioning automaton (section 5.2). The nodes of class
// P1 are polled in every slot, those of P2 in turn; within each class a node
// is in a state from 1, the most internal, to N, at the boundary. Hits at
// nodes of P1 and misses of P2 confirm the class; the opposite leads to the
// boundary, and across it in exchange for a node of the other class.
type fpa struct {
	knapsack
	random randomWords

	n      int
	weight []uint32 // of a hit, in units of 2⁻³²
	state  []uint16 // of each node, in its class

	first bitset.Set // the nodes of P1
	p2    []int32    // the nodes of P2, in the order of their turns
	turn  int        // the next turn, in p2
	turns int        // in a slot

	added    bitset.Set // nodes that came into P1 in this slot
	leaving  []int32    // nodes of P1 at the boundary that had a miss
	partners partners
}

func startFPA(t *task) scheduler {
	r, c := t.World.Nodes, t.World.Capacity
	a := &fpa{
		knapsack: t.knapsack(),
		random:   t.random,
		n:        t.N,
		weight:   make([]uint32, r),
		state:    make([]uint16, r),
		first:    bitset.NewSet(r),
		added:    bitset.NewSet(r),
		partners: partners{of: make([][]int32, t.N+1)},
	}
	members := make([]int32, r)
	for i := range members {
		members[i] = int32(i)
		a.state[i] = uint16(a.n)
	}
	for i := r - 1; i > 0; i-- {
		j := a.random.below(i + 1)
		members[i], members[j] = members[j], members[i]
	}
	a.turns = min(int(float64(t.F*float64(c))+0.5), c)
	for _, i := range members[:c-a.turns] {
		a.first.Add(int(i))
	}
	a.p2 = members[c-a.turns:]
	a.turns = min(a.turns, len(a.p2))
	return a
}

func (a *fpa) begin(k known) {
	a.cost = k.cost
	for i, w := range hitWeights(k) {
		a.weight[i] = bitset.Fixed(w)
	}
}

func (a *fpa) choose(polls bitset.Set) (dropped int) {
	copy(polls, a.first)
	for k := range a.turns {
		polls.Add(int(a.p2[a.atTurn(k)]))
	}
	if a.cost == nil {
		return 0
	}
	return a.trim(polls, &a.random)
}

// atTurn returns the place in p2 of the turn after k others.
func (a *fpa) atTurn(k int) int {
	if k += a.turn; k >= len(a.p2) {
		k -= len(a.p2)
	}
	return k
}

func (a *fpa) learn(polls, hits bitset.Set) {
	a.learnSecond(polls, hits)
	a.learnFirst(polls, hits)
	if a.turns > 0 {
		a.turn = a.atTurn(a.turns)
	}
	clear(a.added)
}

// learnSecond moves the polled nodes of P2.
func (a *fpa) learnSecond(polls, hits bitset.Set) {
	listed := false
	for k := range a.turns {
		place := a.atTurn(k)
		i := a.p2[place]
		switch {
		case !polls.Has(int(i)):
		case !hits.Has(int(i)):
			a.state[i] = max(a.state[i]-1, 1)
		case !a.random.chance(a.weight[i]):
		case int(a.state[i]) < a.n:
			a.state[i]++
		default:
			if !listed {
				listed = true
				a.listMisses(polls, hits)
			}
			if partner, ok := a.partners.take(&a.random); ok {
				a.exchange(partner, place)
			}
		}
	}
}

// listMisses lists the nodes of P1 that may be exchanged, by number.
func (a *fpa) listMisses(polls, hits bitset.Set) {
	a.partners.clear()
	for g, w := range a.first {
		for w &= polls[g] &^ hits[g]; w != 0; w &= w - 1 {
			i := g<<6 + bits.TrailingZeros64(w)
			a.partners.add(int(a.state[i]), i)
		}
	}
}

// learnFirst moves the nodes of P1 that were there when they were polled.
// Those that want to leave do so in random order: partners are scarce, and
// the numbering of the nodes must not decide who gets one.
func (a *fpa) learnFirst(polls, hits bitset.Set) {
	a.leaving = a.leaving[:0]
	for g := range a.first {
		polled := a.first[g] & polls[g] &^ a.added[g]
		for w := polled & hits[g]; w != 0; w &= w - 1 {
			i := g<<6 + bits.TrailingZeros64(w)
			if a.state[i] > 1 && a.random.chance(a.weight[i]) {
				a.state[i]--
			}
		}
		for w := polled &^ hits[g]; w != 0; w &= w - 1 {
			i := g<<6 + bits.TrailingZeros64(w)
			if int(a.state[i]) < a.n {
				a.state[i]++
			} else {
				a.leaving = append(a.leaving, int32(i))
			}
		}
	}
	if len(a.leaving) > 0 {
		a.listHits(hits)
	}
	for n := len(a.leaving); n > 0 && a.partners.any(); n-- {
		k := a.random.below(n)
		place, _ := a.partners.take(&a.random)
		a.exchange(int(a.leaving[k]), place)
		a.leaving[k] = a.leaving[n-1]
	}
}

// listHits lists the nodes of P2 that may be exchanged, by place. A node
// that left P1 in this slot had a miss.
func (a *fpa) listHits(hits bitset.Set) {
	a.partners.clear()
	for k := range a.turns {
		place := a.atTurn(k)
		if i := a.p2[place]; hits.Has(int(i)) {
			a.partners.add(int(a.state[i]), place)
		}
	}
}

// exchange lets a node of P1 and the one at a place of p2 change places,
// into the boundary states.
func (a *fpa) exchange(leaves, place int) {
	joins := a.p2[place]
	a.p2[place] = int32(leaves)
	a.state[leaves], a.state[joins] = uint16(a.n), uint16(a.n)
	a.first.Remove(leaves)
	a.first.Add(int(joins))
	a.added.Add(int(joins))
}

// partners are the nodes of a class that may be exchanged, by state.
type partners struct {
	of  [][]int32 // those in each state: nodes of P1 by number, of P2 by place
	top int       // no higher state has any
}

func (p *partners) clear() {
	for s := range p.of {
		p.of[s] = p.of[s][:0]
	}
	p.top = 0
}

func (p *partners) add(state, which int) {
	p.of[state] = append(p.of[state], int32(which))
	p.top = max(p.top, state)
}

// any reports whether there is one.
func (p *partners) any() bool {
	for p.top > 0 && len(p.of[p.top]) == 0 {
		p.top--
	}
	return p.top > 0
}

// take removes one of the nodes nearest to the boundary, each equally
// likely; ok is false if there is none.
func (p *partners) take(random *randomWords) (which int, ok bool) {
	if !p.any() {
		return 0, false
	}
	s := p.of[p.top]
	k := random.below(len(s))
	which = int(s[k])
	s[k] = s[len(s)-1]
	p.of[p.top] = s[:len(s)-1]
	return which, true
}
