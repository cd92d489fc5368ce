package bayes

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/algorithms/belief"
	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// within fails unless got is want to a tolerance.
func within(t *testing.T, got, want, tolerance float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5f, want %.5f ± %.5f", fmt.Sprintf(format, args...), got, want, tolerance)
	}
}

// A switch that only the feedback shows, the importance-values staying, is
// noticed within a few slots and never suspected otherwise.
func TestNoticesWhatItIsNotTold(t *testing.T) {
	t.Parallel()
	for _, model := range []string{sources.Disappear, sources.Overwrite} {
		for seed := range int64(3) {
			law := sources.Law{Nodes: 1000, Capacity: 100, ChangeRatio: 2}
			w := testutil.Must(sources.Draw(law, seed))
			l := New(model, law.Nodes, law.Capacity, nil, AllMechanisms)
			l.Begin(w.Importance, nil)
			var noticed []int
			value := make([]float64, 5000)
			p := play(l, w, model, seed, value, func(slot int) {
				if knowsNothing(l) {
					noticed = append(noticed, slot)
				}
			})
			if len(noticed) != 1 || noticed[0] < 2500 || noticed[0] > 2520 {
				t.Errorf("%s, seed %d: everything was forgotten in slots %v, want once, soon after 2500", model, seed, noticed)
			}
			before := stat.Mean(value[2000:2500], nil)
			after := stat.Mean(value[2600:3100], nil)
			// The new pairs of p and ω are worth less, told or not.
			var worth []float64
			for i := range p {
				worth = append(worth, p[i]*w.Importance[i])
			}
			slices.Sort(worth)
			reach := 0.0
			for _, x := range worth[len(worth)-law.Capacity:] {
				reach += x
			}
			if model == sources.Disappear && after < 0.95*reach || after > 1.5*before {
				t.Errorf("%s, seed %d: %.1f a slot before, %.1f after, of %.1f", model, seed, before, after, reach)
			}
		}
	}
}

// play has a learner poll the nodes of a world, whose p are reversed in the middle,
// untold. It sets value to what each slot retrieves, and returns the last p.
func play(
	l *Learner, w *sources.World, model string, seed int64, value []float64, after func(slot int),
) (p []float64) {
	p = slices.Clone(w.P)
	feedback := rng.New("feedback", uint64(seed))
	polls := bitset.NewSet(len(p))
	hits := bitset.NewSet(len(p))
	pending := bitset.NewSet(len(p))
	for slot := range value {
		if slot == len(value)/2 {
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
		l.Choose(polls)
		clear(hits)
		for i := range polls.All {
			if pending.Has(i) {
				hits.Add(i)
				pending.Remove(i)
				value[slot] += w.Importance[i]
			}
		}
		l.Learn(hits)
		after(slot)
	}
	return p
}

// knowsNothing reports whether every node is at the prior.
func knowsNothing(l *Learner) bool {
	return !slices.ContainsFunc(l.nodes, func(e evidence) bool { return e.seen != (likelihoods{}) })
}

// A single node that changes otherwise than before is forgotten after some
// polls, and none that goes on as before.
func TestReplacesSingleNodes(t *testing.T) {
	const nodes, polls, soon = 40, 2000, 60
	l := New(sources.Disappear, nodes, nodes, nil, AllMechanisms)
	l.Begin(make([]float64, nodes), nil)
	l.prior.a, l.prior.b, l.once = 0.5, 1, l.miss(0.5, 1, 1)
	feedback := rng.New("feedback")
	switched := func(i int) bool { return i == 0 || i == nodes-1 }
	for slot := range polls + soon {
		l.slot++
		for i := range nodes {
			p := (float64(i) + 0.5) / nodes
			if slot >= polls && switched(i) {
				p = 1 - p
			}
			hits := 0
			if feedback.Chance(p) {
				hits = 1
			}
			l.learnPolls(int32(i), 1, 1, hits)
		}
	}
	for i := range nodes {
		a, b, _ := l.belief(int32(i))
		p := 1 - math.Exp(-a/b)
		want := (float64(i) + 0.5) / nodes
		if switched(i) {
			want = 1 - want
		}
		within(t, p, want, 0.15, "p of node %d", i)
	}
}

// Whether polls that find nothing belong to a lease makes no difference: they tell
// as much of a change as one poll after as many slots.
func TestMissesOfALeaseTellAsMuch(t *testing.T) {
	for _, model := range []string{sources.Overwrite, sources.Accumulate} {
		for _, n := range []int{1, 2, 5, 20} {
			l := New(model, 2, 1, nil, AllMechanisms)
			l.slot = 80
			for i := range l.nodes {
				l.nodes[i].settled = true
				l.setCounts(&l.nodes[i], 20, 40, 0)
			}
			l.learnPolls(0, 4, n, 0)
			l.learnPolls(1, 4*n, 1, 0)
			if lease, once := l.nodes[0], l.nodes[1]; n < 20 && lease != once {
				t.Errorf("%s, %d polls: %+v, want %+v", model, n, lease, once)
			}
			if (n == 20) != (l.replaced == 2) {
				t.Errorf("%s, %d polls: %v of 2 nodes were replaced", model, n, l.replaced)
			}
		}
	}
}

// Whatever is switched off is missing, in one of the models at least.
func TestMechanisms(t *testing.T) {
	w := testutil.Must(sources.Draw(sources.Law{Nodes: 200, Capacity: 20, ChangeRatio: 2}, 1))
	all := map[string][]float64{}
	for _, without := range Mechanisms() {
		missing := false
		for _, model := range sources.Models() {
			l := New(model, w.Law.Nodes, w.Law.Capacity, nil, without)
			l.Begin(w.Importance, nil)
			value := make([]float64, 1000)
			play(l, w, model, 1, value, func(int) {})
			if without == AllMechanisms {
				all[model] = value
			}
			missing = missing || !slices.Equal(value, all[model])
		}
		if missing == (without == AllMechanisms) {
			t.Errorf("without %s: other polls %v", without, missing)
		}
	}
}

// retrieved returns what a learner retrieves of nodes that switch once. With
// recall, all nodes are candidates in every slot, in place of the calendar's
// choice.
func retrieved(w *sources.World, model string, recall bool) float64 {
	environment := sources.NewEnvironment(w, model, 1000)
	l := New(model, w.Law.Nodes, w.Law.Capacity, nil, AllMechanisms)
	l.Begin(w.Importance, w.Cost)
	polls := bitset.NewSet(w.Law.Nodes)
	hits := bitset.NewSet(w.Law.Nodes)
	for range 2000 {
		if environment.Next() {
			now := environment.World()
			l.Begin(now.Importance, now.Cost)
		}
		if recall {
			l.recall()
		}
		l.Choose(polls)
		environment.Poll(polls, hits)
		l.Learn(hits)
	}
	return environment.Retrieved()
}

// The calendar and the leases save time and lose little: nearly as much is
// retrieved as if the indices of all nodes were compared in every slot.
func TestCalendarLosesLittle(t *testing.T) {
	testutil.NeedsThorough(t, "the quality of a learner")
	t.Parallel()
	for _, model := range sources.Models() {
		var difference []float64
		for seed := range int64(24) { // one differs by .5 %
			w := testutil.Must(sources.Draw(sources.Law{Nodes: 300, Capacity: 30}, seed))
			few := retrieved(w, model, false)
			all := retrieved(w, model, true)
			difference = append(difference, few/all-1)
		}
		if mean := stat.Mean(difference, nil); math.Abs(mean) > 0.002 {
			t.Errorf("%s: the calendar retrieves %+.4f more", model, mean)
		}
	}
}

// posterior returns the mean and the variance of θ, by numerical integration,
// after n polls of gap g with some hits.
func posterior(a, b, g, n, hits float64) (mean, variance float64) {
	var mass, first, second float64
	upper := (a + 40*math.Sqrt(a) + 40) / b
	const steps = 400_000
	for k := range steps {
		theta := upper * (float64(k) + 0.5) / steps
		density := math.Exp((a-1)*math.Log(theta)-(b+g*(n-hits))*theta) * math.Pow(1-math.Exp(-theta*g), hits)
		mass += density
		first += density * theta
		second += density * theta * theta
	}
	mean = first / mass
	return mean, second/mass - mean*mean
}

// After a hit the belief has the mean and the variance of the exact
// posterior, after a lease about these.
func TestBeliefsFollowTheExactPosterior(t *testing.T) {
	c := sharedCurves()
	for _, k := range []struct{ a, b, g float64 }{{2, 3, 1}, {5, 40, 7}, {3, 100, 1}, {1.5, 0.8, 20}} {
		a, b := belief.AfterHit(k.a, k.b, k.g, c.miss(k.a, k.b, k.g))
		mean, variance := posterior(k.a, k.b, k.g, 1, 1)
		within(t, a/b/mean, 1, 1e-3, "%+v: mean", k)
		within(t, a/(b*b)/variance, 1, 1e-3, "%+v: variance", k)
	}
	for _, k := range []struct{ a, b, g, n, hits float64 }{{20, 30, 1, 5, 3}, {40, 400, 6, 8, 5}, {300, 200, 1, 31, 25}, {16, 1000, 1, 4, 0}} {
		a, b := c.afterMany(k.a, k.b, k.g, k.n, k.hits)
		mean, variance := posterior(k.a, k.b, k.g, k.n, k.hits)
		within(t, a/b/mean, 1, 0.01, "%+v: mean", k)
		within(t, a/(b*b)/variance, 1, 0.05, "%+v: variance", k)
	}
}

// On the grid, bytes of logarithms and classes of gaps come near to the filter
// that they stand for, with whole numbers and the exact gaps.
func TestGridFollowsTheFilter(t *testing.T) {
	s := rng.New("grid")
	for _, p := range []float64{0.9, 0.2, 0.01} {
		l := newPrior(sources.Overwrite)
		e := evidence{}
		exact := weights{}
		for r := range exact {
			exact[r] = 1
		}
		for range 300 {
			gap := float64(1 + s.IntN(40))
			hits := 0.0
			if s.Chance(1 - math.Pow(1-p, gap)) {
				hits = 1
			}
			l.learnGrid(&e, gap, 1, hits)
			mean := 0.0
			for r, x := range exact {
				mean += x * l.grid.prior[r]
			}
			stays := math.Exp(-redraw * gap)
			for r, x := range exact {
				miss := math.Exp(-l.grid.theta[r] * gap)
				exact[r] = (stays*x/mean + 1 - stays) * math.Abs(hits-miss)
			}
		}
		var got weights
		l.grid.posterior(&e.seen, &got)
		mean := 0.0
		for r, x := range exact {
			mean += x * l.grid.prior[r]
		}
		for r, x := range exact {
			want := x * l.grid.prior[r] / mean
			within(t, got[r], want, 0.3*want+0.02, "p %v: the probability of rate %d", p, r)
		}
	}
}

// A page that was quiet for long and changes in each of three polls is believed
// to change often; a gamma distribution of what was seen says once in 300 slots.
func TestGridSeesASpellBegin(t *testing.T) {
	l := newPrior(sources.Overwrite)
	e := evidence{}
	for range 50 {
		l.learnGrid(&e, 20, 1, 0)
	}
	var a, b float64
	for range 3 {
		a, b = l.learnGrid(&e, 10, 1, 1)
	}
	if a/b < 0.1 {
		t.Errorf("after three hits: %v changes in a slot", a/b)
	}
}

// The index of a node on the grid is the filter's, with the prior as it is now,
// and its wait ends with the first class of gaps at which the index reaches a
// level.
func TestGridIndexIsThatOfTheFilter(t *testing.T) {
	l := newPrior(sources.Overwrite)
	sum := weights{3: 5, 9: 20}
	l.grid.renew(&sum, 25)
	for _, hits := range [][]float64{nil, {0}, {1}, {0, 0, 0, 1, 1}} {
		e := evidence{}
		for _, hit := range hits {
			l.learnGrid(&e, 30, 1, hit)
		}
		var w weights
		l.grid.posterior(&e.seen, &w)
		const level = 0.2
		ripe := math.Inf(1)
		for class := range gapClasses {
			gap := math.Pow(2, float64(class)/gapsPerOctave)
			stays := math.Exp(-redraw * gap)
			mean := 0.0
			square := 0.0
			for r, theta := range l.grid.theta {
				now := stays*w[r] + (1-stays)*l.grid.prior[r]
				index := 1 - math.Exp(-theta*gap)*(1+gap*(1-math.Exp(-theta)))
				mean += now * index
				square += now * index * index
			}
			want := mean + optimism*math.Sqrt(square-mean*mean)
			slots := int(gap + 0.5)
			if l.grid.gapClass(slots) == class {
				got := l.grid.gridShare(&e.seen, slots)
				within(t, got, want, 1e-9, "after %v, the index after %v slots", hits, slots)
			}
			if want >= level {
				ripe = min(ripe, gap)
			}
		}
		within(t, l.grid.gridGap(&e.seen, level), ripe, 1e-9*ripe, "after %v, the gap of the index %v", hits, level)
		if got := l.grid.gridGap(&e.seen, 2); !math.IsInf(got, 1) {
			t.Errorf("after %v, the index reaches 2 after %v slots", hits, got)
		}
	}
}

// At the gap at which an index is said to be a share of the importance-value it
// is that in continuous time: closely, if something is known of the node.
func TestWaitsAreThoseOfTheShare(t *testing.T) {
	c := sharedCurves()
	for _, a := range []float64{0.5, 1, 3, 20, 500} {
		for _, share := range []float64{1e-4, 0.01, 0.1, 0.3, 0.7, 0.95, 0.999} {
			y := c.wait(a, share/(1-share))
			if y > 1e9 {
				continue // for ever
			}
			got := 1 - math.Pow(1+y, -a)*(1+a*y/(1+y))
			tolerance := 0.03
			if a < 3 {
				tolerance = 0.35
			}
			within(t, got/share, 1, tolerance, "share at the gap of shape %v and share %v", a, share)
		}
	}
}

// The estimates of links: .8 of pairs that change together, about what chance
// brings of others.
func TestStrengthsOfLinks(t *testing.T) {
	l := newLinks([][2]int32{{0, 1}, {2, 3}}, 4)
	nodes := make([]evidence, 4)
	draws := rng.New("pairs")
	for slot := int32(1); slot < 2000; slot++ {
		for pair := int32(0); pair < 4; pair += 2 {
			first, second := draws.Chance(0.3), draws.Chance(0.3)
			if pair == 0 {
				second = first && draws.Chance(0.8)
			}
			for k, hit := range []bool{first, second} {
				i := pair + int32(k)
				l.learn(nodes, i, 1, 0.7, hit)
				nodes[i].polled = slot
			}
		}
	}
	_, together := l.belief(0)
	_, apart := l.belief(1)
	within(t, together, 0.75, 0.1, "q of a pair that changes together")
	within(t, apart, 0, 0.1, "q of others")
}
