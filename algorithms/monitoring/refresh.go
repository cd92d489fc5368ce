package monitoring

import "math"

// refreshRates returns the polls per slot that make the copies freshest
// where updates overwrite, among polls drawn independently at fixed rates
// (Azar et al. 2018, Tractable near-optimal policies for crawling; here with
// slots instead of continuous time). After the polls of a slot the copy of
// node i is fresh with probability x/(x + p − xp); with q = 1 − p and weights w
// the best rates are x = (√(w·p/λc) − p)/q, brought into [0, 1], with the fee λ
// at which they cost the capacity.
//
// With w = ωp they retrieve most: x = (p/q)·(√(ω/λc) − 1).
func refreshRates(k *known, weight []float64, capacity int) []float64 {
	rates := make([]float64, len(k.p))
	solveFee(capacity, func(fee float64) (load float64) {
		for i, p := range k.p {
			c := k.costOf(i)
			x := (math.Sqrt(float64(weight[i]*p)/float64(fee*c)) - p) / (1 - p)
			rates[i] = min(max(x, 0), 1)
			load += float64(rates[i] * c)
		}
		return load
	})
	return rates
}

// startRefresh polls at these rates as evenly as possible: Azar et al. too
// turn rates into polls by a sequence of low discrepancy.
func startRefresh(t *task) scheduler { return newEvenly(t, t.solving(refreshRates)) }
