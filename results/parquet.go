package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// A column is one column of a Parquet file. The exported part of it is
// written into the file's metadata.
type column struct {
	Name    string `json:"name"`
	Role    string `json:"role"` // engine, parameter, metric, series or statistic
	Kind    string `json:"kind"` // bool, int, float or string
	Unit    string `json:"unit"`
	Meaning string `json:"meaning"`

	optional bool
	coding   coding
}

// A coding says how a column's values are laid out before compression.
//
// Columns of few distinct values, as parameters are, would be smaller in a
// dictionary. But parquet-go v0.32 cuts the runs of dictionary indices
// differently on processors with AVX2 (its test for eight equal indices
// takes 1,1,1,1,2,2,2,2 for equal, which does no harm but to the cut), and
// the files must be the same bytes everywhere. Compression makes up for
// most of it.
type coding uint8

const (
	plain   coding = iota
	delta          // integers that climb or stay close to each other
	delta32        // the same, as int32
)

// paramColumns are the parameters under their spec names, null where a
// point does not use them.
func paramColumns(e *experiment.Experiment) []column {
	columns := make([]column, len(e.Params))
	for i := range e.Params {
		p := &e.Params[i]
		c := column{Name: p.Name, Role: "parameter", Kind: p.Kind.String(), Unit: p.Unit, Meaning: p.Meaning, optional: true}
		if p.UsedBy != nil {
			c.Meaning += "; null unless " + experiment.Algorithm + " is " + strings.Join(p.UsedBy, " or ")
		}
		for k := range e.Params {
			if q := &e.Params[k]; slices.Contains(q.Replaces, p.Name) {
				c.Meaning += "; null where there is a " + q.Name
			}
		}
		columns[i] = c
	}
	return columns
}

func metricColumns(role string, metrics ...experiment.Metric) (columns []column) {
	for _, m := range metrics {
		columns = append(columns, column{Name: m.Name, Role: role, Kind: m.Kind.String(), Unit: m.Unit, Meaning: m.Meaning, optional: true})
	}
	return columns
}

// runColumns are the columns of runs.parquet.
func runColumns(e *experiment.Experiment) []column {
	return slices.Concat([]column{
		{Name: "run_id", Role: "engine", Kind: "string", Meaning: "identity of the run: a hash of experiment, model version, parameters and seed"},
		{Name: "experiment", Role: "engine", Kind: "string", Meaning: "name of the experiment"},
	}, paramColumns(e), []column{
		{Name: "seed", Role: "engine", Kind: "int", Meaning: "seed of the run's random numbers", coding: delta},
		{Name: "status", Role: "engine", Kind: "string", Meaning: "ok or failed"},
		{Name: "error", Role: "engine", Kind: "string", Meaning: "why the run failed; null unless failed", optional: true},
	}, metricColumns("metric", e.Metrics...))
}

// addRun writes a row of runs.parquet.
func (w *parquetWriter) addRun(r *Row) error {
	e := r.Point.Experiment
	w.add(textValue(r.ID.String()), textValue(e.Name))
	w.addParams(r.Point.Values)
	w.add(parquet.Int64Value(r.Point.Seed), textValue(r.Status))
	if r.Status == Failed {
		w.add(textValue(r.Error))
		for range e.Metrics {
			w.add(parquet.NullValue())
		}
		return w.endRow()
	}
	w.add(parquet.NullValue())
	for i, m := range e.Metrics {
		w.add(numberValue(m.Kind, r.Result.Metrics[i]))
	}
	return w.endRow()
}

// axisAt is the position of the axis in series.parquet; the series' columns
// follow it.
const axisAt = 2

// seriesColumns are the columns of series.parquet.
func seriesColumns(e *experiment.Experiment) []column {
	return slices.Concat([]column{
		{Name: "run_id", Role: "engine", Kind: "string", Meaning: "identity of the run, as in runs.parquet"},
		{Name: "window", Role: "engine", Kind: "int", Meaning: "number of the row within its run, from 0", coding: delta32},
	}, metricColumns("series", e.Series.Axis), metricColumns("series", e.Series.Columns...))
}

// addSeries writes the rows of a run's series.
func (w *parquetWriter) addSeries(r *Row) error {
	id, series := textValue(r.ID.String()), &r.Point.Experiment.Series
	window := int32(0)
	for row := range slices.Chunk(r.Result.Series, 1+len(series.Columns)) {
		w.add(id, parquet.Int32Value(window), numberValue(series.Axis.Kind, row[0]))
		for i, c := range series.Columns {
			w.add(numberValue(c.Kind, row[1+i]))
		}
		if err := w.endRow(); err != nil {
			return err
		}
		window++
	}
	return nil
}

// summaryColumns are the columns of summary.parquet.
func summaryColumns(e *experiment.Experiment) []column {
	statistic := func(name, meaning string) column {
		return column{Name: name, Role: "statistic", Kind: "float", Meaning: meaning, optional: true}
	}
	count := func(name, meaning string) column {
		return column{Name: name, Role: "statistic", Kind: "int", Meaning: meaning, coding: delta}
	}
	return append(paramColumns(e),
		column{Name: "metric", Role: "engine", Kind: "string", Meaning: "what was measured"},
		column{Name: "unit", Role: "engine", Kind: "string", Meaning: "unit of the metric; empty if it has none"},
		count("n", "runs of the cell in which the metric is defined"),
		statistic("mean", "arithmetic mean; null if n is 0"),
		statistic("std", "standard deviation with n-1; null if n is below 2"),
		statistic("sem", "standard error of the mean, std/sqrt(n)"),
		statistic("ci_low", "lower 95 % confidence limit of the mean by Student's t"),
		statistic("ci_high", "upper 95 % confidence limit of the mean by Student's t"),
		statistic("min", "smallest value"),
		statistic("median", "middle value, or the mean of the two middle ones"),
		statistic("max", "largest value"),
		count("n_failed", "runs of the cell that failed"),
	)
}

// addStatistics writes a row of summary.parquet.
func (w *parquetWriter) addStatistics(params []experiment.Value, m *experiment.Metric, d Statistics, failed int64) error {
	w.addParams(params)
	w.add(textValue(m.Name), textValue(m.Unit), parquet.Int64Value(d.N))
	for _, x := range []float64{d.Mean, d.Std, d.SEM, d.CILow, d.CIHigh, d.Min, d.Median, d.Max} {
		w.add(numberValue(experiment.Float, x))
	}
	w.add(parquet.Int64Value(failed))
	return w.endRow()
}

func hasSeries(e *experiment.Experiment) bool { return len(e.Series.Columns) > 0 }

// createdBy stands in every file instead of the Parquet package's own
// mark, which carries that package's version into the bytes.
const createdBy = "sweep version 1"

// Keys of the metadata in every file. The values are functions of the spec
// and the model, like everything else in the files.
const (
	keyFormat     = "sweep.format" // layout of the files, counted up when it changes
	keyTable      = "sweep.table"  // runs, series or summary
	keySpec       = "sweep.spec"   // the spec's name
	keyExperiment = "sweep.experiment"
	keyVersion    = "sweep.model_version"
	keyColumns    = "sweep.columns"  // JSON list: name, role, kind, unit, meaning
	keyChecksum   = "sweep.checksum" // see seal

	parquetFormat = "2"
)

// batchRows is how many rows are handed to the Parquet writer at once. It
// is a multiple of the 64 rows after which that writer considers closing a
// page, so that pages end at the same rows however the rows came in.
const batchRows = 1024

// Rows in a row group: enough for readers to skip and parallelise by, few
// enough that one is held in memory while it is written. A Parquet file
// has at most 32,767 groups, so these allow for 10⁹ runs.
const (
	groupRows       = 32 * batchRows
	seriesGroupRows = 120 * batchRows
)

// An ordered is a Parquet group that keeps its columns in the given order;
// parquet.Group alone sorts them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in order.
func (o *ordered) Fields() []parquet.Field { return o.fields }

func orderedNode(columns []column) parquet.Node {
	group, place := parquet.Group{}, map[string]int{}
	for i := range columns {
		group[columns[i].Name], place[columns[i].Name] = columns[i].node(), i
	}
	fields := group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return &ordered{group, fields}
}

func (c *column) node() parquet.Node {
	n := map[string]parquet.Node{
		"bool":   parquet.Leaf(parquet.BooleanType),
		"int":    parquet.Leaf(parquet.Int64Type),
		"float":  parquet.Leaf(parquet.DoubleType),
		"string": parquet.String(),
	}[c.Kind]
	if c.coding == delta32 {
		n = parquet.Leaf(parquet.Int32Type)
	}
	if c.coding != plain {
		n = parquet.Encoded(n, &parquet.DeltaBinaryPacked)
	}
	if c.optional {
		n = parquet.Optional(n)
	}
	return n
}

// A parquetWriter writes one Parquet file under a temporary name, value by
// value in column order.
type parquetWriter struct {
	disk    disk
	name    string
	file    file
	sum     summer // between parquet and file
	parquet *parquet.GenericWriter[any]
	columns []column
	values  []parquet.Value // of a batch of rows
	rows    []parquet.Row   // the same, cut
}

// newParquetWriter starts the file that is to be called name.
func newParquetWriter(d disk, name string, e *experiment.Experiment, spec string, columns []column) (*parquetWriter, error) {
	f, err := d.create(temporary(name))
	if err != nil {
		return nil, err
	}
	described, err := json.Marshal(columns)
	if err != nil {
		panic("results: " + err.Error()) // strings only: cannot fail
	}
	w := &parquetWriter{disk: d, name: name, file: f, sum: summer{to: f}, columns: columns}
	table := strings.TrimSuffix(name, ".parquet")
	rows := int64(groupRows)
	if name == seriesFile {
		rows = seriesGroupRows
	}
	w.parquet = parquet.NewGenericWriter[any](&w.sum, &parquet.WriterConfig{
		CreatedBy: createdBy,
		Schema:    parquet.NewSchema(table, orderedNode(columns)),
		KeyValueMetadata: map[string]string{
			keyFormat:     parquetFormat,
			keyTable:      table,
			keySpec:       spec,
			keyExperiment: e.Name,
			keyVersion:    strconv.Itoa(e.Version),
			keyColumns:    string(described),
			keyChecksum:   noChecksum,
		},
		Compression:        &parquet.Zstd,
		MaxRowsPerRowGroup: rows,
	})
	return w, nil
}

// add appends the next values of the current row.
func (w *parquetWriter) add(values ...parquet.Value) {
	for _, v := range values {
		column, definition := len(w.values)%len(w.columns), 0
		if w.columns[column].optional && !v.IsNull() {
			definition = 1
		}
		w.values = append(w.values, v.Level(0, definition, column))
	}
}

func (w *parquetWriter) addParams(params []experiment.Value) {
	for _, v := range params {
		switch v.Kind() {
		case experiment.Bool:
			w.add(parquet.BooleanValue(v.Bool()))
		case experiment.Int:
			w.add(parquet.Int64Value(v.Int()))
		case experiment.Float:
			w.add(numberValue(experiment.Float, v.Float()))
		case experiment.String:
			w.add(textValue(v.Text()))
		default:
			w.add(parquet.NullValue())
		}
	}
}

// textValue returns a string as a value that shares its memory.
func textValue(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// numberValue returns a measured number as its declared kind, NaN as null.
// Negative zero becomes zero.
func numberValue(kind experiment.Kind, x float64) parquet.Value {
	switch {
	case math.IsNaN(x):
		return parquet.NullValue()
	case kind == experiment.Int:
		return parquet.Int64Value(int64(x))
	}
	return parquet.DoubleValue(x + 0)
}

// endRow ends the row that was added.
func (w *parquetWriter) endRow() error {
	if len(w.values) < batchRows*len(w.columns) {
		return nil
	}
	return w.flush()
}

func (w *parquetWriter) flush() error {
	w.rows = w.rows[:0]
	for row := range slices.Chunk(w.values, len(w.columns)) {
		w.rows = append(w.rows, row)
	}
	_, err := w.parquet.WriteRows(w.rows)
	w.values = w.values[:0]
	return err
}

// noChecksum stands in a file while it is written.
const noChecksum = "00000000"

// checksumMark precedes the digits. In the footer a string is preceded by
// its length (8), and a value by the mark of a string (0x18); neither can
// stand in a text of the metadata, all of which is printable.
const checksumMark = keyChecksum + "\x18\x08"

// seal completes the file, durable under its temporary name.
//
// Every Parquet file bears a checksum of itself in its metadata, under
// keyChecksum: the CRC-32C of all of its bytes, with zeros where the eight
// digits of the checksum stand. So a copy can be verified without the
// manifest. Parquet's own checksums cover the pages alone, not their headers
// and not the footer.
func (w *parquetWriter) seal() (sum FileSum, err error) {
	if err := w.flush(); err != nil {
		return sum, err
	}
	if err := w.parquet.Flush(); err != nil {
		return sum, err
	}
	body, footer := w.sum.sum, &bytes.Buffer{}
	w.sum.to = footer
	if err := w.parquet.Close(); err != nil {
		return sum, err
	}
	at := bytes.LastIndex(footer.Bytes(), []byte(checksumMark))
	if at < 0 {
		panic("results: a footer without room for its checksum")
	}
	appendSum(footer.Bytes()[:at+len(checksumMark)], w.sum.sum)
	whole := crc32.Update(body, castagnoli, footer.Bytes())
	if _, err := w.file.Write(footer.Bytes()); err != nil {
		return sum, err
	}
	if err := w.file.Sync(); err != nil {
		return sum, err
	}
	return FileSum{Bytes: w.sum.bytes, CRC32C: fmt.Sprintf("%08x", whole)}, w.file.Close()
}

// publish gives a sealed file its name. The name is durable once the
// directory is synced.
func (w *parquetWriter) publish() error { return w.disk.rename(temporary(w.name), w.name) }

// discard removes what has been written.
func (w *parquetWriter) discard() {
	w.file.Close() // may be closed already; the removal is what counts
	w.disk.remove(temporary(w.name))
}

// A summer passes a file's bytes on and adds up their checksum.
type summer struct {
	to    io.Writer
	sum   uint32
	bytes int64
}

func (s *summer) Write(b []byte) (int, error) {
	s.sum = crc32.Update(s.sum, castagnoli, b)
	s.bytes += int64(len(b))
	return s.to.Write(b)
}
