package history

import (
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"sweep/environments/sources"
)

// readParquet reads a table as a Parquet file: ids as integers or strings,
// slots as integers (or dates), changes as booleans or the integers 0 and 1,
// importance as any number.
func readParquet(path string, digest hash.Hash) (*sources.History, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	size, err := io.Copy(digest, f)
	if err != nil {
		return nil, err
	}
	r := newRecorder()
	if err := recordParquet(r, f, size); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h, err := r.history()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// recordParquet records the rows of a Parquet file.
func recordParquet(r *recorder, file io.ReaderAt, size int64) (err error) {
	defer func() {
		if p := recover(); p != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	f, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("not a Parquet file, or damaged: %w", err)
	}
	var at [len(columns)]int
	for i, name := range columns {
		leaf, ok := f.Schema().Lookup(name)
		if !ok {
			return fmt.Errorf("there is no column %s, want %s", name, Accepts)
		}
		if leaf.Node.Repeated() {
			return fmt.Errorf("column %s is a list, want %s", name, wants[i])
		}
		if kind := leaf.Node.Type().Kind(); !accepts(i, kind) {
			return fmt.Errorf("column %s is a %s, want %s", name, kind, wants[i])
		}
		at[i] = leaf.ColumnIndex
	}
	rows := rowsOf{columns: at}
	for _, group := range f.RowGroups() {
		if err := rows.record(r, group); err != nil {
			return fmt.Errorf("row %d: %w", rows.number, err)
		}
	}
	return nil
}

// rowsOf walks over the rows of a file.
type rowsOf struct {
	columns [len(columns)]int // their places in the file
	number  int64             // of the row at hand, from 1
}

// record records the rows of a row group.
func (rows *rowsOf) record(r *recorder, group parquet.RowGroup) error {
	chunks := group.ColumnChunks()
	var cursors [len(columns)]cursor
	for i := range cursors {
		cursors[i].values = parquet.NewColumnChunkValueReader(chunks[rows.columns[i]])
		defer cursors[i].values.Close() // reading is over: what it could report no longer matters
	}
	for range group.NumRows() {
		rows.number++
		var v [len(columns)]parquet.Value
		for i := range cursors {
			var err error
			if v[i], err = cursors[i].next(); err != nil {
				return fmt.Errorf("the file is damaged: %w", err)
			}
			if v[i].IsNull() {
				return fmt.Errorf("%s is null", columns[i])
			}
		}
		row, err := convertRow(v)
		if err != nil {
			return err
		}
		if err := r.add(row); err != nil {
			return err
		}
	}
	return nil
}

// wants says what each of the columns holds.
var wants = [len(columns)]string{"integers or strings", "integers", "booleans or integers", "numbers"}

// accepts reports whether column i may be of a kind.
func accepts(i int, kind parquet.Kind) bool {
	switch kind {
	case parquet.Int32, parquet.Int64:
		return true
	case parquet.ByteArray:
		return columns[i] == "url_id"
	case parquet.Boolean:
		return columns[i] == "changed"
	case parquet.Float, parquet.Double:
		return columns[i] == "importance"
	}
	return false
}

// A cursor walks over the values of one column in a row group.
type cursor struct {
	values parquet.ColumnChunkValueReader
	buffer [256]parquet.Value
	at, n  int
}

func (c *cursor) next() (parquet.Value, error) {
	for c.at == c.n {
		n, err := c.values.ReadValues(c.buffer[:])
		if c.at, c.n = 0, n; n == 0 && err != nil {
			return parquet.Value{}, err
		}
	}
	c.at++
	return c.buffer[c.at-1], nil
}

func convertRow(v [len(columns)]parquet.Value) (row, error) {
	r := row{slot: integer(v[1])}
	if v[0].Kind() == parquet.ByteArray {
		r.url = string(v[0].ByteArray())
	} else {
		r.url = strconv.FormatInt(integer(v[0]), 10)
	}
	switch v[2].Kind() {
	case parquet.Boolean:
		r.changed = v[2].Boolean()
	default:
		n := integer(v[2])
		if r.changed = n == 1; n != 0 && n != 1 {
			return r, fmt.Errorf("changed is %d, want 0 or 1", n)
		}
	}
	switch v[3].Kind() {
	case parquet.Double:
		r.importance = v[3].Double()
	case parquet.Float:
		r.importance = float64(v[3].Float())
	default:
		r.importance = float64(integer(v[3]))
	}
	return r, nil
}

func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}
