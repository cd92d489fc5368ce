package monitoring

import "math"

// Measurements is what one run measured. Shares are of Σωp, the
// importance-value that is expected to appear in a slot (section 7.2).
type Measurements struct {
	Retrieved float64 // share retrieved, mean over the slots after the warm-up
	Polls     float64 // per slot, mean over the same
	Dropped   float64 // polls wanted beyond the capacity, per slot, mean over the same
	Unused    float64 // share of the capacity that no poll took, mean over the same

	// Cold and Switched are the slots until 90 % of the final value, from
	// the start and, as a mean, from switches; NaN where there is nothing to
	// measure.
	Cold, Switched float64

	Bins []Bin
}

// A Bin sums up some slots.
type Bin struct {
	End       int // slots from the start to the end of the bin
	Retrieved float64
	Polls     float64
}

// record is what happened in each slot.
type record struct {
	value, load    []float64
	polls, dropped []float64
}

func newRecord(slots int) *record {
	return &record{
		value: make([]float64, 0, slots), load: make([]float64, 0, slots),
		polls: make([]float64, 0, slots), dropped: make([]float64, 0, slots),
	}
}

// add adds a slot.
func (r *record) add(value, load float64, polls, dropped int) {
	r.value = append(r.value, value)
	r.load = append(r.load, load)
	r.polls = append(r.polls, float64(polls))
	r.dropped = append(r.dropped, float64(dropped))
}

// measure sums up a run of a configuration with the given Σωp.
func (r *record) measure(c *Config, total float64) *Measurements {
	m := &Measurements{
		Retrieved: mean(r.value[c.Warmup:]) / total,
		Polls:     mean(r.polls[c.Warmup:]),
		Dropped:   mean(r.dropped[c.Warmup:]),
		Unused:    1 - mean(r.load[c.Warmup:])/float64(c.World.Capacity),
		Switched:  math.NaN(),
	}
	for start := 0; start < c.Slots; start += c.Bin {
		end := min(start+c.Bin, c.Slots)
		m.Bins = append(m.Bins, Bin{End: end,
			Retrieved: mean(r.value[start:end]) / total,
			Polls:     mean(r.polls[start:end])})
	}
	phase := c.Slots
	if c.SwitchEvery > 0 {
		phase = min(phase, c.SwitchEvery)
	}
	m.Cold = slotsTo90(r.value[:phase])
	var switched []float64
	for start := phase; start < c.Slots; start += phase {
		if s := slotsTo90(r.value[start:min(start+phase, c.Slots)]); !math.IsNaN(s) {
			switched = append(switched, s)
		}
	}
	if switched != nil {
		m.Switched = mean(switched)
	}
	return m
}

// smoothing is the number of slots over which a value is averaged before it
// is compared with the final one.
const smoothing = 20

// slotsTo90 returns the slots from the start of a phase until its values
// reach 90 % of the final value, the mean over the phase's second half:
// the middle of the first smoothing slots whose mean is that high. It
// returns NaN for a phase of less than four times smoothing.
func slotsTo90(value []float64) float64 {
	if len(value) < 4*smoothing {
		return math.NaN()
	}
	want := 0.9 * mean(value[len(value)/2:])
	for start := range len(value) - smoothing {
		if mean(value[start:start+smoothing]) >= want {
			return float64(start) + smoothing/2
		}
	}
	return math.NaN()
}

// mean returns the mean, summed in order.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
