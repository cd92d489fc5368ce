package monitoring

import (
	"cmp"
	"slices"
)

// proportionalRates returns the polls per slot of each node: min(1, λ·v_i)
// for v = p·ω/cost, with λ such that they cost the capacity (section
// 7.3.2, "Weighted proportional").
func proportionalRates(k *known, capacity int) []float64 {
	value := make([]float64, len(k.p))
	order := make([]int, len(k.p))
	for i := range value {
		value[i] = float64(k.p[i]*k.importance[i]) / k.costOf(i)
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(value[j], value[i]), cmp.Compare(i, j))
	})
	// rest[n] is Σ cost·value from the n-th most valuable node on, summed from
	// the least valuable, so that no digit of small ones is lost.
	rest := make([]float64, len(order)+1)
	for n := len(order) - 1; n >= 0; n-- {
		i := order[n]
		rest[n] = rest[n+1] + float64(value[i]*k.costOf(i))
	}
	left := float64(capacity)
	rates := make([]float64, len(value))
	for n, i := range order {
		// The most valuable node of the rest gets 1, or else all get λ·v.
		if lambda := left / rest[n]; float64(lambda*value[i]) < 1 {
			for _, j := range order[n:] {
				rates[j] = float64(lambda * value[j])
			}
			break
		}
		if k.costOf(i) > left {
			rates[i] = left / k.costOf(i)
			break
		}
		rates[i] = 1
		left -= k.costOf(i)
	}
	return rates
}

func startProportional(t *task) scheduler { return t.executing(proportionalRates) }
