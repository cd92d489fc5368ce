package sources

import (
	"math/bits"

	"sweep/internal/bitset"
)

// An Environment lets the nodes of a world change, slot by slot. In every
// slot call Next, then Poll. It is not safe for concurrent use.
type Environment struct {
	model  string
	worlds [2]*World // before and after a switch; the second is nil without switches
	now    int       // which of them

	switchEvery int // slots; 0: never
	slot        int // slots begun

	updates bitset.Set
	pending bitset.Set // what a poll would find
	missed  []uint32   // in Accumulate, updates since the last poll

	// Hits are counted for a while, 64 nodes at a time, before their
	// importance-values are added: bit i%64 of counts[i/64][k] is worth 2^k
	// hits at node i.
	counts    [][countBits]uint64
	counted   int    // slots
	retrieved uint64 // of earlier slots, in units of 2⁻³²
	carried   uint64 // the carries of retrieved, in units of 2³²
}

const countBits = 4

// NewEnvironment returns the environment of a world before its first slot,
// where nothing is pending. The nodes switch every switchEvery slots, or never
// if that is 0, as it must be for a replay. What is pending at a node stays
// there in a switch.
func NewEnvironment(world *World, model string, switchEvery int) *Environment {
	e := &Environment{
		model:       model,
		worlds:      [2]*World{world},
		switchEvery: switchEvery,
		updates:     bitset.NewSet(world.Law.Nodes),
		pending:     bitset.NewSet(world.Law.Nodes),
		counts:      make([][countBits]uint64, bitset.Groups(world.Law.Nodes)),
	}
	if switchEvery > 0 {
		e.worlds[1] = world.Reversed()
	}
	if model == Accumulate {
		e.missed = make([]uint32, world.Law.Nodes)
	}
	return e
}

// World returns the nodes as they are in this slot.
func (e *Environment) World() *World { return e.worlds[e.now] }

// Next begins a slot: nodes switch, if it is time, and are updated. It
// reports whether they switched.
func (e *Environment) Next() (switched bool) {
	switched = e.switchEvery > 0 && e.slot > 0 && e.slot%e.switchEvery == 0
	if switched {
		e.sumUp() // with the old importance-values
		e.now = 1 - e.now
	}
	e.slot++
	if e.model == Disappear {
		e.World().update(e.pending, e.slot-1)
		return switched
	}
	e.World().update(e.updates, e.slot-1)
	for g, w := range e.updates {
		e.pending[g] |= w
	}
	if e.model == Accumulate {
		for i := range e.updates.All {
			e.missed[i]++
		}
	}
	return switched
}

// Updates returns the nodes that were updated in the slot just begun. It is
// valid until the next call of Poll.
func (e *Environment) Updates() bitset.Set {
	if e.model == Disappear {
		return e.pending
	}
	return e.updates
}

// Poll polls nodes and sets hits to those that were updated since their
// last poll (in Disappear, in this slot).
func (e *Environment) Poll(polls, hits bitset.Set) {
	pending := e.pending[:len(polls)]
	counts := e.counts[:len(polls)]
	hits = hits[:len(polls)]
	for g, polled := range polls {
		hit := polled & pending[g]
		hits[g] = hit
		pending[g] &^= polled
		c := &counts[g]
		carry1 := c[0] & hit
		carry2 := c[1] & carry1
		carry3 := c[2] & carry2
		c[0] ^= hit
		c[1] ^= carry1
		c[2] ^= carry2
		c[3] ^= carry3
	}
	if e.model == Accumulate {
		gain := e.World().gain
		for i := range hits.All {
			more := uint64(e.missed[i] - 1) // one is in the count
			sum, carry := bits.Add64(e.retrieved, more*uint64(gain[i]), 0)
			e.retrieved = sum
			e.carried += carry
			e.missed[i] = 0
		}
	}
	e.counted++
	if e.counted == 1<<countBits-1 {
		e.sumUp()
	}
}

// Retrieved returns the importance-value retrieved since the last call: that of
// every hit, in Accumulate multiplied by the number of updates that it found.
func (e *Environment) Retrieved() float64 {
	e.sumUp()
	carried := float64(float64(e.carried) * (1 << (64 - bitset.Depth)))
	sum := carried + float64(e.retrieved)/(1<<bitset.Depth)
	e.retrieved = 0
	e.carried = 0
	return sum
}

// Freshness returns the share of all importance-value that belongs to nodes
// where nothing is pending: whose copies, taken at their last polls, are fresh.
// In Disappear it says nothing.
func (e *Environment) Freshness() float64 {
	var fresh, all uint64
	for i, gain := range e.World().gain {
		all += uint64(gain)
		if !e.pending.Has(i) {
			fresh += uint64(gain)
		}
	}
	return float64(fresh) / float64(all)
}

// sumUp turns counts of hits into importance-value.
func (e *Environment) sumUp() {
	gain := e.World().gain
	for g, c := range e.counts {
		for w := c[0] | c[1] | c[2] | c[3]; w != 0; w &= w - 1 {
			b := bits.TrailingZeros64(w)
			hits := c[0]>>b&1 + c[1]>>b&1<<1 + c[2]>>b&1<<2 + c[3]>>b&1<<3
			e.retrieved += uint64(gain[g<<6+b]) * hits
		}
	}
	clear(e.counts)
	e.counted = 0
}
