// Package parquetfile writes Parquet files whose columns describe their
// meaning. Values are added one after another. The bytes of a file depend only
// on its values and columns, not on the machine.
package parquetfile

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// A Column is a column of an exported file. The fields with a JSON key are
// written into the file's metadata.
type Column struct {
	Name    string `json:"name"`
	Role    string `json:"role"` // engine, parameter, metric, series or statistic
	Kind    string `json:"kind"` // bool, int, float, string or time
	Unit    string `json:"unit"`
	Meaning string `json:"meaning"`
	Symbol  string `json:"symbol,omitempty"`  // of a parameter, in the papers
	Default string `json:"default,omitempty"` // of a parameter
	From    string `json:"from,omitempty"`    // where a program writes a metric

	Optional bool `json:"-"` // may have nulls

	// Many says that most texts are distinct. Programs that read by way of
	// Arrow get the texts of other columns as dictionaries.
	Many bool `json:"-"`
}

// CreatedBy is written into every file instead of the Parquet package's own
// mark, which would make the bytes depend on the version of that package.
const CreatedBy = "sweep version 1"

// BatchRows is a number of rows of which row groups have a multiple. It is a
// multiple of batchRows.
const BatchRows = 1024

// batchRows is the number of rows that the Parquet writer gets at once, column
// by column. After as many, it considers closing a page: the number must not
// change, or pages would end at other rows.
const batchRows = 64

// Keys of the metadata in every file, in addition to those that New is given.
const (
	keyColumns = "sweep.columns" // a JSON list of Column
	keyArrow   = "ARROW:schema"
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
	group := parquet.Group{}
	position := map[string]int{}
	for i := range columns {
		name := columns[i].Name
		group[name] = columns[i].node()
		position[name] = i
	}
	fields := group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return position[a.Name()] - position[b.Name()]
	})
	return &ordered{group, fields}
}

// node returns the column with plain pages, which every reader can read.
//
// Columns with few distinct values, such as parameters, would be smaller in a
// dictionary. But parquet-go v0.32 cuts the runs of dictionary indices
// differently on processors with AVX2 (its test for eight equal indices takes
// 1,1,1,1,2,2,2,2 for equal, which changes only the cut), and the files must
// have the same bytes everywhere. Compression makes up for most of it.
func (c *Column) node() parquet.Node {
	leaves := map[string]parquet.Node{
		"bool":   parquet.Leaf(parquet.BooleanType),
		"int":    parquet.Leaf(parquet.Int64Type),
		"float":  parquet.Leaf(parquet.DoubleType),
		"string": parquet.String(),
		"time":   parquet.Timestamp(parquet.Millisecond), // UTC
	}
	n := parquet.Encoded(leaves[c.Kind], &parquet.Plain)
	if c.Optional {
		n = parquet.Optional(n)
	}
	return n
}

// A Writer writes one file, value by value in column order.
type Writer struct {
	Err error // the first error; nothing is written after it

	parquet   *parquet.GenericWriter[any]
	group     *parquet.ConcurrentRowGroupWriter
	groupRows int64
	rows      int64 // in the group
	slots     []slot
	at        int // the column of the next value
}

// A slot is a column with the values that wait to be written.
type slot struct {
	batch    []parquet.Value
	optional bool
	isInt    bool
	isFloat  bool
}

// New starts the file of a table. The footer describes the columns and has the
// texts of about. Pages are compressed by codec, and a row group has at most
// groupRows rows.
func New(to io.Writer, table string, columns []Column, about map[string]string,
	codec compress.Codec, groupRows int64) *Writer {
	list, err := json.Marshal(columns)
	footer := maps.Clone(about)
	footer[keyArrow] = arrowSchema(columns, about)
	footer[keyColumns] = string(list)
	config := &parquet.WriterConfig{
		CreatedBy:          CreatedBy,
		Schema:             parquet.NewSchema(table, orderedNode(columns)),
		KeyValueMetadata:   footer,
		Compression:        codec,
		MaxRowsPerRowGroup: groupRows,
	}
	w := &Writer{
		Err:       err,
		groupRows: groupRows,
		parquet:   parquet.NewGenericWriter[any](to, config),
	}
	w.group = w.parquet.BeginRowGroup()
	for i := range columns {
		w.slots = append(w.slots, slot{
			batch:    make([]parquet.Value, 0, batchRows),
			optional: columns[i].Optional,
			isInt:    columns[i].Kind == "int",
			isFloat:  columns[i].Kind == "float",
		})
	}
	return w
}

// Add appends the next values of a row, and writes the rows of each full batch.
// A number becomes the kind of its column, NaN becomes null, and negative zero
// becomes zero. After an error Add has no effect.
func (w *Writer) Add(values ...parquet.Value) {
	for _, v := range values {
		s := &w.slots[w.at]
		switch v.Kind() {
		case parquet.Double:
			v = s.number(v.Double())
		case parquet.Int64:
			if s.isFloat {
				v = parquet.DoubleValue(float64(v.Int64()))
			}
		}
		if s.optional && !v.IsNull() {
			v = v.Level(0, 1, w.at) // elsewhere the levels are zero
		}
		s.batch = append(s.batch, v)
		w.at++
		if w.at == len(w.slots) {
			w.at = 0
			w.endRow()
		}
	}
}

// number returns a number as the kind of the column.
func (s *slot) number(x float64) parquet.Value {
	switch {
	case math.IsNaN(x):
		return parquet.NullValue()
	case s.isInt:
		return parquet.Int64Value(int64(x))
	}
	return parquet.DoubleValue(x + 0)
}

// endRow writes the batch if it is full, and ends the row group if that is.
func (w *Writer) endRow() {
	w.rows++
	isFull := w.rows == w.groupRows
	if len(w.slots[0].batch) == batchRows || isFull {
		w.flush()
	}
	if isFull {
		w.endGroup()
	}
}

func (w *Writer) flush() {
	writers := w.group.ColumnWriters()
	for i := range w.slots {
		s := &w.slots[i]
		if w.Err == nil && len(s.batch) > 0 {
			_, w.Err = writers[i].WriteRowValues(s.batch)
		}
		s.batch = s.batch[:0]
	}
}

func (w *Writer) endGroup() {
	if w.Err == nil {
		_, w.Err = w.group.Commit()
	}
	w.rows = 0
}

// Close completes the file. It returns the first error of the Writer.
func (w *Writer) Close() error {
	w.flush()
	w.endGroup()
	if w.Err == nil {
		w.Err = w.parquet.Close()
	}
	return w.Err
}

// Text returns a string as a value that shares its memory.
func Text(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
}
