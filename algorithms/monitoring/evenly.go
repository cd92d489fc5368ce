package monitoring

import "sweep/internal/bitset"

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
}

func newEvenly(t *task, solve solver) *evenly {
	return &evenly{
		knapsack: knapsack{nodes: t.World.Nodes, capacity: t.World.Capacity},
		random:   t.random,
		solve:    solve,
	}
}

func (p *evenly) begin(k known) {
	p.cost = k.cost
	p.rates = p.solve(&k, p.capacity)
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
	p.selection.choose(p.credit, &p.knapsack, polls)
	return 0
}

func (p *evenly) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		p.credit[i]--
	}
}
