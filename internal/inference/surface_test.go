package inference

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The surface is gonum's weighted least squares, and its lowest point in a box is
// not above any other point there.
func TestSurface(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		d := 1 + random.IntN(5)
		n := d + 2 + random.IntN(20)
		responses := 1 + random.IntN(6)
		centre := fill(d, random.Float64)
		var x, y [][]float64
		weights := fill(n, random.Float64)
		for range n {
			x = append(x, fill(d, random.Float64))
			y = append(y, fill(responses, random.NormFloat64))
		}
		s := NewSurface(centre, x, y, weights)
		for k := range responses {
			design := mat.NewDense(n, d+1, nil)
			wanted := mat.NewDense(n, 1, nil)
			for i := range n {
				root := math.Sqrt(weights[i])
				design.Set(i, 0, root)
				for j := range d {
					design.Set(i, j+1, root*(x[i][j]-centre[j]))
				}
				wanted.Set(i, 0, root*y[i][k])
			}
			var b mat.Dense
			if err := b.Solve(design, wanted); err != nil {
				t.Fatal(err)
			}
			near(t, "constant", s.Constants[k], b.At(0, 0), 1e-5)
			for j := range d {
				near(t, "slope", s.Slopes[k][j], b.At(j+1, 0), 1e-5)
			}
		}
		low := fill(d, func() float64 { return 0.4 * random.Float64() })
		high := fill(d, func() float64 { return 0.6 + 0.4*random.Float64() })
		importance := fill(responses, random.Float64)
		pull := random.Float64()
		cost := func(at []float64) (sum float64) {
			for k := range responses {
				sum += math.Pow(importance[k]*s.At(k, at), 2)
			}
			for j := range at {
				sum += pull * math.Pow(at[j]-centre[j], 2)
			}
			return sum
		}
		lowest := s.Lowest(importance, low, high, pull)
		for range 200 {
			at := fill(d, random.Float64)
			for j := range at {
				at[j] = low[j] + at[j]*(high[j]-low[j])
				if random.IntN(2) == 0 {
					at[j] = min(max(lowest[j]+1e-3*random.NormFloat64(), low[j]), high[j])
				}
			}
			if cost(at) < cost(lowest)-1e-9 {
				t.Fatalf("%v at %v, below %v at %v", cost(at), at, cost(lowest), lowest)
			}
		}
	}
}

// What has no result is left out, and what is not determined stays where it is.
func TestSurfaceWithoutResults(t *testing.T) {
	nan := math.NaN()
	x := [][]float64{{0, 0}, {1, 0}, {0.5, 0}}
	y := [][]float64{{1, nan}, {3, nan}, {nan, nan}}
	s := NewSurface([]float64{0.5, 0}, x, y, []float64{1, 1, 1})
	near(t, "constant", s.Constants[0], 2, 1e-6)
	near(t, "slope", s.Slopes[0][0], 2, 1e-6)
	if s.Slopes[0][1] != 0 || !math.IsNaN(s.Constants[1]) || s.Noise([]float64{1, 1}) != 0 {
		t.Errorf("%+v", s)
	}
	at := s.Lowest([]float64{1, 1}, []float64{-9, -9}, []float64{9, 9}, 0)
	near(t, "lowest", at[0], -0.5, 1e-6)
	near(t, "undetermined", at[1], 0, 0)
}
