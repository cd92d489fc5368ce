package monitoring

import (
	"math"
	"slices"
)

// Measurements is what one run measured. Shares are of Σωp, the
// importance-value that is expected to appear in a slot (section 7.2).
type Measurements struct {
	Retrieved float64 // share retrieved, mean over the slots after the warm-up
	Polls     float64 // per slot, mean over the same
	Dropped   float64 // polls wanted beyond the capacity, per slot, mean over the same
	Unused    float64 // share of the capacity that no poll took, mean over the same

	// Freshness is the share of fresh copies, weighted by importance-value: the
	// share of Σω at nodes where nothing waits to be found after the polls of a
	// slot. It is a mean over a sample of the slots after the warm-up, and NaN
	// in disappear, where no copy can become fresh again.
	Freshness float64

	// Cold is the number of slots from the start until 90 % of the final value
	// are reached. Switched is the mean number of slots from a switch, and
	// SlowestSwitch the largest. They are NaN where there is nothing to
	// measure.
	Cold, Switched, SlowestSwitch float64

	Bins []Bin
}

// A Bin sums up some slots.
type Bin struct {
	End       int     // slots from the start to the end of the bin
	Retrieved float64 // as in Measurements, mean over the bin's slots
	Polls     float64 // per slot, mean over the same

	// SlotsTo90 is the number of slots from the start, or from the switch in
	// the bin, until 90 % of the final value are reached: the largest if the
	// bin has several switches, NaN if it has none.
	SlotsTo90 float64
}

// totals are sums over slots.
type totals struct {
	value, load, polls, dropped float64
}

// interval returns the length of an interval in slots: the largest up to
// smoothing/2 with which the warm-up, bins and phases end where intervals end.
func (c *Config) interval() int {
	ends := []int{smoothing / 2, c.Slots, c.Warmup, c.Bin, c.SwitchEvery}
	interval := smoothing / 2
	for slices.ContainsFunc(ends, func(n int) bool { return n%interval != 0 }) {
		interval--
	}
	return interval
}

// close ends an interval in which the given value was retrieved.
func (s *simulation) close(value float64) {
	s.open.value = value
	s.sums = append(s.sums, s.open)
	s.open = totals{}
}

// mean returns the means per slot, from slot start up to end.
func (s *simulation) mean(start, end int) totals {
	var m totals
	for _, sum := range s.sums[start/s.interval : end/s.interval] {
		m.value += sum.value
		m.load += sum.load
		m.polls += sum.polls
		m.dropped += sum.dropped
	}
	slots := float64(end - start)
	return totals{m.value / slots, m.load / slots, m.polls / slots, m.dropped / slots}
}

// measure returns the measurements of a run with the given Σωp.
func (s *simulation) measure(total float64) *Measurements {
	c := s.config
	run := s.mean(c.Warmup, c.Slots)
	m := &Measurements{
		Retrieved: run.value / total,
		Polls:     run.polls,
		Dropped:   run.dropped,
		Unused:    1 - run.load/c.capacity(),
		Freshness: math.NaN(),
		Cold:      math.NaN(),
		Switched:  math.NaN(),

		SlowestSwitch: math.NaN(),
	}
	if s.samples > 0 {
		m.Freshness = s.fresh / float64(s.samples)
	}
	for start := 0; start < c.Slots; start += c.Bin {
		end := min(start+c.Bin, c.Slots)
		bin := s.mean(start, end)
		m.Bins = append(m.Bins, Bin{end, bin.value / total, bin.polls, math.NaN()})
	}
	phase := c.Slots
	if c.SwitchEvery > 0 {
		phase = min(phase, c.SwitchEvery)
	}
	sum := 0.0 // of the slots to 90 % from switches
	switches := 0.0
	for start := 0; start < c.Slots; start += phase {
		slots := s.slotsTo90(start, min(start+phase, c.Slots))
		if math.IsNaN(slots) {
			continue
		}
		bin := &m.Bins[start/c.Bin]
		if !(bin.SlotsTo90 > slots) {
			bin.SlotsTo90 = slots
		}
		if start == 0 {
			m.Cold = slots
			continue
		}
		sum += slots
		switches++
		m.Switched = sum / switches
		if !(m.SlowestSwitch > slots) {
			m.SlowestSwitch = slots
		}
	}
	return m
}

// sampling is the number of slots between two samples of freshness: a prime, so
// that it does not fall into step with the period of a scheduler.
const sampling = 61

// smoothing is the number of slots over which the value is averaged before it
// is compared with the final one.
const smoothing = 20

// slotsTo90 returns the number of slots from the start of a phase until its
// value reaches 90 % of the final value, which is the mean over the second half
// of the phase. It moves a window of smoothing slots in steps of half its
// length, and returns the middle of the first window whose mean is large
// enough; NaN for a phase shorter than four windows.
func (s *simulation) slotsTo90(start, end int) float64 {
	if end-start < 4*smoothing {
		return math.NaN()
	}
	middle := start + (end-start)/2/s.interval*s.interval
	want := 0.9 * s.mean(middle, end).value
	for from := start; from+smoothing <= end; from += smoothing / 2 {
		if s.mean(from, from+smoothing).value >= want {
			return float64(from-start) + smoothing/2
		}
	}
	return math.NaN()
}
