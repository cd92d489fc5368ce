package monitoring

import "sweep/internal/bitset"

// The executions: how rates become polls.
const (
	independent = "independent" // each poll is drawn
	even        = "even"        // as evenly spaced as possible
)

// Executions lists the values of Config.Execution.
func Executions() []string { return []string{independent, even} }

// execution polls at rates that it solves for when it is told of the nodes.
//
// Each poll is drawn with its rate as probability, and random ones are dropped
// where they exceed the capacity; or the polls of each node are spaced as evenly as
// the others allow: a node earns its rate in every slot, those with most credit are
// polled, and a poll costs 1. Credits start at random phases.
type execution struct {
	knapsack
	selection
	random randomWords
	solve  solver
	polite bool // rates may cost less than the capacity: the rest is left
	rates  []float64
	drawn  bitset.Planes // independent: the rates
	credit []float64     // nil: independent
}

// executing executes rates as the configuration wants it.
func (t *task) executing(solve solver) *execution {
	if t.Execution == even {
		return t.evenly(solve)
	}
	return &execution{knapsack: t.knapsack(), random: t.random, solve: solve}
}

func (t *task) evenly(solve solver) *execution {
	e := &execution{knapsack: t.knapsack(), random: t.random, solve: solve, polite: t.HostLimit > 0}
	for range e.nodes {
		e.credit = append(e.credit, creditOffset+e.random.float())
	}
	return e
}

// creditOffset keeps credits from becoming negative: without it they would
// be 1/2 on average, and nodes with less than average are not polled.
const creditOffset = 2

func (e *execution) begin(k known) {
	e.cost = k.cost
	e.rates = e.solve(&k, float64(e.capacity))
	if e.credit == nil {
		e.drawn = bitset.NewPlanes(e.rates)
	}
}

func (e *execution) choose(polls bitset.Set) (dropped int) {
	if e.credit == nil {
		e.random.at = e.drawn.DrawAll(polls, e.random.words, e.random.at)
		return e.trim(polls, &e.random)
	}
	for i, rate := range e.rates {
		e.credit[i] += rate
	}
	e.selection.choose(e.credit, e.cost, float64(e.capacity), polls)
	if e.polite {
		for i := range polls.All {
			if e.credit[i] < creditOffset {
				polls.Remove(i)
			}
		}
	}
	return 0
}

func (e *execution) learn(polls, hits bitset.Set) {
	if e.credit != nil {
		for i := range polls.All {
			e.credit[i]--
		}
	}
}

// uniform polls the nodes in turn (section 7.3.2, "Uniform").
type uniform struct {
	knapsack
	next int
}

func startUniform(t *task) scheduler {
	return &uniform{knapsack: t.knapsack()}
}

func (u *uniform) choose(polls bitset.Set) int {
	clear(polls)
	left := float64(u.capacity)
	for range u.nodes {
		cost := u.costOf(u.next)
		if cost > left && cost <= float64(u.capacity) {
			break // its turn is in the next slot
		}
		if cost <= left { // no slot has room for the others, which would stop the round
			left -= cost
			polls.Add(u.next)
		}
		if u.next++; u.next == u.nodes {
			u.next = 0
		}
	}
	return 0
}
