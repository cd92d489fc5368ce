package results

import (
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/snappy"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/parquetfile"
)

// A Column is a column of an exported file. What is exported of it is written
// into the file's metadata.
type Column = parquetfile.Column

// paramColumns are the columns of parameters under their names in specs. They
// are null where a point does not use the parameter.
func paramColumns(e *experiment.Experiment) (columns []Column) {
	for _, p := range e.Params {
		c := Column{
			Name:     p.Name,
			Role:     "parameter",
			Kind:     p.Kind.String(),
			Unit:     p.Unit,
			Meaning:  p.Meaning,
			Symbol:   p.Symbol,
			Optional: true,
		}
		if !p.Default.IsNull() {
			c.Default = p.Default.String()
		}
		if p.UsedBy != nil {
			users := strings.Join(p.UsedBy, " or ")
			c.Meaning += "; null unless " + experiment.Algorithm + " is " + users
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

// numberColumns are the columns of measured numbers.
func numberColumns(role string, metrics []experiment.Metric) (columns []Column) {
	for _, m := range metrics {
		columns = append(columns, Column{
			Name:     m.Name,
			Role:     role,
			Kind:     m.Kind.String(),
			Unit:     m.Unit,
			Meaning:  m.Meaning,
			From:     m.From,
			Optional: true,
		})
	}
	return columns
}

// engine are the columns of runs.parquet that every experiment has. Parameters
// follow the first two, metrics the last.
var engine = []Column{
	{
		Name:    "run_id",
		Role:    "engine",
		Kind:    "string",
		Many:    true,
		Meaning: "identity of the run: a hash of experiment, model version, parameters and seed",
	},
	{Name: "experiment", Role: "engine", Kind: "string", Meaning: "name of the experiment"},
	{Name: "seed", Role: "engine", Kind: "int", Meaning: "seed of the run's random numbers"},
	{Name: "status", Role: "engine", Kind: "string", Meaning: "ok or failed"},
	{
		Name:     "error",
		Role:     "engine",
		Kind:     "string",
		Many:     true,
		Meaning:  "why the run failed; null unless failed",
		Optional: true,
	},
}

// DesignColumns are the last columns of runs.parquet if ranges are sampled.
// They are null in a block of the spec that is not.
var DesignColumns = []Column{
	{
		Name:     "design_row",
		Role:     "design",
		Kind:     "int",
		Meaning:  "number of the point within the design, from 0; only if ranges are sampled",
		Optional: true,
	},
	{
		Name:     "design_block",
		Role:     "design",
		Kind:     "int",
		Meaning:  "number of the base point or trajectory that the point belongs to, from 0",
		Optional: true,
	},
	{
		Name: "design_point",
		Role: "design",
		Kind: "string",
		Meaning: "which point of its block: A, B, AB or BA and the parameter of saltelli and " +
			"saltelli2, the number of steps of morris; null for other designs",
		Optional: true,
	},
}

// addPlace appends the columns of the design to the row of a run.
func (w *parquetWriter) addPlace(p grid.Place) {
	if p.Row < 0 {
		w.Add(parquet.NullValue(), parquet.NullValue(), parquet.NullValue())
		return
	}
	point := parquet.NullValue()
	if p.Point != "" {
		point = parquetfile.Text(p.Point)
	}
	w.Add(parquet.Int64Value(int64(p.Row)), parquet.Int64Value(int64(p.Block)), point)
}

// seriesStart are the first columns of series.parquet; the axis follows them.
var seriesStart = []Column{
	{
		Name:    "run_id",
		Role:    "engine",
		Kind:    "string",
		Many:    true,
		Meaning: "identity of the run, as in runs.parquet",
	},
	{
		Name:    "window",
		Role:    "engine",
		Kind:    "int",
		Meaning: "number of the row within its run, from 0",
	},
}

// statistics are the columns of summary.parquet that follow the parameters.
var statistics = []Column{
	{Name: "metric", Role: "engine", Kind: "string", Meaning: "what was measured"},
	{
		Name:    "unit",
		Role:    "engine",
		Kind:    "string",
		Meaning: "unit of the metric; empty if it has none",
	},
	{
		Name:    "n",
		Role:    "statistic",
		Kind:    "int",
		Meaning: "runs of the cell in which the metric is defined",
	},
	statistic("mean", "arithmetic mean; null if n is 0"),
	statistic("std", "standard deviation with n-1; null if n is below 2"),
	statistic("sem", "standard error of the mean, std/sqrt(n)"),
	statistic("ci_low", "lower 95 % confidence limit of the mean by Student's t"),
	statistic("ci_high", "upper 95 % confidence limit of the mean by Student's t"),
	statistic("min", "smallest value"),
	statistic("median", "middle value, or the mean of the two middle ones"),
	statistic("max", "largest value"),
	{Name: "n_failed", Role: "statistic", Kind: "int", Meaning: "runs of the cell that failed"},
}

// TimingColumns are the columns of timings.parquet.
var TimingColumns = []Column{
	seriesStart[0],
	engine[3],
	{Name: "attempts", Role: "engine", Kind: "int", Meaning: "how often the run was tried"},
	{
		Name:    "seconds",
		Role:    "engine",
		Kind:    "float",
		Unit:    "s",
		Meaning: "time that the last attempt took",
	},
	{
		Name: "cpu_seconds",
		Role: "engine",
		Kind: "float",
		Unit: "s",
		Meaning: "processor time of the run's program and of the programs that it waited for; " +
			"null if not known",
		Optional: true,
	},
	{
		Name:     "peak_memory",
		Role:     "engine",
		Kind:     "int",
		Unit:     "B",
		Meaning:  "most memory that the run's program had at once; null if not known",
		Optional: true,
	},
	{
		Name:     "started",
		Role:     "engine",
		Kind:     "time",
		Meaning:  "when the program began with the run, in UTC; null if there was no program",
		Optional: true,
	},
	{
		Name:     "host",
		Role:     "engine",
		Kind:     "string",
		Meaning:  "machine that computed the run; null if not known",
		Optional: true,
	},
}

func statistic(name, meaning string) Column {
	return Column{
		Name:     name,
		Role:     "statistic",
		Kind:     "float",
		Meaning:  meaning,
		Optional: true,
	}
}

// Columns returns the columns of runs.parquet, series.parquet and
// summary.parquet.
func Columns(e *experiment.Experiment) (runs, series, summary []Column) {
	params := paramColumns(e)
	runs = slices.Concat(engine[:2], params, engine[2:], numberColumns("metric", e.Metrics))
	series = slices.Concat(seriesStart, numberColumns("series", e.Series))
	summary = slices.Concat(params, statistics)
	return runs, series, summary
}

func hasSeries(e *experiment.Experiment) bool { return len(e.Columns()) > 0 }

// Keys of the metadata in every file. The values are functions of the spec
// and the model, like everything else in the files.
const (
	keyFormat     = "sweep.format" // layout of the files, counted up when it changes
	keyTable      = "sweep.table"  // runs, series, summary or timings
	keySpec       = "sweep.spec"   // the spec's name
	keyExperiment = "sweep.experiment"
	keyVersion    = "sweep.model_version"
	keyAxes       = "sweep.axes"      // JSON list: the parameters that tell the cells apart
	keyText       = "sweep.spec_text" // the spec
	keyDigest     = "sweep.digest"    // of the runs in the file
	keyPandas     = "PANDAS_ATTRS"    // JSON object, which pandas makes DataFrame.attrs

	parquetFormat = "3"
)

// Rows in a row group: enough that readers can skip groups and read them in
// parallel, few enough to hold a group in memory while it is written. A Parquet
// file has at most 32,767 groups, so these allow for 10⁹ runs.
const (
	groupRows       = 32 * parquetfile.BatchRows
	seriesGroupRows = 120 * parquetfile.BatchRows
)

// tableCodec makes runs.parquet an eighth longer than the default level does,
// and a sweep of a million short runs cheaper by a twelfth.
var tableCodec = zstd.Codec{Level: zstd.SpeedFastest}

// timingsCodec takes less time than tableCodec, also of readers, and makes the
// file longer by half. Most of it are identities, which no codec makes shorter
// than half.
var timingsCodec snappy.Codec

// A parquetWriter writes one exported file under a temporary name.
type parquetWriter struct {
	*parquetfile.Writer
	disk disk.Dir
	name string
	file disk.File
	crc  hash.Hash32 // of what is in the file
	sum  disk.Sum    // when finished
}

// newParquetWriter starts the file that is to be called name. Its footer tells
// the spec, the axes and the digest of the runs in it.
func newParquetWriter(
	d disk.Dir, name string, columns []Column, spec *grid.Spec, axes []string, digest string,
) (*parquetWriter, error) {
	f, err := d.Create(disk.Temporary(name))
	if err != nil {
		return nil, err
	}
	rows := int64(groupRows)
	if name == seriesFile {
		rows = seriesGroupRows
	}
	var codec compress.Codec = &tableCodec
	if name == timingsFile {
		codec = &timingsCodec
	}
	table := strings.TrimSuffix(name, ".parquet")
	about := footer(table, columns, spec, axes, digest)
	crc := crc32.New(disk.Castagnoli)
	w := parquetfile.New(io.MultiWriter(f, crc), table, columns, about, codec, rows)
	return &parquetWriter{Writer: w, disk: d, name: name, file: f, crc: crc}, nil
}

// footer returns the metadata of a file except that of its columns.
func footer(
	table string, columns []Column, spec *grid.Spec, axes []string, digest string,
) map[string]string {
	units := map[string]string{}
	symbols := map[string]string{}
	meanings := map[string]string{}
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
	attributes := map[string]any{
		"sweep":         spec.Name,
		"table":         table,
		"experiment":    e.Name,
		"model_version": e.Version,
		"digest":        digest,
		"axes":          axes,
		"units":         units,
		"symbols":       symbols,
		"meanings":      meanings,
	}
	return map[string]string{
		keyFormat:     parquetFormat,
		keyTable:      table,
		keySpec:       spec.Name,
		keyExperiment: e.Name,
		keyVersion:    strconv.Itoa(e.Version),
		keyAxes:       asJSON(axes),
		keyText:       string(spec.Source),
		keyDigest:     digest,
		keyPandas:     asJSON(attributes),
	}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("results: " + err.Error()) // texts and numbers: cannot fail
	}
	return string(text)
}

// addRun appends the row of a run in runs.parquet, with the text of its ID, and
// the parameters and metrics that have the given positions; a negative position
// stands for null.
func (w *parquetWriter) addRun(r *Row, id string, params, metrics []int) {
	w.Add(parquetfile.Text(id), parquetfile.Text(r.Point.Experiment.Name))
	for _, i := range params {
		v := parquet.NullValue()
		if i >= 0 {
			v = paramValue(r.Point.Values[i])
		}
		w.Add(v)
	}
	fault := parquet.NullValue()
	if r.Status != OK {
		fault = parquetfile.Text(r.Error)
	}
	w.Add(parquet.Int64Value(r.Point.Seed), parquetfile.Text(r.Status), fault)
	for _, i := range metrics {
		v := parquet.NullValue()
		if i >= 0 && r.Status == OK {
			v = parquet.DoubleValue(r.Result.Metrics[i])
		}
		w.Add(v)
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
		return parquetfile.Text(v.Text())
	}
	return parquet.NullValue()
}

// finish completes the content of the file.
func (w *parquetWriter) finish() error {
	if err := w.Close(); err != nil {
		return err
	}
	size, err := disk.Size(w.file)
	w.sum = disk.Sum{Bytes: size, CRC32C: fmt.Sprintf("%08x", w.crc.Sum32())}
	return err
}

// discard removes what has been written.
func (w *parquetWriter) discard() {
	w.file.Close() // may be closed already; the removal is what counts
	w.disk.Remove(disk.Temporary(w.name))
}
