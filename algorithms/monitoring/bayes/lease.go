package bayes

import (
	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// leases are polls of nodes at equal gaps that were decided in advance. They
// are not compared with other polls, and are learned from when they end.
type leases struct {
	// turns has the nodes that are polled, by gap and by slot modulo the gap.
	turns [maxLeaseGap + 1][]bitset.Set

	// hits of the nodes with leases are binary numbers, 64 nodes at a time: bit
	// i%64 of hits[i/64][k] is worth 2^k hits at node i.
	hits [][5]uint64

	load     float64 // cost of the polls of leases in this slot, but for those that end
	leasable float64 // the load up to which leases are given: other polls make the cutoff
}

func newLeases(model string, nodes, capacity int) leases {
	gaps := leaseGaps[:]
	margin := leaseMargin
	if model == sources.Disappear {
		gaps = gaps[:1]
		margin = disappearLeaseMargin
	}
	l := leases{
		hits:     make([][5]uint64, bitset.Groups(nodes)),
		leasable: float64(capacity) * (1 - float64(margin*cutoffNoise(capacity))),
	}
	for _, gap := range gaps {
		l.turns[gap] = make([]bitset.Set, gap)
		for k := range l.turns[gap] {
			l.turns[gap][k] = bitset.NewSet(nodes)
		}
	}
	return l
}

// pollLeases sets polls to the nodes whose leases have a poll in this slot. If
// these cost more than the capacity, the leases of some of them end.
func (l *Learner) pollLeases(polls bitset.Set) {
	clear(polls)
	for gap, turns := range l.turns {
		if turns == nil {
			continue
		}
		for g, nodes := range turns[l.slot%gap][:len(polls)] {
			polls[g] |= nodes
		}
	}
	l.load = l.cost.Load(polls)
	for k := range polls.All {
		if l.load <= l.capacity {
			return
		}
		l.load -= l.cost.Of(k)
		polls.Remove(k)
		l.settle(int32(k), l.slot-1)
		l.put(int32(k), 0)
	}
}

// countHits adds a slot's hits to those of the leases, 64 nodes at a time.
func (l *leases) countHits(hits bitset.Set) {
	for g, carry0 := range hits {
		counts := &l.hits[g]
		carry1 := counts[0] & carry0
		carry2 := counts[1] & carry1
		carry3 := counts[2] & carry2
		carry4 := counts[3] & carry3
		counts[0] ^= carry0
		counts[1] ^= carry1
		counts[2] ^= carry2
		counts[3] ^= carry3
		counts[4] ^= carry4
	}
}

// schedule decides when a node that was just polled is looked at again: at the
// end of a lease if enough is known of it.
func (l *Learner) schedule(i int32, a, b float64) {
	gap, polls := l.leaseFor(i, a, b)
	if polls >= minLeasePolls {
		l.lease(i, gap, polls)
	} else {
		l.rest(i)
	}
}

// leaseFor returns the gap and the number of polls of a lease for a node of
// some belief: in disappear as many as leave its index above the cutoff even if
// none is a hit, otherwise as many as add a quarter to what is known. With
// fewer than minLeasePolls the node gets none.
func (l *Learner) leaseFor(i int32, a, b float64) (gap, polls int) {
	e := &l.nodes[i]
	isDoubtful := !l.onGrid(e) && e.counts().odds >= maxLeaseOdds
	if l.load >= l.leasable || isDoubtful || l.links.has(i) {
		return 0, 0
	}
	gap = 1
	wanted := a * leasePart
	if l.disappear {
		wanted = l.gap(a, b, l.cutoff, float64(e.weight))
	} else if wanted >= minLeasePolls {
		ripe := l.gap(a, b, l.cutoff, float64(e.weight)) + leaseDelay
		for l.turns[gap] == nil || float64(gap) < ripe {
			gap++
			if gap > maxLeaseGap {
				return 0, 0
			}
		}
	}
	longest := l.maxWait/float64(gap) - 1
	return gap, int(min(wanted, maxLeasePolls, longest, l.patience()))
}

// lease gives a node a lease of some polls, at equal gaps from the next one on.
func (l *Learner) lease(i int32, gap, polls int) {
	counts := &l.hits[i>>6]
	for k := range counts {
		counts[k] &^= 1 << (i & 63)
	}
	l.turns[gap][l.slot%gap].Add(int(i))
	l.load += l.cost.Of(int(i))
	e := &l.nodes[i]
	e.leaseGap = int8(gap)
	l.put(i, polls*gap)
}

// settle ends the lease of a node and learns from its polls, up to those of the
// last slot given.
func (l *Learner) settle(i int32, last int) (a, b float64) {
	e := &l.nodes[i]
	gap := int(e.leaseGap)
	e.leaseGap = 0
	l.turns[gap][int(e.polled)%gap].Remove(int(i))
	hits := 0
	for k, bit := range l.hits[i>>6] {
		hits |= int(bit>>(i&63)&1) << k
	}
	polls := (last - int(e.polled)) / gap
	if polls == 0 {
		return 0, 0
	}
	return l.learnPolls(i, gap, polls, hits)
}
