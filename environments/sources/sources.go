// Package sources simulates data sources that change while a crawler looks
// elsewhere: the environment of Myrer and Olsen, Incremental Web Crawling as a
// Competitive Game of Learning Automata ("the thesis", chapter 3).
//
//	law.go          draws change probabilities, importance-values, costs
//	sources.go      a World of nodes that were drawn or recorded
//	environment.go  updates slot by slot, change models, switches, polls
//
// A world and its updates are pure functions of a Law and a seed, or of what
// was recorded, so that for one seed all algorithms meet the same nodes and the
// same updates.
package sources

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// A model says what becomes of an update that is not polled in its slot.
const (
	Disappear  = "disappear"  // it is lost (section 3.2.2)
	Overwrite  = "overwrite"  // it is kept until the next one overwrites it (section 3.2.3)
	Accumulate = "accumulate" // it is kept, and so is the next one (section 8.2, further work)
)

// Models lists the models.
func Models() []string { return []string{Disappear, Overwrite, Accumulate} }

// A World is a set of nodes, as it is between two switches. It does not change
// once it is drawn, and may be shared.
type World struct {
	// Law is what the nodes were drawn from. For a replay it has the number of
	// nodes and the capacity only.
	Law Law

	// P holds the probability p of each node that it is updated in a slot, in
	// [2⁻³², 1 − 2⁻³²]. Importance holds its importance-value ω, in [0, 1).
	// Both are multiples of 2⁻³², so that a sum of importance-values is exact
	// in any order as long as there are fewer than 2²¹.
	P, Importance []float64

	Cost Costs

	// A replay may have more. Host is the number of the host of each node, from
	// 0; -1: not known, nil: no host is known. Links are pairs of nodes that
	// may change together. Record tells people what was recorded, and what
	// looks wrong about it.
	Host   []int32
	Links  [][2]int32
	Record string

	// Total is Σωp, the importance-value that is expected to appear in a slot.
	Total float64

	changed []bitset.Set // a replay's updates by slot; sets may end early; nil for drawn nodes
	gain    []uint32     // Importance in units of 2⁻³², which is faster to add

	// Drawn nodes have P as planes, the words that updates are drawn with, and
	// the updates of the first slots, which are drawn once for all runs.
	planes   bitset.Planes
	words    rng.Words
	kept     []atomic.Pointer[[]uint64] // of blockSlots each; nil: not drawn yet
	reversed func() *World
}

const (
	blockSlots = 64
	keptWords  = 1 << 18 // the largest number of words of updates that are kept: 2 MB
)

func newWorld(law Law, p, importance, cost []float64) *World {
	w := &World{Law: law, P: p, Importance: importance, Cost: cost}
	w.gain = make([]uint32, len(p))
	for i, x := range p {
		w.Total += float64(x * importance[i])
		w.gain[i] = bitset.Fixed(importance[i])
	}
	return w
}

// newDrawn returns a world whose nodes change at random.
func newDrawn(law Law, p, importance, cost []float64, words rng.Words) *World {
	w := newWorld(law, p, importance, cost)
	w.planes = bitset.NewPlanes(p)
	w.words = words
	w.kept = make([]atomic.Pointer[[]uint64], min(keptWords/blockSlots/len(w.planes), 1024))
	w.reversed = sync.OnceValue(w.reverse)
	return w
}

// Reversed returns the world after a switch (section 7.3.3): node i is as
// node R+1−i was, its cost included.
func (w *World) Reversed() *World { return w.reversed() }

func (w *World) reverse() *World {
	reversed := func(x []float64) []float64 {
		x = slices.Clone(x)
		slices.Reverse(x)
		return x
	}
	r := newDrawn(w.Law, reversed(w.P), reversed(w.Importance), reversed(w.Cost), w.words)
	r.Total = w.Total // the sum in another order may differ in the last bit
	return r
}

// update sets updates to the nodes that are updated in a slot, counted from 0.
func (w *World) update(updates bitset.Set, slot int) {
	if w.changed != nil {
		clear(updates[copy(updates, w.changed[slot]):])
		return
	}
	groups := len(updates)
	draw := func(updates bitset.Set, slot int) {
		w.planes.DrawAll(updates, w.words, uint64(slot*groups*bitset.Depth))
	}
	place := slot / blockSlots
	if place >= len(w.kept) {
		draw(updates, slot)
		return
	}
	block := w.kept[place].Load()
	if block == nil {
		// Another run may draw this block at the same time, with the same bits.
		drawn := make([]uint64, blockSlots*groups)
		for k := range blockSlots {
			draw(drawn[k*groups:][:groups], place*blockSlots+k)
		}
		block = &drawn
		w.kept[place].Store(block)
	}
	copy(updates, (*block)[slot%blockSlots*groups:])
}

// Costs is what a poll of each node takes from the capacity, multiples of 2⁻³²;
// nil if that is 1 for all.
type Costs []float64

// Of returns the cost of a poll of node i.
func (c Costs) Of(i int) float64 {
	if c == nil {
		return 1
	}
	return c[i]
}

// Load returns what polls take from the capacity.
func (c Costs) Load(polls bitset.Set) float64 {
	if c == nil {
		return float64(polls.Len())
	}
	load := 0.0
	for i := range polls.All {
		load += c[i]
	}
	return load
}

// Bytes returns about how much memory the world takes, including the updates
// and the reversed world that it may keep.
func (w *World) Bytes() int64 {
	bytes := 8 * (len(w.P) + len(w.Importance) + len(w.Cost))
	bytes += 4 * len(w.gain)
	bytes += 8 * (bitset.Depth + blockSlots*len(w.kept)) * len(w.planes)
	if w.reversed != nil {
		bytes *= 2
	}
	return int64(bytes)
}

// Replay returns the world of nodes whose changes were recorded; it is the same
// for every seed. Node i changes in slot t if changed[t] has it. There must be
// at least one slot; a set may end early. The importance of a node must be
// finite and at least 0. The p are the observed frequencies, in changes per
// slot.
//
// Replay keeps both arguments. It divides importance by the largest one if that
// is above 1, and rounds it to multiples of 2⁻³² below 1. The capacity is set
// by WithCapacity. An Environment of the world cannot switch, and has no more
// slots than were recorded.
//
// Replay fails if no node of importance ever changes, since then there is
// nothing to retrieve.
func Replay(importance []float64, changed []bitset.Set) (*World, error) {
	scale := 1.0
	for _, x := range importance {
		scale = max(scale, x)
	}
	for i, x := range importance {
		importance[i] = bitset.Round(x / scale)
	}
	p := make([]float64, len(importance))
	for _, nodes := range changed {
		for i := range nodes.All {
			p[i]++
		}
	}
	something := false
	for i, changes := range p {
		something = something || changes > 0 && importance[i] > 0
		p[i] = max(bitset.Round(changes/float64(len(changed))), minP)
	}
	if !something {
		return nil, errors.New("no node of importance ever changes")
	}
	w := newWorld(Law{Nodes: len(p)}, p, importance, nil)
	w.changed = changed
	return w, nil
}

// WithCapacity returns the world of a replay for a capacity.
func (w *World) WithCapacity(capacity int) *World {
	limited := *w
	limited.Law.Capacity = capacity
	return &limited
}

// Slots returns the number of slots of a replay, at least 1.
func (w *World) Slots() int { return len(w.changed) }
