package results

import (
	"sweep/experiment"
	"sweep/internal/inference"
)

// cellValues has the metrics of the runs that an export writes, cell by cell,
// in 8 bytes a number and 9 a cell, so that a million cells of one run are
// little more than one cell of a million.
type cellValues struct {
	// end is where the numbers of the next run of a cell go and, when all were
	// added, where those of the cell end, and the next cell's begin.
	end     []int64
	hasRuns []bool
	failed  map[int64]int64 // by cell
	metrics [][]float64
}

// newCellValues has room for the runs that are there.
func (r *Reader) newCellValues() *cellValues {
	cells := r.Plan.Cells()
	v := &cellValues{
		end:     make([]int64, cells),
		hasRuns: make([]bool, cells),
		failed:  map[int64]int64{},
	}
	for i, e := range r.entries() {
		c := i % cells
		v.hasRuns[c] = true
		if e.ok() && c+1 < cells {
			v.end[c+1]++ // the next cell begins so much later
		}
	}
	for c := range v.end[1:] {
		v.end[c+1] += v.end[c]
	}
	for range r.Plan.Experiment().Metrics {
		v.metrics = append(v.metrics, make([]float64, r.OK()))
	}
	return v
}

// add adds a run.
func (v *cellValues) add(run *Row) {
	c := run.Index % int64(len(v.end))
	if run.Status != OK {
		v.failed[c]++
		return
	}
	for i, x := range run.Result.Metrics {
		v.metrics[i][v.end[c]] = x
	}
	v.end[c]++
}

// of returns the numbers of a metric in the runs of a cell, in the order of the
// plan.
func (v *cellValues) of(metric, c int) []float64 {
	begin := int64(0)
	if c > 0 {
		begin = v.end[c-1]
	}
	return v.metrics[metric][begin:v.end[c]:v.end[c]]
}

// writeSummary writes a row for each metric and cell with runs into
// summary.parquet. All runs were added.
func (v *cellValues) writeSummary(w *parquetWriter, r *Reader) {
	e := r.Plan.Experiment()
	values := make([]experiment.Value, len(e.Params))
	for i := range e.Metrics {
		for c := range v.end {
			if !v.hasRuns[c] {
				continue
			}
			r.Plan.Cell(int64(c), values)
			x := inference.NewStatistics(v.of(i, c)) // sorts them, which does no harm
			w.addCell(values, &e.Metrics[i], &x, v.failed[int64(c)])
		}
	}
}
