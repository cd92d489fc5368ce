package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A File is a Parquet file that any program wrote.
type File struct{ file *parquet.File }

// Open opens the content of a file.
func Open(content []byte) (*File, error) {
	reader := bytes.NewReader(content)
	f, err := parquet.OpenFile(reader, reader.Size())
	if err != nil {
		return nil, fmt.Errorf("no Parquet file: %w", err)
	}
	return &File{f}, CheckSize(f, reader, MaxRows, MaxPage)
}

// Rows returns the number of rows.
func (f *File) Rows() int64 { return f.file.NumRows() }

// Names returns the names of the columns.
func (f *File) Names() (names []string) {
	for _, c := range f.file.Root().Columns() {
		names = append(names, c.Name())
	}
	return names
}

// Numbers returns the numbers of column i, NaN for null.
func (f *File) Numbers(i int) ([]float64, error) {
	column := f.file.Root().Columns()[i]
	if !holdsNumbers(column) {
		return nil, fmt.Errorf("the column is of type %s, want numbers", column)
	}
	declared, isInt := integer(column.Type())
	unsigned := isInt && !declared.IsSigned
	numbers := make([]float64, 0, min(f.Rows(), 1<<16))
	buffer := make([]parquet.Value, 1<<10)
	pages := column.Pages()
	defer pages.Close() // nothing was written
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		numbers, err = appendPage(numbers, page, unsigned, buffer)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
		if int64(len(numbers)) > f.Rows() {
			break
		}
	}
	if int64(len(numbers)) != f.Rows() {
		return nil, fmt.Errorf("the column does not have the %d rows of the file", f.Rows())
	}
	return numbers, nil
}

// holdsNumbers reports whether a column is a list of numbers, which may be
// null: no text, truth value, time, decimal fraction or nested value.
func holdsNumbers(c *parquet.Column) bool {
	if !c.Leaf() || c.MaxRepetitionLevel() > 0 {
		return false
	}
	logical := c.Type().LogicalType()
	if _, isInt := integer(c.Type()); logical != nil && !isInt {
		return false
	}
	switch c.Type().Kind() {
	case parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
		return true
	}
	return false
}

// integer returns the size and the sign of a type that is declared to be an
// integer.
func integer(t parquet.Type) (declared *format.IntType, ok bool) {
	logical := t.LogicalType()
	if logical == nil {
		return nil, false
	}
	declared, ok = logical.Value.(*format.IntType)
	return declared, ok
}

// appendPage appends the numbers of a page, which are read into the buffer.
func appendPage(
	numbers []float64, page parquet.Page, unsigned bool, buffer []parquet.Value,
) ([]float64, error) {
	values := page.Values()
	for {
		n, err := values.ReadValues(buffer)
		for _, v := range buffer[:n] {
			x := numberOf(v, unsigned)
			if isRounded(v, x, unsigned) {
				return nil, fmt.Errorf("row %d is an integer that no floating-point number "+
					"holds exactly", len(numbers)+1)
			}
			numbers = append(numbers, x)
		}
		if errors.Is(err, io.EOF) {
			return numbers, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// numberOf returns a value as a number, NaN for null.
func numberOf(v parquet.Value, unsigned bool) float64 {
	switch v.Kind() {
	case parquet.Int32:
		if unsigned {
			return float64(v.Uint32())
		}
		return float64(v.Int32())
	case parquet.Int64:
		if unsigned {
			return float64(v.Uint64())
		}
		return float64(v.Int64())
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	}
	return math.NaN()
}

// isRounded reports whether a value is an integer, and x another one.
func isRounded(v parquet.Value, x float64, unsigned bool) bool {
	switch {
	case v.Kind() != parquet.Int64:
		return false
	case unsigned:
		return x >= 1<<64 || uint64(x) != v.Uint64()
	}
	return x >= 1<<63 || int64(x) != v.Int64()
}
