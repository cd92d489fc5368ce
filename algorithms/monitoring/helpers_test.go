package monitoring

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

func algorithm(name string) Algorithm {
	return Algorithms()[slices.IndexFunc(Algorithms(), func(a Algorithm) bool { return a.Name == name })]
}

// config returns the thesis's setup (section 7.1) for an algorithm.
func config(name string) Config {
	c := Config{
		Algorithm: algorithm(name),
		World:     sources.Law{Nodes: 1000, Capacity: 100},
		Model:     sources.Overwrite,
		Slots:     10_000, Warmup: 5000, Bin: 100,
		Belief: Belief{Rates: 32, Redraw: 2e-4, Optimism: 0.1, Prior: learnedPrior},
		N:      64, F: 0.1, Execution: independent, Objective: forRetrieved, Estimator: byLikelihood,
	}
	if name == "FPA" {
		c.N = 16
	}
	return c
}

func world(law sources.Law, seed int64) *sources.World {
	return testutil.Must(sources.Draw(law, seed))
}

func run(c Config, seed int64) *Measurements {
	return runOn(world(c.World, seed), c, seed)
}

func runOn(w *sources.World, c Config, seed int64) *Measurements {
	return testutil.Must(Run(context.Background(), w, c, seed))
}

// start returns a scheduler of the configuration that has begun, and
// random words like its own.
func start(c Config, seed int64) (scheduler, randomWords) {
	d := randomWords{words: rng.NewWords("monitoring", uint64(seed))}
	s := c.Algorithm.start(&task{Config: &c, random: d})
	w := world(c.World, seed)
	s.begin(known{importance: w.Importance, cost: w.Cost, p: w.P})
	return s, d
}

// everyAlgorithm calls f with every algorithm and every execution of it.
func everyAlgorithm(t *testing.T, f func(t *testing.T, c Config)) {
	for _, a := range Algorithms() {
		c := config(a.Name)
		t.Run(a.Name, func(t *testing.T) { f(t, c) })
		if a.Name == "proportional" {
			c.Execution = even
			t.Run("proportional evenly", func(t *testing.T) { f(t, c) })
		}
	}
}

// members returns a set as a slice of booleans for n nodes.
func members(s bitset.Set, n int) []bool {
	m := make([]bool, n)
	for i := range s.All {
		m[i] = true
	}
	return m
}

// greedy takes nodes by falling value, each that still fits.
func greedy(w *sources.World, value func(i int) float64, capacity int) bitset.Set {
	order, values := make([]int, len(w.P)), make([]float64, len(w.P))
	for i := range order {
		order[i], values[i] = i, value(i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	taken, left := bitset.NewSet(len(order)), float64(capacity)
	for _, i := range order {
		if w.Cost.Of(i) <= left {
			left -= w.Cost.Of(i)
			taken.Add(i)
		}
	}
	return taken
}

// draw sets the hits of polls, each with its node's probability.
func draw(feedback *rng.Stream, w *sources.World, polls, hits bitset.Set) {
	clear(hits)
	for i := range polls.All {
		if feedback.Chance(w.P[i]) {
			hits.Add(i)
		}
	}
}
