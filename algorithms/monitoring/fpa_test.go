package monitoring

import (
	"maps"
	"math"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// scene is an fpa of four nodes, 0 and 1 in P1, 2 and 3 in P2 and polled.
func scene(t *testing.T, n int, states [4]uint16) *fpa {
	c := config(t, "FPA")
	c.N, c.F, c.World = n, 0.5, sources.Law{Nodes: 4, Capacity: 4}
	s, _ := start(t, c, 1)
	a := s.(*fpa)
	copy(a.p2, []int32{2, 3})
	clear(a.first)
	a.first.Add(0)
	a.first.Add(1)
	copy(a.state, states[:])
	for i := range a.weight {
		a.weight[i] = 1<<32 - 1
	}
	return a
}

// The rules of section 5.2.1 with N = 5, state by state, with ω = 1 and, for
// rules where it matters, ω = 0.
func TestTransitionsOfFPA(t *testing.T) {
	for _, c := range []struct {
		rule      string
		states    [4]uint16
		hits      []int
		worthless bool
		want      [4]uint16
		p1        []int
	}{
		// β = 0
		{"1: a hit in P1 moves inwards", [4]uint16{3, 5, 3, 3}, []int{0, 1}, false, [4]uint16{2, 4, 2, 2}, []int{0, 1}},
		{"1: if possible", [4]uint16{1, 1, 3, 3}, []int{0, 1}, false, [4]uint16{1, 1, 2, 2}, []int{0, 1}},
		{"1: with probability ω", [4]uint16{3, 3, 3, 3}, []int{0, 1}, true, [4]uint16{3, 3, 2, 2}, []int{0, 1}},
		{"2: a hit in P2 moves to the boundary", [4]uint16{3, 3, 3, 4}, []int{0, 1, 2, 3}, false, [4]uint16{2, 2, 4, 5}, []int{0, 1}},
		{"2: with probability ω", [4]uint16{3, 3, 3, 4}, []int{0, 1, 2, 3}, true, [4]uint16{3, 3, 3, 4}, []int{0, 1}},
		{"3: a hit at the boundary of P2 crosses", [4]uint16{5, 3, 5, 1}, []int{1, 2}, false, [4]uint16{5, 2, 5, 1}, []int{1, 2}},
		{"3: with the miss closest to the boundary", [4]uint16{2, 3, 1, 5}, []int{3}, false, [4]uint16{3, 5, 1, 5}, []int{0, 3}},
		{"3: not with a hit", [4]uint16{5, 5, 5, 1}, []int{0, 1, 2}, false, [4]uint16{4, 4, 5, 1}, []int{0, 1}},
		{"3: with probability ω", [4]uint16{4, 3, 5, 1}, []int{1, 2}, true, [4]uint16{5, 3, 5, 1}, []int{0, 1}},
		{"3: both at once", [4]uint16{2, 2, 5, 5}, []int{2, 3}, false, [4]uint16{5, 5, 5, 5}, []int{2, 3}},
		// β = 1
		{"1: a miss in P2 moves inwards", [4]uint16{3, 3, 5, 1}, nil, false, [4]uint16{4, 4, 4, 1}, []int{0, 1}},
		{"2: a miss in P1 moves to the boundary", [4]uint16{1, 4, 1, 1}, nil, true, [4]uint16{2, 5, 1, 1}, []int{0, 1}},
		{"3: a miss at the boundary of P1 crosses", [4]uint16{5, 3, 2, 3}, []int{1, 3}, true, [4]uint16{5, 3, 1, 5}, []int{1, 3}},
		{"3: with the hit closest to the boundary", [4]uint16{5, 1, 2, 3}, []int{1, 2, 3}, true, [4]uint16{5, 1, 2, 5}, []int{1, 3}},
		{"3: not with a miss", [4]uint16{5, 5, 2, 3}, nil, false, [4]uint16{5, 5, 1, 2}, []int{0, 1}},
	} {
		a := scene(t, 5, c.states)
		if c.worthless {
			clear(a.weight)
		}
		polls, hits := bitset.NewSet(4), bitset.NewSet(4)
		a.choose(polls)
		for _, i := range c.hits {
			hits.Add(i)
		}
		a.learn(polls, hits)
		p1 := slices.Collect(a.first.All)
		if [4]uint16(a.state) != c.want || !slices.Equal(p1, c.p1) {
			t.Errorf("β=%s: states %v with %v in P1, want %v with %v", c.rule, a.state, p1, c.want, c.p1)
		}
	}
}

// naiveFPA follows section 5.2 with maps and scans, reading the same words.
type naiveFPA struct {
	n      int
	state  map[int]int
	p1     map[int]bool
	queue  []int // P2, next turn first
	weight []uint32
	turns  int
	random randomWords
}

func (a *naiveFPA) choose() []bool {
	polls := make([]bool, len(a.state))
	for i := range a.p1 {
		polls[i] = true
	}
	for _, i := range a.queue[:a.turns] {
		polls[i] = true
	}
	return polls
}

// partner takes a node with the highest state from a list; ties as the
// fast code breaks them. It returns −1 if the list is empty.
func (a *naiveFPA) partner(list *[]int) int {
	highest := 0
	for _, i := range *list {
		highest = max(highest, a.state[i])
	}
	if highest == 0 {
		return -1
	}
	var ties []int // indices into list
	for k, i := range *list {
		if a.state[i] == highest {
			ties = append(ties, k)
		}
	}
	chosen := a.random.below(len(ties))
	partner := (*list)[ties[chosen]]
	// The last of the ties takes the chosen one's place in the list.
	(*list)[ties[chosen]] = (*list)[ties[len(ties)-1]]
	*list = slices.Delete(*list, ties[len(ties)-1], ties[len(ties)-1]+1)
	return partner
}

func (a *naiveFPA) learn(hits []bool) {
	moved := map[int]bool{}
	exchange := func(i, y int) {
		j := a.queue[y]
		a.queue[y] = i
		delete(a.p1, i)
		a.p1[j] = true
		a.state[i], a.state[j] = a.n, a.n
		moved[i], moved[j] = true, true
	}
	var misses []int
	for _, i := range slices.Sorted(maps.Keys(a.p1)) {
		if !hits[i] {
			misses = append(misses, i)
		}
	}
	for place := range a.turns {
		i := a.queue[place]
		switch {
		case !hits[i]:
			if a.state[i] > 1 {
				a.state[i]--
			}
		case !a.random.chance(a.weight[i]):
		case a.state[i] < a.n:
			a.state[i]++
		default:
			if x := a.partner(&misses); x >= 0 {
				exchange(x, place)
			}
		}
	}
	var found []int
	for _, i := range a.queue[:a.turns] {
		if hits[i] && !moved[i] {
			found = append(found, i)
		}
	}
	var leavers []int
	for _, i := range slices.Sorted(maps.Keys(a.p1)) {
		switch {
		case moved[i]:
		case hits[i]:
			if a.state[i] > 1 && a.random.chance(a.weight[i]) {
				a.state[i]--
			}
		case a.state[i] < a.n:
			a.state[i]++
		default:
			leavers = append(leavers, i)
		}
	}
	for len(leavers) > 0 && len(found) > 0 {
		k, last := a.random.below(len(leavers)), len(leavers)-1
		i := leavers[k]
		leavers[k] = leavers[last]
		leavers = leavers[:last]
		exchange(i, slices.Index(a.queue, a.partner(&found)))
	}
	a.queue = append(a.queue[a.turns:], a.queue[:a.turns]...)
}

func TestFPAAgreesWithItsNaiveTwin(t *testing.T) {
	for _, c := range []struct {
		n int
		f float64
	}{{1, 0.1}, {4, 0.5}, {8, 0.2}, {16, 0.8}, {16, 1}, {3, 0}} {
		config := config(t, "FPA")
		config.N, config.F, config.World = c.n, c.f, sources.Law{Nodes: 150, Capacity: 20}
		s, _ := start(t, config, 3)
		a := s.(*fpa)
		w := world(t, config.World, 3)
		twin := &naiveFPA{n: c.n, state: map[int]int{}, p1: map[int]bool{}, weight: a.weight, turns: a.turns, random: a.random}
		for i := range a.first.All {
			twin.p1[i] = true
		}
		for _, i := range a.p2 {
			twin.queue = append(twin.queue, int(i))
		}
		for i := range 150 {
			twin.state[i] = c.n
		}
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(150), bitset.NewSet(150)
		for slot := range 1500 {
			a.choose(polls)
			if !slices.Equal(members(polls, 150), twin.choose()) {
				t.Fatalf("N=%d, f=%v, slot %d: other polls", c.n, c.f, slot)
			}
			clear(hits)
			for i := range polls.All {
				if feedback.Chance(w.P[i]) {
					hits.Add(i)
				}
			}
			a.learn(polls, hits)
			twin.learn(members(hits, 150))
			for i, state := range twin.state {
				if int(a.state[i]) != state {
					t.Fatalf("N=%d, f=%v, slot %d, node %d: state %d, want %d", c.n, c.f, slot, i, a.state[i], state)
				}
			}
		}
	}
}

// The classes keep their sizes, and each node is in one of them.
func TestClassesOfFPAKeepTheirSizes(t *testing.T) {
	for _, c := range []struct {
		f     float64
		first int
	}{{0, 100}, {0.1, 90}, {0.2, 80}, {0.5, 50}, {0.8, 20}, {1, 0}} {
		config := config(t, "FPA")
		config.F = c.f
		s, _ := start(t, config, 1)
		a := s.(*fpa)
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(1000), bitset.NewSet(1000)
		for slot := range 300 {
			a.choose(polls)
			if polls.Len() != 100 || a.first.Len() != c.first {
				t.Fatalf("f=%v, slot %d: %d polls, %d in P1, want 100 and %d", c.f, slot, polls.Len(), a.first.Len(), c.first)
			}
			clear(hits)
			for i := range polls.All {
				if feedback.Chance(0.5) {
					hits.Add(i)
				}
			}
			a.learn(polls, hits)
			all := slices.Collect(a.first.All)
			for _, i := range a.p2 {
				all = append(all, int(i))
			}
			slices.Sort(all)
			if len(all) != 1000 || len(slices.Compact(all)) != 1000 {
				t.Fatalf("f=%v, slot %d: a node is in both classes", c.f, slot)
			}
		}
	}
}

// f·C is rounded to whole polls, and every node is as likely as any other
// to begin in P1.
func TestFPABeginsAtRandom(t *testing.T) {
	for _, c := range []struct {
		capacity, turns int
		f               float64
	}{{15, 2, 0.1}, {10, 1, 0.1}, {4, 0, 0.1}, {10, 8, 0.8}, {1, 1, 1}, {40, 4, 0.1}} {
		config := config(t, "FPA")
		config.F, config.World = c.f, sources.Law{Nodes: 40, Capacity: c.capacity}
		var first [40]float64
		const seeds = 400
		for seed := range int64(seeds) {
			s, _ := start(t, config, seed)
			a := s.(*fpa)
			if a.turns != min(c.turns, len(a.p2)) || a.first.Len() != c.capacity-c.turns {
				t.Fatalf("f=%v, C=%d: %d turns and %d in P1, want %d turns", c.f, c.capacity, a.turns, a.first.Len(), c.turns)
			}
			for i := range a.first.All {
				first[i]++
			}
		}
		share := float64(c.capacity-c.turns) / 40
		for i, n := range first {
			within(t, n/seeds, share, 5*deviation(share, seeds), "f=%v, C=%d: share of seeds with node %d in P1", c.f, c.capacity, i)
		}
	}
}

// Of the nodes that want to leave P1 where partners are scarce, each does as
// often, whatever its number.
func TestFPALetsEveryNodeLeave(t *testing.T) {
	left := make([]float64, 10)
	const runs = 5000
	for seed := range int64(runs) {
		c := config(t, "FPA")
		c.N, c.F, c.World = 1, 0.1, sources.Law{Nodes: 20, Capacity: 10}
		s, _ := start(t, c, seed)
		a := s.(*fpa)
		before := slices.Collect(a.first.All)
		polls, hits := bitset.NewSet(20), bitset.NewSet(20)
		a.choose(polls)
		hits.Add(int(a.p2[a.turn])) // of P1 all are missed
		clear(a.weight)             // so that nobody joins of itself
		a.learn(polls, hits)
		for k, i := range before {
			if !a.first.Has(i) {
				left[k]++
			}
		}
	}
	for k, n := range left[:9] {
		within(t, n, runs/9, 5*math.Sqrt(runs/9), "exchanges of node %d of P1", k)
	}
}
