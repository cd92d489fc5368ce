package monitoring

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// twofold is an inner node of a naive tree, whose subtrees are nodes or other
// inner nodes.
type twofold struct {
	state    int
	subtrees [2]any // int or *twofold
}

// leaves returns the nodes below, from the first to the last.
func leaves(tree any) []int {
	if i, ok := tree.(int); ok {
		return []int{i}
	}
	t := tree.(*twofold)
	return append(leaves(t.subtrees[0]), leaves(t.subtrees[1])...)
}

// naiveHTRAA divides by recursion and sorts deadlines, reading the same words.
type naiveHTRAA struct {
	n, capacity int
	cost, worth []float64
	tree        any
	rate, due   []float64
	slot        int
	random      randomWords
}

// plant returns the subtree at a place of the heap.
func plant(a *htraa, place int, node map[int]int) any {
	if i, ok := node[place]; ok {
		return i
	}
	t := &twofold{subtrees: [2]any{plant(a, 2*place, node), plant(a, 2*place+1, node)}}
	first, all := len(leaves(t.subtrees[0])), len(leaves(t))
	t.state = min(max((2*(a.N+1)*first+all)/(2*all), 1), a.N)
	return t
}

func (a *naiveHTRAA) divide(tree any, amount float64) {
	switch t := tree.(type) {
	case int:
		a.rate[t] = amount / a.cost[t]
	case *twofold:
		first := amount * float64(t.state) / float64(a.n+1)
		a.divide(t.subtrees[0], first)
		a.divide(t.subtrees[1], amount-first)
	}
}

func (a *naiveHTRAA) choose() []bool {
	a.slot++
	a.divide(a.tree, float64(a.capacity))
	polls, order := make([]bool, len(a.due)), make([]int, len(a.due))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.due[i], a.due[j]) })
	left := float64(a.capacity)
	for _, i := range order {
		if a.cost[i] > left {
			continue
		}
		polls[i] = true
		left -= a.cost[i]
		a.due[i] = max(a.due[i], float64(a.slot-1)) + min(max(1/a.rate[i], 1), 1e6)
	}
	return polls
}

// reward lets the automata on the way to a node learn, from the leaf on.
func (a *naiveHTRAA) reward(tree any, node int) (found bool) {
	t, inner := tree.(*twofold)
	if !inner {
		return tree == node
	}
	first := a.reward(t.subtrees[0], node)
	if !first && !a.reward(t.subtrees[1], node) {
		return false
	}
	toFirst := a.random.chance(bitset.Fixed(float64(t.state) / float64(a.n+1)))
	if first && !toFirst {
		t.state = min(t.state+1, a.n)
	}
	if !first && toFirst {
		t.state = max(t.state-1, 1)
	}
	return true
}

func (a *naiveHTRAA) learn(hits []bool) {
	for i, hit := range hits {
		for left := a.worth[i]; hit && left > 0; left-- {
			if left >= 1 || a.random.chance(bitset.Fixed(left)) {
				a.reward(a.tree, i)
			}
		}
		if hit && a.worth[i] == math.Floor(a.worth[i]) {
			a.random.word() // read to decide about nothing
		}
	}
}

func newNaiveHTRAA(a *htraa, w *sources.World) *naiveHTRAA {
	r := len(w.P)
	node := map[int]int{}
	for i, leaf := range a.leaf {
		node[int(leaf)] = i
	}
	twin := &naiveHTRAA{n: a.N, capacity: w.Law.Capacity, rate: make([]float64, r), due: slices.Clone(a.due),
		cost: slices.Repeat([]float64{1}, r), worth: slices.Clone(w.Importance), random: a.random}
	if w.Cost != nil {
		mean := 0.0
		for _, c := range w.Cost {
			mean += c / float64(r)
		}
		for i, c := range w.Cost {
			twin.cost[i] = c
			twin.worth[i] = w.Importance[i] * mean / c
		}
	}
	twin.tree = plant(a, 1, node)
	return twin
}

func TestHTRAAAgreesWithItsNaiveTwin(t *testing.T) {
	for _, c := range []struct {
		n, nodes, capacity int
		spread             float64
	}{{1, 150, 20, 0}, {4, 150, 20, 0}, {32, 150, 20, 0}, {64, 128, 3, 0}, {7, 1, 1, 0}, {128, 41, 40, 0}, {16, 150, 20, 0.5}, {64, 150, 20, 0.9}} {
		config := config("HTRAA")
		config.N, config.World = c.n, sources.Law{Nodes: c.nodes, Capacity: c.capacity, CostSpread: c.spread}
		s, _ := start(config, 3)
		a, w := s.(*htraa), world(config.World, 3)
		twin := newNaiveHTRAA(a, w)
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(c.nodes), bitset.NewSet(c.nodes)
		for slot := range 1000 {
			a.choose(polls)
			if !slices.Equal(members(polls, c.nodes), twin.choose()) {
				t.Fatalf("%+v, slot %d: other polls", c, slot)
			}
			draw(feedback, w, polls, hits)
			a.learn(polls, hits)
			twin.learn(members(hits, c.nodes))
			if a.random.at != twin.random.at {
				t.Fatalf("%+v, slot %d: %d words read, want %d", c, slot, a.random.at, twin.random.at)
			}
		}
		for i, leaf := range a.leaf {
			within(t, a.amount[leaf]/twin.cost[i], twin.rate[i], 1e-9, "%+v: rate of node %d", c, i)
		}
	}
}

// An automaton rests where both of its nodes have equally many hits per poll: with
// two nodes that overwrite, at the rates of which a poll is as likely to be a hit.
func TestHTRAARestsAtEqualHitRates(t *testing.T) {
	c := config("HTRAA")
	c.N, c.World, c.Slots, c.Warmup = 512, sources.Law{Nodes: 2, Capacity: 1}, 1, 0
	w := *world(c.World, 1)
	w.P, w.Importance = []float64{0.04, 0.16}, []float64{1, 1}
	s := c.Algorithm.start(&task{Config: &c, random: randomWords{words: rng.NewWords("monitoring", 1)}})
	s.begin(known{importance: w.Importance})
	a, feedback := s.(*htraa), rng.New("feedback")
	waits, polled, found := [2]bool{}, [2]float64{}, [2]float64{}
	polls, hits := bitset.NewSet(2), bitset.NewSet(2)
	for slot := range 400_000 {
		for i, p := range w.P {
			waits[i] = feedback.Chance(p) || waits[i]
		}
		s.choose(polls)
		clear(hits)
		for i := range polls.All {
			if waits[i] {
				hits.Add(i)
			}
			waits[i] = false
			if slot >= 100_000 {
				polled[i]++
				found[i] += float64(hits[0] >> i & 1)
			}
		}
		a.learn(polls, hits)
	}
	within(t, found[1]/polled[1], found[0]/polled[0], 0.01, "hits of a poll of the second node")
}

// The sorted tree: the order of the leaves against a count of all that was seen.
func TestSortedTreeAgreesWithItsNaiveTwin(t *testing.T) {
	for _, model := range sources.Models() {
		config := config("sorted_HTRAA")
		config.Model, config.N, config.World = model, 16, sources.Law{Nodes: 150, Capacity: 20, CostSpread: 0.5}
		s, _ := start(config, 3)
		a, w := s.(*sortedTree), world(config.World, 3)
		type poll struct {
			slot int
			hit  bool
		}
		seen, order := make([][]poll, 150), slices.Clone(a.order)
		// counted returns the faded hits and slots of a node.
		counted := func(i int) (found, watched float64) {
			last := 0
			for _, p := range seen[i] {
				gap := float64(p.slot - last)
				if last = p.slot; model == sources.Disappear {
					gap = 1
				}
				found, watched = found*15/16, watched*15/16
				if p.hit {
					found, gap = found+1, gap/2
				}
				watched += gap
			}
			return found, watched
		}
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(150), bitset.NewSet(150)
		for slot := 1; slot <= 400; slot++ {
			a.choose(polls)
			draw(feedback, w, polls, hits)
			a.learn(polls, hits)
			for i := range polls.All {
				seen[i] = append(seen[i], poll{slot, hits.Has(i)})
			}
			if slot%8 != 0 { // the first slot after a turn of 7.5
				continue
			}
			found, watched, all, slots := make([]float64, 150), make([]float64, 150), 1.0, 1.0
			for i := range found {
				found[i], watched[i] = counted(i)
				all += found[i]
				slots += watched[i]
			}
			yield := func(i int32) float64 {
				return w.Importance[i] / w.Cost[i] * (1 + found[i]) / (slots/all + watched[i])
			}
			for k := range order {
				if a.leaf[a.order[k]] != int32(150+k) {
					t.Fatalf("%s, slot %d: the leaf of node %d is elsewhere", model, slot, a.order[k])
				}
				if k > 0 && yield(a.order[k]) > yield(a.order[k-1])*(1+1e-9) {
					t.Fatalf("%s, slot %d: nodes %d and %d are not in order", model, slot, a.order[k-1], a.order[k])
				}
			}
		}
		if slices.Equal(a.order, order) {
			t.Error("no leaf has changed its place")
		}
	}
}
