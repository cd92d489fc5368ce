package inference

import (
	"math"
	"slices"
)

// A Surface is a first-order response surface (Box and Wilson, On the
// Experimental Attainment of Optimum Conditions, JRSS B 13, 1951): each
// response as a constant and a slope along each coordinate, by weighted least
// squares around a centre.
type Surface struct {
	Centre    []float64
	Constants []float64   // of each response, at the centre
	Slopes    [][]float64 // [response][coordinate]

	// Variances are those of single points about the surface, by response, NaN
	// if there are no more points than coefficients.
	Variances []float64
}

// slopeRidge keeps the equations of slopes solvable where points do not tell
// two coordinates apart, as a share of the sum of the weights.
const slopeRidge = 1e-10

// NewSurface fits the responses y[point][response] at the points
// x[point][coordinate], each of which counts by its weight. A NaN in y is left
// out. The constant of a response that has no point is NaN.
func NewSurface(centre []float64, x, y [][]float64, weights []float64) *Surface {
	s := &Surface{Centre: centre}
	for k := range y[0] {
		s.fit(k, x, y, weights)
	}
	return s
}

// fit solves the normal equations of response k.
func (s *Surface) fit(k int, x, y [][]float64, weights []float64) {
	size := len(s.Centre) + 1
	a := make([][]float64, size)
	for i := range a {
		a[i] = make([]float64, size)
	}
	b := make([]float64, size)
	total := 0.0
	n := 0
	for p, w := range weights {
		if math.IsNaN(y[p][k]) {
			continue
		}
		row := s.row(x[p])
		for i := range row {
			scaled := float64(w * row[i])
			for j := range row {
				a[i][j] += float64(scaled * row[j])
			}
			b[i] += float64(scaled * y[p][k])
		}
		total += w
		n++
	}
	for i := 1; i < size; i++ {
		a[i][i] += float64(total * slopeRidge)
	}
	coefficients := solve(a, b)
	s.Constants = append(s.Constants, coefficients[0])
	s.Slopes = append(s.Slopes, coefficients[1:])
	variance := math.NaN()
	if n > size {
		sum := 0.0
		for p, w := range weights {
			if !math.IsNaN(y[p][k]) {
				d := y[p][k] - s.At(k, x[p])
				sum += float64(w * float64(d*d))
			}
		}
		variance = sum / total * float64(n) / float64(n-size)
	}
	s.Variances = append(s.Variances, variance)
}

// row returns 1 and the way of a point from the centre.
func (s *Surface) row(x []float64) []float64 {
	row := []float64{1}
	for j := range x {
		row = append(row, x[j]-s.Centre[j])
	}
	return row
}

// At returns the surface of response k at a point.
func (s *Surface) At(k int, x []float64) float64 {
	y := s.Constants[k]
	for j, slope := range s.Slopes[k] {
		y += float64(slope * (x[j] - s.Centre[j]))
	}
	return y
}

// Noise returns the mean variance of the responses, each of which counts by the
// square of its weight; 0 if none is known.
func (s *Surface) Noise(weights []float64) float64 {
	sum := 0.0
	n := 0.0
	for k, v := range s.Variances {
		if !math.IsNaN(v) {
			sum += float64(float64(weights[k]*weights[k]) * v)
			n++
		}
	}
	return sum / max(1, n)
}

// sweeps bounds the descent of Lowest, and settled is the step at which it
// ends.
const (
	sweeps  = 10_000
	settled = 1e-12
)

// Lowest returns the point within a box at which the weighted sum of the
// squares of the responses, and pull times the squared way from the centre, is
// lowest: the step of Gauss and Newton, kept in the box. Coordinate descent
// finds it, since the sum is convex. Responses whose constant is NaN are left
// out.
func (s *Surface) Lowest(weights, low, high []float64, pull float64) []float64 {
	x := slices.Clone(s.Centre)
	for j := range x {
		x[j] = min(max(x[j], low[j]), high[j])
	}
	y := make([]float64, len(s.Constants)) // at x, weighted
	slopes := make([][]float64, len(y))
	for k := range y {
		slopes[k] = make([]float64, len(x))
		if math.IsNaN(s.Constants[k]) {
			continue
		}
		y[k] = float64(weights[k] * s.At(k, x))
		for j, slope := range s.Slopes[k] {
			slopes[k][j] = float64(weights[k] * slope)
		}
	}
	for range sweeps {
		longest := 0.0
		for j := range x {
			curvature := pull
			gradient := float64(pull * (x[j] - s.Centre[j]))
			for k := range y {
				curvature += float64(slopes[k][j] * slopes[k][j])
				gradient += float64(slopes[k][j] * y[k])
			}
			if curvature == 0 {
				continue
			}
			step := min(max(x[j]-gradient/curvature, low[j]), high[j]) - x[j]
			x[j] += step
			for k := range y {
				y[k] += float64(slopes[k][j] * step)
			}
			longest = max(longest, math.Abs(step))
		}
		if longest < settled {
			break
		}
	}
	return x
}

// solve solves a symmetric positive definite system by Cholesky's
// decomposition, in plain arithmetic: assembly would round otherwise on other
// processors. What is not determined is 0, and all is NaN if nothing is.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for j := range n {
		pivot := a[j][j]
		for k := range j {
			pivot -= float64(a[j][k] * a[j][k])
		}
		if !(pivot > 0) {
			x := make([]float64, n)
			x[0] = math.NaN()
			return x
		}
		a[j][j] = math.Sqrt(pivot)
		for i := j + 1; i < n; i++ {
			sum := a[i][j]
			for k := range j {
				sum -= float64(a[i][k] * a[j][k])
			}
			a[i][j] = sum / a[j][j]
		}
	}
	x := slices.Clone(b)
	for i := range n {
		for k := range i {
			x[i] -= float64(a[i][k] * x[k])
		}
		x[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= float64(a[k][i] * x[k])
		}
		x[i] /= a[i][i]
	}
	return x
}
