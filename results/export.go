package results

import (
	"context"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/inference"
	"sweep/internal/parquetfile"
)

// Export commits, and exports the runs that are there to runs.parquet,
// series.parquet (if the experiment has series), summary.parquet and
// timings.parquet. A file is never there half-written: if ctx ends before the
// new files are complete, the old ones stay, and the error is ctx's cause.
// Export leaves the files alone if nothing is new. A shard has no such files.
func (s *Store) Export(ctx context.Context) error {
	if err := s.Commit(); err != nil || s.current || s.Shard != nil || s.readOnly != nil {
		return err
	}
	if err := s.log.isOurs(); err != nil { // runs that are kept in memory are not read
		return err
	}
	var effort Effort
	files, err := export(s.disk, s.Reader, func(run *Row) error {
		effort.Add(run)
		s.beat()
		return context.Cause(ctx)
	})
	if err == nil {
		err = s.publish(files, effort)
	}
	if err != nil {
		for _, f := range files {
			f.discard()
		}
	}
	return err
}

// publish gives the exported files their names and enters them into the
// manifest. Until all have their names, the manifest lists none: what an
// interruption leaves behind must not look corrupt.
func (s *Store) publish(files []*parquetWriter, effort Effort) error {
	if s.Manifest.Exports != nil {
		s.Manifest.Exports = nil
		if err := writeManifest(s.disk, s.Manifest); err != nil {
			return err
		}
	}
	sums := map[string]disk.Sum{}
	for _, f := range files {
		sums[f.name] = f.sum
		if err := disk.Publish(s.disk, f.file, f.name, nil); err != nil {
			return err
		}
	}
	s.current = true
	s.Manifest.Exports = &Exports{
		Digest:     s.Digest(),
		Spec:       s.Spec.Name,
		SpecSHA256: s.Spec.SHA256(),
		Effort:     effort,
		Files:      sums,
	}
	return writeManifest(s.disk, s.Manifest)
}

// heartbeat is how often an export updates the manifest.
const heartbeat = 2 * time.Second

// beat writes the manifest to show that the sweep is alive, since an export may
// take long. It ignores errors: no result depends on the manifest.
func (s *Store) beat() {
	now := time.Now()
	if !s.Manifest.Start.IsZero() && now.Sub(s.Manifest.Updated) > heartbeat {
		s.Manifest.Updated = now
		_ = writeManifest(s.disk, s.Manifest)
	}
}

// exportFiles are the files that are made from a log for other programs.
var exportFiles = []string{runsFile, seriesFile, summaryFile, timingsFile}

// export writes the Parquet files under their temporary names, and calls beat,
// whose error ends the export, for each run. The rows are in the order of the
// plan, so that the bytes of all but timings.parquet depend on the spec and the
// model alone, not on the order in which runs ended. The files are returned in
// the order in which they are to get their names; after an error they are to be
// discarded.
func export(
	d disk.Dir, r *Reader, beat func(run *Row) error,
) (files []*parquetWriter, err error) {
	e := r.Plan.Experiment()
	axes := []string{} // not nil: the footer has it as JSON
	for _, p := range grid.Axes(e, r.Plan.Varying, r.Plan.CellValues()) {
		axes = append(axes, e.Params[p].Name)
	}
	create := func(name string, columns []Column) (*parquetWriter, error) {
		w, err := newParquetWriter(d, name, columns, r.Spec, axes, r.Digest())
		if err == nil {
			files = append(files, w)
		}
		return w, err
	}
	runColumns, seriesColumns, summaryColumns := Columns(e)
	var places []grid.Place // of the cells in the design; nil if there is none
	if r.Plan.Design != nil {
		runColumns = append(runColumns, DesignColumns...)
		places = r.Plan.Places()
	}
	summary, err := create(summaryFile, summaryColumns)
	if err != nil {
		return files, err
	}
	runs, err := create(runsFile, runColumns)
	if err != nil {
		return files, err
	}
	timings, err := create(timingsFile, TimingColumns)
	if err != nil {
		return files, err
	}
	var series *parquetWriter
	if hasSeries(e) {
		series, err = create(seriesFile, seriesColumns)
		if err != nil {
			return files, err
		}
	}
	params := indices(len(e.Params))
	metrics := indices(len(e.Metrics))
	values := r.newCellValues()
	for run, err := range r.Runs(true) {
		if err != nil {
			return files, err
		}
		values.add(run)
		id := run.ID.String()
		runs.addRun(run, id, params, metrics)
		if places != nil {
			runs.addPlace(places[run.Index%r.Plan.Cells()])
		}
		timings.addTimings(run, id)
		if series != nil {
			series.addSeries(run, id)
		}
		if runs.Err != nil {
			return files, runs.Err
		}
		if err := beat(run); err != nil {
			return files, err
		}
	}
	values.writeSummary(summary, r)
	for _, w := range files {
		if err := w.finish(); err != nil {
			return files, err
		}
	}
	return files, nil
}

// indices returns 0, 1, … n−1.
func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// addSeries appends the rows of a run in series.parquet.
func (w *parquetWriter) addSeries(r *Row, id string) {
	window := int64(0)
	for numbers := range slices.Chunk(r.Result.Series, len(r.Point.Experiment.Series)) {
		w.Add(parquetfile.Text(id), parquet.Int64Value(window))
		for _, x := range numbers {
			w.Add(parquet.DoubleValue(x))
		}
		window++
	}
}

// addTimings appends the row of a run in timings.parquet.
func (w *parquetWriter) addTimings(r *Row, id string) {
	used := r.Result.Usage
	cpu := parquet.NullValue()
	memory := parquet.NullValue()
	started := parquet.NullValue()
	if !used.Started.IsZero() {
		cpu = parquet.DoubleValue(used.CPUSeconds)
		started = parquet.Int64Value(used.Started.UnixMilli())
	}
	if used.PeakMemory > 0 {
		memory = parquet.Int64Value(used.PeakMemory)
	}
	host := parquet.NullValue()
	if r.Host != "" {
		host = parquetfile.Text(r.Host)
	}
	w.Add(parquetfile.Text(id), parquetfile.Text(r.Status))
	w.Add(parquet.Int64Value(r.Attempts), parquet.DoubleValue(r.Seconds))
	w.Add(cpu, memory, started, host)
}

// addCell appends the row of a metric of a cell in summary.parquet.
func (w *parquetWriter) addCell(
	values []experiment.Value, m *experiment.Metric, x *inference.Statistics, failed int64,
) {
	for _, v := range values {
		w.Add(paramValue(v))
	}
	w.Add(parquetfile.Text(m.Name), parquetfile.Text(m.Unit), parquet.Int64Value(x.N))
	for _, number := range []float64{
		x.Mean, x.Std, x.SEM, x.CILow, x.CIHigh, x.Min, x.Median, x.Max,
	} {
		w.Add(parquet.DoubleValue(number))
	}
	w.Add(parquet.Int64Value(failed))
}
