package monitoring

import (
	"cmp"
	"context"
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

// within fails unless got is want to a tolerance.
func within(t *testing.T, got, want, tolerance float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5f, want %.5f ± %.5f", fmt.Sprintf(format, args...), got, want, tolerance)
	}
}

// The closed forms that follow from the definitions, to ± 0.002, as means over
// seeds, of which so many make that four standard errors or more. Polls at random
// have the rates of weighted proportional, without the cap.
func TestClosedForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		algorithm string
		model     string
		// yield is the expected share of ωp retrieved at a node.
		yield func(p, x float64) float64
	}{
		{"uniform", sources.Disappear, func(p, x float64) float64 { return x }},
		{"uniform", sources.Overwrite, func(p, x float64) float64 { return x * (1 - math.Pow(1-p, 1/x)) / p }},
		{"at random", sources.Disappear, func(p, x float64) float64 { return x }},
		{"at random", sources.Overwrite, func(p, x float64) float64 { return x / (x + p - x*p) }},
	} {
		if c.model == sources.Disappear && !testutil.Thorough() {
			continue // the simpler one
		}
		var difference []float64
		for seed := range int64(16) {
			config := config("uniform")
			config.Model, config.World.ChangeRatio = c.model, 2
			w, rates := world(config.World, seed), slices.Repeat([]float64{0.1}, 1000)
			if c.algorithm == "at random" {
				rates = proportionalRates(&known{weight: (&known{importance: w.Importance, p: w.P}).values()}, 100)
				config.Algorithm.start = func(t *task) scheduler {
					t.Config = &Config{World: sources.Law{Nodes: 1000, Capacity: 1000}}
					return &execution{task: *t,
						solve: func(*known, float64) []float64 { return rates }}
				}
			}
			want := 0.0
			for i, x := range rates {
				want += w.Importance[i] * w.P[i] * c.yield(w.P[i], x) / w.Total
			}
			difference = append(difference, run(config, seed).Retrieved-want)
		}
		mean, std := stat.MeanStdDev(difference, nil)
		if sem := std / 4; 4*sem > 0.002 {
			t.Errorf("%s, %s: the standard error %v makes ± 0.002 no test", c.algorithm, c.model, sem)
		}
		within(t, mean, 0, 0.002, "%s, %s: retrieved − closed form", c.algorithm, c.model)
	}
}

// Every algorithm keeps to the capacity, whatever polls cost, also across
// switches, and its slots allocate nothing.
func TestNoAlgorithmExceedsTheCapacity(t *testing.T) {
	everyAlgorithm(t, func(t *testing.T, c Config) {
		for _, spread := range []float64{0, 0.6} {
			c.World = sources.Law{Nodes: 130, Capacity: 13, CostSpread: spread}
			c.SwitchEvery = 100
			s, total := newSimulation(world(c.World, 1), &c, 1), 0.0
			for slot := range 500 {
				s.step()
				load := 0.0
				for i := range s.polls.All {
					load += s.environment.World().Cost.Of(i)
				}
				total += load
				if load > 13 || !near(s.open.load, total) {
					t.Fatalf("spread %v, slot %d: the polls cost %v, and %v were recorded of %v", spread, slot, load, s.open.load, total)
				}
				if extra := s.polls[2] &^ bitset.Mask(130, 2); extra != 0 {
					t.Fatalf("spread %v, slot %d: polls of nodes that are not there", spread, slot)
				}
			}
			c.SwitchEvery = 0
			if n := testing.AllocsPerRun(90, s.step); n != 0 {
				t.Errorf("%v allocations in a slot", n)
			}
		}
	})
}

// A node that costs more than the capacity is passed over; one that only
// does not fit any more comes first in the next slot.
func TestUniformPassesOverWhatNeverFits(t *testing.T) {
	s := task{Config: &Config{World: sources.Law{Nodes: 4, Capacity: 1}}}
	s.begin(known{cost: []float64{0.5, 1.5, 0.75, 0.25}})
	polls := bitset.NewSet(4)
	for slot, want := range [][]int{{0}, {2, 3}, {0}, {2, 3}} {
		s.choose(polls)
		if got := slices.Collect(polls.All); !slices.Equal(got, want) {
			t.Fatalf("slot %d: polls of %v, want %v", slot, got, want)
		}
	}
}

func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	c := config("CGLA")
	w := world(c.World, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, w, c, 1); err != context.Canceled {
		t.Errorf("after cancelling: %v", err)
	}
	c.World.Capacity = 1001
	if _, err := Run(context.Background(), w, c, 1); err == nil || err.Error() != "capacity 1001 is above nodes 1000" {
		t.Errorf("error %v", err)
	}
}

// The selection against a full sort.
func TestSelectionAgreesWithSorting(t *testing.T) {
	s := rng.New("selection", 1)
	for round := range 300 {
		n := 1 + s.IntN(200)
		var selection selection
		if round%2 == 1 { // a threshold may be below, near or above the last one
			selection.center = uint64(s.IntN(1 << 11))
		}
		index, cost := make([]float64, n), make([]float64, n)
		for i := range index {
			switch s.IntN(4) {
			case 0: // zero, and tied
			case 1:
				index[i] = float64(s.IntN(3))
			case 2:
				index[i] = s.Float64() * 1e-9
			default:
				index[i] = s.Float64() * 30
			}
			cost[i] = 0.5 + s.Float64()
		}
		for _, costs := range [][]float64{nil, cost} {
			capacity, got := 1+s.IntN(n), bitset.NewSet(n)
			selection.choose(index, costs, float64(capacity), got) // with what is left of earlier ones
			want := greedy(&sources.World{P: index, Cost: costs}, func(i int) float64 { return index[i] }, capacity)
			if !slices.Equal(got, want) {
				t.Fatalf("n=%d, capacity %d, costs %v: another selection", n, capacity, costs != nil)
			}
		}
	}
}

// Nodes far less valuable than those polled in every slot share what is left,
// in proportion, to the last digits.
func TestProportionalRatesOfTinyValues(t *testing.T) {
	tiny := known{weight: []float64{0.9, 0.8, 3e-17, 1e-17}}
	rates := proportionalRates(&tiny, 3)
	for i, want := range []float64{1, 1, 0.75, 0.25} {
		within(t, rates[i], want, 1e-15, "rate of node %d", i)
	}
}

// The even execution realises the rates. It begins at phases of their own: in the
// first slots a node is polled as often as later, and seeds begin differently. As
// the capacity holds in every slot and not on average, some polls are delayed by a
// slot: there the rates are met to a tenth of a poll.
func TestEvenPollsKeepTheRates(t *testing.T) {
	c := config("proportional")
	c.Execution = even
	play := func(law sources.Law, seed int64, slots int, found func(slot, i int)) []float64 {
		c.World = law
		s := c.Algorithm.start(&task{Config: &c, random: randomWords{words: rng.NewWords("monitoring", uint64(seed))}})
		w := world(law, 1)
		s.begin(known{importance: w.Importance, p: w.P})
		polls := bitset.NewSet(law.Nodes)
		for slot := range slots {
			s.choose(polls)
			s.learn(polls, polls)
			for i := range polls.All {
				found(slot, i)
			}
		}
		return s.(*execution).rates
	}
	var all [1000]float64
	for i, x := range play(sources.Law{Nodes: 1000, Capacity: 100}, 1, 5000, func(_, i int) { all[i]++ }) {
		within(t, all[i]/5000, x, 3./5000, "rate of node %d", i)
	}
	const slots, seeds = 5, 2000
	var begun [slots][40]float64
	var rates []float64
	for seed := range int64(seeds) {
		rates = play(sources.Law{Nodes: 40, Capacity: 4}, seed, slots, func(slot, i int) { begun[slot][i]++ })
	}
	for i, x := range rates {
		for slot := range slots {
			within(t, begun[slot][i]/seeds, x, 0.1, "slot %d: share of seeds that poll node %d", slot, i)
		}
	}
}

// The Whittle policy's index is that of its definition, from the ages alone and
// from what is expected to wait in the model, slot by slot; per cost. After a switch,
// of which it is told, it keeps what may be found at a node: its age becomes that at
// which the new p leaves as much unchanged.
func TestWhittlePollsTheLargestIndices(t *testing.T) {
	for model, left := range map[string]func(p float64) float64{
		sources.Overwrite: func(p float64) float64 { return 1 - p }, sources.Disappear: func(float64) float64 { return 0 },
	} {
		for _, spread := range []float64{0, 0.9} {
			c := config("whittle")
			c.Model, c.World = model, sources.Law{Nodes: 100, Capacity: 10, CostSpread: spread}
			s, _ := start(c, 1)
			w := *world(c.World, 1)
			age, waits, unchanged := make([]float64, 100), make([]float64, 100), make([]float64, 100) // a logarithm
			polls := bitset.NewSet(100)
			for slot := range 500 {
				if slot == 250 {
					w.P = slices.Clone(w.P)
					slices.Reverse(w.P)
					s.begin(known{importance: w.Importance, cost: w.Cost, p: w.P})
					for i, p := range w.P {
						age[i] = unchanged[i] / math.Log(1-p)
					}
				}
				s.choose(polls)
				want := greedy(&w, func(i int) float64 {
					next := func() float64 { return left(w.P[i])*waits[i] + w.Importance[i]*w.P[i] }
					age[i]++
					unchanged[i] += math.Log(1 - w.P[i])
					waits[i] = next()
					return (waits[i] - age[i]*(next()-waits[i])) / w.Cost.Of(i)
				}, 10)
				if !slices.Equal(polls, want) {
					t.Fatalf("%s, spread %v, slot %d: polls of %v, want %v", model, spread, slot, slices.Collect(polls.All), slices.Collect(want.All))
				}
				for i := range polls.All {
					age[i], waits[i], unchanged[i] = 0, 0, 0
				}
				s.learn(polls, polls)
			}
		}
	}
}

// The bounds against another way to compute them: a fractional knapsack, in
// overwrite of all steps from one interval to the next shorter one, in disappear of
// the nodes.
func TestBoundsAgreeWithFractionalKnapsacks(t *testing.T) {
	laws := []sources.Law{
		{Nodes: 20, Capacity: 2, CostSpread: 0.5},
		{Nodes: 20, Capacity: 2},
		{Nodes: 20, Capacity: 10, ChangeRatio: 1},
	}
	for _, law := range laws[:testutil.IfThorough(3, 1)] {
		w := world(law, 1)
		type step struct{ slope, width float64 }
		var steps, nodes []step
		for i, p := range w.P {
			nodes = append(nodes, step{w.Importance[i] * p / w.Cost.Of(i), w.Cost.Of(i)})
			for tau := 1.; tau < 20_000; tau++ {
				index := w.Importance[i] * (1 - math.Pow(1-p, tau)*(1+tau*p))
				cost := w.Cost.Of(i)
				steps = append(steps, step{index / cost, cost / (tau * (tau + 1))})
			}
		}
		fill := func(steps []step) (most float64) {
			slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(b.slope, a.slope) })
			left := float64(law.Capacity)
			for _, s := range steps {
				width := min(left, s.width)
				most += s.slope * width
				left -= width
			}
			return most / w.Total
		}
		within(t, Bound(w, sources.Overwrite), fill(steps), 2e-4, "%+v: the bound", law)
		within(t, Bound(w, sources.Disappear), fill(nodes), 1e-12, "%+v: the bound of disappear", law)
	}
}

// No algorithm exceeds the bound but by luck, unless it is told of updates, and
// the optimum of each model meets it, to ± 0.002 and four standard errors;
// without -thorough the optima alone are run, at one ratio.
func TestBoundIsMetByTheOptimaOnly(t *testing.T) {
	t.Parallel()
	for model, best := range map[string]string{sources.Disappear: "topC", sources.Overwrite: "whittle", sources.Accumulate: "whittle"} {
		for _, ratio := range testutil.IfThorough([]float64{1.5, 4}, []float64{4}) {
			everyAlgorithm(t, func(t *testing.T, config Config) {
				config.Slots, config.Warmup = 1500, 500
				if config.Algorithm.Observed {
					t.Skip("the bound is that of algorithms that find updates by polls")
				}
				if config.Algorithm.Name == best {
					config.Slots = 8000
				} else {
					testutil.NeedsThorough(t, "some 14 algorithms take seconds")
				}
				mean, std := stat.MeanStdDev(sharesOfTheBound(t, config, model, ratio), nil)
				switch sem := std / math.Sqrt(3); {
				case config.Algorithm.Name != best && mean > 1.003: // three standard errors
					t.Errorf("%s, ratio %v: %.4f of the bound", model, ratio, mean)
				case config.Algorithm.Name == best && 4*sem > 0.002:
					t.Errorf("%s, ratio %v: the standard error %v makes ± 0.002 no test", model, ratio, sem)
				case config.Algorithm.Name == best:
					within(t, mean, 1, 0.002, "%s, ratio %v: %s over the bound", model, ratio, best)
				}
			})
		}
	}
}

// sharesOfTheBound returns what each of three seeds retrieves of the bound.
func sharesOfTheBound(t *testing.T, c Config, model string, ratio float64) (shares []float64) {
	t.Helper()
	c.Model, c.World.ChangeRatio = model, ratio
	for seed := range int64(3) {
		shares = append(shares, run(c, seed).Retrieved/Bound(world(c.World, seed), model))
	}
	return shares
}

// Intervals, which save time, do not show: bins and warm-ups of odd lengths
// give the same means.
func TestIntervalsDoNotShow(t *testing.T) {
	c := config("FPA")
	c.Slots, c.Warmup, c.SwitchEvery, c.Bin = 1000, 500, 300, 100
	coarse := run(c, 1)
	c.Bin = 7
	fine := run(c, 1)
	coarse.Bins, fine.Bins = nil, nil
	within(t, fine.Retrieved, coarse.Retrieved, 1e-12, "retrieved")
	if fine.Polls != coarse.Polls || fine.Cold != coarse.Cold || fine.Switched != coarse.Switched {
		t.Errorf("%+v, and with other bins %+v", fine, coarse)
	}
}

// Hits and misses move automata with the odds ω per cost, in units of the mean cost;
// costs that are equal, whatever they are, do so as none.
func TestStepsArePerCost(t *testing.T) {
	importance := []float64{0.5, 0.5, 0.25}
	for _, c := range []struct{ cost, hit, miss []float64 }{
		{nil, importance, nil},
		{[]float64{3, 3, 3}, importance, []float64{1, 1, 1}},
		{[]float64{1, 4, 7}, []float64{1, 0.5, 1. / 7}, []float64{0.5, 1, 1}},
	} {
		if hit, miss := stepsOf(known{importance: importance, cost: c.cost}); !slices.Equal(hit, c.hit) || !slices.Equal(miss, c.miss) {
			t.Errorf("costs %v: %v and %v, want %v and %v", c.cost, hit, miss, c.hit, c.miss)
		}
	}
}

// What is measured, from a record that was made up: means after the
// warm-up, bins over all slots, convergence within phases.
func TestMeasurementsAreOfTheirSlots(t *testing.T) {
	c := &Config{World: sources.Law{Nodes: 100, Capacity: 10}, Slots: 600, Warmup: 300, Bin: 150, SwitchEvery: 200}
	r := &simulation{config: c, interval: c.interval()}
	if r.interval != 10 {
		t.Fatalf("intervals of %d slots, want 10", r.interval)
	}
	// In the first phase the full value comes with slot 40, in the second with
	// slot 100 after the switch, in the third at once.
	for start := 0; start < c.Slots; start += r.interval {
		slots, value := float64(r.interval), 1.0
		if start < 40 || start >= 200 && start < 300 {
			value = 0.5
		}
		r.open = totals{load: 4 * slots, polls: 5 * slots, dropped: 1 * slots}
		if start < 200 {
			r.open = totals{load: 8 * slots, polls: 9 * slots, dropped: 3 * slots}
		}
		r.close(value * slots)
	}
	r.fresh, r.samples = 0.25+0.75, 2
	m := r.measure(2)
	within(t, m.Retrieved, 0.5, 1e-12, "retrieved")
	within(t, m.Polls, 5, 1e-12, "polls")
	within(t, m.Dropped, 1, 1e-12, "dropped")
	within(t, m.Unused, 0.6, 1e-12, "unused")
	within(t, m.Freshness, 0.5, 1e-12, "freshness")
	within(t, m.Cold, 40+10, 0, "slots to 90 %% from cold")
	within(t, m.Switched, (100+10+10)/2, 0, "slots to 90 %% from a switch")
	within(t, m.SlowestSwitch, 100+10, 0, "slots to 90 %% from the slowest switch")
	want := []Bin{
		{150, (40*0.5 + 110) / 150 / 2, 9, 50},
		{300, (50*1 + 100*0.5) / 150 / 2, (50*9 + 100*5) / 150., 110},
		{450, 0.5, 5, 10},
		{600, 0.5, 5, math.NaN()},
	}
	if !slices.EqualFunc(m.Bins, want, func(a, b Bin) bool {
		return a.End == b.End && near(a.Retrieved, b.Retrieved) && near(a.Polls, b.Polls) &&
			(a.SlotsTo90 == b.SlotsTo90 || math.IsNaN(a.SlotsTo90) && math.IsNaN(b.SlotsTo90))
	}) {
		t.Errorf("bins %+v, want %+v", m.Bins, want)
	}

	// Of several switches in a bin the slowest is told.
	c.Bin = 600
	if m := r.measure(2); len(m.Bins) != 1 || m.Bins[0].SlotsTo90 != 110 {
		t.Errorf("one bin: %+v, want 110 slots to 90 %%", m.Bins)
	}
	// Without samples and switches there is nothing to tell, nor of a short run when it
	// converged.
	c.SwitchEvery, r.samples = 0, 0
	if m := r.measure(2); !math.IsNaN(m.Freshness) || !math.IsNaN(m.Switched) || !math.IsNaN(m.SlowestSwitch) {
		t.Errorf("%+v", m)
	}
	c.Slots, c.Warmup = 4*smoothing-10, 0
	if m := r.measure(2); !math.IsNaN(m.Cold) {
		t.Errorf("%v slots to 90 %% in a run of %d", m.Cold, c.Slots)
	}
}

// A ramp of 200 slots has 90 % after 180; the first 20 whose mean is that end at
// 200.
func TestSlotsTo90OfARamp(t *testing.T) {
	r := simulation{interval: 5}
	for start := 0; start < 1000; start += r.interval {
		r.close(5 * min(float64(start+2)/200, 1))
	}
	within(t, r.slotsTo90(0, 1000), 190, 0, "slots")
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

// Freshness is sampled after the warm-up only: in slots 0 and 61 of 122, or in
// the latter alone.
func TestFreshnessLeavesOutTheWarmUp(t *testing.T) {
	freshness := func(warmup, slots int) float64 {
		c := config("uniform")
		c.Warmup, c.Slots = warmup, slots
		return run(c, 1).Freshness
	}
	first, second := freshness(0, sampling), freshness(sampling, 2*sampling)
	if first == second {
		t.Fatalf("%v at both times, which is no test", first)
	}
	within(t, freshness(0, 2*sampling), (first+second)/2, 1e-12, "mean of both")
}

// Learners are not told what they have to learn, nor how good signals are.
func TestOnlyTheTruthKnowingAreToldP(t *testing.T) {
	told := map[string]bool{"proportional": true, "topC": true, "whittle": true, "told_at_poll": true,
		"refresh": true, "fixed_order": true, "lambda_crawl": true, "lambda_crawl_observed": true, "greedy_ncis": true}
	for _, a := range Algorithms() {
		if a.Truth != told[a.Name] {
			t.Errorf("%s: told p = %v", a.Name, a.Truth)
		}
		c := config(a.Name)
		c.Algorithm.start, c.SwitchEvery = func(t *task) scheduler { return t }, 1
		c.Signals = Signals{0.7, 0.05}
		s := newSimulation(world(c.World, 1), &c, 1)
		witness := s.scheduler.(*task)
		if knows := witness.Signals == c.Signals; knows != a.Truth {
			t.Errorf("%s: told the quality of signals = %v", a.Name, knows)
		}
		atStart := witness.p != nil
		witness.known = known{}
		s.step()
		s.step()
		if atSwitch := witness.p != nil; witness.importance == nil || atStart != a.Truth || atSwitch != a.Truth {
			t.Errorf("%s: told p = %v at the start, %v after a switch, want %v", a.Name, atStart, atSwitch, a.Truth)
		}
	}
}
