package monitoring

import (
	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// thompson is Thompson sampling (Thompson 1933, On the likelihood that one
// unknown probability exceeds another in view of the evidence of two samples;
// of several arms at a time, Komiyama et al. 2015). It believes what bayes
// believes, and polls by the indices for a rate drawn from that, so that a node
// is polled as often as it may deserve it.
//
// A draw stands until the node is polled, or for drawStands slots. One for
// every slot takes five times as long and retrieves some thousandths more
// after a switch, and less in the long run.
type thompson struct {
	*bayes
	draws *rng.Stream
	p     []float64 // as drawn
	theta []float64
	drawn []int // the slot; 0: never
	value []float64
}

const drawStands = 8

func startThompson(t *task) scheduler {
	r := t.World.Nodes
	return &thompson{
		bayes: newBayes(t),
		draws: rng.New("thompson", uint64(t.seed)),
		p:     make([]float64, r),
		theta: make([]float64, r),
		drawn: make([]int, r),
		value: make([]float64, r),
	}
}

func (s *thompson) choose(polls bitset.Set) int {
	s.beginSlot()
	for i := range s.nodes {
		e := &s.nodes[i]
		if s.drawn[i] == 0 || s.slot-s.drawn[i] >= drawStands {
			a, b := s.with(e, s.slot)
			s.theta[i], s.drawn[i] = s.draws.Gamma(a)/b, s.slot
			s.p[i] = 1 - s.decay(s.theta[i])
		}
		share := s.p[i]
		switch g := float64(s.slot - int(e.polled)); s.model {
		case sources.Overwrite:
			share = max(1-float64(s.decay(float64(g*s.theta[i]))*(1+float64(g*share))), 0)
		case sources.Accumulate:
			share *= g
		}
		s.value[i] = float64(s.weight(int32(i)) * share)
	}
	s.selection.choose(s.value, s.cost, float64(s.capacity), polls)
	return 0
}

func (s *thompson) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		a, b, gap := s.belief(int32(i))
		s.learnPoll(&candidate{int32(i), int32(gap), a, b, s.seen(a, b, gap)}, hits.Has(i))
		s.drawn[i] = 0
	}
	s.suspect()
}
