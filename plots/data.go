package plots

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/results"
)

// Data is what figures show of a sweep.
type Data struct {
	Name       string // the spec's
	Experiment *experiment.Experiment

	metrics []string // that are drawn, and columns; nil: all
	over    []string // parameters over whose values means are taken
	cells   []cell   // in the order of the plan
	varying []string // parameters that have several values, in the order of the declaration
	axes    []string // parameters that tell cells apart, see freeAxes
	sampled []string // parameters of a sample, in which few cells differ in one of them only
	missing int64    // runs
}

// A cell is the runs that differ only in their seeds, or in what means are taken over.
type cell struct {
	params        []experiment.Value // of all parameters
	values        [][]float64        // of each metric, one for each replicate; NaN: not defined
	series        [][]moments        // [row][axis, columns], by ascending axis; nil if it was not read
	uneven        bool               // whether some replicate lacks a row of the series, or has one twice
	runs          int                // replicates
	tried, failed int                // runs
}

// Read reads the runs of a directory. Errors are the reader's. Figures show the
// named metrics and columns of the series, nil for all. Means are taken over the
// values of the parameters that over names, for example the seeds of worlds: what
// is a run elsewhere is then the mean of a cell's runs, so that limits respect that
// runs of one world are alike.
func Read(r *results.Reader, metrics, over []string) (*Data, error) {
	d, err := gather(r.Name, r.Plan, r.Runs, metrics, over)
	if err == nil {
		d.missing = r.Missing()
	}
	return d, err
}

// gather reads the runs of a plan.
func gather(sweep string, plan *grid.Plan, runs func(series bool) iter.Seq2[*results.Row, error],
	metrics, over []string) (*Data, error) {
	e, cells := plan.Experiment(), plan.Cells()
	d := &Data{Name: sweep, Experiment: e, metrics: metrics, over: over, cells: make([]cell, cells)}
	name := func(p int) string { return e.Params[p].Name }
	d.varying = lists.Map(slices.Sorted(slices.Values(plan.Varying)), name)
	d.sampled = lists.Map(cmp.Or(plan.Design, new(grid.Design)).Params, name)
	for c := range cells {
		d.cells[c].params = plan.Point(c).Values
	}
	d.axes = d.freeAxes(d.all())
	for row, err := range runs(len(e.Columns()) > 0 && cells <= mostTraced) {
		if err != nil {
			return nil, err
		}
		c := &d.cells[row.Index%cells]
		c.tried++
		if row.Status != results.OK {
			c.failed++
			continue
		}
		c.add(e, int(row.Index/cells), row.Result)
	}
	if len(over) > 0 {
		d.pool(over)
	}
	return d, nil
}

// add adds what the replicate at a place measured.
func (c *cell) add(e *experiment.Experiment, place int, r experiment.Result) {
	if c.values == nil {
		c.values = make([][]float64, len(r.Metrics))
	}
	for m, x := range r.Metrics {
		for len(c.values[m]) <= place {
			c.values[m] = append(c.values[m], math.NaN())
		}
		c.values[m][place] = x
	}
	before, rows := len(c.series), 0
	for row := range slices.Chunk(r.Series, max(1, len(e.Series))) {
		before := func(at []moments, x float64) int { return cmp.Compare(at[0].mean, x) }
		k, known := slices.BinarySearchFunc(c.series, row[0], before)
		if !known {
			c.series = slices.Insert(c.series, k, make([]moments, len(row)))
		}
		for i, y := range row {
			c.series[k][i].add(y)
		}
		rows++
	}
	c.uneven = c.uneven || rows != len(c.series) || c.runs > 0 && rows != before
	c.runs++
}

// pool makes one cell of those that differ only in some parameters; its
// replicates are the means of theirs.
func (d *Data) pool(over []string) {
	place := make([]int, len(d.cells)) // of a cell's mean among the replicates
	for k, g := range d.groupBy(d.all(), over) {
		for _, c := range g {
			place[c] = k
		}
	}
	var cells []cell
	for _, g := range d.groupBy(d.all(), without(d.axes, over...)) {
		to := cell{params: d.cells[g[0]].params}
		for _, p := range d.Experiment.Places(over) {
			to.params[p] = experiment.Value{}
		}
		for _, i := range g {
			c := &d.cells[i]
			to.tried, to.failed, to.uneven = to.tried+c.tried, to.failed+c.failed, to.uneven || c.uneven
			if c.runs > 0 {
				to.add(d.Experiment, place[i], c.means())
			}
		}
		cells = append(cells, to)
	}
	d.cells = cells
	d.axes = d.freeAxes(d.all())
}

// means returns what a cell's replicates measured on average.
func (c *cell) means() (r experiment.Result) {
	for m := range c.values {
		r.Metrics = append(r.Metrics, c.metric(m).average())
	}
	for _, m := range slices.Concat(c.series...) {
		r.Series = append(r.Series, m.average())
	}
	return r
}

// metric describes the values of a metric that are defined.
func (c *cell) metric(m int) (all moments) {
	if c.runs > 0 {
		all.add(c.values[m]...)
	}
	return all
}

// mean returns the mean of a metric over cells, all of which count alike, and the
// margin of its 95 % limits, which are those of the means of replicates, each over all
// of the cells: cells share their seeds, and are no replicates of each other.
func (d *Data) mean(metric int, cells []int) (mean, margin float64) {
	var means, whole moments
	var replicates []moments
	for _, c := range cells {
		m := d.cells[c].metric(metric)
		if m.n == 0 {
			continue
		}
		means.add(m.mean)
		for k, v := range d.cells[c].values[metric] {
			if k == len(replicates) {
				replicates = append(replicates, moments{})
			}
			replicates[k].add(v)
		}
	}
	for _, r := range replicates {
		if r.n == means.n {
			whole.add(r.mean)
		}
	}
	_, margin = whole.limits()
	return means.average(), margin
}

// A moments describes numbers seen one after another, without keeping them
// (Welford, Note on a Method for Calculating Corrected Sums of Squares and
// Products, 1962). NaN is not seen.
type moments struct {
	n             int
	mean, squares float64 // squares: of deviations from the mean, summed
}

func (m *moments) add(values ...float64) {
	for _, x := range values {
		if !math.IsNaN(x) {
			m.n++
			before := x - m.mean
			m.mean += before / float64(m.n)
			m.squares += float64(before * (x - m.mean))
		}
	}
}

func (m moments) variance() float64 { return m.squares / float64(m.n-1) }

// average returns the mean, NaN if nothing was seen.
func (m moments) average() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.mean
}

// varies reports whether the numbers differ by more than rounding.
func (m moments) varies() bool { return m.squares > 1e-24*float64(m.n)*m.mean*m.mean }

// limits returns the mean and the margin of its 95 % limits, NaN if there are none.
func (m moments) limits() (mean, margin float64) {
	if m.n < 2 {
		return m.average(), math.NaN()
	}
	return m.mean, inference.StudentFactor(float64(m.n-1), inference.Confidence) * math.Sqrt(m.variance()/float64(m.n))
}

// informs reports whether a metric tells anything about cells: whether it
// is not the same in all of them, or, in a single one, in all runs.
func (d *Data) informs(metric int) bool {
	var all moments
	for i := range d.cells {
		all.add(d.cells[i].metric(metric).average())
	}
	return all.varies() || len(d.cells) == 1 && d.cells[0].metric(metric).varies()
}

// columnInforms reports whether a column of the series tells more than a
// metric: whether it differs, and has several values in a cell.
func (d *Data) columnInforms(column int) bool {
	var all moments
	several := false
	for _, c := range d.cells {
		before := all.n
		for _, at := range c.series {
			all.add(at[1+column].average())
		}
		several = several || all.n > before+1
	}
	return several && all.varies()
}
