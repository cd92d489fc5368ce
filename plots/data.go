package plots

import (
	"cmp"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/results"
)

// Data is what figures show of a sweep.
type Data struct {
	Name       string // the spec's
	Experiment *experiment.Experiment
	Series     bool // whether runs are added with their series

	metrics []string // that are drawn, and columns; nil: all
	over    []string // parameters over whose values means are taken
	cells   []cell   // in the order of the plan
	varying []string // parameters that have several values, in the order of the declaration
	axes    []string // parameters that tell cells apart, see freeAxes
	sampled []string // parameters of a sample, in which few cells differ in one of them only
	missing int64    // runs
}

// A cell is the runs that differ only in their seeds, or in what means are
// taken over.
type cell struct {
	params        []experiment.Value // of all parameters
	values        [][]float64        // of each metric, one for each replicate; NaN: not defined
	series        [][]moments        // [row][axis, columns], by ascending axis; nil: not read
	uneven        bool               // some replicate lacks a row of the series, or has it twice
	runs          int                // replicates
	tried, failed int                // runs
}

// Read reads the runs of a directory. Errors are the reader's. Figures show the
// named metrics and columns of the series, nil for all. Means are taken over
// the values of the parameters that over names, for example the seeds of
// worlds. A replicate is then the mean of a cell's runs, not a run, so that
// limits respect that runs of one world are alike.
func Read(r *results.Reader, metrics, over []string) (*Data, error) {
	d := New(r, metrics)
	for run, err := range r.Runs(d.Series) {
		if err != nil {
			return nil, err
		}
		d.Add(run)
	}
	d.pool(over)
	return d, nil
}

// New returns the data of a directory before the first run. Add adds its runs.
// Figures show the named metrics and columns of the series, nil for all.
func New(r *results.Reader, metrics []string) *Data {
	d := newData(r.Name, r.Plan, metrics)
	d.missing = r.Missing()
	return d
}

func newData(sweep string, plan *grid.Plan, metrics []string) *Data {
	e := plan.Experiment()
	cells := plan.Cells()
	d := &Data{
		Name:       sweep,
		Experiment: e,
		Series:     len(e.Columns()) > 0 && cells <= maxTraced,
		metrics:    metrics,
		cells:      make([]cell, cells),
	}
	for _, p := range slices.Sorted(slices.Values(plan.Varying)) {
		d.varying = append(d.varying, e.Params[p].Name)
	}
	if plan.Design != nil {
		for _, p := range plan.Design.Params {
			d.sampled = append(d.sampled, e.Params[p].Name)
		}
	}
	for c := range cells {
		d.cells[c].params = plan.Point(c).Values
	}
	d.axes = d.freeAxes(d.all())
	return d
}

// Add adds a run, which must have its series if Series is set.
func (d *Data) Add(run *results.Row) {
	cells := int64(len(d.cells))
	c := &d.cells[run.Index%cells]
	c.tried++
	if run.Status != results.OK {
		c.failed++
		return
	}
	result := run.Result
	if !d.Series {
		result.Series = nil
	}
	c.add(d.Experiment, int(run.Index/cells), result)
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
	before := len(c.series)
	rows := 0
	for row := range slices.Chunk(r.Series, max(1, len(e.Series))) {
		c.addRow(row)
		rows++
	}
	if rows != len(c.series) || c.runs > 0 && rows != before {
		c.uneven = true
	}
	c.runs++
}

// addRow adds a row of the series of a replicate.
func (c *cell) addRow(row []float64) {
	k, known := slices.BinarySearchFunc(c.series, row[0], func(at []moments, x float64) int {
		return cmp.Compare(at[0].mean, x)
	})
	if !known {
		c.series = slices.Insert(c.series, k, make([]moments, len(row)))
	}
	for i, y := range row {
		c.series[k][i].add(y)
	}
}

// pool makes one cell of those that differ only in some parameters; its
// replicates are the means of theirs.
func (d *Data) pool(over []string) {
	if len(over) == 0 {
		return
	}
	d.over = over
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
			to.tried += c.tried
			to.failed += c.failed
			to.uneven = to.uneven || c.uneven
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

// mean returns the mean of a metric over cells, all of which count alike, and
// the margin of its 95 % limits. The limits are those of the means of
// replicates, each over all cells: cells share their seeds, and are not
// replicates of each other.
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

// varies reports whether the numbers differ by more than rounding: by some
// 1e-12 of their mean.
func (m moments) varies() bool { return m.squares > 1e-24*float64(m.n)*m.mean*m.mean }

// limits returns the mean and the margin of its 95 % limits, NaN if there are
// none.
func (m moments) limits() (mean, margin float64) {
	if m.n < 2 {
		return m.average(), math.NaN()
	}
	factor := inference.StudentFactor(float64(m.n-1), inference.Confidence)
	return m.mean, factor * math.Sqrt(m.variance()/float64(m.n))
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
