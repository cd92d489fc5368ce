package monitoring

import (
	"math"
	"slices"
	"testing"

	"sweep/environments/sources"
)

// What is measured, from a record that was made up: means after the
// warm-up, bins over all slots, convergence within phases.
func TestMeasurementsAreOfTheirSlots(t *testing.T) {
	c := &Config{World: sources.Law{Nodes: 100, Capacity: 10}, Slots: 600, Warmup: 300, Bin: 150, SwitchEvery: 200}
	r := newRecord(c)
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
	r.sample(0.25)
	r.sample(0.75)
	m := r.measure(c, 2)
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
	if m := r.measure(c, 2); len(m.Bins) != 1 || m.Bins[0].SlotsTo90 != 110 {
		t.Errorf("one bin: %+v, want 110 slots to 90 %%", m.Bins)
	}
	// Without samples and switches there is nothing to tell.
	c.SwitchEvery, r.samples = 0, 0
	if m := r.measure(c, 2); !math.IsNaN(m.Freshness) || !math.IsNaN(m.Switched) || !math.IsNaN(m.SlowestSwitch) {
		t.Errorf("%+v", m)
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

// Freshness is sampled after the warm-up only: in slots 0 and 61 of 122, or in
// the latter alone.
func TestFreshnessLeavesOutTheWarmUp(t *testing.T) {
	freshness := func(warmup, slots int) float64 {
		c := config(t, "uniform")
		c.Warmup, c.Slots = warmup, slots
		return run(t, c, 1).Freshness
	}
	first, second := freshness(0, sampling), freshness(sampling, 2*sampling)
	if first == second {
		t.Fatalf("%v at both times, which is no test", first)
	}
	within(t, freshness(0, 2*sampling), (first+second)/2, 1e-12, "mean of both")
}
