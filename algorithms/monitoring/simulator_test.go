package monitoring

import (
	"testing"

	"sweep/environments/sources"
	"sweep/internal/lanes"
)

// Paired comparisons are exact: whatever an algorithm polls and draws, what
// it finds are the updates of the seed, also after a switch.
func TestRivalsMeetTheSameUpdates(t *testing.T) {
	everyAlgorithm(t, func(t *testing.T, c Config) {
		c.World, c.Model, c.SwitchEvery = sources.Law{Nodes: 150, Capacity: 15}, sources.Disappear, 130
		w := world(t, c.World, 5)
		s := newSimulation(w, &c, 5)
		// Where updates disappear, polls of all nodes show all updates.
		witness := sources.NewEnvironment(w, c.Model, c.SwitchEvery, 5)
		everyNode, updates := lanes.NewSet(150), lanes.NewSet(150)
		for g := range everyNode {
			everyNode[g] = lanes.Mask(150, g)
		}
		for slot := range 300 {
			s.step()
			witness.Next()
			witness.Poll(everyNode, updates)
			for g, polled := range s.polls {
				if s.hits[g] != polled&updates[g] {
					t.Fatalf("slot %d: nodes from %d on have hits %#x, updates %#x", slot, 64*g, s.hits[g], updates[g])
				}
			}
		}
	})
}
