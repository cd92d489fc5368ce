package monitoring

import "math"

// lambdaRates returns the polls per slot of LambdaCrawl (Kolobov et al. 2019,
// Staying up to date with online content changes using reinforcement learning
// for scheduling, Algorithm 1, sources with incomplete change observations).
// It minimises the harmonic staleness of the copies: a copy that missed n
// updates costs its weight times 1 + 1/2 + … + 1/n. With polls drawn
// independently the n after a slot is geometric, P(n ≥ k) = r^k with
// r = p(1−x)/(x + p − xp), so that a node costs −w·ln(1 − r); the best rates
// solve q·x² + p·x = w·p/λc, with q = 1 − p and the fee λ at which they cost the
// capacity. (The paper has continuous time, where q is 1 and p the rate of
// changes.) None is 0: every node is polled now and then.
func lambdaRates(k *known, weight []float64, capacity int) []float64 {
	rates := make([]float64, len(k.p))
	solveFee(capacity, func(fee float64) (load float64) {
		for i, p := range k.p {
			c := k.costOf(i)
			gain := float64(weight[i]*p) / float64(fee*c)
			// The positive root, without the difference of nearly equal numbers.
			x := 2 * gain / (p + math.Sqrt(float64(p*p)+float64(4*(1-p)*gain)))
			rates[i] = min(x, 1)
			load += float64(rates[i] * c)
		}
		return load
	})
	return rates
}

// startLambdaCrawl polls at these rates, by default at random times, as the
// paper does.
func startLambdaCrawl(t *task) scheduler { return t.executing(t.solving(lambdaRates)) }
