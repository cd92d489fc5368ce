package monitoring

import (
	"cmp"
	"slices"

	"sweep/internal/bitset"
)

// agenda finds the nodes of largest index without looking at all nodes in
// every slot: a node that was polled, or is far from being polled, is
// postponed to a later slot. The others, its rivals, compete.
type agenda struct {
	knapsack
	selection
	rivals []int32
	index  []float64 // of the rivals
	price  float64   // about the index at which nodes are polled

	// The rivals that leave in this slot, first those that are polled, and
	// how long they wait.
	leavers []int32
	waits   []int32
	polled  int

	slot  int
	first [farthest]int32 // the first of the nodes postponed to a slot, modulo farthest; −1: none
	next  []int32         // the one after a node
}

const (
	// farthest is the number of slots after which every node is looked at.
	farthest = 64

	// eager is the share of the price at which a node begins to compete.
	eager = 0.9

	// pursuit is how fast the price follows that of a slot.
	pursuit = 0.2
)

func newAgenda(t *task) agenda {
	r := t.World.Nodes
	return agenda{
		knapsack: knapsack{nodes: r, capacity: t.World.Capacity},
		rivals:   make([]int32, 0, r),
		index:    make([]float64, 0, r),
		leavers:  make([]int32, 0, r),
		waits:    make([]int32, r),
		next:     make([]int32, r),
	}
}

// gather lets all nodes compete.
func (a *agenda) gather() {
	for k := range a.first {
		a.first[k] = -1
	}
	a.rivals = a.rivals[:0]
	for i := range a.nodes {
		a.rivals = append(a.rivals, int32(i))
	}
	a.index = a.index[:a.nodes]
}

// postpone lets those that leave compete after their waits.
func (a *agenda) postpone() {
	for k, i := range a.leavers {
		slot := (a.slot + int(a.waits[k])) % farthest
		a.next[i] = a.first[slot]
		a.first[slot] = i
	}
}

// open begins a slot with those that were postponed to it; if they do not
// exhaust the capacity, with all.
func (a *agenda) open(slot int) {
	a.slot = slot
	k := slot % farthest
	for i := a.first[k]; i >= 0; i = a.next[i] {
		a.rivals = append(a.rivals, i)
	}
	a.first[k] = -1
	load := float64(len(a.rivals))
	if a.cost != nil {
		load = 0
		for _, i := range a.rivals {
			load += a.cost[i]
		}
	}
	if load < float64(a.capacity)+1 {
		a.gather()
	}
	a.index = a.index[:len(a.rivals)]
}

// pick sets polls to the rivals of largest index. They leave, and so do
// those that are far from being polled.
func (a *agenda) pick(polls bitset.Set) {
	clear(polls)
	var least float64
	if a.cost == nil {
		least = a.top()
	} else {
		least = a.fill()
	}
	a.price += float64(pursuit * (least - a.price))
	a.polled = len(a.leavers)
	for _, i := range a.leavers {
		polls.Add(int(i))
	}
	// Both lists are written to, and the one that it belongs to grows:
	// branches here would be mispredicted.
	level := a.level()
	leave, stay := a.leavers[:a.nodes], 0
	polled := a.polled
	for k, i := range a.rivals {
		leave[polled] = i
		a.rivals[stay] = i
		if a.index[k] < level {
			polled++
		} else {
			stay++
		}
	}
	a.leavers, a.rivals = leave[:polled], a.rivals[:stay]
}

// level returns the index from which on nodes compete.
func (a *agenda) level() float64 { return float64(eager * a.price) }

// top moves the rivals of largest index to the leavers and returns the
// least index among them.
func (a *agenda) top() (least float64) {
	least, equal := a.threshold(a.index, a.capacity)
	leave, stay, polled := a.leavers[:a.nodes], 0, 0
	for k, i := range a.rivals {
		x := a.index[k]
		leave[polled] = i
		a.rivals[stay], a.index[stay] = i, x
		switch {
		case x > least:
			polled++
		case x == least && equal > 0:
			equal--
			polled++
		default:
			stay++
		}
	}
	a.leavers = leave[:polled]
	a.rivals, a.index = a.rivals[:stay], a.index[:stay]
	return least
}

// fill does what top does where polls have costs: rivals leave in the
// order of their indices, the next ones that still fit where one does not.
func (a *agenda) fill() (least float64) {
	a.order, a.leavers = a.order[:0], a.leavers[:0]
	for k := range a.rivals {
		a.order = append(a.order, int32(k))
	}
	slices.SortFunc(a.order, func(j, k int32) int {
		return cmp.Or(cmp.Compare(a.index[k], a.index[j]), cmp.Compare(a.rivals[j], a.rivals[k]))
	})
	left := float64(a.capacity)
	rest := a.order[:0]
	for _, k := range a.order {
		if i := a.rivals[k]; a.cost[i] <= left {
			left -= a.cost[i]
			a.leavers = append(a.leavers, i)
			least = a.index[k]
		} else {
			rest = append(rest, k)
		}
	}
	slices.Sort(rest) // so that none is overwritten before it is moved
	for n, k := range rest {
		a.rivals[n], a.index[n] = a.rivals[k], a.index[k]
	}
	a.rivals, a.index = a.rivals[:len(rest)], a.index[:len(rest)]
	return least
}
