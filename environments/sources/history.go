package sources

import (
	"errors"

	"sweep/internal/bitset"
)

// A History is a record of which nodes changed in which slots, in place of
// probabilities. It is not changed once made and may be shared.
type History struct {
	// P holds the observed change frequency of each node, changes per slot,
	// and Importance its importance-value, both as in a World. Nodes that
	// never changed, and those that always did, have the least and the
	// greatest p of a World.
	P, Importance []float64

	// Cost is what a poll of each node takes from the capacity, multiples of
	// 2⁻³²; nil: 1.
	Cost []float64

	// Host numbers the host of each node from 0; -1: not known; nil: none is.
	Host []int32

	// Links are pairs of nodes that may change together; nil: none are known.
	Links [][2]int32

	changed []bitset.Set // by slot; a set may end early
}

// NewHistory returns the history of nodes with the given importance, at
// least 0 and finite, that changed in the given slots: node i in slot t if
// changed[t], which may end early, has it. Both are kept, and importance
// is changed: to multiples of 2⁻³² below 1, after all were divided by the
// largest if that is above 1.
//
// It fails without slots, and if nothing of importance ever changes: no
// share of that could be retrieved.
func NewHistory(importance []float64, changed []bitset.Set) (*History, error) {
	if len(changed) == 0 {
		return nil, errors.New("there are no slots")
	}
	h := &History{P: make([]float64, len(importance)), Importance: importance, changed: changed}
	scale := 1.0
	for _, x := range importance {
		scale = max(scale, x)
	}
	for i, x := range importance {
		importance[i] = bitset.Round(x / scale)
	}
	for _, nodes := range changed {
		for i := range nodes.All {
			h.P[i]++
		}
	}
	something := false
	for i, changes := range h.P {
		something = something || changes > 0 && importance[i] > 0
		h.P[i] = max(bitset.Round(changes/float64(len(changed))), leastP)
	}
	if !something {
		return nil, errors.New("no node of importance ever changes")
	}
	return h, nil
}

// Nodes returns the number of nodes, at least 1.
func (h *History) Nodes() int { return len(h.P) }

// Slots returns the number of slots, at least 1.
func (h *History) Slots() int { return len(h.changed) }

// Bytes returns about how much memory the history takes.
func (h *History) Bytes() int64 {
	bytes := 8 * (len(h.P) + len(h.Importance))
	for _, nodes := range h.changed {
		bytes += 8*cap(nodes) + 24 // its header
	}
	return int64(bytes)
}

// Replay returns the world of a history, for a capacity: its nodes change
// as recorded, one after another, whatever the seed. An
// Environment of it neither switches nor has more slots than the history.
func Replay(h *History, capacity int) *World {
	w := newWorld(Law{Nodes: h.Nodes(), Capacity: capacity}, h.P, h.Importance, h.Cost)
	w.history, w.Host = h, h.Host
	return w
}

// record sets updates to the nodes that changed in a slot.
func (h *History) record(updates bitset.Set, slot int) {
	clear(updates[copy(updates, h.changed[slot]):])
}
