package monitoring

import (
	"math/bits"

	"sweep/internal/bitset"
)

// cgla is the competitive game of learning automata (section 5.1): each
// node has an automaton in one of the states φ = 1…N, which polls it with
// probability φ/N. While the polls wanted fit the capacity, a hit raises φ
// with probability ω; where they exceed it, a miss lowers φ.
//
// States are kept as bit planes, 64 automata a word: plane j of ψ = φ − 1
// has the bit worth 2^j.
type cgla struct {
	task

	n     int
	width int           // planes of a group: the bits of N−1
	psi   []uint64      // plane j of group g at g·width + j
	top   []uint64      // the planes of ψ = N−1
	hit   bitset.Planes // the probability that a hit raises a state
	miss  bitset.Planes // the probability that a miss lowers it; empty: 1

	exceeded bool // whether the polls wanted exceeded the capacity
}

func startCGLA(t *task) scheduler {
	a := &cgla{task: *t, n: t.N, width: bits.Len(uint(t.N - 1))}
	a.psi = make([]uint64, bitset.Groups(a.World.Nodes)*a.width)
	for j := range a.width {
		a.top = append(a.top, -uint64((a.n-1)>>j&1))
	}
	return a
}

func (a *cgla) begin(k known) {
	hit, miss := stepsOf(k)
	a.cost = k.cost
	a.hit = bitset.NewPlanes(hit)
	a.miss = bitset.NewPlanes(miss)
}

func (a *cgla) choose(polls bitset.Set) (dropped int) {
	if a.n == 1<<a.width {
		a.wantedOfPower(polls)
	} else {
		for g := range polls {
			polls[g] = a.wanted(g)
		}
	}
	polls[len(polls)-1] &= bitset.Mask(a.World.Nodes, len(polls)-1)
	dropped = a.trim(polls)
	a.exceeded = dropped > 0
	return dropped
}

// wantedOfPower does for all groups what wanted does for one. N must be a power
// of 2, so that no u has to be drawn again.
func (a *cgla) wantedOfPower(polls bitset.Set) {
	at := a.random.at
	words := a.random.words
	rest := a.psi
	for g := range polls {
		psi := rest[:a.width]
		rest = rest[a.width:]
		below := ^uint64(0)
		for _, plane := range psi {
			below ^= (below ^ plane) & words.At(at)
			at++
		}
		polls[g] = below
	}
	a.random.at = at
}

// wanted draws the nodes of group g that want a poll: those with u ≤ ψ,
// for u uniform in 0…N−1. The bits of u are fair; so are their differences d
// from those of ψ, which are drawn instead. At the highest difference ψ has
// the 1 if u is below. A u of N or more is drawn again.
func (a *cgla) wanted(g int) uint64 {
	psi := a.psi[g*a.width : (g+1)*a.width]
	at := a.random.at
	words := a.random.words
	var want uint64
	for undecided := ^uint64(0); undecided != 0; {
		below := ^uint64(0) // where u ≤ ψ
		valid := uint64(0)  // where u < N
		for j, plane := range psi {
			d := words.At(at)
			at++
			below ^= (below ^ plane) & d
			u := plane ^ d
			n := -uint64(a.n >> j & 1)
			valid ^= (valid ^ n) & (n ^ u)
		}
		want |= undecided & valid & below
		undecided &^= valid
	}
	a.random.at = at
	return want
}

func (a *cgla) learn(polls, hits bitset.Set) {
	if a.exceeded {
		for g, polled := range polls {
			a.lower(g, a.random.misses(g, polled&^hits[g], a.miss))
		}
		return
	}
	for g, hit := range hits {
		var up uint64
		up, a.random.at = a.hit.Draw(g, hit, a.random.words, a.random.at)
		a.raise(g, up)
	}
}

// raise adds 1 to the states of some nodes of group g, up to N.
func (a *cgla) raise(g int, up uint64) {
	psi := a.psi[g*a.width : (g+1)*a.width]
	top := a.top[:len(psi)]
	highest := ^uint64(0) // where ψ = N−1
	for j, plane := range psi {
		highest &^= plane ^ top[j]
	}
	up &^= highest
	for j, plane := range psi { // all planes: this is faster than to look for the last carry
		psi[j] = plane ^ up
		up &= plane
	}
}

// lower takes 1 from the states of some nodes of group g, down to 1.
func (a *cgla) lower(g int, down uint64) {
	psi := a.psi[g*a.width : (g+1)*a.width]
	above := uint64(0) // where ψ > 0
	for _, plane := range psi {
		above |= plane
	}
	down &= above
	for j, plane := range psi {
		psi[j] = plane ^ down
		down &^= plane
	}
}

// stepsOf returns the probabilities with which a hit and a miss at each node
// move an automaton. In the thesis, which has equal costs only, they are the
// importance-value ω and 1 (nil). Where costs differ, the odds of a hit to a
// miss are ω per cost, in units of the mean cost, and the larger of the two is
// 1.
func stepsOf(k known) (hit, miss []float64) {
	if k.cost == nil {
		return k.importance, nil
	}
	mean := 0.0
	for _, c := range k.cost {
		mean += c / float64(len(k.cost))
	}
	hit = make([]float64, len(k.cost))
	miss = make([]float64, len(k.cost))
	for i, v := range k.importance {
		c := k.cost[i] / mean
		larger := max(v, c)
		hit[i] = v / larger
		miss[i] = c / larger
	}
	return hit, miss
}

// misses draws the misses of group g that move automata, with the probabilities
// of stepsOf in planes; empty: 1.
func (d *randomWords) misses(g int, misses uint64, miss bitset.Planes) uint64 {
	if len(miss) > 0 {
		misses, d.at = miss.Draw(g, misses, d.words, d.at)
	}
	return misses
}
