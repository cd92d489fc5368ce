package monitoring

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// within fails unless got is want to a tolerance.
func within(t *testing.T, got, want, tolerance float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5f, want %.5f ± %.5f", fmt.Sprintf(format, args...), got, want, tolerance)
	}
}

// deviation returns the standard deviation of the mean of n draws.
func deviation(p float64, n int) float64 { return math.Sqrt(p * (1 - p) / float64(n)) }

// The closed forms that follow from the definitions, to ± 0.002, as means
// over as many seeds as make that four standard errors or more.
func TestClosedForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		algorithm string
		model     sources.Model
		// yield is the expected share of ωp retrieved at a node.
		yield func(p, x float64) float64
	}{
		{"uniform", sources.Disappear, func(p, x float64) float64 { return x }},
		{"uniform", sources.Overwrite, func(p, x float64) float64 { return x * (1 - math.Pow(1-p, 1/x)) / p }},
		{"topC", sources.Disappear, func(p, x float64) float64 { return x }},
		{"independent", sources.Disappear, func(p, x float64) float64 { return x }},
		{"independent", sources.Overwrite, func(p, x float64) float64 { return x / (x + p - x*p) }},
	} {
		var difference []float64
		for seed := range int64(16) {
			config := config(t, "uniform")
			config.Model, config.World.ChangeRatio = c.model, 2
			w := world(t, config.World, seed)
			rates := slices.Repeat([]float64{0.1}, 1000)
			switch c.algorithm {
			case "independent":
				// The rates of weighted proportional, without the cap.
				rates = proportionalRates(&known{importance: w.Importance, p: w.P}, 100)
				config.Algorithm.start = func(t *task) scheduler {
					return &uncapped{rates: bitset.NewPlanes(rates), random: t.random}
				}
			case "topC":
				config.Algorithm = algorithm(t, "topC")
				rates = topRates(w, 100)
			}
			m, err := Run(context.Background(), w, config, seed)
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0
			for i, p := range w.P {
				if x := min(rates[i], 1); x > 0 {
					want += w.Importance[i] * p * c.yield(p, x) / w.Total
				}
			}
			difference = append(difference, m.Retrieved-want)
		}
		mean, std := stat.MeanStdDev(difference, nil)
		if sem := std / 4; 4*sem > 0.002 {
			t.Errorf("%s, %s: the standard error %v makes ± 0.002 no test", c.algorithm, c.model, sem)
		}
		within(t, mean, 0, 0.002, "%s, %s: retrieved − closed form", c.algorithm, c.model)
	}
}

// uncapped polls at independent rates, whatever the capacity.
type uncapped struct {
	rates  bitset.Planes
	random randomWords
}

func (u *uncapped) begin(known) {}
func (u *uncapped) choose(polls bitset.Set) int {
	u.random.at = u.rates.DrawAll(polls, u.random.words, u.random.at)
	return 0
}
func (u *uncapped) learn(polls, hits bitset.Set) {}

// topRates is 1 for the nodes of largest ωp.
func topRates(w *sources.World, capacity int) []float64 {
	order := make([]int, len(w.P))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(w.P[j]*w.Importance[j], w.P[i]*w.Importance[i]) })
	rates := make([]float64, len(w.P))
	for _, i := range order[:capacity] {
		rates[i] = 1
	}
	return rates
}

// Every algorithm keeps to the capacity, whatever polls cost, also across
// switches, and its slots allocate nothing.
func TestNoAlgorithmExceedsTheCapacity(t *testing.T) {
	everyAlgorithm(t, func(t *testing.T, c Config) {
		for _, spread := range []float64{0, 0.6} {
			c.World = sources.Law{Nodes: 130, Capacity: 13, CostSpread: spread}
			c.SwitchEvery = 100
			s := newSimulation(world(t, c.World, 1), &c, 1)
			for slot := range 500 {
				before := s.record.open.load
				s.step()
				if load := s.record.open.load - before; load > 13 {
					t.Fatalf("spread %v, slot %d: the polls cost %v", spread, slot, load)
				}
				if extra := s.polls[2] &^ bitset.Mask(130, 2); extra != 0 {
					t.Fatalf("spread %v, slot %d: polls of nodes that are not there", spread, slot)
				}
			}
		}
	})
}

// A node that costs more than the capacity is passed over; one that only
// does not fit any more comes first in the next slot.
func TestUniformPassesOverWhatNeverFits(t *testing.T) {
	s := startUniform(&task{Config: &Config{World: sources.Law{Nodes: 4, Capacity: 1}}})
	s.begin(known{cost: []float64{0.5, 1.5, 0.75, 0.25}})
	polls := bitset.NewSet(4)
	for slot, want := range [][]int{{0}, {2, 3}, {0}, {2, 3}} {
		s.choose(polls)
		if got := slices.Collect(polls.All); !slices.Equal(got, want) {
			t.Fatalf("slot %d: polls of %v, want %v", slot, got, want)
		}
	}
}

func TestSlotsAllocateNothing(t *testing.T) {
	everyAlgorithm(t, func(t *testing.T, c Config) {
		s := newSimulation(world(t, c.World, 1), &c, 1)
		for range 500 {
			s.step()
		}
		if n := testing.AllocsPerRun(100, s.step); n != 0 {
			t.Errorf("%v allocations in a slot", n)
		}
	})
}

func TestRunsArePureFunctions(t *testing.T) {
	everyAlgorithm(t, func(t *testing.T, c Config) {
		c.Slots, c.Warmup, c.SwitchEvery = 600, 100, 250
		a, b, other := run(t, c, 1), run(t, c, 1), run(t, c, 2)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Error("two runs of one seed differ")
		}
		if a.Retrieved == other.Retrieved {
			t.Error("two seeds have the same result")
		}
	})
}

func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"capacity 1001 is above nodes 1000":    func(c *Config) { c.World.Capacity = 1001 },
		"warmup 10000 leaves nothing of slots": func(c *Config) { c.Warmup = 10_000 },
	} {
		c := config(t, "CGLA")
		w := world(t, c.World, 1)
		spoil(&c)
		if _, err := Run(context.Background(), w, c, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := config(t, "CGLA")
	if _, err := Run(ctx, world(t, c.World, 1), c, 1); err != context.Canceled {
		t.Errorf("after cancelling: %v", err)
	}
}

// The selection against a full sort.
func TestSelectionAgreesWithSorting(t *testing.T) {
	s := rng.New("selection", 1)
	for round := range 300 {
		n := 1 + s.IntN(200)
		var selection selection
		if round%2 == 1 { // a threshold may be below, near or above the last one
			selection.last = s.Float64() * 10
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
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(index[j], index[i]) })
		for _, costs := range [][]float64{nil, cost} {
			k := knapsack{nodes: n, capacity: 1 + s.IntN(n), cost: costs}
			got, want := bitset.NewSet(n), bitset.NewSet(n)
			selection.choose(index, &k, got) // with what is left of earlier ones
			left := float64(k.capacity)
			for _, i := range order {
				if c := (&known{cost: costs}).costOf(i); c <= left {
					left -= c
					want.Add(i)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("n=%d, capacity %d, costs %v: another selection", n, k.capacity, costs != nil)
			}
		}
	}
}

// Proportional rates spend the capacity, are proportional below 1, and the
// even execution realises them.
func TestProportionalRates(t *testing.T) {
	for _, law := range []sources.Law{
		{Nodes: 500, Capacity: 50}, {Nodes: 500, Capacity: 400}, {Nodes: 500, Capacity: 500},
		{Nodes: 500, Capacity: 50, CostSpread: 0.5},
	} {
		w := world(t, law, 1)
		k := known{importance: w.Importance, cost: w.Cost, p: w.P}
		rates := proportionalRates(&k, law.Capacity)
		spent, lambda := 0.0, 0.0
		for i, x := range rates {
			spent += x * k.costOf(i)
			if x < 1 {
				l := x * k.costOf(i) / (w.P[i] * w.Importance[i])
				if lambda != 0 && math.Abs(l/lambda-1) > 1e-9 {
					t.Fatalf("%+v: rates are not proportional", law)
				}
				lambda = l
			}
		}
		for i, x := range rates {
			if x == 1 && lambda != 0 && lambda*w.P[i]*w.Importance[i]/k.costOf(i) < 1-1e-9 {
				t.Errorf("%+v: node %d is polled in every slot and not worth it", law, i)
			}
		}
		within(t, spent, float64(law.Capacity), 1e-6, "%+v: spent", law)
	}

	// Nodes far less valuable than those polled in every slot share what is
	// left, in proportion, to the last digits.
	tiny := known{importance: []float64{1, 1, 1, 1}, p: []float64{0.9, 0.8, 3e-17, 1e-17}}
	rates := proportionalRates(&tiny, 3)
	for i, want := range []float64{1, 1, 0.75, 0.25} {
		within(t, rates[i], want, 1e-15, "rate of node %d", i)
	}

	c := config(t, "proportional")
	c.Execution = even
	s, _ := start(t, c, 1)
	rates = s.(*evenly).rates
	polls := bitset.NewSet(1000)
	count := make([]float64, 1000)
	const slots = 5000
	for range slots {
		s.choose(polls)
		s.learn(polls, polls)
		for i := range polls.All {
			count[i]++
		}
	}
	for i, n := range count {
		within(t, n/slots, rates[i], 3./slots, "rate of node %d", i)
	}
}

// Even polls begin at phases of their own: in the first slots a node is polled
// as often as later, and seeds begin differently.
func TestEvenPollsBeginAtRandomPhases(t *testing.T) {
	c := config(t, "proportional")
	c.Execution, c.World = even, sources.Law{Nodes: 40, Capacity: 4}
	const slots, seeds = 5, 2000
	w := world(t, c.World, 1)
	var count [slots][40]float64
	var rates []float64
	for seed := range int64(seeds) {
		s := c.Algorithm.start(&task{Config: &c, random: randomWords{words: rng.NewWords("monitoring", uint64(seed))}})
		s.begin(known{importance: w.Importance, p: w.P})
		rates = s.(*evenly).rates
		polls := bitset.NewSet(40)
		for slot := range slots {
			s.choose(polls)
			s.learn(polls, polls)
			for i := range polls.All {
				count[slot][i]++
			}
		}
	}
	// The capacity holds in every slot and not on average, which delays some
	// polls by a slot: rates are met to a tenth of a poll.
	for i, x := range rates {
		for slot := range slots {
			within(t, count[slot][i]/seeds, x, 0.1, "slot %d: share of seeds that poll node %d", slot, i)
		}
	}
}

// The Whittle policy's index is that of its definition, from the ages alone.
func TestWhittlePollsTheLargestIndices(t *testing.T) {
	c := config(t, "whittle")
	c.World = sources.Law{Nodes: 100, Capacity: 10}
	s, _ := start(t, c, 1)
	w := world(t, c.World, 1)
	age := make([]float64, 100)
	polls := bitset.NewSet(100)
	for slot := range 500 {
		s.choose(polls)
		least, most := math.Inf(1), 0.0
		for i := range age {
			age[i]++
			p := w.P[i]
			index := w.Importance[i] * (1 - math.Pow(1-p, age[i])*(1+age[i]*p))
			if polls.Has(i) {
				least = min(least, index)
			} else {
				most = max(most, index)
			}
		}
		if polls.Len() != 10 || least < most-1e-12 {
			t.Fatalf("slot %d: polled an index of %v and not one of %v", slot, least, most)
		}
		for i := range polls.All {
			age[i] = 0
		}
		s.learn(polls, polls)
	}
}

// The bound against another way to compute it: a fractional knapsack of all
// steps from one interval to the next shorter one.
func TestBoundAgreesWithTheKnapsackOfIntervals(t *testing.T) {
	for _, law := range []sources.Law{
		{Nodes: 60, Capacity: 6}, {Nodes: 60, Capacity: 30, ChangeRatio: 1}, {Nodes: 60, Capacity: 6, CostSpread: 0.5},
	} {
		w := world(t, law, 1)
		type step struct{ slope, width float64 }
		var steps []step
		for i, p := range w.P {
			for tau := 1.; tau < 20_000; tau++ {
				index := w.Importance[i] * (1 - math.Pow(1-p, tau)*(1+tau*p))
				cost := w.CostOf(i)
				steps = append(steps, step{index / cost, cost / (tau * (tau + 1))})
			}
		}
		slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(b.slope, a.slope) })
		left, want := float64(law.Capacity), 0.0
		for _, s := range steps {
			width := min(left, s.width)
			want += s.slope * width
			left -= width
		}
		within(t, Bound(w, sources.Overwrite), want/w.Total, 2e-4, "%+v: the bound", law)
	}
}

// No algorithm exceeds the bound but by luck.
func TestNoAlgorithmExceedsTheBound(t *testing.T) {
	t.Parallel()
	for _, model := range []sources.Model{sources.Disappear, sources.Overwrite} {
		for _, ratio := range []float64{1.5, 4} {
			everyAlgorithm(t, func(t *testing.T, config Config) {
				config.Slots, config.Warmup = 1500, 500
				shares := sharesOfTheBound(t, config, model, ratio)
				if mean := stat.Mean(shares, nil); mean > 1.003 { // three standard errors
					t.Errorf("%s, ratio %v: %.4f of the bound", model, ratio, mean)
				}
			})
		}
	}
}

// The optimum of each model meets the bound, to ± 0.002 and four standard
// errors.
func TestOptimaMeetTheBound(t *testing.T) {
	t.Parallel()
	for model, best := range map[sources.Model]string{sources.Disappear: "topC", sources.Overwrite: "whittle", sources.Accumulate: "whittle"} {
		for _, ratio := range []float64{1.5, 4} {
			config := config(t, best)
			config.Slots, config.Warmup = 8000, 500
			mean, std := stat.MeanStdDev(sharesOfTheBound(t, config, model, ratio), nil)
			if sem := std / math.Sqrt(3); 4*sem > 0.002 {
				t.Errorf("%s, ratio %v: the standard error %v makes ± 0.002 no test", model, ratio, sem)
			}
			within(t, mean, 1, 0.002, "%s, ratio %v: %s over the bound", model, ratio, best)
		}
	}
}

// sharesOfTheBound returns what each of three seeds retrieves of the bound.
func sharesOfTheBound(t *testing.T, c Config, model sources.Model, ratio float64) (shares []float64) {
	t.Helper()
	c.Model, c.World.ChangeRatio = model, ratio
	for seed := range int64(3) {
		shares = append(shares, run(t, c, seed).Retrieved/Bound(world(t, c.World, seed), model))
	}
	return shares
}

func TestSlotsTo90(t *testing.T) {
	ramp := make([]float64, 1000)
	for i := range ramp {
		ramp[i] = min(float64(i)/200, 1)
	}
	for _, c := range []struct {
		name     string
		interval int
		value    []float64
		want     float64
	}{
		{"a ramp of 200 slots", 1, ramp, 190},
		{"a ramp of 200 slots", 5, ramp, 190},
		{"a constant", 10, slices.Repeat([]float64{3}, 100), 10},
		{"too short", 1, ramp[:79], math.NaN()},
	} {
		r := record{interval: c.interval}
		for start := 0; start < len(c.value); start += c.interval {
			sum := 0.0
			for _, v := range c.value[start : start+c.interval] {
				sum += v
			}
			r.close(sum)
		}
		got := r.slotsTo90(0, len(c.value))
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Intervals, which save time, do not show: bins and warm-ups of odd lengths
// give the same means.
func TestIntervalsDoNotShow(t *testing.T) {
	c := config(t, "FPA")
	c.Slots, c.Warmup, c.SwitchEvery, c.Bin = 1000, 500, 300, 100
	coarse := run(t, c, 1)
	c.Bin = 7
	fine := run(t, c, 1)
	coarse.Bins, fine.Bins = nil, nil
	within(t, fine.Retrieved, coarse.Retrieved, 1e-12, "retrieved")
	if fine.Polls != coarse.Polls || fine.Cold != coarse.Cold || fine.Switched != coarse.Switched {
		t.Errorf("%+v, and with other bins %+v", fine, coarse)
	}
}
