package monitoring

import (
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
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
		everyNode, updates := bitset.NewSet(150), bitset.NewSet(150)
		for g := range everyNode {
			everyNode[g] = bitset.Mask(150, g)
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

// Learners are not told what they have to learn.
func TestOnlyTheTruthKnowingAreToldP(t *testing.T) {
	told := map[string]bool{"proportional": true, "topC": true, "whittle": true,
		"refresh": true, "fixed_order": true, "lambda_crawl": true}
	for _, a := range Algorithms() {
		if a.Truth != told[a.Name] {
			t.Errorf("%s: told p = %v", a.Name, a.Truth)
		}
		witness := &beginner{}
		c := config(t, a.Name)
		c.Algorithm.start = func(*task) scheduler { return witness }
		c.SwitchEvery = 1
		s := newSimulation(world(t, c.World, 1), &c, 1)
		s.step()
		s.step()
		if len(witness.told) != 2 || witness.told[0] != a.Truth || witness.told[1] != a.Truth {
			t.Errorf("%s: at the start and after a switch told p = %v, want %v", a.Name, witness.told, a.Truth)
		}
	}
}

// beginner polls nothing and remembers whether it was told p.
type beginner struct{ told []bool }

func (b *beginner) begin(k known)                { b.told = append(b.told, k.p != nil) }
func (b *beginner) choose(polls bitset.Set) int  { return 0 }
func (b *beginner) learn(polls, hits bitset.Set) {}
