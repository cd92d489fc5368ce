package results

import (
	"iter"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
)

// exportFiles are the files that are made of a log, for other programs.
var exportFiles = []string{runsFile, seriesFile, summaryFile}

// export writes the three Parquet files, durable under their temporary names,
// and calls beat now and then. They are in the order of the plan, so that
// their bytes depend on the spec and the model alone, not on the order in
// which runs ended. They are returned in the order in which they are to get
// their names; after an error there are none.
func export(d disk, r *Reader, beat func()) (files []*parquetWriter, sums map[string]FileSum, err error) {
	defer func() {
		if err != nil {
			discard(files)
			files = nil
		}
	}()
	e := r.Plan.Experiment()
	names, columns := []string{summaryFile, runsFile}, [][]column{summaryColumns(e), runColumns(e)}
	if hasSeries(e) {
		names, columns = append(names, seriesFile), append(columns, seriesColumns(e))
	}
	from := r.source()
	for i, name := range names {
		w, err := newParquetWriter(d, name, &from, columns[i])
		if err != nil {
			return files, nil, err
		}
		files = append(files, w)
	}
	first := func(run *Row) error {
		if run.Index%batchRows == 0 {
			beat()
		}
		x := tableRow{params: run.Point.Values, run: run}
		err := files[1].add(&x)
		if hasSeries(e) {
			for x.numbers = range slices.Chunk(run.Result.Series, 1+len(e.Series.Columns)) {
				if err == nil {
					err = files[2].add(&x)
				}
				x.window++
			}
		}
		return err
	}
	params := make([]experiment.Value, len(e.Params))
	c := newCollector(r)
	err = r.describe(c, first, func(metric, cell int, d Statistics) error {
		r.Plan.Cell(c.cells[cell], params)
		return files[0].add(&tableRow{params: params, metric: &e.Metrics[metric], stats: &d, failed: c.failed[cell]})
	})
	sums = map[string]FileSum{}
	for _, w := range files {
		if err == nil {
			sums[w.name], err = w.finish()
		}
	}
	return files, sums, err
}

// discard removes what has been written.
func discard(files []*parquetWriter) {
	for _, w := range files {
		w.discard()
	}
}

// describe visits the statistics of each metric in each cell, with as many
// passes over the logs as a collector needs, in the first of which it calls
// first, if it is not nil, for each run.
func (r *Reader) describe(c *collector, first func(run *Row) error, visit func(metric, cell int, d Statistics) error) error {
	for c.next() {
		for run, err := range r.Runs(first != nil) {
			if err == nil && first != nil {
				err = first(run)
			}
			if err != nil {
				return err
			}
			c.add(run)
		}
		first = nil
		if err := c.describe(visit); err != nil {
			return err
		}
	}
	return nil
}

// A Summary is the results of one directory cell by cell, ready to be
// printed.
type Summary struct {
	Spec       string // the spec's name
	Experiment *experiment.Experiment
	Runs       int64 // in the plan; those that its stopping rule asks for, if it has one
	OK, Failed int64 // of Runs; the others are missing

	Stop   *grid.Stop        // the stopping rule, or nil
	Unsure int64             // cells that have all their seeds and do not meet it
	Paper  *experiment.Table // the table that the spec names, or nil
	Axes   []int             // the parameters that tell the cells apart
	Cells  []Cell            // those with at least one run, in the order of the plan
}

// A Cell is a set of runs that differ only in their seeds.
type Cell struct {
	Values  []experiment.Value // one for each parameter of the experiment
	Metrics []Statistics       // one for each metric
	Failed  int64
}

// Statistics describe the values of one metric in the runs of one cell. A
// statistic that is not defined is NaN.
type Statistics struct {
	N                int64 // runs in which the metric is defined
	Mean, Std, SEM   float64
	CILow, CIHigh    float64 // 95 % confidence limits of the mean by Student's t
	Min, Median, Max float64
}

// Summary computes the summary of the runs that are there. A *DataError
// tells that there is none.
func (r *Reader) Summary() (*Summary, error) {
	e := r.Plan.Experiment()
	s := &Summary{
		Spec: r.Name, Experiment: e, Runs: r.Assigned(), OK: r.OK(), Failed: r.Failed(), Stop: r.Plan.Stop(),
	}
	if r.Spec.PaperTable != "" {
		s.Paper = e.Table(r.Spec.PaperTable)
	}
	c := newCollector(r)
	if len(c.cells) == 0 {
		return nil, &DataError{Path: r.dir, Message: "no run has finished yet"}
	}
	if s.Stop != nil {
		s.Unsure = r.stop.unsure()
	}
	values := make([][]experiment.Value, len(c.cells))
	for i, number := range c.cells {
		values[i] = make([]experiment.Value, len(e.Params))
		r.Plan.Cell(number, values[i])
		s.Cells = append(s.Cells, Cell{values[i], make([]Statistics, len(e.Metrics)), c.failed[i]})
	}
	s.Axes = Axes(e, r.Plan.Varying(), values)
	return s, r.describe(c, nil, func(metric, cell int, d Statistics) error {
		s.Cells[cell].Metrics[metric] = d
		return nil
	})
}

// Axes returns those of the varying parameters of a plan that tell cells
// with the given canonical parameters apart, in the order of varying. A
// parameter that has one value wherever it is used does not: the algorithm,
// or the input that takes its place, already says whether it is used. An
// input itself does, since null is one of its values.
func Axes(e *experiment.Experiment, varying []int, cells [][]experiment.Value) []int {
	return axes(e, varying, slices.Values(cells))
}

func axes(e *experiment.Experiment, varying []int, cells iter.Seq[[]experiment.Value]) (list []int) {
	first, differs := make([]*experiment.Value, len(e.Params)), make([]bool, len(e.Params))
	for c := range cells {
		for _, p := range varying {
			input, v := e.Params[p].Input != nil, c[p]
			switch {
			case v.IsNull() && !input:
			case first[p] == nil:
				first[p] = &v
			case v != *first[p]:
				differs[p] = true
			}
		}
	}
	for _, p := range varying {
		if differs[p] {
			list = append(list, p)
		}
	}
	return list
}

// A collector gathers the values of metrics by cell: of as many metrics at a
// time as fit into its memory.
type collector struct {
	metrics int
	cells   []int64 // that have a run, in order
	failed  []int64 // runs of each
	slot    []int32 // of each cell of the plan, 1 + its position in cells
	plan    *grid.Plan

	starts []int       // where the values of each cell begin
	filled []int       // how many each has
	first  int         // metric that is collected
	values [][]float64 // of each metric from first on
	sorted []float64
	known  map[int]float64 // quantiles of Student's t by sample size
}

// collectorNumbers bounds the numbers that a collector holds: 64 MiB.
const collectorNumbers = 8 << 20

func newCollector(x *Reader) *collector {
	c := &collector{metrics: len(x.Plan.Experiment().Metrics), plan: x.Plan, slot: make([]int32, x.Plan.Cells()), known: map[int]float64{}}
	for i := range x.places() {
		c.slot[i%x.Plan.Cells()] = 1
	}
	for cell, there := range c.slot {
		if there > 0 {
			c.cells = append(c.cells, int64(cell))
			c.slot[cell] = int32(len(c.cells))
		}
	}
	c.failed, c.starts, c.filled = make([]int64, len(c.cells)), make([]int, len(c.cells)+1), make([]int, len(c.cells))
	for i, p := range x.places() {
		k := c.slot[i%x.Plan.Cells()] - 1
		if p.ok {
			c.starts[k+1]++
		} else {
			c.failed[k]++
		}
	}
	for k := range c.cells {
		c.starts[k+1] += c.starts[k]
	}
	return c
}

// next begins with the first metrics, or with those after the ones that
// were described; it is false after the last.
func (c *collector) next() bool {
	runs := c.starts[len(c.cells)]
	c.first += len(c.values)
	n := min(max(1, collectorNumbers/max(1, runs)), c.metrics-c.first)
	if n <= 0 {
		return false
	}
	if c.values == nil {
		for range n {
			c.values = append(c.values, make([]float64, runs))
		}
	}
	c.values = c.values[:n]
	clear(c.filled)
	return true
}

// add takes a row. Rows come in the order of the plan.
func (c *collector) add(r *Row) {
	if r.Status == OK {
		k := c.slot[r.Index%c.plan.Cells()] - 1
		at := c.starts[k] + c.filled[k]
		c.filled[k]++
		for m := range c.values {
			c.values[m][at] = r.Result.Metrics[c.first+m]
		}
	}
}

// describe visits the metrics that were collected, and of each the cells.
func (c *collector) describe(visit func(metric, cell int, d Statistics) error) error {
	var sample []float64
	for m, values := range c.values {
		for k := range c.cells {
			sample = sample[:0]
			for _, x := range values[c.starts[k]:c.starts[k+1]] {
				if !math.IsNaN(x) {
					sample = append(sample, x)
				}
			}
			if err := visit(c.first+m, k, c.statistics(sample)); err != nil {
				return err
			}
		}
	}
	return nil
}

// statistics describes values, in whose order it sums. The result has the
// same bits on every processor.
func (c *collector) statistics(values []float64) Statistics {
	nan := math.NaN()
	d := Statistics{
		N: int64(len(values)), Mean: nan, Std: nan, SEM: nan,
		CILow: nan, CIHigh: nan, Min: nan, Median: nan, Max: nan,
	}
	if len(values) == 0 {
		return d
	}
	m := inference.Describe(values)
	d.Mean = m.Mean
	c.sorted = append(c.sorted[:0], values...)
	slices.Sort(c.sorted)
	half := len(values) / 2
	d.Min, d.Median, d.Max = c.sorted[0], c.sorted[half], c.sorted[len(values)-1]
	if len(values)%2 == 0 {
		d.Median = (c.sorted[half-1] + c.sorted[half]) / 2
	}
	if len(values) == 1 {
		return d
	}
	d.Std, d.SEM = m.Std, m.SE()
	factor, ok := c.known[len(values)]
	if !ok {
		factor = inference.StudentFactor(float64(len(values)-1), inference.Confidence)
		c.known[len(values)] = factor
	}
	margin := float64(factor * d.SEM)
	d.CILow, d.CIHigh = d.Mean-margin, d.Mean+margin
	return d
}
