package sources

import (
	"errors"

	"sweep/internal/bitset"
)

// Replay returns the world of nodes with the given importance, at least 0 and
// finite, that changed in the given slots, at least one, whatever the seed:
// node i in slot t if changed[t], which may end early, has it. Its p are the observed
// frequencies, changes per slot. Both are kept, and importance is changed: to
// multiples of 2⁻³² below 1, after all were divided by the largest if that is
// above 1. The capacity is still to be told (WithCapacity). An Environment of it
// neither switches nor has more slots than were recorded.
//
// Replay fails if nothing of importance ever changes: no share of that could be
// retrieved.
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
		p[i] = max(bitset.Round(changes/float64(len(changed))), leastP)
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
