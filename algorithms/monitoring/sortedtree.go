package monitoring

import (
	"cmp"
	"slices"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// sortedTree is an htraa whose leaves change places: the nodes stand in the
// order of what they are expected to yield. The halves of a sorted tree differ
// most at its root, whose automaton learns from every hit; in a random order
// the differences are at the leaves, whose automata rarely learn. This is not
// in print.
type sortedTree struct {
	*htraa
	order []int32   // the nodes from the first leaf to the last
	yield []float64 // of each node in a slot, per cost, as estimated
	next  float64   // the slot of the next sorting

	last    []float64 // the slot of each node's last poll
	hits    []float64 // of each node, faded
	watched []float64 // slots in which its updates were hits, faded

	allHits    float64 // Σ hits
	allWatched float64 // Σ watched
}

func startSortedTree(t *task) scheduler {
	r := t.World.Nodes
	a := &sortedTree{
		htraa:   newHTRAA(t),
		order:   make([]int32, r),
		yield:   make([]float64, r),
		last:    make([]float64, r),
		hits:    make([]float64, r),
		watched: make([]float64, r),
	}
	for i, leaf := range a.leaf {
		a.order[int(leaf)-r] = int32(i)
	}
	return a
}

func (a *sortedTree) begin(k known) {
	a.htraa.begin(k)
	a.sort()
}

// sort lets the nodes change places. Amounts stay at their places, which
// neighbours of similar yields share.
func (a *sortedTree) sort() {
	r := len(a.order)
	// Each node has one hit more, in as many slots as it takes on average.
	interval := (1 + a.allWatched) / (1 + a.allHits)
	for i, worth := range a.worth {
		a.yield[i] = float64(worth*(1+a.hits[i])) / (interval + a.watched[i])
	}
	slices.SortStableFunc(a.order, func(i, j int32) int {
		return cmp.Compare(a.yield[j], a.yield[i])
	})
	for place, i := range a.order {
		a.leaf[i] = int32(r + place)
	}
	a.next = a.slot + float64(r)/a.capacity()
}

func (a *sortedTree) learn(polls, hits bitset.Set) {
	a.htraa.learn(polls, hits)
	for i := range polls.All {
		a.count(i, hits.Has(i))
	}
	if a.slot >= a.next {
		a.sort()
	}
}

// count counts a poll. A miss says that nothing happened since the poll before;
// after a hit, the first update came halfway, on average.
func (a *sortedTree) count(i int, hit bool) {
	watched := a.slot - a.last[i]
	a.last[i] = a.slot
	if a.Model == sources.Disappear {
		watched = 1
	}
	found := 0.0
	if hit {
		found = 1
		watched /= 2
	}
	fades := 1 / float64(a.N)
	found -= float64(fades * a.hits[i])
	watched -= float64(fades * a.watched[i])
	a.hits[i] += found
	a.watched[i] += watched
	a.allHits += found
	a.allWatched += watched
}
