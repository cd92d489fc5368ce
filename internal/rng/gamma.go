package rng

import (
	"math"

	"sweep/internal/detmath"
)

// Gamma returns a number of the gamma distribution with the given shape,
// positive, and scale 1, by the method of Marsaglia and Tsang (2000, A simple
// method for generating gamma variables). Of shapes below 1 small numbers may
// underflow to 0.
func (s *Stream) Gamma(shape float64) float64 {
	if !(shape > 0) {
		panic("rng: Gamma of a shape that is not positive")
	}
	if shape < 1 {
		return float64(s.Gamma(shape+1) * detmath.Pow(s.Float64(), 1/shape))
	}
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(float64(v*v) * v)
		u := 1 - s.Float64() // in (0, 1]
		square := float64(x * x)
		if u < 1-float64(0.0331*float64(square*square)) ||
			detmath.Log(u) < float64(0.5*square)+float64(d*(1-v+detmath.Log(v))) {
			return float64(d * v)
		}
	}
}

// Beta returns a number in [0, 1] of the beta distribution with parameters a
// and b, both positive.
func (s *Stream) Beta(a, b float64) float64 {
	x, y := s.Gamma(a), s.Gamma(b)
	if x+y == 0 { // both underflowed; the heavier side has it
		x, y = a, b
	}
	return x / (x + y)
}
