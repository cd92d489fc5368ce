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

	figures []experiment.Figure // of the spec
	metrics []string            // that are drawn, and columns; nil: all
	over    []string            // parameters over whose values means are taken
	single  []cell              // of single runs, in the order of the plan
	cells   []cell              // the same, or their means over values of parameters
	varying []string            // parameters that have several values, as declared
	axes    []string            // parameters that tell cells apart, see freeAxes
	sampled []string            // parameters: few cells differ in one of them only
	missing int64               // runs
}

// A cell is the runs that differ only in their seeds, or in what means are
// taken over.
type cell struct {
	params        []experiment.Value // of all parameters
	values        [][]float64        // of each metric, one for each replicate; NaN: not defined
	series        [][]moments        // [row][axis, columns], by ascending axis; nil: not read
	uneven        bool               // some replicate lacks a row of the series, or has it twice
	last          [][]float64        // of the series of each replicate that has one
	spans         []span             // of each column of the series
	runs          int                // replicates
	tried, failed int                // runs
}

// A span is the least and the largest of some numbers.
type span struct{ low, high float64 }

// none is the span of no numbers.
var none = span{low: math.Inf(1), high: math.Inf(-1)}

// add widens a span to numbers; NaN does not count.
func (s *span) add(numbers ...float64) {
	for _, x := range numbers {
		if !math.IsNaN(x) {
			s.low = min(s.low, x)
			s.high = max(s.high, x)
		}
	}
}

// leastSpread is by how much numbers must differ, in parts of the largest one,
// to be drawn: less is rounding, or more digits than an axis can show.
const leastSpread = 1e-12

// varies reports whether the numbers differ enough to be drawn.
func (s span) varies() bool {
	size := max(math.Abs(s.low), math.Abs(s.high))
	return s.high/size-s.low/size > leastSpread // high − low may overflow
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
	d.Pool(over)
	return d, nil
}

// New returns the data of a directory before the first run. Add adds its runs.
// Figures show the named metrics and columns of the series, nil for all.
func New(r *results.Reader, metrics []string) *Data {
	d := newData(r.Name, r.Plan, metrics)
	d.figures = r.Spec.Figures
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
	d.single = d.cells
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
	var last []float64
	for row := range slices.Chunk(r.Series, max(1, len(e.Series))) {
		c.addRow(row)
		rows++
		if last == nil || row[0] >= last[0] {
			last = row
		}
	}
	if last != nil {
		c.last = append(c.last, slices.Clone(last))
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
	if c.spans == nil {
		c.spans = slices.Repeat([]span{none}, len(row))
	}
	for i, y := range row {
		c.series[k][i].add(y)
		c.spans[i].add(y)
	}
}

// hold returns a cell in which the replicates whose series has ended keep their
// last values.
func (c *cell) hold() cell {
	held := *c
	held.series = nil
	for _, row := range c.series {
		row = slices.Clone(row)
		x := row[0].mean
		for _, last := range c.last {
			if last[0] >= x {
				continue
			}
			row[0].add(x)
			for i, y := range last[1:] {
				row[1+i].add(y)
			}
		}
		held.series = append(held.series, row)
	}
	return held
}

// view returns the data as a figure wants them: means over the values of
// further parameters, and with series that are held.
func (d *Data) view(f *experiment.Figure) *Data {
	over := slices.Clone(d.over)
	for _, name := range f.Over {
		if slices.Contains(d.varying, name) && !slices.Contains(over, name) {
			over = append(over, name)
		}
	}
	if !f.Hold && len(over) == len(d.over) {
		return d
	}
	v := *d
	v.cells = slices.Clone(d.single)
	if f.Hold {
		for i := range v.cells {
			v.cells[i] = v.cells[i].hold()
		}
	}
	v.axes = v.freeAxes(v.all())
	v.Pool(over)
	return &v
}

// rangeOf returns the span of all numbers of a metric or, along the series, of
// a column.
func (d *Data) rangeOf(f *experiment.Figure, name string) span {
	all := none
	if f.OfSeries() {
		at, _ := d.column(name)
		for i := range d.cells {
			if c := &d.cells[i]; c.spans != nil {
				all.add(c.spans[at].low, c.spans[at].high)
			}
		}
		return all
	}
	m := d.Experiment.Metric(name)
	for i := range d.cells {
		if c := &d.cells[i]; c.values != nil {
			all.add(c.values[m]...)
		}
	}
	return all
}

// Pool makes one cell of those that differ only in some parameters; its
// replicates are the means of theirs. It is called after all runs were added.
func (d *Data) Pool(over []string) {
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
		to := cell{params: slices.Clone(d.cells[g[0]].params)}
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

	// The unit of deviations is 2 to the exponent, that of the largest one, so
	// that squares neither vanish nor overflow. A power of two changes no
	// digit.
	exponent int
}

func (m *moments) add(values ...float64) {
	for _, x := range values {
		if !math.IsNaN(x) {
			m.n++
			before := x - m.mean
			m.mean += before / float64(m.n)
			after := x - m.mean // at least half of before, from the second on
			m.makeRoom(after)
			product := math.Ldexp(before, -m.exponent) * math.Ldexp(after, -m.exponent)
			m.squares += float64(product)
		}
	}
}

// makeRoom changes the unit if a deviation is too large for it, or the first.
func (m *moments) makeRoom(deviation float64) {
	_, exponent := math.Frexp(deviation)
	if deviation != 0 && (m.squares == 0 || exponent > m.exponent) {
		m.squares = m.squaresIn(exponent)
		m.exponent = exponent
	}
}

// squaresIn returns the sum of squares of deviations in units of 2 to an
// exponent.
func (m moments) squaresIn(exponent int) float64 {
	return math.Ldexp(m.squares, 2*(m.exponent-exponent))
}

// spread returns the root of the mean square of deviations, 0 if nothing was
// seen.
func (m moments) spread() float64 {
	return math.Ldexp(math.Sqrt(m.squares/float64(max(1, m.n))), m.exponent)
}

// average returns the mean, NaN if nothing was seen.
func (m moments) average() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.mean
}

// limits returns the mean and the margin of its 95 % limits, NaN if there are
// none.
func (m moments) limits() (mean, margin float64) {
	if m.n < 2 {
		return m.average(), math.NaN()
	}
	factor := inference.StudentFactor(float64(m.n-1), inference.Confidence)
	variance := m.squares / float64(m.n-1)
	return m.mean, math.Ldexp(factor*math.Sqrt(variance/float64(m.n)), m.exponent)
}

// informs reports whether a metric tells anything about cells: whether it
// is not the same in all of them, or, in a single one, in all runs.
func (d *Data) informs(metric int) bool {
	all := none
	for i := range d.cells {
		all.add(d.cells[i].metric(metric).average())
	}
	if len(d.cells) == 1 && d.cells[0].runs > 0 {
		all.add(d.cells[0].values[metric]...)
	}
	return all.varies()
}

// columnInforms reports whether a column of the series tells more than a
// metric: whether it differs, and has several values in a cell.
func (d *Data) columnInforms(column int) bool {
	all := none
	several := false
	for _, c := range d.cells {
		values := 0
		for _, at := range c.series {
			all.add(at[1+column].average())
			if at[1+column].n > 0 {
				values++
			}
		}
		several = several || values > 1
	}
	return several && all.varies()
}
