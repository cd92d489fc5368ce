package monitoring

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// Automata weigh a hit by ω where costs are equal, and else by ω per cost,
// of which the largest counts 1.
func TestHitWeightsArePerCost(t *testing.T) {
	importance := []float64{0.5, 0.5, 1}
	if got := hitWeights(known{importance: importance}); !slices.Equal(got, importance) {
		t.Errorf("with equal costs %v, want %v", got, importance)
	}
	got := hitWeights(known{importance: importance, cost: []float64{0.5, 1, 1.25}})
	if want := []float64{1, 0.5, 0.8}; !slices.Equal(got, want) {
		t.Errorf("with costs %v, want %v", got, want)
	}
}

// With costs the optima take the nodes of largest value per cost, the next
// ones that still fit where one does not; the bound of disappear fills up
// with a part of the first that does not fit.
func TestOptimaAndBoundArePerCost(t *testing.T) {
	c := config(t, "topC")
	c.World = sources.Law{Nodes: 200, Capacity: 20, CostSpread: 0.9}
	w := world(t, c.World, 1)
	value := make([]float64, 200)
	order := make([]int, 200)
	for i := range order {
		order[i] = i
		value[i] = w.P[i] * w.Importance[i] / w.Cost[i]
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(value[j], value[i]) })
	want, left := bitset.NewSet(200), 20.0
	bound, rest := 0.0, 20.0
	for _, i := range order {
		if w.Cost[i] <= left {
			left -= w.Cost[i]
			want.Add(i)
		}
		part := min(w.Cost[i], rest)
		rest -= part
		bound += value[i] * part
	}
	s, _ := start(t, c, 1)
	polls := bitset.NewSet(200)
	s.choose(polls)
	if !slices.Equal(polls, want) {
		t.Errorf("topC polls %v, want %v", slices.Collect(polls.All), slices.Collect(want.All))
	}
	within(t, Bound(w, sources.Disappear), bound/w.Total, 1e-12, "the bound of disappear")

	// In its first slot every node has age 1, where W = ω·p²: 1 − q(1+p) = p².
	c.Algorithm = algorithm(t, "whittle")
	s, _ = start(t, c, 1)
	s.choose(polls)
	index := func(i int) float64 { return w.Importance[i] * w.P[i] * w.P[i] / w.Cost[i] }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(index(j), index(i)) })
	clear(want)
	left = 20
	for _, i := range order {
		if w.Cost[i] <= left {
			left -= w.Cost[i]
			want.Add(i)
		}
	}
	if !slices.Equal(polls, want) {
		t.Errorf("whittle polls %v, want %v", slices.Collect(polls.All), slices.Collect(want.All))
	}
}

// No more polls are dropped than must be.
func TestTrimDropsNoMoreThanItMust(t *testing.T) {
	_, d := start(t, config(t, "uniform"), 1)
	for _, cost := range [][]float64{nil, slices.Repeat([]float64{1}, 70), slices.Repeat([]float64{0.75}, 70)} {
		k := knapsack{nodes: 70, capacity: 20, cost: cost}
		fit := 20
		if cost != nil {
			fit = int(20 / cost[0])
		}
		for _, wanted := range []int{0, 19, fit, fit + 1, 70} {
			polls := bitset.NewSet(70)
			for i := range wanted {
				polls.Add(i)
			}
			dropped := k.trim(polls, &d)
			if want := max(wanted-fit, 0); dropped != want || polls.Len() != wanted-want {
				t.Errorf("costs %v, %d polls wanted: %d dropped and %d left", cost != nil, wanted, dropped, polls.Len())
			}
		}
	}
}

// The share of the capacity that is not used is a matter of costs, not of
// the number of polls.
func TestUnusedCapacityIsByCost(t *testing.T) {
	c := config(t, "topC") // polls the same nodes in every slot
	c.World = sources.Law{Nodes: 200, Capacity: 20, CostSpread: 0.9}
	c.Slots, c.Warmup = 100, 50
	w := world(t, c.World, 1)
	s, _ := start(t, c, 1)
	polls := bitset.NewSet(200)
	s.choose(polls)
	load := 0.0
	for i := range polls.All {
		load += w.Cost[i]
	}
	m := run(t, c, 1)
	within(t, m.Unused, 1-load/20, 1e-12, "unused")
	within(t, m.Polls, float64(polls.Len()), 1e-12, "polls")
	if math.Abs(load-m.Polls) < 0.5 {
		t.Errorf("%v polls cost %v, which shows no difference", m.Polls, load)
	}
}

// After a switch whittle, which is told, takes a node for what may be found
// there: its age becomes that at which the new p leaves as much unchanged.
func TestWhittleKeepsWhatMayBeFound(t *testing.T) {
	c := config(t, "whittle")
	c.World = sources.Law{Nodes: 2, Capacity: 1}
	s := c.Algorithm.start(&task{Config: &c}).(*whittle)
	s.begin(known{importance: []float64{1, 0.01}, p: []float64{0.5, 0.75}})
	polls := bitset.NewSet(2)
	for range 3 {
		s.choose(polls)
		polls.Add(0)
		polls.Remove(1)
		s.learn(polls, polls)
	}
	s.begin(known{importance: []float64{1, 0.01}, p: []float64{0.75, 0.5}})
	within(t, s.intact[1], math.Pow(0.25, 3), 1e-15, "the probability that nothing is found")
	within(t, s.age[1], 6, 1e-12, "age") // ¼³ = ½⁶
	within(t, s.age[0], 0, 0, "age of a node just polled")
}
