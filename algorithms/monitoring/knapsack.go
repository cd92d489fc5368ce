package monitoring

import (
	"math/bits"
	"slices"

	"sweep/internal/bitset"
)

// knapsack is the capacity of a slot and what polls take of it.
type knapsack struct {
	nodes    int
	capacity int
	cost     []float64 // nil: 1 for each
}

// trim drops polls at random, each equally likely, until the others fit
// into the knapsack, and returns how many.
func (k *knapsack) trim(polls bitset.Set, d *randomWords) (dropped int) {
	if k.cost == nil {
		for excess := polls.Len() - k.capacity; dropped < excess; dropped++ {
			polls.Remove(k.any(polls, d))
		}
		return dropped
	}
	load := 0.0
	for i := range polls.All {
		load += k.cost[i]
	}
	for ; load > float64(k.capacity); dropped++ {
		i := k.any(polls, d)
		polls.Remove(i)
		load -= k.cost[i]
	}
	return dropped
}

// any returns a random poll. It tries nodes until one is a poll: a slot has
// about √C polls too many among C, so that this takes no more than about
// R/√C tries a slot. A word holds several tries.
func (k *knapsack) any(polls bitset.Set, d *randomWords) int {
	width := bits.Len(uint(k.nodes - 1))
	for {
		word := d.word()
		for left := 64; left >= width; left -= max(width, 1) {
			i := int(word & (1<<width - 1))
			word >>= width
			if i < k.nodes && polls.Has(i) {
				return i
			}
		}
	}
}

// hitWeights returns the probability with which a hit at each node moves an
// automaton: the importance-value, which the thesis knows with equal costs
// only. With others it is that per cost, divided by the largest there is, so
// that no probability exceeds 1 and none is needlessly small.
func hitWeights(k known) []float64 {
	if k.cost == nil {
		return k.importance
	}
	w := make([]float64, len(k.importance))
	for i, v := range k.importance {
		w[i] = v / k.cost[i]
	}
	largest := slices.Max(w)
	for i := range w {
		w[i] /= max(largest, 1e-300)
	}
	return w
}
