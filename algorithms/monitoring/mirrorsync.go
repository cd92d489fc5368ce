package monitoring

import (
	"math"
	"slices"

	"sweep/internal/bitset"
)

// mirrorSync is MirrorSync (Kolobov, Bubeck and Zimmert 2020, Online learning
// for active cache synchronization): online mirror descent on the rates of
// polls, towards the freshest copies, without a model of how nodes change. It
// follows the code of the authors' experiments.
//
// A node of rate r has a sync poll at intervals of 1/r, and its copy costs its
// weight w while it is stale: J(r) = w·r·∫S(τ)dτ from 0 to 1/r, where S(τ) is
// the probability that it is stale after τ. The slope is J′(r) = (w/r)·(E
// S(u/r) − S(1/r)) for u uniform in (0, 1). So in an interval there is with
// probability ε a probe, too, at such a time. What the probe and the sync poll
// see differs if only the sync poll is a hit, which makes −w/(εr) an estimate
// of the slope without bias. At the end of a round the rates r become those
// least in η·slope·r + Σ(r/r₀ − ln(r/r₀)), the divergence of the logarithmic
// barrier from the rates r₀ of the round: 1/r = 1/r₀ + η·slope + λ, with λ such
// that they cost the capacity, of which probes take a share.
//
// Here time has slots, so that a poll waits for the next slot with room; and a
// poll costs c, so that λ becomes λ·c.
type mirrorSync struct {
	task
	slot      int
	round     int       // slots
	rates     []float64 // of sync polls
	due       []float64 // when the next sync poll is due, in slots
	probe     []float64 // when the probe before it is due; without one, the same as due
	missed    []bool    // whether the probe was made and was a miss
	hits      []float64 // of sync polls after missed probes, in the round
	intervals []float64 // that ended in the round
	index     []float64
}

// The values are those of the authors' experiment with Poisson changes.
const (
	mirrorProbes = 0.05    // ε, in each interval
	mirrorStep   = 0.05    // η, for weights and rates whose means are 1
	mirrorLeast  = 1. / 16 // the lowest rate, in units of the mean; a round is its interval
)

func startMirrorSync(t *task) scheduler {
	n := t.World.Nodes
	return &mirrorSync{
		task:      *t,
		due:       make([]float64, n),
		probe:     make([]float64, n),
		missed:    make([]bool, n),
		hits:      make([]float64, n),
		intervals: make([]float64, n),
		index:     make([]float64, n),
	}
}

// begin keeps the rates of an earlier call, since a switch does not tell p.
func (s *mirrorSync) begin(k known) {
	s.known = k
	if s.rates != nil {
		return
	}
	s.rates = slices.Repeat([]float64{math.Inf(1)}, s.World.Nodes) // the barrier alone counts
	s.descend()
	for i, rate := range s.rates {
		s.due[i] = 1 + float64(s.random.float()/rate)
		s.probe[i] = s.due[i]
	}
}

// choose polls the nodes that are due, in the order of how late they are in
// parts of their intervals.
func (s *mirrorSync) choose(polls bitset.Set) int {
	s.slot++
	for i, due := range s.probe {
		s.index[i] = max(1+float64((float64(s.slot)-due)*s.rates[i]), 0)
	}
	s.pollLargest(s.index, polls)
	for i := range polls.All {
		if float64(s.slot) < s.probe[i] {
			polls.Remove(i)
		}
	}
	return 0
}

func (s *mirrorSync) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		if float64(s.slot) < s.due[i] {
			s.missed[i] = !hits.Has(i)
			s.probe[i] = s.due[i]
			continue
		}
		s.intervals[i]++
		if s.missed[i] && hits.Has(i) {
			s.hits[i]++
		}
		// A late poll does not delay the next one, unless it is late by more
		// than an interval.
		interval := 1 / s.rates[i]
		start := max(s.due[i], float64(s.slot)-interval)
		s.due[i] = start + interval
		s.probe[i] = s.due[i]
		s.missed[i] = false
		if s.random.float() < mirrorProbes {
			s.probe[i] = start + float64(s.random.float()*interval)
		}
	}
	if s.slot%s.round == 0 {
		s.descend()
	}
}

// descend ends a round: it computes the rates of the next one.
func (s *mirrorSync) descend() {
	capacity := s.capacity()
	importance := 0.0
	cost := 0.0
	for i, w := range s.importance {
		importance += w
		cost += s.cost.Of(i)
	}
	least := float64(mirrorLeast * min(capacity/cost, 1))
	most := 1 / (1 + mirrorProbes)
	s.round = int(1 / least)
	k := s.known
	k.weight = make([]float64, len(s.rates)) // the part of 1/r that does not depend on the fee
	for i, w := range s.importance {
		weight := float64(w*float64(len(s.rates))) / importance
		slope := float64(-weight*s.hits[i]) / max(s.intervals[i], 1) / mirrorProbes // times r
		k.weight[i] = (1 + float64(mirrorStep*slope)) / s.rates[i]
		s.hits[i] = 0
		s.intervals[i] = 0
	}
	s.rates = solveFee(&k, capacity/(1+mirrorProbes), func(i int, fee, cost float64) float64 {
		inverse := k.weight[i] + float64(fee*cost)
		if float64(inverse*most) <= 1 {
			return most
		}
		return max(1/inverse, least)
	})
}
