package sources

import (
	"slices"
	"strings"
	"testing"

	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// of returns the set of nodes.
func of(n int, nodes ...int) bitset.Set {
	s := bitset.NewSet(n)
	for _, i := range nodes {
		s.Add(i)
	}
	return s
}

func TestHistoryCountsChanges(t *testing.T) {
	changed := []bitset.Set{of(70, 0, 69), of(1, 0), nil, of(70, 0, 69)}
	importance := make([]float64, 70)
	importance[0], importance[1], importance[69] = 8, 16, 4
	h := must(Replay(importance, changed))
	if h.Law.Nodes != 70 || h.Slots() != 4 {
		t.Fatalf("%d nodes, %d slots", h.Law.Nodes, h.Slots())
	}
	if h.P[0] != 0.75 || h.P[69] != 0.5 || h.P[1] != 0x1p-32 {
		t.Errorf("p = %v, %v, %v", h.P[0], h.P[69], h.P[1])
	}
	if h.Importance[0] != 0.5 || h.Importance[1] != 1-0x1p-32 || h.Importance[69] != 0.25 {
		t.Errorf("importance = %v, %v, %v", h.Importance[0], h.Importance[1], h.Importance[69])
	}
	if h, err := Replay([]float64{0.5, 0.25}, []bitset.Set{of(2, 0)}); err != nil || h.Importance[0] != 0.5 || h.P[0] != 1-0x1p-32 {
		t.Errorf("importance up to 1 is altered, or p of 1 is not cut: %v, %v", h, err)
	}
}

func TestHistoriesOfNothingAreRefused(t *testing.T) {
	for want, make := range map[string]func() (*World, error){
		"no slots":                 func() (*World, error) { return Replay([]float64{1}, nil) },
		"no node of importance":    func() (*World, error) { return Replay([]float64{1}, []bitset.Set{nil, nil}) },
		"of importance ever chang": func() (*World, error) { return Replay([]float64{1, 0}, []bitset.Set{of(2, 1)}) },
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A history is replayed slot by slot, in every model, whatever the seed.
func TestReplayAgreesWithTheNaiveTwin(t *testing.T) {
	const nodes, slots = 150, 300
	s := rng.New("a history")
	importance := make([]float64, nodes)
	for i := range importance {
		importance[i] = s.Float64()
	}
	var changed []bitset.Set
	for range slots {
		set := bitset.NewSet(1 + s.IntN(nodes)) // may end early
		for i := range 64 * len(set) {
			if i < nodes && s.Chance(0.3) {
				set.Add(i)
			}
		}
		changed = append(changed, set)
	}
	world := must(Replay(slices.Clone(importance), changed)).WithCapacity(15)
	for _, model := range Models() {
		agree(t, NewEnvironment(world, model, 0), slots, nodes, func(slot, i int) (bool, *World) {
			return i/64 < len(changed[slot]) && changed[slot].Has(i), world
		})
	}
}
