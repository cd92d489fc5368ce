package monitoring

import "sweep/internal/bitset"

// The executions: how rates become polls.
const (
	independent = "independent" // each poll is drawn
	even        = "even"        // as evenly spaced as possible
)

// Executions lists the values of Config.Execution.
func Executions() []string { return []string{independent, even} }

// executing returns a scheduler that solves for rates when it is told of
// the nodes, and executes them as the configuration wants it.
func (t *task) executing(solve solver) scheduler {
	if t.Execution == even {
		return t.evenly(solve)
	}
	return &independently{knapsack: t.knapsack(), random: t.random, solve: solve}
}

// evenly spaces the polls of each node as evenly as the others allow: a
// node earns its rate in every slot, those with most credit are polled,
// and a poll costs 1. Credits start at random phases.
type evenly struct {
	knapsack
	selection
	random randomWords
	solve  solver
	rates  []float64
	credit []float64
	polite bool // rates may cost less than the capacity: the rest is left
}

func (t *task) evenly(solve solver) scheduler {
	return &evenly{knapsack: t.knapsack(), random: t.random, solve: solve, polite: t.HostLimit > 0}
}

func (p *evenly) begin(k known) {
	p.cost = k.cost
	p.rates = p.solve(&k, float64(p.capacity))
	if p.credit == nil {
		p.credit = make([]float64, p.nodes)
		for i := range p.credit {
			p.credit[i] = creditOffset + p.random.float()
		}
	}
}

// creditOffset keeps credits from becoming negative: without it they would
// be 1/2 on average, and nodes with less than average are not polled.
const creditOffset = 2

func (p *evenly) choose(polls bitset.Set) int {
	for i, rate := range p.rates {
		p.credit[i] += rate
	}
	p.selection.choose(p.credit, p.cost, float64(p.capacity), polls)
	if p.polite {
		for i := range polls.All {
			if p.credit[i] < creditOffset {
				polls.Remove(i)
			}
		}
	}
	return 0
}

func (p *evenly) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		p.credit[i]--
	}
}

// independently polls each node with its rate as probability, and drops
// random polls where they exceed the capacity.
type independently struct {
	knapsack
	random randomWords
	solve  solver
	rates  bitset.Planes
}

func (p *independently) begin(k known) {
	p.cost = k.cost
	p.rates = bitset.NewPlanes(p.solve(&k, float64(p.capacity)))
}

func (p *independently) choose(polls bitset.Set) int {
	p.random.at = p.rates.DrawAll(polls, p.random.words, p.random.at)
	return p.trim(polls, &p.random)
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
