package monitoring

import "sweep/internal/bitset"

// independently polls each node with its rate as probability, and drops
// random polls where they exceed the capacity.
type independently struct {
	knapsack
	random randomWords
	solve  solver
	rates  bitset.Planes
}

func newIndependently(t *task, solve solver) *independently {
	return &independently{
		knapsack: knapsack{nodes: t.World.Nodes, capacity: t.World.Capacity},
		random:   t.random,
		solve:    solve,
		rates:    bitset.NewPlanes(make([]float64, t.World.Nodes)),
	}
}

func (p *independently) begin(k known) {
	p.cost = k.cost
	p.rates.Fill(p.solve(&k, p.capacity))
}

func (p *independently) choose(polls bitset.Set) int {
	p.random.at = p.rates.DrawAll(polls, p.random.words, p.random.at)
	return p.trim(polls, &p.random)
}

func (p *independently) learn(polls, hits bitset.Set) {}
