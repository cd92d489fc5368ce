package monitoring

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// The rates of each solver spend the capacity, and no transfer between two
// nodes would serve its objective better.
func TestRatesAreOptimal(t *testing.T) {
	for _, c := range []struct {
		name  string
		rates solver
		// value is what a rate x yields at a node of weight 1.
		value func(p, x float64) float64
	}{
		{"refresh", refreshRates, func(p, x float64) float64 { return x / (x + p - x*p) }},
		{"fixed_order", fixedOrderRates, func(p, x float64) float64 { return x * (1 - math.Pow(1-p, 1/x)) / p }},
		{"lambda_crawl", lambdaRates, func(p, x float64) float64 { return math.Log(x / (x + p - x*p)) }},
		// x in proportion to ωp is where Σ ωp·ln x is largest.
		{"proportional", proportionalRates, func(_, x float64) float64 { return math.Log(x) }},
	} {
		for _, objective := range Objectives() {
			for _, law := range []sources.Law{{Nodes: 200, Capacity: 20}, {Nodes: 200, Capacity: 150}, {Nodes: 200, Capacity: 200}, {Nodes: 200, Capacity: 20, CostSpread: 0.5}, {Nodes: 1000, Capacity: 5}} {
				w := world(law, 1)
				k := known{importance: w.Importance, cost: w.Cost, p: w.P}
				k.weight = weights(&k, objective)
				rates := c.rates(&k, float64(law.Capacity))
				spent := 0.0
				for i, x := range rates {
					spent += x * k.cost.Of(i)
					if x < 0 || x > 1 {
						t.Fatalf("%s, %s, %+v: rate %v", c.name, objective, law, x)
					}
				}
				within(t, spent, float64(law.Capacity), 1e-6, "%s, %s, %+v: spent", c.name, objective, law)
				noTransferGains(t, &k, rates, func(i int, x float64) float64 { return k.weight[i] * c.value(w.P[i], x) },
					func(i, j int) bool { return true }, fmt.Sprintf("%s, %s, %+v", c.name, objective, law))
			}
		}
	}
}

// noTransferGains fails if a bit of capacity that goes from a node j to a node i,
// where that may be, serves better.
func noTransferGains(t *testing.T, k *known, rates []float64, yield func(i int, x float64) float64, may func(i, j int) bool, name string) {
	t.Helper()
	s := rng.New("transfers")
	for range 20_000 {
		i, j := s.IntN(len(rates)), s.IntN(len(rates))
		const step = 1e-4
		up, down := rates[i]+step/k.cost.Of(i), rates[j]-step/k.cost.Of(j)
		if i == j || up > 1 || down < 0 || !may(i, j) {
			continue
		}
		if gain := yield(i, up) + yield(j, down) - yield(i, rates[i]) - yield(j, rates[j]); gain > 1e-9 {
			t.Fatalf("%s: a transfer from node %d to %d gains %v", name, j, i, gain)
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
		e := estimator{missed: c.missed}
		for gap, n := range c.hits {
			class := int(math.Log2(float64(gap)))
			e.classHits[class], e.hitSlots[class] = n, n*float32(gap)
		}
		likelihood := func(p float64) float64 {
			l := math.Log(p) + (4+c.missed)*math.Log1p(-p)
			for gap, n := range c.hits {
				l += float64(n) * math.Log(1-math.Pow(1-p, float64(gap)))
			}
			return l
		}
		p := e.mostLikely()
		if l := likelihood(p); l < likelihood(p*1.001) || l < likelihood(p*0.999) {
			t.Errorf("%+v: %v is not the most likely", c, p)
		}
	}
}

// Told p, and with what is retrieved as their objective, polls at equal
// intervals come nearest to the bound where updates overwrite, then those at
// random; LambdaCrawl, whose objective is another, is far from both. A prototype
// of LearnAndCrawl, which is told nothing, reached about 0.95.
func TestLevelsOfTheRefreshPolicies(t *testing.T) {
	testutil.NeedsThorough(t, "the quality of learners")
	t.Parallel()
	for name, level := range map[string]struct{ least, most float64 }{
		"fixed_order": {0.993, 1.002}, "refresh": {0.98, 0.99}, "lambda_crawl": {0.8, 0.88}, "learn_and_crawl": {0.93, 0.97},
	} {
		if mean := stat.Mean(sharesOfTheBound(t, config(name), sources.Overwrite, 2), nil); mean < level.least || mean > level.most {
			t.Errorf("%s reaches %.4f of the bound, want %v to %v", name, mean, level.least, level.most)
		}
	}
}
