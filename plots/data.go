package plots

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/results"
)

// Options narrow what figures show.
type Options struct {
	// Metrics names the metrics and the columns of the series to draw; nil: all.
	Metrics []string

	// Over names parameters over whose values means are taken, for example the
	// seeds of worlds: what is a run elsewhere is then the mean of a cell's
	// runs, so that limits respect that runs of one world are alike.
	Over []string
}

// An UnknownError tells of an option that names nothing in the sweep.
type UnknownError struct {
	What, Name string   // for example "metric", "relvant"
	Known      []string // what there is
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no %s is called %q; there are %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// Data is what figures show of a sweep.
type Data struct {
	Name       string // the spec's
	Experiment *experiment.Experiment

	options     Options
	cells       []cell // in the order of the plan
	axes        []int  // parameters that tell cells apart, see freeAxes
	ok, missing int64  // runs
	factors     map[int]float64
}

// A cell is the runs that differ only in their seeds, or in what means are
// taken over.
type cell struct {
	params        []experiment.Value
	values        [][]float64 // of each metric, one for each replicate; NaN: not defined
	traces        []trace     // of each column of the series; nil if it was not read
	runs          int         // replicates
	tried, failed int         // runs
}

// mostTraced is how many cells have their series read.
const mostTraced = 1000

// Read reads the runs of a directory. An *UnknownError tells of an option
// that the sweep does not have; other errors are the reader's.
func Read(r *results.Reader, o Options) (*Data, error) {
	d, err := gather(r.Name, r.Plan, r.Runs, o)
	if err == nil {
		d.missing = r.Missing()
	}
	return d, err
}

// gather reads the runs of a plan.
func gather(name string, plan *grid.Plan, runs func(series bool) iter.Seq2[*results.Row, error], o Options) (*Data, error) {
	e, cells := plan.Experiment(), plan.Cells()
	d := &Data{Name: name, Experiment: e, options: o, factors: map[int]float64{}}
	withSeries := len(e.Series.Columns) > 0 && cells <= mostTraced
	for c := range cells {
		d.cells = append(d.cells, d.newCell(plan.Point(c).Values, withSeries))
	}
	for row, err := range runs(withSeries) {
		if err != nil {
			return nil, err
		}
		c := &d.cells[row.Index%cells]
		c.tried++
		if row.Status != results.OK {
			c.failed++
			continue
		}
		d.ok++
		c.add(int(row.Index/cells), row.Result.Metrics)
		for i := range c.traces {
			c.traces[i].add(row.Result.Series, 1+len(c.traces), 1+i)
		}
	}
	d.axes = d.freeAxes(d.all())
	if err := d.check("metric", o.Metrics, slices.Concat(e.Metrics, e.Series.Columns)); err != nil {
		return nil, err
	}
	var axes []experiment.Metric
	for _, p := range d.axes {
		axes = append(axes, experiment.Metric{Name: e.Params[p].Name})
	}
	if err := d.check("axis", o.Over, axes); err != nil {
		return nil, err
	}
	if len(o.Over) > 0 {
		d.pool(d.params(o.Over))
	}
	return d, nil
}

func (d *Data) newCell(params []experiment.Value, withSeries bool) cell {
	c := cell{params: params, values: make([][]float64, len(d.Experiment.Metrics))}
	if withSeries {
		c.traces = make([]trace, len(d.Experiment.Series.Columns))
	}
	return c
}

// add adds the metrics of the replicate at a place.
func (c *cell) add(place int, metrics []float64) {
	c.runs++
	for m, x := range metrics {
		for len(c.values[m]) <= place {
			c.values[m] = append(c.values[m], math.NaN())
		}
		c.values[m][place] = x
	}
}

// check finds names that nothing has.
func (d *Data) check(what string, names []string, things []experiment.Metric) error {
	var known []string
	for _, t := range things {
		known = append(known, t.Name)
	}
	slices.Sort(known)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return &UnknownError{What: what, Name: name, Known: slices.Compact(known)}
		}
	}
	return nil
}

// chosen reports whether the options ask for a metric or column.
func (d *Data) chosen(name string) bool {
	return d.options.Metrics == nil || slices.Contains(d.options.Metrics, name)
}

// pool makes one cell of those that differ only in some parameters; its
// replicates are the means of theirs.
func (d *Data) pool(over []int) {
	place := make([]int, len(d.cells)) // of a cell's mean among the replicates
	for k, g := range d.groupBy(d.all(), over) {
		for _, c := range g.cells {
			place[c] = k
		}
	}
	rest := slices.DeleteFunc(slices.Clone(d.axes), func(p int) bool { return slices.Contains(over, p) })
	var cells []cell
	for _, g := range d.groupBy(d.all(), rest) {
		to := d.newCell(slices.Clone(d.cells[g.cells[0]].params), d.cells[g.cells[0]].traces != nil)
		for _, p := range over {
			to.params[p] = experiment.Value{}
		}
		for _, i := range g.cells {
			c := &d.cells[i]
			to.tried, to.failed = to.tried+c.tried, to.failed+c.failed
			if c.runs == 0 {
				continue
			}
			means := make([]float64, len(c.values))
			for m := range c.values {
				means[m] = d.estimate(c.values[m]).mean
			}
			to.add(place[i], means)
			for t := range c.traces {
				var rows []float64 // a series of means
				for _, at := range c.traces[t].at {
					rows = append(rows, at.x, d.limits(&at.moments).mean)
				}
				to.traces[t].add(rows, 2, 1)
			}
		}
		cells = append(cells, to)
	}
	d.cells = cells
	d.axes = d.freeAxes(d.all())
}

// An estimate is a mean with the margin of its 95 % limits, NaN if there are
// none.
type estimate struct {
	n            int
	mean, margin float64
}

// estimate returns the mean of the values that are defined.
func (d *Data) estimate(values []float64) estimate {
	var m moments
	m.add(values...)
	return d.limits(&m)
}

// limits returns the mean with its limits.
func (d *Data) limits(m *moments) estimate {
	switch m.n {
	case 0:
		return estimate{0, math.NaN(), math.NaN()}
	case 1:
		return estimate{1, m.mean, math.NaN()}
	}
	factor, ok := d.factors[m.n]
	if !ok {
		factor = inference.StudentFactor(float64(m.n-1), inference.Confidence)
		d.factors[m.n] = factor
	}
	return estimate{m.n, m.mean, factor * math.Sqrt(m.variance()/float64(m.n))}
}

// mean returns the mean of a metric over cells, all of which count alike. Its
// limits are those of the means of replicates, each over all of the cells:
// cells share their seeds, and are no replicates of each other.
func (d *Data) mean(metric int, cells []int) estimate {
	var means, whole moments
	replicates := 0
	for _, c := range cells {
		means.add(d.estimate(d.cells[c].values[metric]).mean)
		replicates = max(replicates, len(d.cells[c].values[metric]))
	}
	for k := range replicates {
		var one moments
		for _, c := range cells {
			if v := d.cells[c].values[metric]; k < len(v) {
				one.add(v[k])
			}
		}
		if one.n == means.n {
			whole.add(one.mean)
		}
	}
	return estimate{means.n, d.limits(&means).mean, d.limits(&whole).margin}
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

func (m *moments) variance() float64 { return m.squares / float64(m.n-1) }

// varies reports whether the numbers differ by more than rounding.
func (m *moments) varies() bool { return m.squares > 1e-18*float64(m.n)*m.mean*m.mean }

// informs reports whether a metric tells anything about cells: whether it
// is not the same in all of them, or, in a single one, in all runs.
func (d *Data) informs(metric int) bool {
	var all moments
	for _, c := range d.cells {
		if len(d.cells) == 1 {
			all.add(c.values[metric]...)
		}
		all.add(d.estimate(c.values[metric]).mean)
	}
	return all.varies()
}

// columnInforms reports whether a column of the series tells more than a
// metric: whether it differs between rows, and is defined in more than two or
// in all of them.
func (d *Data) columnInforms(column int) bool {
	var all moments
	often := false
	for _, c := range d.cells {
		if c.traces == nil {
			return false
		}
		rows := len(c.traces[column].at)
		defined := rows
		for _, at := range c.traces[column].at {
			if all.add(d.limits(&at.moments).mean); at.n == 0 {
				defined--
			}
		}
		often = often || defined > 2 || defined > 0 && defined == rows
	}
	return often && all.varies()
}

// A trace is what the runs of a cell did in one column of the series.
type trace struct {
	at     []instant // by ascending x
	runs   [][]point // the first
	count  int       // of runs
	uneven bool      // whether some run lacks a value of the axis
}

// An instant is what the runs that have a value of the axis did there.
type instant struct {
	x float64
	moments
}

// add adds a run: the rows of its series, each of width numbers, with the
// axis first and this trace's column at the given place.
func (t *trace) add(series []float64, width, column int) {
	var run []point
	before := len(t.at)
	for row := range slices.Chunk(series, width) {
		k, known := slices.BinarySearchFunc(t.at, row[0], func(at instant, x float64) int { return cmp.Compare(at.x, x) })
		if !known {
			t.at = slices.Insert(t.at, k, instant{x: row[0]})
		}
		t.at[k].add(row[column])
		run = append(run, point{x: row[0], y: row[column], margin: math.NaN()})
	}
	t.uneven = t.uneven || t.count > 0 && (len(t.at) != before || len(run) != before)
	if t.count++; len(t.runs) < mostRuns {
		t.runs = append(t.runs, run)
	}
}
