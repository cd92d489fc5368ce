package monitoring

import (
	"slices"
	"testing"

	"sweep/environments/sources"
)

// What is measured, from a record that was made up: means after the
// warm-up, bins over all slots, convergence within phases.
func TestMeasurementsAreOfTheirSlots(t *testing.T) {
	c := &Config{World: sources.Law{Nodes: 100, Capacity: 10}, Slots: 400, Warmup: 300, Bin: 150, SwitchEvery: 200}
	r := newRecord(c)
	if r.interval != 10 {
		t.Fatalf("intervals of %d slots, want 10", r.interval)
	}
	// In the first phase the full value comes with slot 40, in the second with
	// slot 100 after the switch.
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
	m := r.measure(c, 2)
	within(t, m.Retrieved, 0.5, 1e-12, "retrieved")
	within(t, m.Polls, 5, 1e-12, "polls")
	within(t, m.Dropped, 1, 1e-12, "dropped")
	within(t, m.Unused, 0.6, 1e-12, "unused")
	within(t, m.Cold, 40+10, 0, "slots to 90 %% from cold")
	within(t, m.Switched, 100+10, 0, "slots to 90 %% from the switch")
	want := []Bin{
		{150, (40*0.5 + 110) / 150 / 2, 9},
		{300, (50*1 + 100*0.5) / 150 / 2, (50*9 + 100*5) / 150.},
		{400, 0.5, 5},
	}
	if !slices.EqualFunc(m.Bins, want, func(a, b Bin) bool {
		return a.End == b.End && near(a.Retrieved, b.Retrieved) && near(a.Polls, b.Polls)
	}) {
		t.Errorf("bins %+v, want %+v", m.Bins, want)
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
