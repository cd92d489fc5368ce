package monitoring

import (
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

// The transitions of section 5.1, state by state: φ+1 below N, φ−1 above 1.
func TestTransitionsOfCGLA(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16, 37, 64} {
		c := config(t, "CGLA")
		c.N, c.World = n, sources.Law{Nodes: 70, Capacity: 7}
		s, _ := start(t, c, 1)
		a := s.(*cgla)
		for _, node := range []int{0, 63, 69} {
			for phi := 1; phi <= n; phi++ {
				if got := a.phi(node); got != phi {
					t.Fatalf("N=%d: state %d, want %d", n, got, phi)
				}
				a.lower(node/64, 1<<(node%64))
				if got, want := a.phi(node), max(phi-1, 1); got != want {
					t.Fatalf("N=%d: %d lowered to %d, want %d", n, phi, got, want)
				}
				if phi > 1 {
					a.raise(node/64, 1<<(node%64))
				}
				a.raise(node/64, 1<<(node%64))
				if got, want := a.phi(node), min(phi+1, n); got != want {
					t.Fatalf("N=%d: %d raised to %d, want %d", n, phi, got, want)
				}
			}
			if other := a.phi(5); other != 1 {
				t.Fatalf("another node is in state %d", other)
			}
		}
	}
}

// naiveCGLA is section 5.1 automaton by automaton, reading the same words.
type naiveCGLA struct {
	n, capacity int
	phi         []int
	weight      []float64
	exceeded    bool
	random      randomWords
}

func (a *naiveCGLA) choose() []bool {
	polls := make([]bool, len(a.phi))
	width := 0
	for 1<<width < a.n {
		width++
	}
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
	count := 0
	for _, p := range polls {
		if p {
			count++
		}
	}
	a.exceeded = count > a.capacity
	width = 1
	for 1<<width < len(polls) {
		width++
	}
	for ; count > a.capacity; count-- {
	tries:
		for {
			word := a.random.word()
			for try := range 64 / width {
				i := int(word >> (try * width) % (1 << width))
				if i < len(polls) && polls[i] {
					polls[i] = false
					break tries
				}
			}
		}
	}
	return polls
}

func (a *naiveCGLA) learn(polls, hits []bool) {
	if a.exceeded {
		for i := range polls {
			if polls[i] && !hits[i] && a.phi[i] > 1 {
				a.phi[i]--
			}
		}
		return
	}
	for first := 0; first < len(polls); first += 64 {
		var open []int
		for i := first; i < min(first+64, len(polls)); i++ {
			if hits[i] {
				open = append(open, i)
			}
		}
		// Four words are read whatever happens.
		for k := 0; k < 4 || len(open) > 0 && k < bitset.Depth; k++ {
			word := a.random.word()
			open = slices.DeleteFunc(open, func(i int) bool {
				if word>>(i%64)&1 == 0 {
					return false
				}
				if bitset.Fixed(a.weight[i])>>(bitset.Depth-1-k)&1 != 0 && a.phi[i] < a.n {
					a.phi[i]++
				}
				return true
			})
		}
	}
}

func TestCGLAAgreesWithItsNaiveTwin(t *testing.T) {
	for _, n := range []int{1, 2, 11, 16, 64, 100} {
		c := config(t, "CGLA")
		c.N, c.World = n, sources.Law{Nodes: 150, Capacity: 20}
		s, d := start(t, c, 3)
		a := s.(*cgla)
		w := world(t, c.World, 3)
		twin := &naiveCGLA{n: n, capacity: 20, phi: make([]int, 150), weight: w.Importance, random: d}
		for i := range twin.phi {
			twin.phi[i] = 1
		}
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(150), bitset.NewSet(150)
		for slot := range 600 {
			a.choose(polls)
			if !slices.Equal(members(polls, 150), twin.choose()) {
				t.Fatalf("N=%d, slot %d: other polls", n, slot)
			}
			clear(hits)
			for i := range polls.All {
				if feedback.Chance(w.P[i]) {
					hits.Add(i)
				}
			}
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

// An automaton in state φ wants a poll with probability φ/N.
func TestCGLAPollsWithProbabilityPhiOverN(t *testing.T) {
	for _, n := range []int{5, 16} {
		c := config(t, "CGLA")
		c.N, c.World = n, sources.Law{Nodes: 64, Capacity: 64}
		s, _ := start(t, c, 1)
		a := s.(*cgla)
		for i := range 64 {
			for range i % n {
				a.raise(0, 1<<i)
			}
		}
		polls := bitset.NewSet(64)
		var count [64]int
		const slots = 40_000
		for range slots {
			a.choose(polls)
			for i := range polls.All {
				count[i]++
			}
		}
		for i, got := range count {
			p := float64(i%n+1) / float64(n)
			within(t, float64(got)/slots, p, 5*deviation(p, slots)+1e-12, "N=%d: share of polls of node %d", n, i)
		}
	}
}
