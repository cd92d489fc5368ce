package monitoring

import "math"

// refreshRates returns the polls per slot that retrieve most where updates
// overwrite, among polls drawn independently at fixed rates (Azar et al.
// 2018, Tractable near-optimal policies for crawling; here with slots
// instead of continuous time). Node i then yields ω·x·p/(p + xq), q = 1 − p, and
// the best rates are x = (p/q)·(√(ω/λc) − 1), brought into [0, 1], with the fee
// λ at which they cost the capacity. With weights ω·p for ω it is the
// freshness of Cho and Garcia-Molina 2003 that is optimal.
func refreshRates(k *known, capacity int) []float64 {
	rates := make([]float64, len(k.p))
	// fill sets the rates for a fee and returns what they cost.
	fill := func(fee float64) float64 {
		load := 0.0
		for i, p := range k.p {
			c := k.costOf(i)
			ratio := math.Sqrt(k.importance[i] / float64(fee*c))
			rates[i] = min(max(float64(p/(1-p)*(ratio-1)), 0), 1)
			load += float64(rates[i] * c)
		}
		return load
	}
	// By bisection on the logarithm of the fee: at 1/(1−s) no node is worth it.
	low, high := 1e-300, 1e10
	for range 100 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if fill(middle) > float64(capacity) {
			low = middle
		} else {
			high = middle
		}
	}
	fill(high)
	return rates
}

func startRefresh(t *task) scheduler {
	return &evenly{
		knapsack: knapsack{nodes: t.World.Nodes, capacity: t.World.Capacity},
		dice:     t.dice,
		solve:    refreshRates,
	}
}
