package results

import (
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
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
		for _, values := range s.Values { // which are still needed
			c.Metrics = append(c.Metrics, inference.NewStatistics(slices.Clone(values)))
		}
		cells = append(cells, c)
	}
	return cells
}

// A Summary is the results of one directory cell by cell, ready to be
// printed.
type Summary struct {
	Spec       string // the spec's name
	Heading    string // what the sweep is about, or what is simulated
	Experiment *experiment.Experiment
	Runs       int64 // of the plan or, with a stopping rule, those that it asks for
	OK, Failed int64 // of Runs; the others are missing

	Seedless int // how many seeds cells have, if these make no difference; else 0

	Bought bool              // cells have more seeds than the spec's own
	Stop   *grid.Stop        // the stopping rule, or nil
	Unsure int64             // cells that have all their seeds and do not meet it
	Paper  *experiment.Table // the table that the spec names, or nil
	Axes   []int             // the parameters that tell the cells apart
	Over   []int             // the parameters that means are taken over
	Cells  []*Cell           // those with at least one run, in the order of the plan
}

// A Cell is a set of runs that differ only in their seeds, or in what means are
// taken over.
type Cell struct {
	Values  []experiment.Value     // one for each parameter of the experiment
	Metrics []inference.Statistics // one for each metric
	Failed  int64

	// Where means are taken: of each metric, the standard deviation of runs
	// that differ only in their seeds, pooled (n−1). It is NaN without two
	// such runs.
	Within []float64
}

// pool makes one cell of those that are alike in some parameters. Its numbers
// are the means of theirs, not runs: runs of one world are alike. Parameters
// that differ in them have no value.
func pool(cells []*Cell, alike []int) (pooled []*Cell) {
	known := map[string]int{}
	var means [][][]float64 // [cell][metric]
	var members [][]*Cell   // [cell]
	for _, c := range cells {
		var key []experiment.Value
		for _, p := range alike {
			key = append(key, c.Values[p])
		}
		text := experiment.Key(key)
		k, isKnown := known[text]
		if !isKnown {
			k = len(pooled)
			known[text] = k
			pooled = append(pooled, &Cell{Values: slices.Clone(c.Values)})
			means = append(means, make([][]float64, len(c.Metrics)))
			members = append(members, nil)
		}
		members[k] = append(members[k], c)
		pooled[k].Failed += c.Failed
		for p, v := range c.Values {
			if v != pooled[k].Values[p] {
				pooled[k].Values[p] = experiment.Value{}
			}
		}
		for m, x := range c.Metrics {
			if x.N > 0 {
				means[k][m] = append(means[k][m], x.Mean)
			}
		}
	}
	for k, c := range pooled {
		for m, values := range means[k] {
			c.Metrics = append(c.Metrics, inference.NewStatistics(values))
			c.Within = append(c.Within, stdWithin(members[k], m))
		}
	}
	return pooled
}

// stdWithin returns the standard deviation of a metric within cells, pooled
// (n−1), NaN if none has two runs.
func stdWithin(cells []*Cell, metric int) float64 {
	largest := 0.0
	for _, c := range cells {
		if x := c.Metrics[metric]; x.N > 1 {
			largest = max(largest, x.Std)
		}
	}
	_, exponent := math.Frexp(largest) // squares neither vanish nor overflow
	squares := 0.0
	freedom := 0.0
	for _, c := range cells {
		if x := c.Metrics[metric]; x.N > 1 {
			std := math.Ldexp(x.Std, -exponent)
			squares += float64(float64(x.N-1) * float64(std*std))
			freedom += float64(x.N - 1)
		}
	}
	return math.Ldexp(math.Sqrt(squares/freedom), exponent)
}

// PaperOver returns the parameters over which the spec wants means in its table
// and figures: of those that it names, the ones that vary. It is nil if none
// does.
func (r *Reader) PaperOver() (over []int) {
	for _, p := range r.Spec.Paper.Over {
		if slices.Contains(r.Plan.Varying, p) {
			over = append(over, p)
		}
	}
	return over
}

// Summary computes the summary of the runs that are there, with means over some
// parameters. The error is that of NoRuns if there are none.
func (r *Reader) Summary(over []int) (*Summary, error) {
	sampler := r.NewSummarySampler()
	if err := sampler.AddAll(r.Runs(false)); err != nil {
		return nil, err
	}
	return r.Summarize(sampler, over)
}

// Summarize computes the summary of the runs that were added to a sampler of
// NewSummarySampler, with means over some parameters. The error is that of
// NoRuns if there are none.
func (r *Reader) Summarize(sampler *Sampler, over []int) (*Summary, error) {
	cells := r.describe(sampler.Cells)
	if len(cells) == 0 {
		return nil, r.NoRuns()
	}
	e := r.Plan.Experiment()
	values := func(yield func([]experiment.Value) bool) {
		for _, c := range cells {
			if !yield(c.Values) {
				return
			}
		}
	}
	axes := grid.Axes(e, r.Plan.Varying, values)
	if over != nil {
		axes = slices.DeleteFunc(axes, func(p int) bool { return slices.Contains(over, p) })
		cells = pool(cells, axes)
	}
	return &Summary{
		Spec:       r.Name,
		Heading:    r.Spec.Heading(),
		Experiment: e,
		Runs:       r.Assigned(),
		OK:         r.OK(),
		Failed:     r.Failed(),
		Seedless:   Seedless(sampler.Cells),
		Bought:     r.Plan.Bought() != nil,
		Stop:       r.Plan.Stop(),
		Unsure:     r.unsure(),
		Paper:      e.Table(r.Spec.Paper.Table),
		Axes:       axes,
		Over:       over,
		Cells:      cells,
	}, nil
}
