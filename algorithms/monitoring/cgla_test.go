package monitoring

import (
	"math/bits"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// phi returns the state φ of a node.
func (a *cgla) phi(i int) int {
	phi := 1
	for j := range a.width {
		phi += int(a.psi[i/64*a.width+j]>>(i%64)&1) << j
	}
	return phi
}

// naiveCGLA is section 5.1 automaton by automaton, reading the same words.
type naiveCGLA struct {
	n         int
	capacity  float64
	cost      []float64
	phi       []int
	hit, miss []float64 // the probabilities that these move an automaton
	exceeded  bool
	random    randomWords
}

func (a *naiveCGLA) choose() []bool {
	polls := make([]bool, len(a.phi))
	width := bits.Len(uint(a.n - 1))
	for first := 0; first < len(a.phi); first += 64 {
		// The group's automata read the same words, and go on until the last of
		// 64 is decided, there or not.
		var decided [64]bool
		for slices.Contains(decided[:], false) {
			var words []uint64
			for range width {
				words = append(words, a.random.word())
			}
			for lane := range 64 {
				psi := 0 // of automata that are not there
				if i := first + lane; i < len(a.phi) {
					psi = a.phi[i] - 1
				}
				u := psi
				for j, w := range words {
					u ^= int(w>>lane&1) << j
				}
				if decided[lane] || u >= a.n {
					continue
				}
				decided[lane] = true
				if i := first + lane; i < len(a.phi) {
					polls[i] = u < a.phi[i]
				}
			}
		}
	}
	load := 0.0
	for i, polled := range polls {
		if polled {
			load += a.cost[i]
		}
	}
	a.exceeded = load > a.capacity
	width = bits.Len(uint(len(polls) - 1))
	for load > a.capacity {
	tries:
		for {
			word := a.random.word()
			for try := range 64 / width {
				i := int(word >> (try * width) % (1 << width))
				if i < len(polls) && polls[i] {
					polls[i] = false
					load -= a.cost[i]
					break tries
				}
			}
		}
	}
	return polls
}

func (a *naiveCGLA) learn(polls, hits []bool) {
	for first := 0; first < len(polls); first += 64 {
		var open []int
		for i := first; i < min(first+64, len(polls)); i++ {
			if polls[i] && hits[i] != a.exceeded {
				open = append(open, i)
			}
		}
		step, p, end := 1, a.hit, a.n
		if a.exceeded {
			step, p, end = -1, a.miss, 1
		}
		// Four words are read whatever happens, but for certain misses.
		for k := 0; k < bitset.Depth && (k < 4 || len(open) > 0); k++ {
			word := ^uint64(0)
			if p != nil {
				word = a.random.word()
			}
			open = slices.DeleteFunc(open, func(i int) bool {
				moves := p == nil || bitset.Fixed(p[i])>>(bitset.Depth-1-k)&1 != 0
				if word>>(i%64)&1 != 0 && moves && a.phi[i] != end {
					a.phi[i] += step
				}
				return word>>(i%64)&1 != 0
			})
		}
	}
}

func TestCGLAAgreesWithItsNaiveTwin(t *testing.T) {
	for k, n := range []int{1, 2, 11, 16, 64, 100} {
		c := config("CGLA")
		c.N, c.World = n, sources.Law{Nodes: 150, Capacity: 20, CostSpread: 0.9 * float64(k%2)}
		s, d := start(c, 3)
		a, w := s.(*cgla), world(c.World, 3)
		twin := &naiveCGLA{n: n, capacity: 20, cost: w.Cost, phi: slices.Repeat([]int{1}, 150), hit: w.Importance, random: d}
		if w.Cost != nil {
			twin.hit, twin.miss = stepsOf(known{importance: w.Importance, cost: w.Cost})
		} else {
			twin.cost = slices.Repeat([]float64{1}, 150)
		}
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(150), bitset.NewSet(150)
		for slot := range 600 {
			a.choose(polls)
			if !slices.Equal(members(polls, 150), twin.choose()) {
				t.Fatalf("N=%d, slot %d: other polls", n, slot)
			}
			draw(feedback, w, polls, hits)
			a.learn(polls, hits)
			twin.learn(members(polls, 150), members(hits, 150))
			for i, phi := range twin.phi {
				if a.phi(i) != phi {
					t.Fatalf("N=%d, slot %d, node %d: state %d, want %d", n, slot, i, a.phi(i), phi)
				}
			}
		}
	}
}
