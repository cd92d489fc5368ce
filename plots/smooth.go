package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// smooth returns a smooth line through dots: at some places the value of a
// straight line that fits the nearest quarter of the dots by least squares,
// with weights that fall with the distance (Cleveland, Robust Locally Weighted
// Regression and Smoothing Scatterplots, 1979, without the robust weights).
// Near are at least those in a tenth of the range to either side. It is empty
// for fewer than twenty dots, or four different places.
func smooth(dots plotter.XYs) (points []point) {
	const (
		fewest = 20
		places = 60
		share  = 0.25 // of the dots that are near
	)
	dots = slices.Clone(dots)
	slices.SortStableFunc(dots, byX)
	if len(dots) < fewest || different(dots) < 4 {
		return nil
	}
	near := int(share * float64(len(dots)))
	first := dots[0].X
	step := (dots[len(dots)-1].X - first) / (places - 1)
	reach := step * places / 10
	for i := range places {
		x := first + float64(float64(i)*step)
		points = append(points, pointAt(x, localMean(dots, x, near, reach), math.NaN()))
	}
	return points
}

// byX orders dots from left to right.
func byX(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) }

// different counts the places of ascending dots.
func different(dots plotter.XYs) (count int) {
	for i, p := range dots {
		if i == 0 || p.X != dots[i-1].X {
			count++
		}
	}
	return count
}

// localMean returns the value at x of the line through the nearest of ascending
// dots, at least those within a reach.
func localMean(dots plotter.XYs, x float64, near int, reach float64) float64 {
	low := 0
	for low+near < len(dots) && dots[low+near].X-x < x-dots[low].X {
		low++
	}
	high := low + near
	// Dots at one place belong together, and two places make a line.
	for low > 0 && (dots[low-1].X == dots[low].X || different(dots[low:high]) < 3) {
		low--
	}
	for high < len(dots) && (dots[high-1].X == dots[high].X || different(dots[low:high]) < 3) {
		high++
	}
	for low > 0 && x-dots[low-1].X < reach {
		low--
	}
	for high < len(dots) && dots[high].X-x < reach {
		high++
	}
	width := 1.001 * max(x-dots[low].X, dots[high-1].X-x)
	var sum, sumX, sumY, sumXX, sumXY float64
	for _, p := range dots[low:high] {
		u := (p.X - x) / width
		t := 1 - math.Abs(float64(u*u*u))
		w := float64(t * t * t)
		sum += w
		sumX += float64(w * u)
		sumY += float64(w * p.Y)
		sumXX += float64(w * float64(u*u))
		sumXY += float64(w * float64(u*p.Y))
	}
	determinant := float64(sum*sumXX) - float64(sumX*sumX)
	if determinant < 1e-9*sum*sumXX {
		return sumY / sum
	}
	return (float64(sumXX*sumY) - float64(sumX*sumXY)) / determinant
}
