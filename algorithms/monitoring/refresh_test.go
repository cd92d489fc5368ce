package monitoring

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/rng"
)

// The rates spend the capacity, and no transfer between two nodes would
// retrieve more.
func TestRefreshRatesAreOptimal(t *testing.T) {
	for _, law := range []sources.Law{{Nodes: 200, Capacity: 20}, {Nodes: 200, Capacity: 150}, {Nodes: 200, Capacity: 20, CostSpread: 0.5}} {
		w := world(t, law, 1)
		k := known{importance: w.Importance, cost: w.Cost, p: w.P}
		rates := refreshRates(&k, law.Capacity)
		yield := func(i int, x float64) float64 {
			return w.Importance[i] * x * w.P[i] / (x + w.P[i] - x*w.P[i])
		}
		spent := 0.0
		for i, x := range rates {
			spent += x * k.costOf(i)
			if x < 0 || x > 1 {
				t.Fatalf("%+v: rate %v", law, x)
			}
		}
		within(t, spent, float64(law.Capacity), 1e-6, "%+v: spent", law)
		s := rng.New("transfers")
		for range 20_000 {
			i, j := s.IntN(200), s.IntN(200)
			step := 1e-3
			up, down := rates[i]+step/k.costOf(i), rates[j]-step/k.costOf(j)
			if i == j || up > 1 || down < 0 {
				continue
			}
			if gain := yield(i, up) + yield(j, down) - yield(i, rates[i]) - yield(j, rates[j]); gain > 1e-9 {
				t.Fatalf("%+v: a transfer from node %d to %d gains %v", law, j, i, gain)
			}
		}
	}
}

// The estimate is where the likelihood is largest.
func TestEstimateIsTheMostLikely(t *testing.T) {
	for _, c := range []struct {
		missed float64
		hits   map[int]float32 // by gap, one in each class
	}{
		{0, nil}, {10, nil}, {0, map[int]float32{1: 50}}, {30, map[int]float32{1: 3, 5: 4}}, {400, map[int]float32{100: 6}},
	} {
		h := gaps{missed: c.missed}
		for gap, n := range c.hits {
			class := int(math.Log2(float64(gap)))
			h.hits[class], h.slots[class] = n, n*float32(gap)
		}
		likelihood := func(p float64) float64 {
			l := math.Log(p) + (4+c.missed)*math.Log1p(-p)
			for gap, n := range c.hits {
				l += float64(n) * math.Log(1-math.Pow(1-p, float64(gap)))
			}
			return l
		}
		p := h.estimate()
		if l := likelihood(p); l < likelihood(p*1.001) || l < likelihood(p*0.999) {
			t.Errorf("%+v: %v is not the most likely", c, p)
		}
	}
}

// A prototype of the scheme reached about 0.95 of the bound.
func TestLearnAndCrawlReachesItsLevel(t *testing.T) {
	var told, learned []float64
	for seed := range int64(3) {
		c := config(t, "learn_and_crawl")
		c.World.ChangeRatio = 2
		bound := Bound(world(t, c.World, seed), c.Model)
		learned = append(learned, run(t, c, seed).Retrieved/bound)
		c.Algorithm = algorithm(t, "refresh")
		told = append(told, run(t, c, seed).Retrieved/bound)
	}
	within(t, stat.Mean(learned, nil), 0.95, 0.02, "learned, of the bound")
	within(t, stat.Mean(told, nil), 0.985, 0.01, "told, of the bound")
}
