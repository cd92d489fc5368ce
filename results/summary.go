package results

import (
	"cmp"
	"slices"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/internal/parquetfile"
)

// exportFiles are the files that are made of a log, for other programs.
var exportFiles = []string{runsFile, seriesFile, summaryFile}

// export writes the three Parquet files under their temporary names, and calls
// beat, which may end it by an error, for each run. They are in the order of the
// plan, so that their bytes depend on the spec and the model alone, not on the
// order in which runs ended. They are returned in the order in which they are to
// get their names; after an error they are to be discarded.
func export(d disk.Dir, r *Reader, beat func() error) (files []*parquetWriter, err error) {
	e := r.Plan.Experiment()
	runs, over, summary := Columns(e)
	names, columns := []string{summaryFile, runsFile, seriesFile}, [][]Column{summary, runs, over}
	if !hasSeries(e) {
		names = names[:2]
	}
	varying := grid.Axes(e, r.Plan.Varying, r.Plan.CellValues())
	axes := lists.Map(varying, func(p int) string { return e.Params[p].Name })
	for i, name := range names {
		w, err := newParquetWriter(d, name, columns[i], r.Spec, axes, r.Digest())
		if err != nil {
			return files, err
		}
		files = append(files, w)
	}
	params, metrics := lists.Indices(len(e.Params)), lists.Indices(len(e.Metrics))
	cells, err := r.describe(hasSeries(e), func(run *Row) error {
		files[1].addRun(run, params, metrics)
		window := int64(0)
		for numbers := range slices.Chunk(run.Result.Series, max(1, len(e.Series))) {
			files[2].Add(parquetfile.Text(run.ID.String()), parquet.Int64Value(window))
			for _, x := range numbers {
				files[2].Add(parquet.DoubleValue(x))
			}
			window++
		}
		return cmp.Or(files[1].Err, beat())
	})
	for i := range metrics {
		for _, c := range cells {
			files[0].addCell(c, &e.Metrics[i], &c.Metrics[i])
		}
	}
	for _, w := range files {
		if err == nil {
			err = w.finish()
		}
	}
	return files, err
}

// addCell appends the row of a metric of a cell in summary.parquet.
func (w *parquetWriter) addCell(c *Cell, m *experiment.Metric, x *inference.Statistics) {
	for _, v := range c.Values {
		w.Add(paramValue(v))
	}
	w.Add(parquetfile.Text(m.Name), parquetfile.Text(m.Unit), parquet.Int64Value(x.N))
	for _, number := range []float64{x.Mean, x.Std, x.SEM, x.CILow, x.CIHigh, x.Min, x.Median, x.Max} {
		w.Add(parquet.DoubleValue(number))
	}
	w.Add(parquet.Int64Value(c.Failed))
}

// Metrics returns the measures of metrics with the given positions.
func Metrics(positions []int) []func(r *Row) float64 {
	return lists.Map(positions, func(i int) func(r *Row) float64 {
		return func(r *Row) float64 { return r.Result.Metrics[i] }
	})
}

// A Sample holds what was measured in the successful runs of one cell.
type Sample struct {
	Seeds  []int64     // their positions in the plan, ascending
	Values [][]float64 // [measure][run]
	Failed int64       // runs
}

// Samples reads the runs once, and returns the sample of each cell of the plan,
// nil where there is no run. A measure takes one number from a run, NaN if it
// is not defined there. It calls each, if it is not nil, for every run; series
// tells whether that or a measure needs series.
func (r *Reader) Samples(series bool, measures []func(r *Row) float64, each func(run *Row) error) ([]*Sample, error) {
	cells := r.Plan.Cells()
	samples := make([]*Sample, cells)
	most := r.OK()/cells + 1 // of a cell, unless the runs that are there are unbalanced
	for run, err := range r.Runs(series) {
		if err == nil && each != nil {
			err = each(run)
		}
		if err != nil {
			return nil, err
		}
		s := samples[run.Index%cells]
		if s == nil {
			values := func(func(r *Row) float64) []float64 { return make([]float64, 0, most) }
			s = &Sample{Seeds: make([]int64, 0, most), Values: lists.Map(measures, values)}
			samples[run.Index%cells] = s
		}
		if run.Status != OK {
			s.Failed++
			continue
		}
		s.Seeds = append(s.Seeds, run.Index/cells)
		for i, measure := range measures {
			s.Values[i] = append(s.Values[i], measure(run))
		}
	}
	return samples, nil
}

// describe returns the cells that have a run, in the order of the plan. It
// calls each, if it is not nil, for every run.
func (r *Reader) describe(series bool, each func(run *Row) error) (cells []*Cell, err error) {
	samples, err := r.Samples(series, Metrics(lists.Indices(len(r.Plan.Experiment().Metrics))), each)
	for i, s := range samples {
		if s == nil {
			continue
		}
		cells = append(cells, &Cell{r.Plan.Point(int64(i)).Values, lists.Map(s.Values, inference.NewStatistics), s.Failed})
	}
	return cells, err
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
	Cells  []*Cell           // those with at least one run, in the order of the plan
}

// A Cell is a set of runs that differ only in their seeds.
type Cell struct {
	Values  []experiment.Value     // one for each parameter of the experiment
	Metrics []inference.Statistics // one for each metric
	Failed  int64
}

// Summary computes the summary of the runs that are there. A *DataError
// tells that there is none.
func (r *Reader) Summary() (s *Summary, err error) {
	e := r.Plan.Experiment()
	s = &Summary{
		Spec: r.Name, Experiment: e, Runs: r.Assigned(), OK: r.OK(), Failed: r.Failed(),
		Stop: r.Plan.Stop(), Unsure: r.unsure(), Paper: e.Table(r.Spec.PaperTable),
	}
	if s.Cells, err = r.describe(false, nil); err != nil {
		return nil, err
	}
	if len(s.Cells) == 0 {
		return nil, disk.Refuse(r.Dir, "", "no run has finished yet")
	}
	values := lists.Map(s.Cells, func(c *Cell) []experiment.Value { return c.Values })
	s.Axes = grid.Axes(e, r.Plan.Varying, slices.Values(values))
	return s, nil
}
