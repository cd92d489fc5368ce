package monitoring

import "sweep/internal/detmath"

// fixedOrderRates returns the polls per slot of the optimal refresh policy of
// Cho and Garcia-Molina 2003, Effective page refresh policies for Web
// crawlers: each copy is refreshed at equal intervals τ = 1/x, here of a real
// number of slots. With q = 1 − p it is then fresh for a share
// x·(1 − q^τ)/p of the slots, whose slope in x is (1 − e^(−u)(1+u))/p, u = −τ·ln q;
// the best intervals make weight times slope equal to the fee λc. A node
// that changes so often that this cannot be is not polled at all.
//
// With weights ωp that is the optimum of overwrite, but for intervals that are
// no whole numbers of slots.
func fixedOrderRates(k *known, weight []float64, capacity int) []float64 {
	rates := make([]float64, len(k.p))
	theta := make([]float64, len(k.p)) // −ln q
	u := make([]float64, len(k.p))     // the last solution, from where the next is sought
	for i, p := range k.p {
		theta[i], u[i] = -detmath.Log(1-p), 1
	}
	solveFee(capacity, func(fee float64) (load float64) {
		for i, p := range k.p {
			c := k.costOf(i)
			rates[i] = 0
			if share := float64(fee*float64(c*p)) / weight[i]; share < 1 {
				u[i] = solveSlope(share, u[i])
				rates[i] = min(theta[i]/u[i], 1)
			}
			load += float64(rates[i] * c)
		}
		return load
	})
	return rates
}

// solveSlope returns u > 0 with 1 − e^(−u)(1+u) = share, for a share in (0, 1),
// by Newton's method from a guess, kept within what is known.
func solveSlope(share, guess float64) float64 {
	low, high := 0.0, 750.0 // e^(−750) is 0
	u := guess
	for range 60 {
		m := detmath.Exp(-u)
		excess := 1 - float64(m*(1+u)) - share
		if excess > 0 {
			high = u
		} else {
			low = u
		}
		next := u - excess/float64(m*u)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if change := next - u; change < 1e-12*u && -change < 1e-12*u {
			return next
		}
		u = next
	}
	return u
}

// startFixedOrder polls at these rates as evenly as possible.
func startFixedOrder(t *task) scheduler { return newEvenly(t, t.solving(fixedOrderRates)) }
