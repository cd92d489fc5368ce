package monitoring

import "math"

// The objectives of algorithms that solve for rates.
const (
	forRetrieved = "retrieved"
	forFreshness = "freshness"
)

// Objectives lists the values of Config.Objective.
func Objectives() []string { return []string{forRetrieved, forFreshness} }

// weights returns what it is worth that the copy of each node is fresh:
// its importance-value ω as published, where ω is the rate of requests for
// the copy, or ω·p. With these the freshness of polls at random is
// proportional to the value that they retrieve: a node yields p times
// its freshness.
func weights(k *known, objective string) []float64 {
	if objective == forFreshness {
		return k.importance
	}
	w := make([]float64, len(k.p))
	for i, p := range k.p {
		w[i] = float64(k.importance[i] * p)
	}
	return w
}

// solving returns the solver of rates that are the best for weights, with
// those of the configuration's objective.
func (t *task) solving(rates func(k *known, weight []float64, capacity int) []float64) solver {
	return func(k *known, capacity int) []float64 {
		return rates(k, weights(k, t.Objective), capacity)
	}
}

// solveFee finds the fee for a poll, between the bounds of all that can
// occur, at which rates cost the capacity: fill sets them for a fee, lower
// ones for a higher fee, and returns what they cost.
func solveFee(capacity int, fill func(fee float64) (load float64)) {
	// By bisection on the logarithm of the fee.
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
}
