package inference

import (
	"math"
	"slices"
	"sync"

	"sweep/internal/rng"
)

// resamples is how many times a sample is resampled: enough that the error
// of a 95 % limit by resampling is about a hundredth of its margin.
const resamples = 20_000

// MinP is the smallest p-value that a bootstrap gives: that of a sample of
// which no resample is as far away.
const MinP = 2. / (1 + resamples)

// roundingError is the share of a sum of squares below which what is left of
// it after the mean is taken off is an error of rounding, not a variance.
const roundingError = 1e-12

// beyondLimits is how many values of t are beyond each limit of level 95 %;
// beyondTwo is how many are beyond if two such limits hold together, and for
// any more limits there are fewer. Only the values at such places are kept.
const (
	beyondLimits = resamples / 40
	beyondTwo    = beyondLimits / 2
)

// A bootstrap has values of t for the mean of a sample.
//
// The studentised bootstrap (Efron and Tibshirani, An Introduction to the
// Bootstrap, section 12.5) takes the distribution of t, the error of an
// estimate in units of its standard error, from samples drawn with
// replacement from the sample at hand. A resample whose values are all equal
// has no t and is drawn again; Mean resamples only where these are rare.
//
// Which places of the sample a resample takes depends on the size of the
// sample alone. So two samples of one size share the error of resampling, and
// the places are drawn once for all of them.
//
// Its limits of level 95 % enclosed the mean in 95 % of exponential samples
// of 15 to 50 values, and in 92 to 93 % of lognormal ones of 20 to 50, whose
// σ was 1; Student's in 91 to 93 % and in 87 to 89 %. (1,500 samples each.)
type bootstrap struct {
	x       []float64
	moments Moments

	// The lowest and the highest values of t. The first are the outermost ones,
	// up to that beyond which beyondTwo are, the last is that beyond which
	// beyondLimits are.
	lowest, highest []float64

	// How many values of t are at most, and at least, that of a mean of 0.
	atMost0, atLeast0 int
}

// newBootstrap resamples x, whose moments are m.
func newBootstrap(x []float64, m Moments) *bootstrap {
	b := &bootstrap{x: x, moments: m}
	values := b.values()
	b.atMost0, b.atLeast0 = around(values, m.Mean/m.SE())
	b.lowest, b.highest = tails(values)
	return b
}

// values returns all values of t, in the order in which they are drawn.
func (b *bootstrap) values() []float64 {
	n := len(b.x)
	deviations := make([]float64, n)
	_, exponent := math.Frexp(b.moments.Std)
	for i, v := range b.x {
		deviations[i] = math.Ldexp(v-b.moments.Mean, -exponent)
	}
	list := make([]float64, resamples)
	if n <= maxSmall {
		for k, places := range smallPlaces(n) {
			list[k] = studentised(deviations, places)
		}
	} else {
		stream := rng.New("resamples", uint64(n))
		places := make([]uint32, n)
		for k := range list {
			draw(stream, places)
			list[k] = studentised(deviations, places)
		}
	}
	again := rng.New("resamples again", uint64(n))
	places := make([]uint32, n)
	for k := range list {
		for math.IsNaN(list[k]) {
			draw(again, places)
			list[k] = studentised(deviations, places)
		}
	}
	return list
}

// studentised returns t of a resample, from the deviations of a sample from
// its mean and the places of those that it takes; NaN if these are all equal.
func studentised[P uint8 | uint32](deviations []float64, places []P) float64 {
	n := float64(len(places))
	sum := 0.0
	squares := 0.0
	for _, place := range places {
		d := deviations[place]
		sum += d
		squares += float64(d * d)
	}
	centred := squares - float64(sum*sum)/n
	if centred <= squares*roundingError {
		return math.NaN()
	}
	return sum / n / math.Sqrt(centred/(n-1)/n)
}

// draw fills a list with random places in a sample of as many values.
func draw[P uint8 | uint32](stream *rng.Stream, places []P) {
	for i := range places {
		places[i] = P(stream.IntN(len(places)))
	}
}

// maxSmall is the size of the largest sample whose places are kept.
const maxSmall = 1 << 8

// maxKept bounds the places that are kept, in bytes.
const maxKept = 1 << 25

// kept has the places of all resamples, by the size of the sample.
var kept = struct {
	sync.Mutex
	places map[int][][]uint8
	bytes  int
}{places: map[int][][]uint8{}}

// smallPlaces returns the places of all resamples of a small sample.
func smallPlaces(n int) [][]uint8 {
	kept.Lock()
	defer kept.Unlock()
	if list, there := kept.places[n]; there {
		return list
	}
	stream := rng.New("resamples", uint64(n))
	all := make([]uint8, n*resamples)
	list := slices.Collect(slices.Chunk(all, n))
	for _, places := range list {
		draw(stream, places)
	}
	if kept.bytes+len(all) > maxKept {
		clear(kept.places)
		kept.bytes = 0
	}
	kept.places[n] = list
	kept.bytes += len(all)
	return list
}

// tails returns what is kept of the lowest values of t, and of the highest.
func tails(values []float64) (lowest, highest []float64) {
	// The first values tell bounds beyond which about twice as many lie.
	const (
		first = resamples / 20
		guess = first / 20
	)
	sorted := slices.Sorted(slices.Values(values[:first]))
	low := sorted[guess]
	high := sorted[first-1-guess]
	for _, t := range values {
		if t <= low {
			lowest = append(lowest, t)
		}
		if t >= high {
			highest = append(highest, t)
		}
	}
	if min(len(lowest), len(highest)) <= beyondLimits { // as good as never
		lowest = slices.Clone(values)
		highest = slices.Clone(values)
	}
	slices.Sort(lowest)
	slices.Sort(highest)
	slices.Reverse(highest)
	keep := func(tail []float64) []float64 {
		return append(slices.Clone(tail[:beyondTwo+1]), tail[beyondLimits])
	}
	return keep(lowest), keep(highest)
}

// around returns how many values are at most t, and how many at least.
func around(values []float64, t float64) (atMost, atLeast int) {
	for _, v := range values {
		if v <= t {
			atMost++
		}
		if v >= t {
			atLeast++
		}
	}
	return atMost, atLeast
}

// quantiles returns the values of t beyond which so many others are, below and
// above.
func (b *bootstrap) quantiles(beyond int) (low, high float64) {
	switch {
	case beyond <= beyondTwo:
		return b.lowest[beyond], b.highest[beyond]
	case beyond == beyondLimits:
		return b.lowest[beyondTwo+1], b.highest[beyondTwo+1]
	}
	all := b.values()
	slices.Sort(all)
	beyond = min(beyond, resamples-1)
	return all[beyond], all[resamples-1-beyond]
}

// p returns the two-sided p-value of the hypothesis that the mean is null.
func (b *bootstrap) p(null float64) float64 {
	below := b.atMost0
	above := b.atLeast0
	if null != 0 {
		below, above = around(b.values(), (b.moments.Mean-null)/b.moments.SE())
	}
	return min(1, 2*float64(1+min(below, above))/(1+resamples))
}
