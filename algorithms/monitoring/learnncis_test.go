package monitoring

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// An interval is some slots of a node with their signals, and what is known of
// its updates.
type interval struct {
	signals []bool
	outcome string // hit, miss or open
	weight  float64
}

// expected goes over all ways in which the interval may have had updates, and
// returns their mean number in silent and in signalled slots, and how likely the
// signals and the outcome are.
func (v *interval) expected(p float64, r signalRates) (updates [2]float64, likelihood float64) {
	for way := range 1 << len(v.signals) {
		chance := 1.0
		var n [2]float64
		for slot, signalled := range v.signals {
			signal := r.other
			chance *= 1 - p
			if way>>slot&1 == 1 {
				chance *= p / (1 - p)
				signal = r.update
				n[kindOf(signalled)]++
			}
			if signalled {
				chance *= signal
			} else {
				chance *= 1 - signal
			}
		}
		if v.outcome == "hit" && way == 0 || v.outcome == "miss" && way != 0 {
			continue
		}
		likelihood += chance
		updates[0] += chance * n[0]
		updates[1] += chance * n[1]
	}
	return [2]float64{updates[0] / likelihood, updates[1] / likelihood}, likelihood
}

// slots returns the silent and the signalled slots.
func (v *interval) slots() (n [2]float64) {
	for _, signalled := range v.signals {
		n[kindOf(signalled)]++
	}
	return n
}

// randomHistory returns intervals of which no two hits are of one class but equal,
// and what is kept of them.
func randomHistory(s *rng.Stream) (history []interval, seen sightings) {
	taken := map[[2]int]bool{}
	for _, outcome := range []string{"hit", "miss", "hit", "hit", "miss", "hit", "open"} {
		v := interval{signals: make([]bool, 1+s.IntN(7)), outcome: outcome}
		for slot := range v.signals {
			v.signals[slot] = s.Chance(0.4)
			seen.pass(v.signals[slot])
		}
		class := [2]int{bits.Len(uint(len(v.signals))), min(int(v.slots()[1]), signalClasses-1)}
		switch {
		case outcome == "hit" && taken[class]:
			seen.open = [2]float64{}
			continue
		case outcome != "open":
			seen.poll(outcome == "hit", false, false)
			taken[class] = outcome == "hit" || taken[class]
		}
		history = append(history, v)
	}
	return history, seen
}

// The expected updates are those of all ways in which there may have been some,
// and the estimate of p is where the likelihood of all that was seen, with the
// prior, is largest.
func TestUpdatesExpectedOfAHistory(t *testing.T) {
	s := rng.New("histories")
	for range 200 {
		history, seen := randomHistory(s)
		r := signalRates{update: 0.02 + 0.96*s.Float64(), other: 0.02 + 0.96*s.Float64()}
		p := 0.001 + 0.99*s.Float64()
		var want, slots [2]float64
		for _, v := range history {
			updates, _ := v.expected(p, r)
			for kind, n := range v.slots() {
				want[kind] += updates[kind]
				slots[kind] += n
			}
		}
		got := seen.expected(p, r)
		for kind := range want {
			within(t, got[kind], want[kind], 1e-9, "updates of kind %d, p %v, %+v, %v", kind, p, r, history)
			within(t, seen.slots()[kind], slots[kind], 0, "slots of kind %d", kind)
		}
		posterior := func(p float64) float64 {
			l := math.Log(p) + 4*math.Log1p(-p)
			for _, v := range history {
				_, likelihood := v.expected(p, r)
				l += math.Log(likelihood)
			}
			return l
		}
		best := seen.mostLikely(r)
		if l := posterior(best); l < posterior(best*1.01) || l < posterior(best*0.99) {
			t.Errorf("%v, %+v: %v is not the most likely", history, r, best)
		}
	}
}

// naiveNCIS keeps all that was seen of each node, and estimates by the formulas.
// The last interval of a node is open; where a poll tells of its slot alone, it is
// empty.
type naiveNCIS struct {
	seen  [][]interval
	p     []float64
	rates signalRates
	alone bool // a poll tells of its slot alone
}

func (a *naiveNCIS) learn(signals, polls, hits bitset.Set) {
	for i := range a.seen {
		history := &a.seen[i]
		open := &(*history)[len(*history)-1]
		outcome := "miss"
		if hits.Has(i) {
			outcome = "hit"
		}
		switch told := (interval{[]bool{signals.Has(i)}, outcome, 1}); {
		case polls.Has(i) && a.alone:
			*history = slices.Insert(*history, len(*history)-1, told)
		case polls.Has(i):
			open.signals = append(open.signals, signals.Has(i))
			open.outcome = outcome
			*history = append(*history, interval{outcome: "open", weight: 1})
		case a.alone:
			open.outcome = "open"
			open.signals = append(open.signals, signals.Has(i))
			*history = append(*history, interval{outcome: "open", weight: 1})
		default:
			open.signals = append(open.signals, signals.Has(i))
		}
	}
}

// expected returns the updates and the slots of a node.
func (a *naiveNCIS) expected(i int, p float64) (updates, slots [2]float64) {
	r := a.rates
	signal := p*r.update + (1-p)*r.other
	u := [2]float64{p * (1 - r.update) / (1 - signal), p * r.update / signal}
	type class struct{ n, silent, signalled float64 }
	classes := map[string]class{}
	var order []string
	for _, v := range a.seen[i] {
		n := v.slots()
		for kind := range n {
			slots[kind] += v.weight * n[kind]
			if v.outcome == "open" {
				updates[kind] += v.weight * n[kind] * u[kind]
			}
		}
		if v.outcome == "hit" {
			name := fmt.Sprint(min(bits.Len(uint(len(v.signals))), gapClasses), min(n[1], signalClasses-1))
			if _, is := classes[name]; !is {
				order = append(order, name)
			}
			c := classes[name]
			classes[name] = class{c.n + v.weight, c.silent + v.weight*n[0], c.signalled + v.weight*n[1]}
		}
	}
	for _, name := range order {
		c := classes[name]
		found := 1 - math.Pow(1-u[0], c.silent/c.n)*math.Pow(1-u[1], c.signalled/c.n)
		updates[0] += c.silent * u[0] / found
		updates[1] += c.signalled * u[1] / found
	}
	return updates, slots
}

func (a *naiveNCIS) renew() {
	for range 4 {
		signalled, updated, other, without := 1.0, 2.0, 1.0, 2.0
		for i := range a.seen {
			low, high := 0.0, 1.0
			for range 40 {
				p := (low + high) / 2
				if u, n := a.expected(i, p); 1+u[0]+u[1] > p*(5+n[0]+n[1]) {
					low = p
				} else {
					high = p
				}
			}
			a.p[i] = low
			u, n := a.expected(i, low)
			signalled += u[1]
			updated += u[0] + u[1]
			other += n[1] - u[1]
			without += n[0] + n[1] - u[0] - u[1]
		}
		a.rates = signalRates{signalled / updated, other / without}
	}
	for _, history := range a.seen {
		for k := range history[:len(history)-1] { // the last interval goes on
			history[k].weight *= 0.8
		}
	}
}

// The learner estimates what the naive one does, and polls as one that is told
// these estimates, with the effective ages that its nodes would have had with them.
func TestLearnedNCISAgainstTwin(t *testing.T) {
	slots := testutil.IfThorough(800, 300) // with three renewals, or one
	for _, model := range sources.Models() {
		c := config("greedy_ncis_learned")
		c.World, c.Model = sources.Law{Nodes: 70, Capacity: 7, CostSpread: 0.3, ChangeRatio: 2}, model
		c.Signals = Signals{0.7, 0.1}
		w := world(c.World, 1)
		s := newSimulation(w, &c, 1)
		l := s.scheduler.(*learnedNCIS)
		twin := naiveNCIS{p: slices.Repeat([]float64{0.2}, 70), rates: signalRates{0.5, 0.5}, alone: model == sources.Disappear}
		for range 70 {
			twin.seen = append(twin.seen, []interval{{outcome: "open", weight: 1}})
		}
		want := bitset.NewSet(70)
		for slot := 1; slot <= slots; slot++ {
			s.step()
			if slot%250 == 0 {
				twin.renew()
				within(t, l.rates.update, twin.rates.update, 1e-4, "%s, slot %d: signals of updates", model, slot)
				within(t, l.rates.other, twin.rates.other, 1e-4, "%s, slot %d: signals of nothing", model, slot)
				for i, p := range twin.p {
					within(t, l.p[i], p, 1e-4, "%s, slot %d: p of node %d", model, slot, i)
				}
			}
			told := newGreedyNCIS(&task{Config: &c, signals: s.signals}, l.rates.quality())
			told.begin(known{importance: w.Importance, cost: w.Cost, p: l.p})
			for i, history := range twin.seen {
				for _, signalled := range history[len(history)-1].signals {
					step := told.step[i][kindOf(signalled)]
					if model == sources.Accumulate {
						step = 1 - math.Exp(-step)
					}
					told.age[i] += step
				}
			}
			if told.choose(want); !slices.Equal(s.polls, want) {
				t.Fatalf("%s, slot %d: polls %v, want %v", model, slot, s.polls, want)
			}
			twin.learn(s.signals, s.polls, s.hits)
		}
	}
}

// What the learner retrieves is nearly what the algorithm does that is told p and
// the quality of the signals, and it estimates them.
func TestLearnedNCISComesNearTheTold(t *testing.T) {
	testutil.NeedsThorough(t, "thousands of slots take seconds")
	t.Parallel()
	cases := []struct {
		model   string
		signals Signals
		share   float64 // at least
	}{
		{sources.Overwrite, Signals{0.5, 0.3}, 0.995},
		{sources.Overwrite, Signals{}, 0.995},
		{sources.Overwrite, Signals{0.7, 0.02}, 0.995},
		{sources.Disappear, Signals{0.5, 0.3}, 0.995},
		{sources.Disappear, Signals{0.7, 0.02}, 0.995},
	}
	for _, c := range cases {
		learned, told := config("greedy_ncis_learned"), config("greedy_ncis")
		learned.Model, learned.Signals, learned.Slots, learned.Warmup = c.model, c.signals, 5000, 2500
		told.Model, told.Signals, told.Slots, told.Warmup = c.model, c.signals, 5000, 2500
		var l *learnedNCIS
		start := learned.Algorithm.start
		learned.Algorithm.start = func(t *task) scheduler {
			l = start(t).(*learnedNCIS)
			return l
		}
		share := run(learned, 3001).Retrieved / run(told, 3001).Retrieved
		t.Logf("%s, %+v: %.4f of what the told retrieves", c.model, c.signals, share)
		if share < c.share {
			t.Errorf("%s, %+v: %.4f of what the told retrieves, want %v", c.model, c.signals, share, c.share)
		}
		within(t, l.quality.Recall, c.signals.Recall, 0.05, "%s, %+v: recall", c.model, c.signals)
		within(t, l.quality.False, c.signals.False, 0.05, "%s, %+v: false signals", c.model, c.signals)
		if r := stat.Correlation(l.p, world(learned.World, 3001).P, nil); r < 0.9 {
			t.Errorf("%s, %+v: estimates and p have the correlation %.3f", c.model, c.signals, r)
		}
	}
}
