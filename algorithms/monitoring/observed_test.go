package monitoring

import (
	"math"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// naiveObserved is Algorithm 2 of Kolobov et al. 2019, with costs: nodes share
// the capacity in proportion to their weights; those that would be polled more
// often than they are updated are polled at every update, and the others share
// the rest; until there are none.
func naiveObserved(k *known, capacity float64) []float64 {
	x := make([]float64, len(k.p))
	certain := map[int]bool{}
	for {
		left, weight := capacity, 0.0
		for i, p := range k.p {
			if certain[i] {
				left -= p * k.cost.Of(i)
			} else {
				weight += k.weight[i]
			}
		}
		before := len(certain)
		for i, p := range k.p {
			if certain[i] {
				continue
			}
			if x[i] = left * k.weight[i] / weight / (p * k.cost.Of(i)); x[i] >= 1 {
				x[i], certain[i] = 1, true
			}
		}
		if len(certain) == before {
			return x
		}
	}
}

func TestObservedRatesAreThoseOfAlgorithm2(t *testing.T) {
	for _, objective := range Objectives() {
		for _, law := range []sources.Law{{Nodes: 200, Capacity: 20}, {Nodes: 200, Capacity: 20, CostSpread: 0.5}, {Nodes: 200, Capacity: 20, ChangeRatio: 0.7}, {Nodes: 1000, Capacity: 5}} {
			w := world(law, 1)
			k := known{importance: w.Importance, cost: w.Cost, p: w.P}
			k.weight = weights(&k, objective)
			want, certain := naiveObserved(&k, float64(law.Capacity)), 0
			for i, rate := range observedRates(&k, float64(law.Capacity)) {
				within(t, rate/w.P[i], want[i], 1e-9, "%s, %+v: node %d: x", objective, law, i)
				if want[i] == 1 {
					certain++
				}
			}
			if all := certain == law.Nodes; all != (law.ChangeRatio == 0.7) {
				t.Errorf("%s, %+v: %d nodes are polled at every update", objective, law, certain)
			}
		}
	}
}

// Updates are polled when and only when they happen, with the probability of the
// node, and trimmed as other random polls.
func TestObservedCrawlPollsUponUpdates(t *testing.T) {
	c := config("lambda_crawl_observed")
	c.World = sources.Law{Nodes: 130, Capacity: 13, CostSpread: 0.3}
	w := world(c.World, 1)
	s := newSimulation(w, &c, 1)
	k := known{importance: w.Importance, cost: w.Cost, p: w.P}
	k.weight = weights(&k, c.Objective)
	drawn := bitset.NewPlanes(naiveObserved(&k, 13))
	twin := task{Config: &c, known: k, random: randomWords{words: rng.NewWords("monitoring", 1)}}
	want, dropped := bitset.NewSet(130), 0
	for slot := range 2000 {
		s.step()
		twin.random.at = drawn.DrawAll(want, twin.random.words, twin.random.at)
		for i := range want.All {
			if !s.environment.Updates().Has(i) {
				want.Remove(i)
			}
		}
		dropped += twin.trim(want)
		if !slices.Equal(s.polls, want) || !slices.Equal(s.hits, want) {
			t.Fatalf("slot %d: polls %v, hits %v, want both %v", slot, s.polls, s.hits, want)
		}
	}
	if s.open.dropped != float64(dropped) || dropped == 0 {
		t.Errorf("%v dropped polls, want %d, and some", s.open.dropped, dropped)
	}
}

// harmonicStaleness returns the mean over slots of Σ w·(1 + 1/2 + … + 1/n), n
// being how many updates a copy has missed.
func harmonicStaleness(c Config, seed int64) (mean float64) {
	w := world(c.World, seed)
	weight := weights(&known{importance: w.Importance, p: w.P}, c.Objective)
	s := newSimulation(w, &c, seed)
	stale, missed := make([]float64, len(w.P)), make([]float64, len(w.P))
	for slot := range c.Slots {
		s.step()
		for i := range s.environment.Updates().All {
			missed[i]++
			stale[i] += 1 / missed[i]
		}
		for i := range s.polls.All {
			missed[i], stale[i] = 0, 0
		}
		for i, h := range stale {
			if slot >= c.Warmup {
				mean += weight[i] * h / float64(c.Slots-c.Warmup)
			}
		}
	}
	return mean
}

// With polls that are never dropped, copies have the harmonic staleness that is
// the objective, −Σ w·ln x. Those that are dropped cost less than a third of
// that more. LambdaCrawl, which is not told of updates, has more, and so has the
// greedy policy that is told of them, for which old copies are all alike.
func TestObservedCrawlHasLeastHarmonicStaleness(t *testing.T) {
	testutil.NeedsThorough(t, "6,000 slots are simulated again and again")
	t.Parallel()
	for _, ratio := range []float64{1.5, 4} {
		for _, objective := range Objectives() {
			staleness := func(name string, limit int) float64 {
				c := config(name)
				c.Objective, c.World.ChangeRatio, c.Slots, c.Warmup = objective, ratio, 6000, 2000
				if name == "greedy_ncis" {
					c.Signals.Recall = 1
				}
				start := c.Algorithm.start
				c.Algorithm.start = func(t *task) scheduler {
					t.World.Capacity = limit // of what is polled; the rates stay those of 100
					s := start(t)
					if o, is := s.(*observedCrawl); is {
						solve := o.solve
						o.solve = func(k *known, _ float64) []float64 { return solve(k, 100) }
					}
					return s
				}
				return harmonicStaleness(c, 1)
			}
			w := world(sources.Law{Nodes: 1000, Capacity: 100, ChangeRatio: ratio}, 1)
			k := known{importance: w.Importance, cost: w.Cost, p: w.P}
			k.weight = weights(&k, objective)
			want := 0.0
			for i, x := range naiveObserved(&k, 100) {
				want -= k.weight[i] * math.Log(x)
			}
			within(t, staleness("lambda_crawl_observed", 1000)/want, 1, 0.02, "ratio %v, %s: of −Σ w·ln x", ratio, objective)
			got := staleness("lambda_crawl_observed", 100)
			if got > 1.33*want {
				t.Errorf("ratio %v, %s: %v where polls are dropped, %v where not", ratio, objective, got, want)
			}
			for _, other := range []string{"lambda_crawl", "greedy_ncis"} {
				if s := staleness(other, 100); s < 1.04*got {
					t.Errorf("ratio %v, %s: %s has %v, observed %v", ratio, objective, other, s, got)
				}
			}
		}
	}
}
