package monitoring

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// A node that is polled as soon as its effective age reaches L is fresh as long,
// and is polled as seldom, as its crawl value says: against runs of the signals
// themselves.
func TestCrawlValuesWithSignals(t *testing.T) {
	s := rng.New("crawl values")
	for _, c := range []struct {
		p       float64
		signals Signals
		age     float64
	}{
		{0.1, Signals{0.5, 0.05}, 0.9}, {0.02, Signals{0.8, 0.1}, 0.5}, {0.3, Signals{1, 0.2}, 1.1}, {0.05, Signals{0, 0.3}, 0.7},
	} {
		signalled, silent := c.signals.intact(c.p)
		step := [2]float64{max(-math.Log(silent), 0), -math.Log(signalled)}
		values, scale := crawlValues(step, c.signals.probability(c.p))
		const cycles = 100_000
		slots, fresh, reached := 0.0, 0.0, 0.0
		for range cycles {
			updated := false
			age := 0.0
			for age < c.age {
				slots++
				if !updated {
					fresh++
				}
				now := s.Chance(c.p)
				updated = updated || now
				if now && s.Chance(c.signals.Recall) || s.Chance(c.signals.False) {
					age += step[1]
				} else {
					age += step[0]
				}
			}
			if !updated {
				reached++
			}
		}
		// Between two steps the threshold may be passed by: the copy is then less
		// fresh than e^−L, and the mean of what it is stands for that.
		want := fresh/cycles - math.Exp(-c.age)*slots/cycles
		at := c.age * scale
		got := float64(values[int(at)])*(1-at+math.Floor(at)) + float64(values[int(at)+1])*(at-math.Floor(at))
		within(t, got, want, 0.03*want+0.02, "%+v", c)
		if reached/cycles > math.Exp(-c.age)+0.01 {
			t.Errorf("%+v: %v are fresh when polled, expected at most e^−L = %v", c, reached/cycles, math.Exp(-c.age))
		}
	}
}

// Signals tell of the share of updates that they should, and of others as often
// as they should.
func TestSignalsAreDrawnAsDeclared(t *testing.T) {
	draw := Signals{Recall: 0.7, False: 0.05}.source(640, 1)
	signals, updates := bitset.NewSet(640), bitset.NewSet(640)
	for i := range 320 {
		updates.Add(i)
	}
	var told, untold float64
	const slots = 2000
	for range slots {
		draw(signals, updates)
		for i := range signals.All {
			if updates.Has(i) {
				told++
			} else {
				untold++
			}
		}
	}
	within(t, told/slots/320, 1-0.3*0.95, 0.003, "signals of updates")
	within(t, untold/slots/320, 0.05, 0.002, "signals of nothing")
}

// Told of changes, the greedy policy retrieves more, the better the signals
// are, and as much as whittle without. Copies are as fresh where changes accumulate.
func TestSignalsHelp(t *testing.T) {
	t.Parallel()
	c := config("greedy_ncis")
	c.Slots = testutil.IfThorough(4000, 2000)
	c.Warmup = 1000
	share := func(s Signals) float64 {
		c.Signals = s
		return run(c, 1).Retrieved
	}
	without := share(Signals{})
	w := c
	w.Algorithm, w.Signals = algorithm("whittle"), Signals{}
	within(t, without, run(w, 1).Retrieved, 0.001, "without signals")
	bad, good := share(Signals{Recall: 0.5, False: 0.3}), share(Signals{Recall: 1})
	if !(without < bad && bad < good) {
		t.Errorf("without signals %.4f, with bad ones %.4f, with good ones %.4f", without, bad, good)
	}
	c.Objective = forFreshness
	w, c.Model = c, sources.Accumulate
	within(t, run(c, 1).Freshness, run(w, 1).Freshness, 0, "freshness where updates accumulate")
}

// For polls at random the estimators come to p.
func TestEstimatorsComeToP(t *testing.T) {
	s := rng.New("estimators")
	for _, c := range []struct{ p, rate float64 }{{0.02, 0.1}, {0.3, 0.1}, {0.9, 0.5}, {0.05, 0.9}} {
		e, updated := estimator{p: firstGuess}, false
		for slot := 1; slot <= 400_000; slot++ {
			updated = s.Chance(c.p) || updated
			if s.Chance(c.rate) {
				e.learn(updated, slot, c.rate)
				updated = false
			}
		}
		within(t, e.byShare(), c.p, 0.03*c.p, "%+v: by the share of hits", c)
		within(t, e.p, c.p, 0.1*c.p, "%+v: by approximation", c)
	}
}

// The learner that explores polls the nodes in turn as long as it should, and
// after that at the rates that are best for its estimates.
func TestExploreThenCommit(t *testing.T) {
	c := config("explore_and_commit")
	c.World, c.Slots = sources.Law{Nodes: 100, Capacity: 10, CostSpread: 0.9}, 1600
	s, _ := start(c, 1)
	e, w, feedback := s.(*learnAndCrawl), world(c.World, 1), rng.New("feedback")
	polls, hits, turn, want := bitset.NewSet(100), bitset.NewSet(100), e.task, bitset.NewSet(100)
	within(t, float64(e.explore), 40*stat.Mean(w.Cost, nil)*100/10, 1, "slots for 40 polls of each node")
	for slot := range e.explore + 1 {
		s.choose(polls)
		if turn.choose(want); slot < e.explore && !slices.Equal(polls, want) {
			t.Fatalf("slot %d: polls %v, want those in turn", slot, polls)
		}
		draw(feedback, w, polls, hits)
		s.learn(polls, hits)
	}
	k := known{importance: w.Importance, cost: w.Cost, p: e.p}
	k.weight = weights(&k, c.Objective)
	if rates := refreshRates(&k, 10); !slices.Equal(e.rates, rates) {
		t.Errorf("rates %v, want %v", e.rates, rates)
	}
	if errors := stat.Correlation(e.p, w.P, nil); errors < 0.8 {
		t.Errorf("estimates and p have the correlation %v", errors)
	}
}

// Probes and sync polls estimate the slope of the cost, here at the rates of the start.
func TestMirrorSyncEstimatesSlopes(t *testing.T) {
	c, found, want := config("mirror_sync"), 0.0, 0.0
	s := newSimulation(world(c.World, 1), &c, 1)
	m := s.scheduler.(*mirrorSync)
	for m.round = math.MaxInt; m.slot < 10_000; {
		s.step()
	}
	for i, p := range s.environment.World().P {
		fresh := math.Pow(1-p, 1/m.rates[i]) // after an interval
		want += (1-fresh)*m.rates[i]/-math.Log1p(-p) - fresh
		found += m.hits[i] / m.intervals[i] / mirrorProbes
	}
	within(t, found/want, 1, 0.05, "what is estimated, of the slopes,")
}

// Mirror descent makes copies fresher than polls in turn, whatever polls cost; also
// where all nodes could be polled in a slot.
func TestMirrorSyncLearns(t *testing.T) {
	testutil.NeedsThorough(t, "the quality of a learner")
	t.Parallel()
	for _, spread := range []float64{0, 0.5} {
		c, turn := config("mirror_sync"), config("uniform")
		c.World.CostSpread, turn.World.CostSpread = spread, spread
		if learned, without := run(c, 3).Freshness, run(turn, 3).Freshness; learned < without+0.02 {
			t.Errorf("cost spread %v: freshness %.4f, polls in turn %.4f", spread, learned, without)
		}
	}
	c, w := config("mirror_sync"), *world(sources.Law{Nodes: 1000, Capacity: 100}, 3)
	w.Cost = slices.Repeat([]float64{0.001}, 1000)
	within(t, runOn(&w, c, 3).Polls, 1000/(1+mirrorProbes), 10, "polls in a slot that cost next to nothing")
}

// Polite rates keep the limit of every host and spend the capacity as far as the
// limits allow; no transfer within them would serve better.
func TestPoliteRates(t *testing.T) {
	w := world(sources.Law{Nodes: 200, Capacity: 20}, 1)
	k := known{importance: w.Importance, p: w.P, host: make([]int32, 200)}
	for i := range k.host {
		k.host[i] = int32(i%6 - 1) // a sixth has no host
	}
	k.weight = weights(&k, forFreshness)
	for _, limit := range []float64{0, 1, 3, 30} {
		rates := politely(&k, 20, limit, refreshRates)
		load, spent := make([]float64, 6), 0.0
		for i, x := range rates {
			load[k.host[i]+1] += x
			spent += x
		}
		within(t, spent, 20, 1e-6, "limit %v: spent", limit)
		full := func(i int) bool { return limit > 0 && k.host[i] >= 0 && load[k.host[i]+1] > limit-1e-3 }
		for h, x := range load[1:] {
			if limit > 0 && x > limit+1e-6 {
				t.Errorf("limit %v: host %d has %v", limit, h, x)
			}
		}
		noTransferGains(t, &k, rates, func(i int, x float64) float64 { return k.weight[i] * x / (x + w.P[i] - x*w.P[i]) },
			func(i, j int) bool { return !full(i) || k.host[i] == k.host[j] }, fmt.Sprintf("limit %v", limit))
	}
}

// Where the limits of hosts leave capacity, nobody takes it, from the first slot on.
func TestPolitePollsKeepTheLimit(t *testing.T) {
	for _, name := range []string{"refresh", "learn_and_crawl"} {
		c := config(name)
		c.World, c.HostLimit, c.Slots, c.Warmup = sources.Law{Nodes: 200, Capacity: 20}, 1.5, 400, 0
		w := *world(c.World, 1)
		w.Host = make([]int32, 200)
		for i := range w.Host {
			w.Host[i] = int32(i % 8)
		}
		within(t, runOn(&w, c, 1).Polls, 8*1.5, 0.05, "%s: polls in a slot", name)
	}
}
