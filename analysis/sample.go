package analysis

import (
	"math"

	"sweep/results"
)

// A measure takes one number from a run; NaN if it is not defined there.
type measure func(r *results.Row) float64

// metric returns the measure of metric i of an experiment.
func metric(i int) measure {
	return func(r *results.Row) float64 { return r.Result.Metrics[i] }
}

// Samples hold what the runs of a directory measured.
type samples struct {
	cells  map[int64]*cellSample
	failed int64
}

// A cellSample holds the successful runs of one cell in the order of the
// plan's seeds.
type cellSample struct {
	seeds  []int64     // positions among the plan's seeds, ascending
	values [][]float64 // [measure][run]
	failed int
}

// gather reads the runs of a view once and takes all measures of each run of
// a wanted cell. Cells without any run, failed ones included, are absent.
func gather(v *results.View, series bool, measures []measure, wanted func(cell int64) bool) (*samples, error) {
	s := &samples{cells: map[int64]*cellSample{}}
	cells := v.Plan.Cells()
	for r, err := range v.Runs(series) {
		if err != nil {
			return nil, err
		}
		seed, cell := r.Index/cells, r.Index%cells
		if !wanted(cell) {
			continue
		}
		c := s.cells[cell]
		if c == nil {
			c = &cellSample{values: make([][]float64, len(measures))}
			s.cells[cell] = c
		}
		if r.Status != results.OK {
			c.failed++
			s.failed++
			continue
		}
		c.seeds = append(c.seeds, seed)
		for i, m := range measures {
			c.values[i] = append(c.values[i], m(r))
		}
	}
	return s, nil
}

// all returns the defined values of a measure, and how many are undefined.
func (c *cellSample) all(measure int) (x []float64, undefined int) {
	if c == nil {
		return nil, 0
	}
	for _, v := range c.values[measure] {
		if !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return x, len(c.seeds) - len(x)
}

// pairs returns the values of measures in those runs of two cells that have
// a seed in common, where both are defined, and how many runs of the two
// have no such partner, failed ones included. Runs of one seed meet the
// same environment: they are a pair on common random numbers.
func pairs(a *cellSample, measureA int, b *cellSample, measureB int) (x, y []float64, alone int) {
	if a == nil || b == nil {
		return nil, nil, 0
	}
	for i, j := 0, 0; i < len(a.seeds) && j < len(b.seeds); {
		switch {
		case a.seeds[i] < b.seeds[j]:
			i++
		case a.seeds[i] > b.seeds[j]:
			j++
		default:
			if u, w := a.values[measureA][i], b.values[measureB][j]; !math.IsNaN(u) && !math.IsNaN(w) {
				x, y = append(x, u), append(y, w)
			}
			i++
			j++
		}
	}
	total := len(a.seeds) + a.failed + len(b.seeds) + b.failed
	return x, y, total - 2*len(x)
}

// differences returns x[i] − y[i].
func differences(x, y []float64) []float64 {
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	return d
}
