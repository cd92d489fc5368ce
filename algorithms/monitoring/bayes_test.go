package monitoring

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/lanes"
	"sweep/internal/rng"
)

// On nodes that stay, from cold, and on nodes that switch, it comes as near
// to the bound as the far larger prototype that it simplifies: 99.5 % on the
// whole, which single seeds may miss by a thousandth.
func TestBayesComesNearTheBound(t *testing.T) {
	seeds := int64(4)
	if testing.Short() {
		seeds = 1
	}
	for _, model := range []sources.Model{sources.Disappear, sources.Overwrite} {
		for _, ratio := range []float64{1.5, 2, 4} {
			var stays, switches, cold, switched []float64
			for seed := range seeds {
				c := config(t, "bayes")
				c.Model, c.World.ChangeRatio, c.Warmup = model, ratio, 2500
				w := world(t, c.World, seed)
				bound := Bound(w, model)
				m, err := Run(context.Background(), w, c, seed)
				if err != nil {
					t.Fatal(err)
				}
				stays, cold = append(stays, m.Retrieved/bound), append(cold, m.Cold)
				c.SwitchEvery = 2500
				if m, err = Run(context.Background(), w, c, seed); err != nil {
					t.Fatal(err)
				}
				switches, switched = append(switches, m.Retrieved/bound), append(switched, m.Switched)
			}
			if mean := stat.Mean(stays, nil); mean < 0.994 || mean > 1.003 {
				t.Errorf("%s, ratio %v: %.4f of the bound, want 0.994", model, ratio, mean)
			}
			if mean := stat.Mean(switches, nil); mean < 0.985 {
				t.Errorf("%s, ratio %v: %.4f of the bound with switches, want 0.985", model, ratio, mean)
			}
			if mean := stat.Mean(cold, nil); mean > 50 {
				t.Errorf("%s, ratio %v: 90 %% after %v slots, want 50", model, ratio, mean)
			}
			if mean := stat.Mean(switched, nil); mean > 50 {
				t.Errorf("%s, ratio %v: 90 %% after %v slots from a switch, want 50", model, ratio, mean)
			}
		}
	}
}

// A switch that only the feedback shows, the importance-values staying, is
// noticed within a few slots and never suspected otherwise.
func TestBayesNoticesWhatItIsNotTold(t *testing.T) {
	for _, model := range []sources.Model{sources.Disappear, sources.Overwrite} {
		for seed := range int64(3) {
			c := config(t, "bayes")
			c.Model, c.World.ChangeRatio = model, 2
			scheduler, _ := start(t, c, seed)
			s := scheduler.(*bayes)
			w := world(t, c.World, seed)
			p := slices.Clone(w.P)
			feedback := rng.New("feedback", uint64(seed))
			polls, hits, pending := lanes.NewSet(1000), lanes.NewSet(1000), lanes.NewSet(1000)
			var noticed []int
			value := make([]float64, 5000)
			for slot := range value {
				if slot == 2500 {
					slices.Reverse(p)
				}
				if model == sources.Disappear {
					clear(pending)
				}
				for i := range p {
					if feedback.Chance(p[i]) {
						pending.Add(i)
					}
				}
				s.choose(polls)
				clear(hits)
				for i := range polls.All {
					if pending.Has(i) {
						hits.Add(i)
						pending.Remove(i)
						value[slot] += w.Importance[i]
					}
				}
				s.learn(polls, hits)
				if s.doubts == (doubts{product: 1}) && slices.Max(s.a) == priorA {
					noticed = append(noticed, slot)
				}
			}
			if len(noticed) != 1 || noticed[0] < 2500 || noticed[0] > 2520 {
				t.Errorf("%s, seed %d: everything was forgotten in slots %v, want once, soon after 2500", model, seed, noticed)
			}
			before, after := stat.Mean(value[2000:2500], nil), stat.Mean(value[2600:3100], nil)
			// The new pairs of p and ω are worth less, told or not.
			best := known{importance: w.Importance, p: p}
			reach := 0.0
			for i, x := range topRatesOf(&best, 100) {
				reach += x * best.p[i] * best.importance[i]
			}
			if model == sources.Disappear && after < 0.95*reach || after > 1.5*before {
				t.Errorf("%s, seed %d: %.1f a slot before, %.1f after, of %.1f", model, seed, before, after, reach)
			}
		}
	}
}

func topRatesOf(k *known, capacity int) []float64 {
	return topRates(&sources.World{P: k.p, Importance: k.importance}, capacity)
}

// The gamma distribution after a hit has the mean and the variance of the
// exact posterior, here by numerical integration.
func TestRatesAreLearnedByMoments(t *testing.T) {
	for _, c := range []struct{ a, b, age float64 }{{2, 3, 1}, {5, 40, 7}, {3, 100, 1}, {1.5, 0.5, 20}} {
		s := &bayes{a: []float64{c.a}, b: []float64{c.b}, age: []float64{c.age}, missing: []float64{1, 0.5}, doubts: doubts{product: 1}}
		s.learnRate(0, true)
		var mass, first, second float64
		upper := (c.a + 40*math.Sqrt(c.a) + 40) / c.b
		const n = 400_000
		for k := range n {
			theta := upper * (float64(k) + 0.5) / n
			density := math.Exp((c.a-1)*math.Log(theta)-c.b*theta) * (1 - math.Exp(-theta*c.age))
			mass += density
			first += density * theta
			second += density * theta * theta
		}
		mean := first / mass
		variance := second/mass - mean*mean
		within(t, s.a[0]/s.b[0]/mean, 1, 1e-3, "%+v: mean", c)
		within(t, s.a[0]/(s.b[0]*s.b[0])/variance, 1, 1e-3, "%+v: variance", c)

		s = &bayes{a: []float64{c.a}, b: []float64{c.b}, age: []float64{c.age}, missing: []float64{1, 0.5}, doubts: doubts{product: 1}}
		s.learnRate(0, false)
		if s.a[0] != c.a || s.b[0] != c.b+c.age {
			t.Errorf("%+v: after a miss a = %v, b = %v", c, s.a[0], s.b[0])
		}
	}
}

// Wilson's interval ends where the share is z deviations of p away.
func TestWilson(t *testing.T) {
	for _, share := range []float64{0, 0.2, 0.9, 1} {
		for _, n := range []float64{1, 5, 1000} {
			p := wilson(share, n)
			within(t, p-share, optimism*math.Sqrt(p*(1-p)/n), 1e-9, "share %v of %v: distance", share, n)
		}
	}
}
