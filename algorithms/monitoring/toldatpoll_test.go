package monitoring

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/testutil"
)

// At the fee of unknown nodes, a poll of one of them and the later polls that
// are then worth the fee yield what they cost, in every slot and model.
func TestUnknownNodesAreWorthTheirFee(t *testing.T) {
	for _, model := range sources.Models() {
		c := config("told_at_poll")
		c.World = sources.Law{Nodes: 100, Capacity: 5}
		c.Model = model
		c.SwitchEvery = 700
		w := world(c.World, 1)
		s := startToldAtPoll(&task{Config: &c}).(*toldAtPoll)
		s.begin(known{importance: w.Importance, cost: w.Cost, p: w.P})
		polls := bitset.NewSet(100)
		for range 12 {
			s.choose(polls)
			fee := s.unknownShare()
			later := float64(700-s.slot) * 5 / 100
			var gains, shares []float64
			for _, p := range w.P {
				share := s.share(p, s.slot)
				shares = append(shares, share)
				gains = append(gains, max(share-fee, 0))
			}
			yield := stat.Mean(shares, nil) + later*stat.Mean(gains, nil)
			within(t, yield, fee, 1e-9, "%s, slot %d: yield of an unknown node", model, s.slot)
			s.learn(polls, nil)
		}
	}
}

// Who is told p at the first poll polls as whittle does once all nodes were
// polled, until the next switch.
func TestToldAtPollBecomesWhittle(t *testing.T) {
	for _, model := range []string{sources.Overwrite, sources.Disappear} {
		c := config("told_at_poll")
		c.World = sources.Law{Nodes: 100, Capacity: 100}
		c.Model = model
		w := world(c.World, 1)
		k := known{importance: w.Importance, cost: w.Cost, p: w.P}
		told := startToldAtPoll(&task{Config: &c}).(*toldAtPoll)
		whittle := newWhittle(&task{Config: &c}, model)
		told.begin(k)
		whittle.begin(k)
		polls := bitset.NewSet(100)
		want := bitset.NewSet(100)
		for slot := range 300 {
			told.choose(polls)
			whittle.choose(want)
			if slot > 0 && !slices.Equal(polls, want) {
				t.Fatalf("%s: slot %d differs", model, slot)
			}
			told.learn(polls, nil)
			whittle.learn(polls, nil)
			c.World.Capacity = 10 // after the first slot, in which all were polled
			if model == sources.Disappear && slot == 0 {
				whittle.begin(k)
			}
		}
	}
}

// It loses less than bayes, and no more than a few slots at a change.
func TestToldAtPollLosesTheLeast(t *testing.T) {
	testutil.NeedsThorough(t, "bayes has to learn after each switch")
	const seeds = 2
	for _, model := range []string{sources.Overwrite, sources.Disappear} {
		lost := map[string]float64{}
		for _, name := range []string{"whittle", "told_at_poll", "bayes"} {
			c := config(name)
			c.Model = model
			c.Slots = 1000
			c.Warmup = 0
			c.SwitchEvery = 250
			for seed := range int64(seeds) {
				w := world(c.World, seed)
				lost[name] += float64(c.Slots) * (Bound(w, model) - run(c, seed).Retrieved) / seeds
			}
		}
		if !(lost["told_at_poll"] < lost["whittle"]+12 && lost["told_at_poll"] < lost["bayes"]-12) {
			t.Errorf("%s: lost %v", model, lost)
		}
	}
}
