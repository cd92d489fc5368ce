package rng

import (
	"math"
	"sync"

	"sweep/internal/detmath"
)

// Normal returns a number of the normal distribution with mean 0 and
// standard deviation 1, by Marsaglia's polar method.
func (s *Stream) Normal() float64 {
	if s.ready {
		s.ready = false
		return s.spare
	}
	for {
		x, y := 2*s.Float64()-1, 2*s.Float64()-1
		r := float64(x*x) + float64(y*y)
		if r == 0 || r >= 1 {
			continue
		}
		scale := math.Sqrt(-2 * detmath.Log(r) / r)
		s.spare, s.ready = float64(y*scale), true
		return float64(x * scale)
	}
}

// layers is the number of pieces of equal area into which the ziggurat
// cuts the exponential density.
const layers = 256

// ziggurat holds the right ends of the layers and the density there.
// Layer 0 is the base strip with the tail beyond tailStart.
type ziggurat struct {
	x, density [layers + 1]float64
}

// Marsaglia and Tsang (2000), The ziggurat method for generating random
// variables: where the tail begins, and the area of a layer.
const (
	tailStart = 7.69711747013104972
	layerArea = 0.0039496598225815571993
)

var exponential = sync.OnceValue(func() *ziggurat {
	var z ziggurat
	z.x[0] = layerArea / detmath.Exp(-tailStart)
	z.x[1] = tailStart
	for i := 2; i < layers; i++ {
		z.x[i] = -detmath.Log(layerArea/z.x[i-1] + detmath.Exp(-z.x[i-1]))
	}
	for i := range z.x {
		z.density[i] = detmath.Exp(-z.x[i])
	}
	return &z
})

// Exp returns a number of the exponential distribution with mean 1. In 98
// of 100 cases it takes one word and one product.
func (s *Stream) Exp() float64 {
	z := s.exponential
	if z == nil {
		z = exponential()
		s.exponential = z
	}
	offset := 0.0
	for {
		word := s.pcg.Uint64()
		i := word % layers
		x := float64(float64(word>>11) * 0x1p-53 * z.x[i])
		switch {
		case x < z.x[i+1]:
			return offset + x
		case i == 0:
			offset += tailStart // the tail is the same distribution again
		case z.density[i]+float64((z.density[i+1]-z.density[i])*s.Float64()) < detmath.Exp(-x):
			return offset + x
		}
	}
}
