package results

import (
	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/inference"
)

// describe returns the cells that have a run, in the order of the plan. The
// samples are those of NewSummarySampler.
func (r *Reader) describe(samples []*Sample) (cells []*Cell) {
	for i, s := range samples {
		if s == nil {
			continue
		}
		c := &Cell{Values: r.Plan.Point(int64(i)).Values, Failed: s.Failed}
		for _, values := range s.Values {
			c.Metrics = append(c.Metrics, inference.NewStatistics(values))
		}
		cells = append(cells, c)
	}
	return cells
}

// A Summary is the results of one directory cell by cell, ready to be
// printed.
type Summary struct {
	Spec       string // the spec's name
	Experiment *experiment.Experiment
	Runs       int64 // of the plan or, with a stopping rule, those that it asks for
	OK, Failed int64 // of Runs; the others are missing

	Seedless int // how many seeds cells have, if these make no difference; else 0

	Bought bool              // cells have more seeds than the spec's own
	Stop   *grid.Stop        // the stopping rule, or nil
	Unsure int64             // cells that have all their seeds and do not meet it
	Paper  *experiment.Table // the table that the spec names, or nil
	Axes   []int             // the parameters that tell the cells apart
	Cells  []*Cell           // those with at least one run, in the order of the plan
}

// A Cell is a set of runs that differ only in their seeds.
type Cell struct {
	Values  []experiment.Value     // one for each parameter of the experiment
	Metrics []inference.Statistics // one for each metric
	Failed  int64
}

// Summary computes the summary of the runs that are there. The error is a
// *DataError if there are none.
func (r *Reader) Summary() (*Summary, error) {
	sampler := r.NewSummarySampler()
	if err := sampler.AddAll(r.Runs(false)); err != nil {
		return nil, err
	}
	return r.Summarize(sampler)
}

// Summarize computes the summary of the runs that were added to a sampler of
// NewSummarySampler. The error is a *DataError if there are none.
func (r *Reader) Summarize(sampler *Sampler) (*Summary, error) {
	cells := r.describe(sampler.Cells)
	if len(cells) == 0 {
		return nil, disk.Refuse(r.Dir, "", "no run has finished yet")
	}
	e := r.Plan.Experiment()
	values := func(yield func([]experiment.Value) bool) {
		for _, c := range cells {
			if !yield(c.Values) {
				return
			}
		}
	}
	return &Summary{
		Spec:       r.Name,
		Experiment: e,
		Runs:       r.Assigned(),
		OK:         r.OK(),
		Failed:     r.Failed(),
		Seedless:   Seedless(sampler.Cells),
		Bought:     r.Plan.Bought() != nil,
		Stop:       r.Plan.Stop(),
		Unsure:     r.unsure(),
		Paper:      e.Table(r.Spec.PaperTable),
		Axes:       grid.Axes(e, r.Plan.Varying, values),
		Cells:      cells,
	}, nil
}
