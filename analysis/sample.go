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

// A cellSample holds the successful runs of one cell in the order of the
// plan's seeds.
type cellSample struct {
	seeds  []int64     // positions among the plan's seeds, ascending
	values [][]float64 // [measure][run]
	failed int
}

// gather reads the runs of a directory once and takes all measures of each
// run of a wanted cell. Cells without any run, failed ones included, are absent.
func gather(v *results.Reader, series bool, measures []measure, wanted func(cell int64) bool) (map[int64]*cellSample, error) {
	samples := map[int64]*cellSample{}
	cells := v.Plan.Cells()
	for r, err := range v.Runs(series) {
		if err != nil {
			return nil, err
		}
		seed, cell := r.Index/cells, r.Index%cells
		if !wanted(cell) {
			continue
		}
		c := samples[cell]
		if c == nil {
			c = &cellSample{values: make([][]float64, len(measures))}
			samples[cell] = c
		}
		if r.Status != results.OK {
			c.failed++
			continue
		}
		c.seeds = append(c.seeds, seed)
		for i, m := range measures {
			c.values[i] = append(c.values[i], m(r))
		}
	}
	return samples, nil
}

// A column is one measure of one cell.
type column struct {
	cell    *cellSample // nil: the cell has no runs
	measure int
}

// aligned returns the values of columns in those runs that have a seed in
// common, where all are defined; and how many runs of the cells have no such
// partner, failed ones included. Runs of one seed meet the same environment:
// their values belong together, on common random numbers.
func aligned(columns ...column) (values [][]float64, alone int) {
	values = make([][]float64, len(columns))
	for _, c := range columns {
		if c.cell == nil {
			return values, 0
		}
	}
	at := make([]int, len(columns))
	row := make([]float64, len(columns))
	first := columns[0].cell
next:
	for _, seed := range first.seeds {
		for i, c := range columns {
			for at[i] < len(c.cell.seeds) && c.cell.seeds[at[i]] < seed {
				at[i]++
			}
			if at[i] == len(c.cell.seeds) || c.cell.seeds[at[i]] != seed {
				continue next
			}
			row[i] = c.cell.values[c.measure][at[i]]
			if math.IsNaN(row[i]) {
				continue next
			}
		}
		for i, x := range row {
			values[i] = append(values[i], x)
		}
	}
	counted := map[*cellSample]bool{}
	for _, c := range columns {
		if !counted[c.cell] {
			counted[c.cell] = true
			alone += len(c.cell.seeds) + c.cell.failed - len(values[0])
		}
	}
	return values, alone
}
