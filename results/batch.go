package results

import (
	"math"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// batchRows is how many rows are handed to the Parquet writer at once. It
// is a multiple of the 64 rows after which that writer considers closing a
// page, so that pages end at the same rows however the rows came in.
const batchRows = 1024

// A batch gathers rows of one layout, value by value in column order. It
// owns its memory, strings included.
type batch struct {
	optional []bool // of each column
	values   []parquet.Value
	text     []byte // backs the strings among values
}

func newBatch(l *layout) *batch {
	b := &batch{optional: make([]bool, len(l.columns))}
	for i := range l.columns {
		b.optional[i] = l.columns[i].optional
	}
	return b
}

func (b *batch) rows() int { return len(b.values) / len(b.optional) }

// row returns row i; it is valid until reset.
func (b *batch) row(i int) parquet.Row {
	n := len(b.optional)
	return b.values[i*n : (i+1)*n : (i+1)*n]
}

func (b *batch) reset() {
	b.values = b.values[:0]
	b.text = b.text[:0]
}

// add appends the next value of the current row.
func (b *batch) add(v parquet.Value) {
	column, definition := len(b.values)%len(b.optional), 0
	if b.optional[column] && !v.IsNull() {
		definition = 1
	}
	b.values = append(b.values, v.Level(0, definition, column))
}

// keep copies a string into the batch. If the backing array has to grow,
// earlier values go on to refer to the old one.
func (b *batch) keep(s []byte) []byte {
	at := len(b.text)
	b.text = append(b.text, s...)
	return b.text[at:len(b.text):len(b.text)]
}

func (b *batch) addNull()           { b.add(parquet.NullValue()) }
func (b *batch) addInt(i int64)     { b.add(parquet.Int64Value(i)) }
func (b *batch) addInt32(i int32)   { b.add(parquet.Int32Value(i)) }
func (b *batch) addBytes(s []byte)  { b.add(parquet.ByteArrayValue(b.keep(s))) }
func (b *batch) addString(s string) { b.addBytes([]byte(s)) }

// addFloat appends a number, NaN as null. Negative zero becomes zero: which
// of the two is a column's minimum would depend on the processor.
func (b *batch) addFloat(x float64) {
	if math.IsNaN(x) {
		b.addNull()
		return
	}
	b.add(parquet.DoubleValue(x + 0))
}

// addMetric appends a measured number as its declared kind.
func (b *batch) addMetric(kind experiment.Kind, x float64) {
	if kind == experiment.Int && !math.IsNaN(x) {
		b.addInt(int64(x))
		return
	}
	b.addFloat(x)
}

// metricValue is the inverse of addMetric, NaN for null.
func metricValue(kind experiment.Kind, v parquet.Value) float64 {
	if kind == experiment.Int && !v.IsNull() {
		return float64(v.Int64())
	}
	return number(v)
}

func (b *batch) addParam(v experiment.Value) {
	switch v.Kind() {
	case experiment.Bool:
		b.add(parquet.BooleanValue(v.Bool()))
	case experiment.Int:
		b.addInt(v.Int())
	case experiment.Float:
		b.addFloat(v.Float())
	case experiment.String:
		b.addString(v.Text())
	default:
		b.addNull()
	}
}

// copyRow appends a row of the same layout, read from a file or another
// batch.
func (b *batch) copyRow(row parquet.Row) {
	for i, v := range row {
		if v.Kind() == parquet.ByteArray {
			v = parquet.ByteArrayValue(b.keep(v.ByteArray())).Level(0, v.DefinitionLevel(), i)
		}
		b.values = append(b.values, v)
	}
}

// paramValue is the inverse of addParam. texts holds the strings seen so
// far, so that each is allocated once.
func paramValue(kind experiment.Kind, v parquet.Value, texts map[string]string) experiment.Value {
	if v.IsNull() {
		return experiment.Value{}
	}
	switch kind {
	case experiment.Bool:
		return experiment.BoolValue(v.Boolean())
	case experiment.Int:
		return experiment.IntValue(v.Int64())
	case experiment.Float:
		return experiment.FloatValue(v.Double())
	}
	text, ok := texts[string(v.ByteArray())]
	if !ok {
		text = string(v.ByteArray())
		texts[text] = text
	}
	return experiment.StringValue(text)
}
