package monitoring

import (
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// whittle polls the nodes of largest Whittle index where updates
// overwrite. A node polled every g slots yields ω(1 − q^g)/g in a slot, with
// q = 1 − p; the index W(g) = ω(1 − q^g·(1 + g·p)) is what the poll after g
// slots adds to that for each poll that an interval of g instead of g+1
// costs. So the index is the fee for polls at which waiting and polling are
// equally good.
type whittle struct {
	knapsack
	selection
	known
	index  []float64
	age    []float64 // slots since the last poll; after a switch, those at the new p that would leave as much unchanged
	intact []float64 // the probability that nothing can be found: q^age
}

func startWhittle(t *task) scheduler {
	s := &whittle{
		knapsack: knapsack{nodes: t.World.Nodes, capacity: t.World.Capacity},
		index:    make([]float64, t.World.Nodes),
		age:      make([]float64, t.World.Nodes),
		intact:   make([]float64, t.World.Nodes),
	}
	for i := range s.intact {
		s.intact[i] = 1
	}
	return s
}

func (s *whittle) begin(k known) {
	s.knapsack.cost, s.known = k.cost, k
	for i, m := range s.intact {
		s.age[i] = detmath.Log(m) / detmath.Log(1-k.p[i])
	}
}

// leastIntact stands for 0, so that ages remain numbers, and products do
// not become denormal, which are slow.
const leastIntact = 1e-300

func (s *whittle) choose(polls bitset.Set) int {
	for i, p := range s.p {
		m := max(float64(s.intact[i]*(1-p)), leastIntact)
		g := s.age[i] + 1
		s.intact[i], s.age[i] = m, g
		w := float64(s.importance[i] * (1 - float64(m*(1+float64(g*p)))))
		s.index[i] = max(w, 0) // rounding may leave less than nothing
	}
	if s.known.cost != nil {
		for i, c := range s.known.cost {
			s.index[i] /= c
		}
	}
	s.selection.choose(s.index, &s.knapsack, polls)
	return 0
}

func (s *whittle) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		s.age[i], s.intact[i] = 0, 1
	}
}
