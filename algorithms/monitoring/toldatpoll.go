package monitoring

import (
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// toldAtPoll is told p of a node when it polls the node for the first time
// since p changed. Until then it knows how p is distributed over all nodes, and
// for how long p stays. No learner knows as much: a poll tells it whether there
// was an update, not how likely one was. So what this algorithm loses against
// whittle is the least that learning costs, but for what its indices are short
// of the optimum. It is not in print (READINGS, Regret).
type toldAtPoll struct {
	*task
	isKnown []bool // whether p of the node is
	unknown int    // how many nodes are not
	since   []int  // the slot of the last poll of a known node
	index   []float64
	shares  []float64 // for what is computed at the moment
	slot    int       // the current slot; the first one is 1
	changed int       // the slot before p changed
}

func startToldAtPoll(t *task) scheduler {
	return &toldAtPoll{
		task:    t,
		isKnown: make([]bool, t.World.Nodes),
		since:   make([]int, t.World.Nodes),
		index:   make([]float64, t.World.Nodes),
		shares:  make([]float64, t.World.Nodes),
	}
}

// begin forgets p of all nodes. What may wait at them from before counts as
// nothing.
func (s *toldAtPoll) begin(k known) {
	s.task.begin(k)
	clear(s.isKnown)
	s.unknown = len(s.isKnown)
	s.changed = s.slot
}

func (s *toldAtPoll) choose(polls bitset.Set) int {
	s.slot++
	unknown := s.unknownShare()
	for i, p := range s.p {
		share := unknown
		if s.isKnown[i] {
			share = s.share(p, s.slot-s.since[i])
		}
		s.index[i] = float64(s.importance[i]*share) / s.cost.Of(i)
	}
	s.pollLargest(s.index, polls)
	return 0
}

func (s *toldAtPoll) learn(polls, _ bitset.Set) {
	for i := range polls.All {
		if !s.isKnown[i] {
			s.isKnown[i] = true
			s.unknown--
		}
		s.since[i] = s.slot
	}
}

// share returns the index of whittle as a share of the node's importance-value,
// some slots after its last poll.
func (s *toldAtPoll) share(p float64, slots int) float64 {
	gap := float64(slots)
	intact := detmath.Exp(gap * detmath.Log(1-p))
	return whittleShare(s.Model, p, gap, intact)
}

// unknownShare returns the index of the nodes that were not polled since p
// changed: the fee for polls at which one poll, and n more of the nodes for
// which the fee is then worth paying, pay for themselves. It is the fee λ with
// λ = E(w) + n·E(max(w − λ, 0)), where w is the share of a node with p as those
// of all nodes are.
func (s *toldAtPoll) unknownShare() float64 {
	if s.unknown == 0 {
		return 0
	}
	low := 0.0
	high := 0.0
	for i, p := range s.p {
		s.shares[i] = s.share(p, s.slot-s.changed)
		low += s.shares[i] / float64(len(s.p))
		high = max(high, s.shares[i])
	}
	mean := low
	n := s.later()
	for range 40 { // by bisection
		fee := (low + high) / 2
		gain := 0.0
		for _, share := range s.shares {
			gain += max(share-fee, 0)
		}
		if fee < mean+float64(n*gain)/float64(len(s.p)) {
			low = fee
		} else {
			high = fee
		}
	}
	return low
}

// later returns for how many polls what a poll tells is of use: those of a
// node, as a mean, until p changes again.
func (s *toldAtPoll) later() float64 {
	end := s.Slots
	if s.SwitchEvery > 0 {
		end = min(end, s.changed+s.SwitchEvery)
	}
	return float64(end-s.slot) * s.capacity() / float64(s.World.Nodes)
}
