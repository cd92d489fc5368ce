package results

import (
	"sweep/experiment"
)

// exportFiles are the files that are made of a log, for other programs.
var exportFiles = []string{runsFile, seriesFile, summaryFile}

// export writes the three Parquet files, durable under their temporary names,
// and calls beat now and then. They are in the order of the plan, so that
// their bytes depend on the spec and the model alone, not on the order in
// which runs ended. They are returned in the order in which they are to get
// their names; after an error there are none.
func export(d disk, x *index, spec string, beat func()) (files []*parquetWriter, sums map[string]FileSum, err error) {
	defer func() {
		if err != nil {
			discard(files)
		}
	}()
	e, tables := x.plan.Experiment(), map[string]*parquetWriter{}
	for _, t := range []struct {
		name    string
		columns []column
	}{{seriesFile, seriesColumns(e)}, {summaryFile, summaryColumns(e)}, {runsFile, runColumns(e)}} {
		if t.name == seriesFile && !hasSeries(e) {
			continue
		}
		w, err := newParquetWriter(d, t.name, e, spec, t.columns)
		if err != nil {
			return files, nil, err
		}
		files, tables[t.name] = append(files, w), w
	}
	addRun := func(r *Row) error {
		if r.Index%batchRows == 0 {
			beat()
		}
		if err := tables[runsFile].addRun(r); err != nil || !hasSeries(e) {
			return err
		}
		return tables[seriesFile].addSeries(r)
	}
	if err := exportSummary(x, tables[summaryFile], addRun); err != nil {
		return files, nil, err
	}
	sums = map[string]FileSum{}
	for _, w := range files {
		if sums[w.name], err = w.seal(); err != nil {
			return files, nil, err
		}
	}
	return files, sums, nil
}

// discard removes what has been written.
func discard(files []*parquetWriter) {
	for _, w := range files {
		w.discard()
	}
}

// exportSummary writes the summary, with as many passes over the logs as it
// needs, in the first of which it calls addRun for each run.
func exportSummary(x *index, summary *parquetWriter, addRun func(r *Row) error) error {
	e, c := x.plan.Experiment(), newCollector(x)
	params := make([]experiment.Value, len(e.Params))
	for first := true; c.next(); first = false {
		err := x.rows(first, func(r *Row) error {
			c.add(r)
			if first {
				return addRun(r)
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = c.describe(func(metric, cell int, d Statistics) error {
			x.plan.Cell(c.cells[cell], params)
			return summary.addStatistics(params, &e.Metrics[metric], d, c.failed[cell])
		})
		if err != nil {
			return err
		}
	}
	return nil
}
