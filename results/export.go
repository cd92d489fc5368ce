package results

import (
	"errors"

	"sweep/experiment"
)

// exportFiles are the files that are made of a log, for other programs.
var exportFiles = []string{runsFile, seriesFile, summaryFile}

// An exporter writes the three Parquet files: in the order of the plan, so
// that their bytes depend on the spec and the model alone, not on the order
// in which runs ended.
type exporter struct {
	index   *index
	runs    *parquetWriter
	series  *parquetWriter // nil if the experiment has none
	summary *parquetWriter
	beat    func()
	err     error
}

// export writes the runs of an index, durable under their temporary names,
// and calls beat now and then.
func export(d disk, x *index, spec string, beat func()) (*exporter, map[string]FileSum, error) {
	e := x.plan.Experiment()
	w := &exporter{index: x, beat: beat}
	open := func(name, table string, columns []column) (p *parquetWriter) {
		if w.err == nil {
			p, w.err = newParquetWriter(d, name, table, e, spec, columns)
		}
		return p
	}
	w.runs = open(runsFile, "runs", runColumns(e))
	if hasSeries(e) {
		w.series = open(seriesFile, "series", seriesColumns(e))
	}
	w.summary = open(summaryFile, "summary", summaryColumns(e))
	if w.err == nil {
		w.err = w.write()
	}
	sums := map[string]FileSum{}
	for _, f := range w.files() {
		if w.err == nil {
			sums[f.name], w.err = f.seal()
		}
	}
	if w.err != nil {
		w.discard()
	}
	return w, sums, w.err
}

// files returns the files that were begun, in the order in which they get
// their names.
func (w *exporter) files() (list []*parquetWriter) {
	for _, f := range []*parquetWriter{w.series, w.summary, w.runs} {
		if f != nil {
			list = append(list, f)
		}
	}
	return list
}

func (w *exporter) discard() {
	for _, f := range w.files() {
		f.discard()
	}
}

// write writes the rows of all files, with as many passes over the logs as
// the summary needs.
func (w *exporter) write() error {
	e, c := w.index.plan.Experiment(), newCollector(w.index)
	params := make([]experiment.Value, len(e.Params))
	summarize := func(metric, cell int, d Statistics) error {
		w.index.plan.Cell(c.cells[cell], params)
		return w.summary.addStatistics(params, &e.Metrics[metric], d, c.failed[cell])
	}
	for first := true; c.next(); first = false {
		add := c.add
		if first {
			add = func(r *Row) bool { return w.addRun(r) && c.add(r) }
		}
		if err := errors.Join(w.index.rows(first, add), w.err); err != nil {
			return err
		}
		if err := c.describe(summarize); err != nil {
			return err
		}
	}
	return nil
}

// addRun writes a run and its series; it returns false after an error.
func (w *exporter) addRun(r *Row) bool {
	if r.Index%batchRows == 0 {
		w.beat()
	}
	w.err = w.runs.addRun(r)
	if w.err == nil && w.series != nil {
		w.err = w.series.addSeries(r)
	}
	return w.err == nil
}
