package monitoring

import (
	"math"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// Polled in every slot, the filter believes of a node what the sum over all
// histories says: in each slot the node was redrawn, or not.
func TestFilterIsTheSumOverHistories(t *testing.T) {
	const slots = 9
	outcomes := rng.New("outcomes")
	for _, redraw := range []float64{0, 0.01, 0.3} {
		c := config("filter")
		c.World = sources.Law{Nodes: 1, Capacity: 1}
		c.Belief = Belief{Rates: 5, Redraw: redraw, Prior: flatPrior}
		s := startFilter(&task{Config: &c}).(*filter)
		s.begin(known{importance: []float64{1}})
		polls := bitset.NewSet(1)
		hits := bitset.NewSet(1)
		var seen []bool
		for range slots {
			s.choose(polls)
			clear(hits)
			if outcomes.Chance(0.5) {
				hits.Add(0)
			}
			seen = append(seen, hits.Has(0))
			s.learn(polls, hits)
		}

		// The first bit of a history says nothing: it begins with a draw.
		want := make([]float64, len(s.rates))
		for history := 0; history < 1<<slots; history += 2 {
			weight := 1.0
			last := 0
			for slot := 1; slot < slots; slot++ {
				if history>>slot&1 != 0 {
					weight *= (1 - math.Exp(-redraw)) * meanOf(s.rates, seen[last:slot])
					last = slot
				} else {
					weight *= math.Exp(-redraw)
				}
			}
			for k, theta := range s.rates {
				want[k] += weight * chanceOf(theta, seen[last:])
			}
		}
		scale := 0.0
		for k, l := range s.nodes[0].likelihood {
			scale += want[k] / l / float64(len(want))
		}
		for k, l := range s.nodes[0].likelihood {
			if ratio := want[k] / l / scale; math.Abs(ratio-1) > 1e-9 {
				t.Errorf("redraw %v: the likelihood of rate %d is %v of that of all histories", redraw, k, 1/ratio)
			}
		}
	}
}

// chanceOf returns the probability of outcomes of polls in successive slots.
func chanceOf(theta float64, seen []bool) float64 {
	product := 1.0
	for _, hit := range seen {
		if hit {
			product *= 1 - math.Exp(-theta)
		} else {
			product *= math.Exp(-theta)
		}
	}
	return product
}

// meanOf returns the same for a rate that is drawn.
func meanOf(rates []float64, seen []bool) float64 {
	sum := 0.0
	for _, theta := range rates {
		sum += chanceOf(theta, seen) / float64(len(rates))
	}
	return sum
}

// It comes near the bound on nodes that stay, and near the bound of what can be
// had on nodes that are redrawn one by one.
func TestFilterComesNearTheBound(t *testing.T) {
	testutil.NeedsThorough(t, "the quality of a learner")
	t.Parallel()
	for model, least := range map[string]float64{sources.Overwrite: 0.994, sources.Disappear: 0.985} {
		c := config("filter")
		c.Model = model
		w := world(c.World, 1)
		if got := runOn(w, c, 1).Retrieved / Bound(w, model); got < least {
			t.Errorf("%s: %.4f of the bound, want %v", model, got, least)
		}
	}
}
