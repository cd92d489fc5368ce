package results

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
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
	keyChecksum   = "sweep.checksum" // of the file, see summer

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
	runGroupRows     = 32 * batchRows
	summaryGroupRows = 32 * batchRows
	seriesGroupRows  = 120 * batchRows
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

// A parquetWriter writes one Parquet file under a temporary name, value by
// value in column order. It owns the memory of its batch of rows, strings
// included.
type parquetWriter struct {
	disk     disk
	name     string
	file     file
	sum      summer // between parquet and file
	parquet  *parquet.GenericWriter[any]
	optional []bool // of each column
	values   []parquet.Value
	text     []byte // backs the strings among values
	handed   []parquet.Row
}

// newParquetWriter starts the file that is to be called name and has the
// given table.
func newParquetWriter(d disk, name, table string, e *experiment.Experiment, spec string, columns []column, groupRows int64) (*parquetWriter, error) {
	f, err := d.create(temporary(name))
	if err != nil {
		return nil, err
	}
	described, err := json.Marshal(columns)
	if err != nil {
		panic("results: " + err.Error()) // strings only: cannot fail
	}
	w := &parquetWriter{disk: d, name: name, file: f, sum: summer{to: f}}
	for i := range columns {
		w.optional = append(w.optional, columns[i].optional)
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
		MaxRowsPerRowGroup: groupRows,
	})
	return w, nil
}

// add appends the next value of the current row.
func (w *parquetWriter) add(v parquet.Value) {
	column, definition := len(w.values)%len(w.optional), 0
	if w.optional[column] && !v.IsNull() {
		definition = 1
	}
	w.values = append(w.values, v.Level(0, definition, column))
}

// addBytes appends a string, of which it keeps a copy.
func (w *parquetWriter) addBytes(s []byte) {
	at := len(w.text)
	w.text = append(w.text, s...)
	w.add(parquet.ByteArrayValue(w.text[at:len(w.text):len(w.text)]))
}

func (w *parquetWriter) addNull()           { w.add(parquet.NullValue()) }
func (w *parquetWriter) addInt(i int64)     { w.add(parquet.Int64Value(i)) }
func (w *parquetWriter) addInt32(i int32)   { w.add(parquet.Int32Value(i)) }
func (w *parquetWriter) addString(s string) { w.addBytes([]byte(s)) }

// addFloat appends a number, NaN as null. Negative zero becomes zero.
func (w *parquetWriter) addFloat(x float64) {
	if math.IsNaN(x) {
		w.addNull()
		return
	}
	w.add(parquet.DoubleValue(x + 0))
}

// addMetric appends a measured number as its declared kind.
func (w *parquetWriter) addMetric(kind experiment.Kind, x float64) {
	if kind == experiment.Int && !math.IsNaN(x) {
		w.addInt(int64(x))
		return
	}
	w.addFloat(x)
}

func (w *parquetWriter) addParam(v experiment.Value) {
	switch v.Kind() {
	case experiment.Bool:
		w.add(parquet.BooleanValue(v.Bool()))
	case experiment.Int:
		w.addInt(v.Int())
	case experiment.Float:
		w.addFloat(v.Float())
	case experiment.String:
		w.addString(v.Text())
	default:
		w.addNull()
	}
}

// addRun writes a row of runs.parquet.
func (w *parquetWriter) addRun(r *Row) error {
	e := r.Point.Experiment
	var id [2 * len(r.ID)]byte
	hex.Encode(id[:], r.ID[:])
	w.addBytes(id[:])
	w.addString(e.Name)
	for _, v := range r.Point.Values {
		w.addParam(v)
	}
	w.addInt(r.Point.Seed)
	w.addString(r.Status)
	if r.Status == Failed {
		w.addString(r.Error)
		for range e.Metrics {
			w.addNull()
		}
		return w.endRow()
	}
	w.addNull()
	for i, m := range e.Metrics {
		w.addMetric(m.Kind, r.Result.Metrics[i])
	}
	return w.endRow()
}

// addSeries writes the rows of a run's series.
func (w *parquetWriter) addSeries(r *Row) error {
	e := r.Point.Experiment
	var id [2 * len(r.ID)]byte
	hex.Encode(id[:], r.ID[:])
	width := 1 + len(e.Series.Columns)
	for window := 0; window < len(r.Result.Series)/width; window++ {
		w.addBytes(id[:])
		w.addInt32(int32(window))
		row := r.Result.Series[window*width : (window+1)*width]
		w.addMetric(e.Series.Axis.Kind, row[0])
		for i, c := range e.Series.Columns {
			w.addMetric(c.Kind, row[1+i])
		}
		if err := w.endRow(); err != nil {
			return err
		}
	}
	return nil
}

// endRow ends the row that was added.
func (w *parquetWriter) endRow() error {
	if len(w.values) < batchRows*len(w.optional) {
		return nil
	}
	return w.flush()
}

func (w *parquetWriter) flush() error {
	w.handed = w.handed[:0]
	for n, at := len(w.optional), 0; at < len(w.values); at += n {
		w.handed = append(w.handed, w.values[at:at+n:at+n])
	}
	_, err := w.parquet.WriteRows(w.handed)
	w.values, w.text = w.values[:0], w.text[:0]
	return err
}

// seal completes the file, durable under its temporary name.
func (w *parquetWriter) seal() (sum FileSum, err error) {
	for _, step := range []func() error{w.flush, w.parquet.Flush, w.sum.hold, w.parquet.Close, w.sum.release, w.file.Sync} {
		if err := step(); err != nil {
			return sum, err
		}
	}
	return FileSum{Bytes: w.sum.bytes, CRC32C: fmt.Sprintf("%08x", w.sum.all)}, w.file.Close()
}

// publish gives a sealed file its name. The name is durable once the
// directory is synced.
func (w *parquetWriter) publish() error { return w.disk.rename(temporary(w.name), w.name) }

// discard removes what has been written.
func (w *parquetWriter) discard() {
	w.file.Close() // may be closed already; the removal is what counts
	w.disk.remove(temporary(w.name))
}

// Every Parquet file bears a checksum of itself in its metadata, under
// keyChecksum: the CRC-32C of all of its bytes, with zeros where the eight
// digits of the checksum stand. So a copy can be verified without the
// manifest. Parquet's own checksums cover the pages alone, not their headers
// and not the footer.

// noChecksum stands in a file while it is written.
const noChecksum = "00000000"

// checksumMark precedes the digits. In the footer a string is preceded by
// its length (8), and a value by the mark of a string (0x18); neither can
// stand in a text of the metadata, all of which is printable.
const checksumMark = keyChecksum + "\x18\x08"

// A summer passes a file's bytes on and adds up their checksums.
type summer struct {
	to      io.Writer
	sum     uint32 // as it stands in the file
	all     uint32 // of all bytes as they are
	bytes   int64
	holding bool
	held    []byte
}

func (s *summer) Write(b []byte) (int, error) {
	if s.holding {
		s.held = append(s.held, b...)
		return len(b), nil
	}
	return len(b), s.write(b)
}

func (s *summer) write(b []byte) error {
	_, err := s.to.Write(b)
	s.all = crc32.Update(s.all, castagnoli, b)
	s.bytes += int64(len(b))
	return err
}

// hold keeps the bytes that follow, which are to contain the footer.
func (s *summer) hold() error {
	s.holding, s.sum = true, s.all
	return nil
}

// release writes the checksum into what was held, and that to the file.
func (s *summer) release() error {
	at := bytes.LastIndex(s.held, []byte(checksumMark))
	if at < 0 {
		panic("results: a footer without room for its checksum")
	}
	digits := s.held[at+len(checksumMark):][:len(noChecksum)]
	appendSum(digits[:0], crc32.Update(s.sum, castagnoli, s.held))
	return s.write(s.held)
}

// A FileSum tells a file from others.
type FileSum struct {
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"` // hexadecimal
}

// verify returns which exported files are not as they were written; missing
// tells that one is not there.
func (x *Exports) verify(d disk) (damage []Damage, missing bool, err error) {
	for _, name := range exportFiles {
		want, listed := x.Files[name]
		if !listed {
			continue
		}
		fault, err := want.fault(d, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = true
		case err != nil:
			return damage, missing, err
		case fault != "":
			damage = append(damage, Damage{d.path(name), fault})
		}
	}
	return damage, missing, nil
}

// fault tells in what a file is another; empty if it is as it was written.
func (s FileSum) fault(d disk, name string) (string, error) {
	f, err := d.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return "", err
	}
	if size != s.Bytes {
		return fmt.Sprintf("it has %d bytes instead of %d", size, s.Bytes), nil
	}
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return "", err
	}
	if fmt.Sprintf("%08x", sum.Sum32()) != s.CRC32C {
		return "its checksum is another", nil
	}
	return "", nil
}
