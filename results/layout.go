package results

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

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
	keyChecksum   = "sweep.checksum" // of the file, see checksum.go

	format = "2"
)

// Rows in a row group: enough for readers to skip and parallelise by, few
// enough that one is held in memory while it is written. A Parquet file
// has at most 32,767 groups, so these allow for 10⁹ runs. Multiples of
// batchRows keep page boundaries independent of how rows arrive.
const (
	runGroupRows     = 32 * batchRows
	summaryGroupRows = 32 * batchRows
	seriesGroupRows  = 120 * batchRows
)

// A layout is the form of one of the files.
type layout struct {
	table     string
	columns   []column
	schema    *parquet.Schema
	metadata  map[string]string
	groupRows int64
}

// layouts are the forms of a sweep's files; series is nil if the
// experiment has none.
type layouts struct {
	runs, series, summary *layout
}

func newLayouts(e *experiment.Experiment, spec string) layouts {
	l := layouts{
		runs:    newLayout(e, spec, "runs", runColumns(e), runGroupRows),
		summary: newLayout(e, spec, "summary", summaryColumns(e), summaryGroupRows),
	}
	if hasSeries(e) {
		l.series = newLayout(e, spec, "series", seriesColumns(e), seriesGroupRows)
	}
	return l
}

func newLayout(e *experiment.Experiment, spec, table string, columns []column, groupRows int64) *layout {
	described, err := json.Marshal(columns)
	if err != nil {
		panic("results: " + err.Error()) // strings only: cannot fail
	}
	return &layout{
		table:   table,
		columns: columns,
		schema:  parquet.NewSchema(table, orderedNode(columns)),
		metadata: map[string]string{
			keyFormat:     format,
			keyTable:      table,
			keySpec:       spec,
			keyExperiment: e.Name,
			keyVersion:    strconv.Itoa(e.Version),
			keyColumns:    string(described),
			keyChecksum:   noChecksum,
		},
		groupRows: groupRows,
	}
}

// column returns the position of the column named name.
func (l *layout) column(name string) int {
	return slices.IndexFunc(l.columns, func(c column) bool { return c.Name == name })
}

// An ordered is a Parquet group that keeps its columns in the given order;
// parquet.Group alone sorts them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in order.
func (o *ordered) Fields() []parquet.Field { return o.fields }

func orderedNode(columns []column) parquet.Node {
	o := &ordered{Group: parquet.Group{}}
	for _, c := range columns {
		o.Group[c.Name] = c.node()
	}
	byName := map[string]parquet.Field{}
	for _, f := range o.Group.Fields() {
		byName[f.Name()] = f
	}
	for _, c := range columns {
		o.fields = append(o.fields, byName[c.Name])
	}
	return o
}

func (c *column) node() parquet.Node {
	var n parquet.Node
	switch c.Kind {
	case "bool":
		n = parquet.Leaf(parquet.BooleanType)
	case "int":
		n = parquet.Leaf(parquet.Int64Type)
		if c.coding == delta32 {
			n = parquet.Leaf(parquet.Int32Type)
		}
	case "float":
		n = parquet.Leaf(parquet.DoubleType)
	case "string":
		n = parquet.String()
	default:
		panic(fmt.Sprintf("results: column %q is of kind %q", c.Name, c.Kind))
	}
	switch c.coding {
	case delta, delta32:
		n = parquet.Encoded(n, &parquet.DeltaBinaryPacked)
	}
	if c.optional {
		n = parquet.Optional(n)
	}
	return n
}
