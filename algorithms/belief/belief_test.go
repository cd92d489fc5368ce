package belief

import (
	"math"
	"testing"
)

// expected returns E f(θ), by a sum over θ = e^x.
func expected(k Gamma, f func(theta float64) float64) float64 {
	sum := 0.0
	mass := 0.0
	for x := -30.0; x < 10; x += 1e-3 {
		theta := math.Exp(x)
		density := math.Exp(k.A*x - k.B*theta)
		mass += density
		sum += density * f(theta)
	}
	return sum / mass
}

// The belief after a visit has the mean and the variance of the exact
// posterior, and the index is the mean of the index of a known rate.
func TestBeliefsAreExpectations(t *testing.T) {
	for _, c := range []struct {
		belief Gamma
		gap    float64
	}{{Gamma{2, 3}, 1}, {Gamma{5, 40}, 7}, {Gamma{0.5, 24}, 24}, {Gamma{0.5, 24}, 1e-3}, {Gamma{1.5, 0.8}, 20}} {
		near := func(name string, got, want float64) {
			if math.Abs(got/want-1) > 1e-4 {
				t.Errorf("%+v: %s %v, want %v", c, name, got, want)
			}
		}
		miss := func(theta float64) float64 { return math.Exp(-theta * c.gap) }
		near("probability of a miss", c.belief.Miss(c.gap), expected(c.belief, miss))
		near("index", c.belief.Index(c.gap), expected(c.belief, func(theta float64) float64 {
			return 1 - miss(theta)*(1+theta*c.gap)
		}))
		for _, found := range []bool{false, true} {
			likelihood := miss
			if found {
				likelihood = func(theta float64) float64 { return 1 - miss(theta) }
			}
			of := func(f func(float64) float64) float64 {
				return expected(c.belief, func(theta float64) float64 { return f(theta) * likelihood(theta) }) /
					expected(c.belief, likelihood)
			}
			mean := of(func(theta float64) float64 { return theta })
			variance := of(func(theta float64) float64 { return (theta - mean) * (theta - mean) })
			after := c.belief.Learn(c.gap, found)
			near("mean", after.A/after.B, mean)
			near("variance", after.A/(after.B*after.B), variance)
		}
	}
}
