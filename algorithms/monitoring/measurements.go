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

	// Freshness is the share of Σω at nodes where nothing waits to be found
	// after the polls of a slot: the importance-weighted share of fresh copies,
	// mean over a sample of the slots after the warm-up. NaN in disappear, where
	// no copy can become fresh again.
	Freshness float64

	// Cold and Switched are the slots until 90 % of the final value, from
	// the start and, as a mean, from switches; SlowestSwitch is the most from
	// any switch. NaN where there is nothing to measure.
	Cold, Switched, SlowestSwitch float64

	Bins []Bin
}

// A Bin sums up some slots.
type Bin struct {
	End       int     // slots from the start to the end of the bin
	Retrieved float64 // as in Measurements, mean over the bin's slots
	Polls     float64 // per slot, mean over the same

	// SlotsTo90 is the slots until 90 % of the final value from the start
	// or the switch that falls into the bin, of several switches the most; NaN
	// if there is none.
	SlotsTo90 float64
}

// totals are sums over slots.
type totals struct {
	value, load, polls, dropped float64
}

// interval returns the slots of an interval: at most smoothing/2, and such that the
// end of the warm-up, a bin or a phase ends one.
func (c *Config) interval() int {
	ends := []int{smoothing / 2, c.Slots, c.Warmup, c.Bin, c.SwitchEvery}
	interval := smoothing / 2
	for slices.ContainsFunc(ends, func(n int) bool { return n%interval != 0 }) {
		interval--
	}
	return interval
}

// close ends an interval, of which the given value was retrieved.
func (s *simulation) close(value float64) {
	s.open.value = value
	s.sums = append(s.sums, s.open)
	s.open = totals{}
}

// mean returns the mean per slot over the slots from start up to end.
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

// measure sums up a run with the given Σωp.
func (s *simulation) measure(total float64) *Measurements {
	c := s.config
	run := s.mean(c.Warmup, c.Slots)
	m := &Measurements{
		Retrieved: run.value / total,
		Polls:     run.polls,
		Dropped:   run.dropped,
		Unused:    1 - run.load/float64(c.World.Capacity),
		Freshness: math.NaN(),
		Cold:      math.NaN(),
		Switched:  math.NaN(), SlowestSwitch: math.NaN(),
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
	sum, switches := 0.0, 0.0
	for start := 0; start < c.Slots; start += phase {
		slots := s.slotsTo90(start, min(start+phase, c.Slots))
		if math.IsNaN(slots) {
			continue
		}
		if bin := &m.Bins[start/c.Bin]; !(bin.SlotsTo90 > slots) {
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

// sampling is the number of slots between two samples of freshness: a prime,
// so that it has nothing in common with the period of a scheduler.
const sampling = 61

// smoothing is the number of slots over which a value is averaged before it
// is compared with the final one.
const smoothing = 20

// slotsTo90 returns the slots from the start of a phase until its value
// reaches 90 % of the final value, the mean over the phase's second half:
// the middle of the first smoothing slots with such a mean, in steps of half
// their number. It returns NaN for a phase of less than four times smoothing.
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
