package results

import "iter"

// A Sample holds what was measured in the successful runs of one cell.
type Sample struct {
	Seeds  []int64     // their positions in the plan, ascending
	Values [][]float64 // [measure][run]
	Failed int64       // number of failed runs
}

// A Sampler makes the sample of each cell from the runs that it gets.
type Sampler struct {
	Cells []*Sample // of each cell of the plan; nil where there is no run

	measures []func(r *Row) float64
	capacity int64 // for the runs of a cell, if they are balanced
}

// NewSampler returns a sampler for the reader's runs. A measure takes one
// number from a run, NaN if it is not defined there.
func (r *Reader) NewSampler(measures []func(r *Row) float64) *Sampler {
	cells := r.Plan.Cells()
	return &Sampler{
		Cells:    make([]*Sample, cells),
		measures: measures,
		capacity: r.OK()/cells + 1,
	}
}

// NewSummarySampler returns a sampler of all metrics, for Summarize.
func (r *Reader) NewSummarySampler() *Sampler {
	return r.NewSampler(Metrics(indices(len(r.Plan.Experiment().Metrics))))
}

// Metrics returns the measures of metrics with the given positions.
func Metrics(positions []int) (measures []func(r *Row) float64) {
	for _, i := range positions {
		measures = append(measures, func(r *Row) float64 { return r.Result.Metrics[i] })
	}
	return measures
}

// Add adds a run.
func (s *Sampler) Add(run *Row) {
	cells := int64(len(s.Cells))
	sample := s.Cells[run.Index%cells]
	if sample == nil {
		sample = &Sample{Seeds: make([]int64, 0, s.capacity)}
		for range s.measures {
			sample.Values = append(sample.Values, make([]float64, 0, s.capacity))
		}
		s.Cells[run.Index%cells] = sample
	}
	if run.Status != OK {
		sample.Failed++
		return
	}
	sample.Seeds = append(sample.Seeds, run.Index/cells)
	for i, measure := range s.measures {
		sample.Values[i] = append(sample.Values[i], measure(run))
	}
}

// AddAll adds runs until there is an error.
func (s *Sampler) AddAll(runs iter.Seq2[*Row, error]) error {
	for run, err := range runs {
		if err != nil {
			return err
		}
		s.Add(run)
	}
	return nil
}

// Samples reads the runs, whole if the measures need that, and returns the
// sample of each cell of the plan, nil where there is no run.
func (r *Reader) Samples(whole bool, measures []func(r *Row) float64) ([]*Sample, error) {
	s := r.NewSampler(measures)
	err := s.AddAll(r.Runs(whole))
	return s.Cells, err
}

// Seedless returns how many seeds cells have, if these make no difference: the
// runs of each cell have equal values, and some cell has more than one run. It
// returns 0 if seeds make a difference, or if that cannot be told.
func Seedless(cells []*Sample) (seeds int) {
	for _, s := range cells {
		if s == nil {
			continue
		}
		if s.Failed > 0 {
			return 0
		}
		for _, values := range s.Values {
			for _, x := range values {
				bothUndefined := x != x && values[0] != values[0]
				if x != values[0] && !bothUndefined {
					return 0
				}
			}
		}
		seeds = max(seeds, len(s.Seeds))
	}
	if seeds < 2 {
		return 0
	}
	return seeds
}
