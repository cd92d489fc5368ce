package results

import (
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/lists"
)

// A Column is a column of an exported file. What is exported of it is written
// into the file's metadata.
type Column struct {
	Name    string `json:"name"`
	Role    string `json:"role"` // engine, parameter, metric, series or statistic
	Kind    string `json:"kind"` // bool, int, float or string
	Unit    string `json:"unit"`
	Meaning string `json:"meaning"`
	Symbol  string `json:"symbol,omitempty"`  // of a parameter, in the papers
	Default string `json:"default,omitempty"` // of a parameter

	optional bool
	many     bool // distinct texts; see arrowSchema
}

// paramColumns are the parameters under their spec names, null where a
// point does not use them.
func paramColumns(e *experiment.Experiment) (columns []Column) {
	for _, p := range e.Params {
		c := Column{Name: p.Name, Role: "parameter", Kind: p.Kind.String(), Unit: p.Unit,
			Meaning: p.Meaning, Symbol: p.Symbol, optional: true}
		if !p.Default.IsNull() {
			c.Default = p.Default.String()
		}
		if p.UsedBy != nil {
			c.Meaning += "; null unless " + experiment.Algorithm + " is " + strings.Join(p.UsedBy, " or ")
		}
		for _, q := range e.Params {
			if slices.Contains(q.Replaces, p.Name) {
				c.Meaning += "; null where there is a " + q.Name
			}
		}
		columns = append(columns, c)
	}
	return columns
}

// numberColumns are those of measured numbers.
func numberColumns(role string, metrics ...experiment.Metric) []Column {
	return lists.Map(metrics, func(m experiment.Metric) Column {
		return Column{Name: m.Name, Role: role, Kind: m.Kind.String(), Unit: m.Unit,
			Meaning: m.Meaning, optional: true}
	})
}

// engine are the columns of runs.parquet that every experiment has.
// Parameters follow the first two, metrics the last.
var engine = []Column{
	{Name: "run_id", Role: "engine", Kind: "string", many: true,
		Meaning: "identity of the run: a hash of experiment, model version, parameters and seed"},
	{Name: "experiment", Role: "engine", Kind: "string", Meaning: "name of the experiment"},
	{Name: "seed", Role: "engine", Kind: "int", Meaning: "seed of the run's random numbers"},
	{Name: "status", Role: "engine", Kind: "string", Meaning: "ok or failed"},
	{Name: "error", Role: "engine", Kind: "string", many: true,
		Meaning: "why the run failed; null unless failed", optional: true},
}

// axisAt is the position of the axis in series.parquet; the series' columns
// follow it.
const axisAt = 2

// Columns returns the columns of runs.parquet, series.parquet and
// summary.parquet.
func Columns(e *experiment.Experiment) (runs, series, summary []Column) {
	params := paramColumns(e)
	runs = slices.Concat(engine[:2], params, engine[2:], numberColumns("metric", e.Metrics...))
	series = slices.Concat([]Column{
		{Name: "run_id", Role: "engine", Kind: "string", many: true,
			Meaning: "identity of the run, as in runs.parquet"},
		{Name: "window", Role: "engine", Kind: "int", Meaning: "number of the row within its run, from 0"},
	}, numberColumns("series", e.Series...))
	summary = append(params,
		Column{Name: "metric", Role: "engine", Kind: "string", Meaning: "what was measured"},
		Column{Name: "unit", Role: "engine", Kind: "string", Meaning: "unit of the metric; empty if it has none"},
		Column{Name: "n", Role: "statistic", Kind: "int",
			Meaning: "runs of the cell in which the metric is defined"})
	for _, s := range [][2]string{
		{"mean", "arithmetic mean; null if n is 0"},
		{"std", "standard deviation with n-1; null if n is below 2"},
		{"sem", "standard error of the mean, std/sqrt(n)"},
		{"ci_low", "lower 95 % confidence limit of the mean by Student's t"},
		{"ci_high", "upper 95 % confidence limit of the mean by Student's t"},
		{"min", "smallest value"},
		{"median", "middle value, or the mean of the two middle ones"},
		{"max", "largest value"},
	} {
		summary = append(summary,
			Column{Name: s[0], Role: "statistic", Kind: "float", Meaning: s[1], optional: true})
	}
	return runs, series, append(summary,
		Column{Name: "n_failed", Role: "statistic", Kind: "int", Meaning: "runs of the cell that failed"})
}

func hasSeries(e *experiment.Experiment) bool { return len(e.Columns()) > 0 }

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
	keyColumns    = "sweep.columns"   // JSON list: name, role, kind, unit, meaning, symbol, default
	keyAxes       = "sweep.axes"      // JSON list: the parameters that tell the cells apart
	keyText       = "sweep.spec_text" // the spec
	keyDigest     = "sweep.digest"    // of the runs in the file
	keyArrow      = "ARROW:schema"
	keyPandas     = "PANDAS_ATTRS" // JSON object, which pandas makes DataFrame.attrs

	parquetFormat = "3"
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

func orderedNode(columns []Column) parquet.Node {
	group, place := parquet.Group{}, map[string]int{}
	for i := range columns {
		group[columns[i].Name], place[columns[i].Name] = columns[i].node(), i
	}
	fields := group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return &ordered{group, fields}
}

// node returns the column with plain pages, which every reader can read.
//
// Columns of few distinct values, as parameters are, would be smaller in a
// dictionary. But parquet-go v0.32 cuts the runs of dictionary indices
// differently on processors with AVX2 (its test for eight equal indices
// takes 1,1,1,1,2,2,2,2 for equal, which does no harm but to the cut), and
// the files must be the same bytes everywhere. Compression makes up for
// most of it.
func (c *Column) node() parquet.Node {
	n := parquet.Encoded(map[string]parquet.Node{
		"bool":   parquet.Leaf(parquet.BooleanType),
		"int":    parquet.Leaf(parquet.Int64Type),
		"float":  parquet.Leaf(parquet.DoubleType),
		"string": parquet.String(),
	}[c.Kind], &parquet.Plain)
	if c.optional {
		n = parquet.Optional(n)
	}
	return n
}

// A parquetWriter writes one Parquet file under a temporary name, value by
// value in column order.
type parquetWriter struct {
	disk    disk.Dir
	name    string
	file    disk.File
	crc     hash.Hash32 // of what is in the file
	parquet *parquet.GenericWriter[any]
	columns []Column
	values  []parquet.Value // of a batch of rows
	rows    []parquet.Row   // the same, cut
	err     error           // the first
	sum     FileSum         // when finished
}

// newParquetWriter starts the file that is to be called name. Its footer tells
// the spec, the axes and the digest of the runs in it.
func newParquetWriter(d disk.Dir, name string, columns []Column, spec *grid.Spec, axes []string, digest string) (*parquetWriter, error) {
	f, err := d.Create(disk.Temporary(name))
	if err != nil {
		return nil, err
	}
	w := &parquetWriter{disk: d, name: name, file: f, crc: crc32.New(castagnoli), columns: columns}
	table := strings.TrimSuffix(name, ".parquet")
	rows := int64(groupRows)
	if name == seriesFile {
		rows = seriesGroupRows
	}
	w.parquet = parquet.NewGenericWriter[any](io.MultiWriter(f, w.crc), &parquet.WriterConfig{
		CreatedBy:          createdBy,
		Schema:             parquet.NewSchema(table, orderedNode(columns)),
		KeyValueMetadata:   footer(table, columns, spec, axes, digest),
		Compression:        &parquet.Zstd,
		MaxRowsPerRowGroup: rows,
	})
	return w, nil
}

// cellsOf yields the values of a plan's cells, each valid until the next.
func cellsOf(plan *grid.Plan) iter.Seq[[]experiment.Value] {
	values := make([]experiment.Value, len(plan.Experiment().Params))
	return func(yield func([]experiment.Value) bool) {
		for c := range plan.Cells() {
			if plan.Cell(c, values); !yield(values) {
				return
			}
		}
	}
}

// footer returns the metadata of a file.
func footer(table string, columns []Column, spec *grid.Spec, axes []string, digest string) map[string]string {
	units, symbols, meanings := map[string]string{}, map[string]string{}, map[string]string{}
	for _, c := range columns {
		meanings[c.Name] = c.Meaning
		if c.Unit != "" {
			units[c.Name] = c.Unit
		}
		if c.Symbol != "" {
			symbols[c.Name] = c.Symbol
		}
	}
	e := spec.Experiment
	footer := map[string]string{
		keyFormat:     parquetFormat,
		keyTable:      table,
		keySpec:       spec.Name,
		keyExperiment: e.Name,
		keyVersion:    strconv.Itoa(e.Version),
		keyAxes:       asJSON(axes),
		keyText:       string(spec.Source),
		keyDigest:     digest,
		keyPandas: asJSON(map[string]any{
			"sweep": spec.Name, "table": table, "experiment": e.Name, "model_version": e.Version, "digest": digest,
			"axes": axes, "units": units, "symbols": symbols, "meanings": meanings}),
	}
	footer[keyArrow], footer[keyColumns] = arrowSchema(columns, footer), asJSON(columns)
	return footer
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("results: " + err.Error()) // texts and numbers: cannot fail
	}
	return string(text)
}

// add appends the next values of a row, and hands the rows on that are complete
// when they are many. A number becomes the kind of its column, NaN null and
// negative zero zero. After an error, which finish returns, it does nothing.
func (w *parquetWriter) add(values ...parquet.Value) {
	for _, v := range values {
		at := len(w.values) % len(w.columns)
		c, definition := &w.columns[at], 0
		switch x := v.Double(); {
		case v.Kind() == parquet.Int64 && c.Kind == "float":
			v = parquet.DoubleValue(float64(v.Int64()))
		case v.Kind() != parquet.Double:
		case math.IsNaN(x):
			v = parquet.NullValue()
		case c.Kind == "int":
			v = parquet.Int64Value(int64(x))
		default:
			v = parquet.DoubleValue(x + 0)
		}
		if c.optional && !v.IsNull() {
			definition = 1
		}
		w.values = append(w.values, v.Level(0, definition, at))
		if len(w.values) == batchRows*len(w.columns) {
			w.flush()
		}
	}
}

// addRun appends the row of a run in runs.parquet, with those parameters and
// metrics that have the given positions; a negative one is null.
func (w *parquetWriter) addRun(r *Row, params, metrics []int) {
	w.add(textValue(r.ID.String()), textValue(r.Point.Experiment.Name))
	for _, i := range params {
		v := parquet.NullValue()
		if i >= 0 {
			v = paramValue(r.Point.Values[i])
		}
		w.add(v)
	}
	fault := parquet.NullValue()
	if r.Status != OK {
		fault = textValue(r.Error)
	}
	w.add(parquet.Int64Value(r.Point.Seed), textValue(r.Status), fault)
	for _, i := range metrics {
		v := parquet.NullValue()
		if i >= 0 && r.Status == OK {
			v = parquet.DoubleValue(r.Result.Metrics[i])
		}
		w.add(v)
	}
}

func paramValue(v experiment.Value) parquet.Value {
	switch v.Kind() {
	case experiment.Bool:
		return parquet.BooleanValue(v.Bool())
	case experiment.Int:
		return parquet.Int64Value(v.Int())
	case experiment.Float:
		return parquet.DoubleValue(v.Float())
	case experiment.String:
		return textValue(v.Text())
	}
	return parquet.NullValue()
}

// textValue returns a string as a value that shares its memory.
func textValue(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
}

func (w *parquetWriter) flush() {
	w.rows = w.rows[:0]
	for row := range slices.Chunk(w.values, len(w.columns)) {
		w.rows = append(w.rows, row)
	}
	if w.err == nil {
		_, w.err = w.parquet.WriteRows(w.rows)
	}
	w.values = w.values[:0]
}

// finish completes the content of the file.
func (w *parquetWriter) finish() error {
	w.flush()
	if w.err == nil {
		w.err = w.parquet.Close()
	}
	if w.err == nil {
		w.sum.CRC32C = fmt.Sprintf("%08x", w.crc.Sum32())
		w.sum.Bytes, w.err = disk.Size(w.file)
	}
	return w.err
}

// discard removes what has been written.
func (w *parquetWriter) discard() {
	w.file.Close() // may be closed already; the removal is what counts
	w.disk.Remove(disk.Temporary(w.name))
}
