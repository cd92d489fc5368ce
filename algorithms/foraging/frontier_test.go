package foraging

import (
	"math"
	"slices"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/rng"
)

// overlapping returns 600 states of 20 components, 0 to 5 of them not −1. Each
// second one differs from the one before by some rounding only.
func overlapping(s *rng.Stream) *stateTable {
	site := &newssite.Site{Dimension: 20, First: []int32{0}}
	for range 300 {
		state := make([]float64, site.Dimension)
		for i := range state {
			state[i] = -1
		}
		for range s.IntN(6) {
			state[s.IntN(len(state))] = 2*s.Float64() - 1
		}
		near := slices.Clone(state)
		for i, x := range near {
			if x != -1 {
				near[i] = x + 0x1p-51
			}
		}
		site.States = append(site.States, state, near)
	}
	return newStateTable(site)
}

// Whatever is learned, the limits of ranks hide no state that is better than
// the one found: not while weights are small, while they grow without bound, or
// when they are infinite or no numbers.
func TestLimitsHideNoState(t *testing.T) {
	for _, c := range []struct {
		name  string
		alpha float64
	}{
		{"converges", 0.1},
		{"stands still", 0},
		{"rounds", 1e-18},
		{"diverges slowly", 0.3},
		{"diverges", 10},
	} {
		s := rng.New("test", 1)
		states := overlapping(s)
		if states.disjoint {
			t.Fatal("the states have no component in common")
		}
		o := newOrdering(states, s)
		f := &frontier{}
		f.init(&o, Kind{OrderingUpdate: true}, TiesLast)
		n := states.states()
		for round := range 5000 {
			f.push(int32(round), int32(s.IntN(n)))
			if round < 100 {
				continue
			}
			profit := -1.0
			if s.IntN(20) == 0 {
				profit = 100
			}
			o.update(int32(s.IntN(n)), int32(s.IntN(n)), profit, c.alpha, 0.9)
			best := int32(-1)
			most := math.Inf(-1)
			for place := range f.busy.All {
				if v := o.rank(int32(place)); v > most {
					best = int32(place)
					most = v
				}
			}
			got := f.best(&o)
			if got != best {
				t.Fatalf("%s, round %d: state %d, want %d of rank %v", c.name, round, got, best, most)
			}
			if best >= 0 {
				f.remove(best, 0)
			}
		}
	}
}
