package monitoring

import (
	"math"
	"slices"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
	"sweep/internal/rng"
)

// Signals tell of changes, as pings and sitemaps do: some changes go without
// one, and some signals tell of no change.
type Signals struct {
	Recall float64 // share of the updates that are signalled, in [0, 1]
	False  float64 // probability of a signal in a slot, whatever happens, in [0, 1)
}

// probability returns how likely a signal of a node is in a slot.
func (s Signals) probability(p float64) float64 {
	return 1 - float64((1-float64(p*s.Recall))*(1-s.False))
}

// intact returns the probability that a node was not updated in a slot, given
// that there was a signal and that there was none.
func (s Signals) intact(p float64) (signalled, silent float64) {
	silent = (1 - p) / (1 - float64(p*s.Recall))
	if signal := s.probability(p); signal > 0 {
		signalled = float64((1-p)*s.False) / signal
	}
	return signalled, silent
}

// source returns a function that sets signals to the nodes with a signal in the
// next slot. They depend on the updates and the seed alone.
func (s Signals) source(nodes int, seed int64) (draw func(signals, updates bitset.Set)) {
	recall := bitset.NewPlanes(slices.Repeat([]float64{s.Recall}, nodes))
	noise := bitset.NewPlanes(slices.Repeat([]float64{s.False}, nodes))
	words := rng.NewWords("change signals", uint64(seed))
	at := uint64(0)
	other := bitset.NewSet(nodes)
	return func(signals, updates bitset.Set) {
		at = recall.DrawAll(signals, words, at)
		at = noise.DrawAll(other, words, at)
		for g := range signals {
			signals[g] = signals[g]&updates[g] | other[g]
		}
	}
}

// greedyNCIS is GREEDY-NCIS (Busa-Fekete et al. 2025, A scalable crawling
// algorithm utilizing noisy change-indicating signals): in every slot the
// nodes of largest crawl value, told p and how good the signals are.
//
// The probability that the copy of a node is still fresh falls by e^−a in a
// slot without a signal, and by e^−b in one with. The sum L of these is the
// node's effective age. If a node is polled as soon as L reaches a threshold,
// the slots until then are m(L) on average, of which the copy is fresh in f(L),
// and the crawl value of weight·V(L), V(L) = f(L) − e^−L·m(L), is the fee for
// polls at which waiting and polling are equally good. What a higher threshold
// adds to f is fresh with e^−L, so that V is the integral of e^−L·m(L). The
// paper has continuous time and sums over the number of signals; here m follows
// from what a slot does, with s the probability of a signal:
//
//	m(L) = 1 + (1−s)·m(L−a) + s·m(L−b), and 0 from 0 down
//
// Without signals V is the index of whittle.
type greedyNCIS struct {
	task
	quality Signals      // how good the signals are taken to be
	step    [][2]float64 // a, b of each node
	age     []float64    // L
	values  [][]float32  // the crawl value of each node, over L, in ageSteps
	scale   []float64    // steps in a unit of L
	weight  []float64
	index   []float64
}

const (
	maxAge   = 12   // the L above which a copy counts as stale; a share of e^−12 is fresh
	ageSteps = 1024 // the largest size of a table
)

func startGreedyNCIS(t *task) scheduler { return newGreedyNCIS(t, t.Signals) }

func newGreedyNCIS(t *task, quality Signals) *greedyNCIS {
	n := t.World.Nodes
	return &greedyNCIS{
		task:    *t,
		quality: quality,
		step:    make([][2]float64, n),
		age:     make([]float64, n),
		index:   make([]float64, n),
		values:  make([][]float32, n),
		scale:   make([]float64, n),
	}
}

// begin keeps the effective ages, since a switch keeps what is pending at a
// node.
func (s *greedyNCIS) begin(k known) {
	s.known = k
	s.weight = weights(&k, s.Objective)
	for i, p := range k.p {
		signalled, silent := s.quality.intact(p)
		s.step[i] = [2]float64{-detmath.Log(silent), math.Inf(1)}
		if signalled > 0 {
			s.step[i][1] = -detmath.Log(signalled)
		}
		staleForGood := s.Model == sources.Accumulate && s.Objective == forFreshness
		if s.Model == sources.Overwrite || staleForGood {
			s.values[i], s.scale[i] = crawlValues(s.step[i], s.quality.probability(p))
		}
	}
}

// crawlValues returns the crawl value of a node of weight 1 at multiples of
// 1/scale.
func crawlValues(step [2]float64, signal float64) (values []float32, scale float64) {
	width := max(step[0], float64(maxAge)/(ageSteps-1))
	size := min(int(maxAge/width)+2, ageSteps)
	slots := make([]float64, size) // m
	values = make([]float32, size)
	// earlier returns m a step before an entry of the table, as a·m + b with
	// the m of the entry itself, since a step may be shorter than the table's.
	earlier := func(at int, step float64) (a, b float64) {
		back := step / width
		if !(back < float64(at)) {
			return 0, 0
		}
		whole := int(back)
		part := back - float64(whole)
		b = float64(part * slots[at-whole-1])
		if whole == 0 {
			return 1 - part, b
		}
		return 0, b + float64((1-part)*slots[at-whole])
	}
	value := 0.0
	fresh := 1.0
	for at := 1; at < size; at++ {
		a0, b0 := earlier(at, step[0])
		a1, b1 := earlier(at, step[1])
		known := 1 + float64((1-signal)*b0) + float64(signal*b1)
		slots[at] = known / (1 - float64((1-signal)*a0) - float64(signal*a1))
		// The mean of m over the slots of the step.
		mean := (slots[at-1] + slots[at] + float64((slots[at]-slots[at-1])*step[0])/width) / 2
		less := detmath.Exp(-float64(float64(at) * width))
		value += float64(mean * (fresh - less))
		fresh = less
		values[at] = float32(value)
	}
	return values, 1 / width
}

func (s *greedyNCIS) choose(polls bitset.Set) int {
	for i, step := range s.step {
		now := step[0]
		if s.signals.Has(i) {
			now = step[1]
		}
		switch {
		case s.Model == sources.Disappear: // an update is found in its slot, or never
			s.index[i] = float64(s.importance[i] * (1 - detmath.Exp(-now)))
		case s.values[i] == nil: // updates accumulate: the index is what is expected to wait
			s.age[i] += 1 - detmath.Exp(-now)
			s.index[i] = float64(s.importance[i] * s.age[i])
		default:
			s.age[i] += now
			values := s.values[i]
			at := min(float64(s.age[i]*s.scale[i]), float64(len(values)-1))
			whole := min(int(at), len(values)-2)
			part := at - float64(whole)
			below := float64((1 - part) * float64(values[whole]))
			above := float64(part * float64(values[whole+1]))
			s.index[i] = float64(s.weight[i] * (below + above))
		}
		s.index[i] /= s.cost.Of(i)
	}
	s.pollLargest(s.index, polls)
	return 0
}

func (s *greedyNCIS) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		s.age[i] = 0
	}
}
