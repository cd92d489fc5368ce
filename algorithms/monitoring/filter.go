package monitoring

import (
	"math"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// filter believes that each node changes at one of some rates θ = −ln(1−p), and
// that it is redrawn, with another rate, with the probability h in a slot. It
// keeps the likelihood L of every rate of every node, polls the nodes of
// largest index, and learns the prior that nodes are drawn from (READINGS 18).
//
// It is the plain form: every index is computed in every slot.
type filter struct {
	*task
	rates  []float64 // θ, falling
	prior  []float64 // the probability of each rate
	nodes  []filtered
	index  []float64
	tables []filterTable // by gap
	slot   int           // the current slot; the first one is 1
	now    []float64     // by rate, for what is computed at the moment
}

// filtered is what was seen of a node.
type filtered struct {
	likelihood []float64 // by rate, but for a factor
	polled     bool      // whether anything was seen
	since      int       // the slot of the last poll
}

// filterTable has, by rate, the probability that a poll some slots after the
// last one finds nothing, and Whittle's index then as a share of ω.
type filterTable struct{ miss, index []float64 }

const (
	highestRate = 3   // a change in 95 % of the slots
	rateRange   = 1e5 // the highest rate by the lowest one
	priorNodes  = 3   // nodes of equally likely rates that count as seen
)

// Priors are what filters believe of nodes that were never polled.
const (
	learnedPrior = "learned" // a step of expectation maximisation a slot
	flatPrior    = "flat"    // all rates are equally likely, for ever
)

// Priors lists them; the first is the default.
func Priors() []string { return []string{learnedPrior, flatPrior} }

// A Belief is what a filter takes the nodes for.
type Belief struct {
	Rates    int     // how many rates a node may have
	Redraw   float64 // h, the probability that a node is redrawn in a slot
	Optimism float64 // standard deviations that are added to the mean index
	Prior    string  // one of Priors
}

func startFilter(t *task) scheduler {
	s := &filter{
		task:  t,
		nodes: make([]filtered, t.World.Nodes),
		index: make([]float64, t.World.Nodes),
		rates: make([]float64, t.Belief.Rates),
		prior: make([]float64, t.Belief.Rates),
		now:   make([]float64, t.Belief.Rates),
	}
	step := detmath.Log(rateRange) / float64(t.Belief.Rates)
	for k := range s.rates {
		s.rates[k] = highestRate * detmath.Exp(-float64(step*float64(k)))
		s.prior[k] = 1 / float64(t.Belief.Rates)
	}
	for i := range s.nodes {
		s.nodes[i].likelihood = make([]float64, t.Belief.Rates)
	}
	return s
}

// begin forgets the nodes whose importance-value changed, which shows that they
// are others now.
func (s *filter) begin(k known) {
	before := s.importance
	s.task.begin(k)
	for i := range before {
		if k.importance[i] != before[i] {
			s.nodes[i].polled = false
			s.nodes[i].since = s.slot
		}
	}
}

func (s *filter) choose(polls bitset.Set) int {
	if s.Belief.Prior == learnedPrior {
		s.learnPrior()
	}
	s.slot++
	for i := range s.nodes {
		s.index[i] = s.importance[i] * s.share(&s.nodes[i]) / s.cost.Of(i)
	}
	s.pollLargest(s.index, polls)
	return 0
}

func (s *filter) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		node := &s.nodes[i]
		copy(node.likelihood, s.redrawn(node))
		for k, miss := range s.table(s.slot - node.since).miss {
			if hits.Has(i) {
				node.likelihood[k] *= 1 - miss
			} else {
				node.likelihood[k] *= miss
			}
		}
		node.polled = true
		node.since = s.slot
	}
}

// redrawn returns the likelihood of each rate in this slot, before its poll:
// ρL/Z + 1 − ρ, where Z is the mean of L over the prior, and ρ = e^(−h·gap) the
// probability that the node was not redrawn since its last poll. The result is
// valid until the next call.
func (s *filter) redrawn(node *filtered) []float64 {
	if !node.polled {
		for k := range s.now {
			s.now[k] = 1
		}
		return s.now
	}
	stays := detmath.Exp(-float64(s.Belief.Redraw * float64(s.slot-node.since)))
	scale := stays / s.evidence(node)
	for k, l := range node.likelihood {
		s.now[k] = float64(scale*l) + (1 - stays)
	}
	return s.now
}

// evidence returns the mean of a node's likelihood over the prior.
func (s *filter) evidence(node *filtered) float64 {
	sum := 0.0
	for k, l := range node.likelihood {
		sum += float64(l * s.prior[k])
	}
	return sum
}

// share returns the index of a node as a share of its importance-value.
//
// A poll does not only retrieve, it also tells what later polls retrieve. Where
// updates wait, every node is polled now and then anyway, and some standard
// deviations stand for that. Where they disappear, nodes are given up, and the
// index is that of the policy that polls a node once, and if that is a hit, on
// and on while that can be of use, n polls: E(p + np²)/E(1 + np).
func (s *filter) share(node *filtered) float64 {
	t := s.table(s.slot - node.since)
	mean := 0.0
	square := 0.0
	for k, l := range s.redrawn(node) {
		w := float64(l * s.prior[k])
		mean += float64(w * t.index[k])
		square += float64(w * float64(t.index[k]*t.index[k]))
	}
	if s.Model == sources.Disappear {
		n := s.later()
		return (mean + float64(n*square)) / (1 + float64(n*mean))
	}
	variance := max(square-float64(mean*mean), 0)
	return mean + float64(s.Belief.Optimism*math.Sqrt(variance))
}

// later returns for how many polls what is learned of a node is of use: those
// of a node, as a mean, in as many slots as there were until now, but no more
// than it takes until the node is redrawn.
func (s *filter) later() float64 {
	slots := min(float64(s.slot), 1/max(s.Belief.Redraw, 1e-9))
	return slots * s.capacity() / float64(s.World.Nodes)
}

// learnPrior takes a step of expectation maximisation: the prior becomes the
// mean of the beliefs about the nodes that were polled.
func (s *filter) learnPrior() {
	sum := s.now
	for k := range sum {
		sum[k] = priorNodes / float64(len(sum))
	}
	count := float64(priorNodes)
	for i := range s.nodes {
		node := &s.nodes[i]
		if !node.polled {
			continue
		}
		count++
		evidence := s.evidence(node)
		for k, l := range node.likelihood {
			sum[k] += float64(l*s.prior[k]) / evidence
		}
	}
	for k := range sum {
		s.prior[k] = sum[k] / count
	}
}

// table returns the table of a gap.
func (s *filter) table(gap int) *filterTable {
	for len(s.tables) <= gap {
		s.tables = append(s.tables, s.newTable(float64(len(s.tables))))
	}
	return &s.tables[gap]
}

func (s *filter) newTable(gap float64) filterTable {
	t := filterTable{make([]float64, len(s.rates)), make([]float64, len(s.rates))}
	for k, theta := range s.rates {
		p := 1 - detmath.Exp(-theta)
		t.miss[k] = detmath.Exp(-float64(gap * theta))
		if s.Model == sources.Disappear {
			t.miss[k] = 1 - p
		}
		t.index[k] = whittleShare(s.Model, p, gap, t.miss[k])
	}
	return t
}
