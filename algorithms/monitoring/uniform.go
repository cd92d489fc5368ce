package monitoring

import "sweep/internal/bitset"

// uniform polls the nodes in turn (section 7.3.2, "Uniform").
type uniform struct {
	knapsack
	next int
}

func startUniform(t *task) scheduler {
	return &uniform{knapsack: knapsack{nodes: t.World.Nodes, capacity: t.World.Capacity}}
}

func (u *uniform) begin(k known) { u.cost = k.cost }

func (u *uniform) choose(polls bitset.Set) int {
	clear(polls)
	left := float64(u.capacity)
	for range u.nodes {
		cost := 1.0
		if u.cost != nil {
			cost = u.cost[u.next]
		}
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

func (u *uniform) learn(polls, hits bitset.Set) {}
