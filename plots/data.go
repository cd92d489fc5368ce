package plots

import (
	"sweep/experiment"
	"sweep/results"
)

// Bounds on what is kept of a directory. A figure with more cells than these
// could not be read.
const (
	mostSamples = 60 // cells whose runs are shown one by one
	mostTraces  = 60 // cells whose series are shown
)

// Data is what figures show of a sweep.
type Data struct {
	Name       string // the spec's
	Experiment *experiment.Experiment

	cells []cell // those with a run that succeeded, in the order of the plan
	axes  []int  // parameters that set cells apart, see freeAxes

	student student
}

// A cell is the runs that differ only in their seeds.
type cell struct {
	params  []experiment.Value
	metrics []moments   // one for each metric of the experiment
	samples [][]float64 // the values, for each metric; nil beyond mostSamples
	traces  []trace     // one for each column of the series; nil beyond mostTraces
}

// Read reads the runs of a directory that have succeeded. An error is that
// of the view.
func Read(v *results.Reader) (*Data, error) {
	e := v.Plan.Experiment()
	d := &Data{Name: v.Name, Experiment: e, student: student{}}
	cells := make([]*cell, v.Plan.Cells())
	withSeries := len(e.Series.Columns) > 0 && len(cells) <= mostTraces
	for row, err := range v.Runs(withSeries) {
		if err != nil {
			return nil, err
		}
		if row.Status != results.OK {
			continue
		}
		at := row.Index % v.Plan.Cells()
		if cells[at] == nil {
			cells[at] = newCell(e, row.Point.Values, len(cells))
		}
		d.add(cells[at], row)
	}
	for _, c := range cells {
		if c == nil {
			continue
		}
		for i := range c.traces {
			c.traces[i].sort()
		}
		d.cells = append(d.cells, *c)
	}
	d.axes = freeAxes(e, d.cells)
	return d, nil
}

func newCell(e *experiment.Experiment, params []experiment.Value, cells int) *cell {
	c := &cell{
		params:  append([]experiment.Value(nil), params...),
		metrics: make([]moments, len(e.Metrics)),
	}
	if cells <= mostSamples {
		c.samples = make([][]float64, len(e.Metrics))
	}
	if cells <= mostTraces {
		c.traces = make([]trace, len(e.Series.Columns))
	}
	return c
}

func (d *Data) add(c *cell, row *results.Row) {
	for m, x := range row.Result.Metrics {
		c.metrics[m].add(x)
		if c.samples != nil && x == x {
			c.samples[m] = append(c.samples[m], x)
		}
	}
	for i := range c.traces {
		c.traces[i].add(row.Result.Series, 1+len(c.traces), 1+i)
	}
}

// degenerate reports whether a metric is the same, or missing, in all runs.
func (d *Data) degenerate(metric int) bool {
	var all moments
	for i := range d.cells {
		m := &d.cells[i].metrics[metric]
		if m.squares > 0 {
			return false
		}
		all.add(m.average())
	}
	return all.squares == 0
}

// idle reports whether a column of the series is the same, or missing, in
// all rows of all runs.
func (d *Data) idle(column int) bool {
	var all moments
	for i := range d.cells {
		at := d.cells[i].traces[column].at
		for k := range at {
			if at[k].squares > 0 {
				return false
			}
			all.add(at[k].average())
		}
	}
	return all.squares == 0
}
