package analysis

import (
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/results"
)

// over returns the measure that takes one number from column i of the
// series, over the rows whose axis is in (after, to]. Rows in which the
// column is not defined do not count; without any other it is NaN.
func over(s *experiment.Series, i int, take grid.Take, after, to float64) measure {
	width := 1 + len(s.Columns)
	var x []float64
	return func(r *results.Row) float64 {
		x = x[:0]
		for row := r.Result.Series; len(row) >= width; row = row[width:] {
			if v := row[1+i]; after < row[0] && row[0] <= to && !math.IsNaN(v) {
				x = append(x, v)
			}
		}
		if len(x) == 0 {
			return math.NaN()
		}
		switch take {
		case grid.TakeMin:
			return slices.Min(x)
		case grid.TakeMax:
			return slices.Max(x)
		case grid.TakeStd:
			return inference.Describe(x).Std
		default:
			return inference.Describe(x).Mean
		}
	}
}
