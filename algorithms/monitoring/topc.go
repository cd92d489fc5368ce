package monitoring

import "sweep/internal/bitset"

// topC polls the nodes of largest p·ω in every slot. Where updates
// disappear nothing that was done before matters, so that this is optimal.
type topC struct {
	knapsack
	selection
	best bitset.Set
}

func startTopC(t *task) scheduler {
	return &topC{
		knapsack: knapsack{nodes: t.World.Nodes, capacity: t.World.Capacity},
		best:     bitset.NewSet(t.World.Nodes),
	}
}

func (s *topC) begin(k known) {
	s.cost = k.cost
	index := make([]float64, s.nodes)
	for i, p := range k.p {
		index[i] = float64(p*k.importance[i]) / k.costOf(i)
	}
	s.selection.choose(index, &s.knapsack, s.best)
}

func (s *topC) choose(polls bitset.Set) int {
	copy(polls, s.best)
	return 0
}

func (s *topC) learn(polls, hits bitset.Set) {}
