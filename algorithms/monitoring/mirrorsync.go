package monitoring

import (
	"math"

	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// mirrorSync is MirrorSync (Kolobov, Bubeck and Zimmert 2020, Online learning
// for active cache synchronization): online mirror descent on the rates of
// polls, towards the freshest copies, without a model of how nodes change.
//
// A node of rate r is polled at intervals of 1/r, and its copy costs its weight
// w while it is stale: J(r) = w·r·∫S(τ)dτ from 0 to 1/r, where S(τ) is the
// probability that it is stale after τ. The slope is
// J′(r) = (w/r)·(E S(u/r) − S(1/r)) for u uniform in (0, 1). So a poll comes
// early now and then, at a uniform part of the interval, and the outcomes of
// early and punctual polls estimate the slope without bias. At the end of a
// round the rates go down it, r ← λ·r·e^(−η·slope) with λ such that they cost the
// capacity; where costs differ it is what rates cost that goes down, by a slope
// per cost.
//
// Ours, for want of the paper's values: the negative entropy as mirror map,
// the length of a round, the share of early polls, the step η and the least rate.
type mirrorSync struct {
	task
	selection
	slot  int
	rates []float64
	due   []float64 // the slot of the next poll, and parts of it
	early []bool    // it is one
	slope []float64 // summed over the polls of the round
	polls []float64 // in the round
	index []float64
}

const (
	mirrorRound = 250 // slots
	mirrorEarly = 0.2 // share of the polls
	mirrorStep  = 0.5 // η, for weights whose largest is 1 and rates whose mean is 1
	mirrorLeast = 0.1 // least rate, in units of the mean
)

func startMirrorSync(t *task) scheduler {
	n := t.World.Nodes
	return &mirrorSync{
		task: *t,
		due:  make([]float64, n), early: make([]bool, n), slope: make([]float64, n),
		polls: make([]float64, n), index: make([]float64, n),
	}
}

// begin keeps the rates, which nobody has told to change.
func (s *mirrorSync) begin(k known) {
	s.known = k
	if s.rates != nil {
		return
	}
	s.rates = make([]float64, s.World.Nodes)
	for i := range s.rates {
		s.rates[i] = s.mean()
		s.due[i] = 1 + float64(s.random.float()/s.rates[i])
	}
	s.descend()
}

// mean returns the rate that all nodes could have.
func (s *mirrorSync) mean() float64 { return float64(s.World.Capacity) / float64(s.World.Nodes) }

// choose polls the nodes that are due, those that have waited for most of their
// intervals first, and others that come next if there is room.
func (s *mirrorSync) choose(polls bitset.Set) int {
	s.slot++
	for i, due := range s.due {
		late := float64(float64(s.slot)-due) * s.rates[i]
		s.index[i] = 1 / (1 + detmath.Exp(-late))
	}
	s.selection.choose(s.index, s.cost, float64(s.World.Capacity), polls)
	return 0
}

func (s *mirrorSync) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		s.polls[i]++
		if hits.Has(i) {
			if s.early[i] {
				s.slope[i] += 1 / mirrorEarly
			} else {
				s.slope[i] -= 1 / (1 - mirrorEarly)
			}
		}
		wait := 1 / s.rates[i]
		if s.early[i] = s.random.float() < mirrorEarly; s.early[i] {
			wait *= s.random.float()
		}
		// What the poll was late is made up for, at most an interval.
		s.due[i] = max(s.due[i], float64(s.slot)-1/s.rates[i]) + wait
	}
	if s.slot%mirrorRound == 0 {
		s.descend()
	}
}

// descend ends a round.
func (s *mirrorSync) descend() {
	mean := s.mean()
	k := s.known
	k.weight = make([]float64, s.World.Nodes)
	for i, r := range s.rates {
		slope := float64(s.importance[i]*s.slope[i]) / max(s.polls[i], 1) / (r / mean) / s.costOf(i)
		k.weight[i] = float64(r * detmath.Exp(min(max(float64(-mirrorStep*slope), -1), 1)))
		s.slope[i], s.polls[i] = 0, 0
	}
	// Early polls shorten the intervals by half of their share.
	share := 1 - mirrorEarly/2
	s.rates = solveFee(&k, float64(s.World.Capacity), func(i int, fee, _ float64) float64 {
		return float64(share * math.Min(math.Max(k.weight[i]/fee, float64(mirrorLeast*mean)), 1))
	})
}
