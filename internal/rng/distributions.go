package rng

import (
	"math"

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
		x := 2*s.Float64() - 1
		y := 2*s.Float64() - 1
		r := float64(x*x) + float64(y*y)
		if r == 0 || r >= 1 {
			continue
		}
		scale := math.Sqrt(-2 * detmath.Log(r) / r)
		s.spare = float64(y * scale)
		s.ready = true
		return float64(x * scale)
	}
}

// layers is the number of pieces of equal area into which the ziggurat
// cuts the exponential density.
const layers = 256

// Marsaglia and Tsang (2000), The ziggurat method for generating random
// variables: where the tail begins, and the area of a layer.
const (
	tailStart = 7.69711747013104972
	layerArea = 0.0039496598225815571993
)

// rightEnd and density are those of the layers; layer 0 is the base strip with
// the tail beyond tailStart.
var rightEnd, density = ziggurat()

func ziggurat() (x, density [layers + 1]float64) {
	x[0] = layerArea / detmath.Exp(-tailStart)
	x[1] = tailStart
	for i := 2; i < layers; i++ {
		x[i] = -detmath.Log(layerArea/x[i-1] + detmath.Exp(-x[i-1]))
	}
	for i := range x {
		density[i] = detmath.Exp(-x[i])
	}
	return x, density
}

// Exp returns a number of the exponential distribution with mean 1. In 98
// of 100 cases it takes one word and one product.
func (s *Stream) Exp() float64 {
	offset := 0.0
	for {
		word := s.pcg.Uint64()
		i := word % layers
		x := float64(float64(word>>11) * 0x1p-53 * rightEnd[i])
		switch {
		case x < rightEnd[i+1]:
			return offset + x
		case i == 0:
			offset += tailStart // the tail is the same distribution again
		case density[i]+float64((density[i+1]-density[i])*s.Float64()) < detmath.Exp(-x):
			return offset + x
		}
	}
}
