package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A reader reads one Parquet file of a known layout.
type reader struct {
	path   string
	file   input
	broken error // first failure of the operating system to read
	groups []parquet.RowGroup
	rows   int64
	spec   string // the spec's name in the metadata
}

// openReader opens a file and checks that it is of the layout's table,
// experiment, model version and columns.
func openReader(d disk, path string, l *layout) (*reader, error) {
	f, err := d.open(path)
	if err != nil {
		return nil, err
	}
	r := &reader{path: path, file: f}
	if err := r.open(l); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func (r *reader) open(l *layout) error {
	size, err := r.file.Size()
	if err != nil {
		return err
	}
	var p *parquet.File
	err = r.guard(func() (err error) {
		p, err = parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return err
	}
	if found, _ := p.Lookup(keyFormat); found != format {
		return otherFormat(r.path, found)
	}
	for _, k := range []struct{ key, what, hint string }{
		{keyTable, "the table in the file", "restore the file that had this name"},
		{keyExperiment, "the experiment", "these are results of something else; use another directory"},
		{keyVersion, "the model version", "the model has changed, so old and new results do not mix; use another directory"},
	} {
		if got, _ := p.Lookup(k.key); got != l.metadata[k.key] {
			return &DataError{
				Path:    r.path,
				Message: fmt.Sprintf("%s is %q, and here %q is expected", k.what, got, l.metadata[k.key]),
				Hint:    k.hint,
			}
		}
	}
	if err := r.checkColumns(p, l); err != nil {
		return err
	}
	r.groups, r.rows = p.RowGroups(), p.NumRows()
	r.spec, _ = p.Lookup(keySpec)
	return nil
}

// otherFormat refuses a file of another layout than today's.
func otherFormat(path, found string) error {
	return &DataError{
		Path:    path,
		Message: fmt.Sprintf("the layout of the file is version %q, and here %q is expected", found, format),
		Hint:    "another version of this program wrote it; use another directory",
	}
}

// formatOf returns the version of a file's layout, empty if it does not say.
func formatOf(path string, f input) (version string) {
	r := reader{path: path, file: f}
	_ = r.guard(func() error { // an unreadable file does not say
		size, err := f.Size()
		if err != nil {
			return err
		}
		p, err := parquet.OpenFile(&r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err == nil {
			version, _ = p.Lookup(keyFormat)
		}
		return err
	})
	return version
}

// checkColumns finds files written when the experiment declared other
// parameters or metrics under the same model version.
func (r *reader) checkColumns(p *parquet.File, l *layout) error {
	got, want := p.Schema().Fields(), l.schema.Fields()
	differs := func(what string) error {
		return &DataError{
			Path:    r.path,
			Message: what,
			Hint:    "the experiment's declaration has changed since; use another directory",
		}
	}
	for i, f := range want {
		if i >= len(got) {
			return differs(fmt.Sprintf("column %q is missing", f.Name()))
		}
		g := got[i]
		if g.Name() != f.Name() || !g.Leaf() || g.Repeated() ||
			g.Type().Kind() != f.Type().Kind() || g.Optional() != f.Optional() {
			return differs(fmt.Sprintf("column %d is %s, not %s", i+1, g, f))
		}
	}
	if len(got) > len(want) {
		return differs(fmt.Sprintf("column %q is not expected", got[len(want)].Name()))
	}
	return nil
}

// ReadAt reads from the file, and remembers a failure to read so that it
// can be told from damaged content.
func (r *reader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("offset before the beginning") // from damaged content
	}
	n, err := r.file.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) && r.broken == nil {
		r.broken = err
	}
	return n, err
}

// guard runs a piece of decoding. Its errors become those of the operating
// system, or a *DataError that names the file. The Parquet package panics
// on some damaged files.
func (r *reader) guard(decode func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = r.fault(fmt.Errorf("%v", p))
		}
	}()
	if err := decode(); err != nil {
		return r.fault(err)
	}
	return nil
}

func (r *reader) fault(err error) error {
	if r.broken != nil {
		return r.broken
	}
	var data *DataError
	if errors.As(err, &data) {
		return err
	}
	return damagedFile(r.path, err)
}

// damagedFile tells that a file with rows is damaged.
func damagedFile(path string, err error) error {
	return &DataError{
		Path:    path,
		Message: "the file is damaged",
		Hint:    "run the sweep there again: it sets the file aside and repeats its runs",
		Err:     err,
	}
}

func (r *reader) Close() error { return r.file.Close() }

// A columnReader reads the values of one column from first to last.
type columnReader struct {
	from   *reader
	column int
	groups []parquet.RowGroup // not yet begun
	chunk  parquet.ColumnChunkValueReader
	buffer []parquet.Value
}

func (r *reader) column(i int) *columnReader {
	return &columnReader{from: r, column: i, groups: r.groups, buffer: make([]parquet.Value, 256)}
}

// next passes the next n values to visit, with k from 0. A value is valid
// only during its visit.
func (c *columnReader) next(n int, visit func(k int, v parquet.Value)) error {
	return c.from.guard(func() error {
		for k := 0; k < n; {
			if c.chunk == nil {
				if len(c.groups) == 0 {
					return io.ErrUnexpectedEOF
				}
				c.chunk = parquet.NewColumnChunkValueReader(c.groups[0].ColumnChunks()[c.column])
				c.groups = c.groups[1:]
			}
			m, err := c.chunk.ReadValues(c.buffer[:min(n-k, len(c.buffer))])
			for _, v := range c.buffer[:m] {
				visit(k, v)
				k++
			}
			if err == io.EOF {
				err = c.chunk.Close()
				c.chunk = nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *columnReader) close() {
	if c.chunk != nil {
		c.chunk.Close() // reading is over: what it could report no longer matters
	}
}

// A rowReader reads whole rows from first to last.
type rowReader struct {
	from   *reader
	groups []parquet.RowGroup // not yet begun
	rows   parquet.Rows
	buffer [64]parquet.Row
	at, n  int // the current row and how many there are in buffer
}

// openRows opens the file for reading by rows and moves to the first.
func openRows(d disk, path string, l *layout) (*rowReader, error) {
	r, err := openReader(d, path, l)
	if err != nil {
		return nil, err
	}
	rows := &rowReader{from: r, groups: r.groups, at: -1}
	if err := rows.next(); err != nil {
		rows.close()
		return nil, err
	}
	return rows, nil
}

// row returns the current row, nil after the last. It is valid until next.
func (r *rowReader) row() parquet.Row {
	if r.at < r.n {
		return r.buffer[r.at]
	}
	return nil
}

func (r *rowReader) next() error {
	r.at++
	if r.at < r.n {
		return nil
	}
	return r.from.guard(func() error {
		r.at, r.n = 0, 0
		for r.n == 0 {
			if r.rows == nil {
				if len(r.groups) == 0 {
					return nil
				}
				r.rows = r.groups[0].Rows()
				r.groups = r.groups[1:]
			}
			n, err := r.rows.ReadRows(r.buffer[:])
			r.n = n
			if err == io.EOF {
				if n > 0 {
					return nil
				}
				err = r.rows.Close()
				r.rows = nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *rowReader) close() {
	if r.rows != nil {
		r.rows.Close()
	}
	r.from.Close()
}
