package history

import (
	"fmt"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"sweep/internal/parquetfile"
)

// readParquet reads a Parquet file. Timestamps and dates become times that
// ParseTime reads.
func readParquet(
	file *io.SectionReader, columns func([]string) error, row func(record) error,
) (err error) {
	where := ""
	defer func() {
		if p := recover(); p != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("the file is damaged: %v", p)
		}
		if err != nil {
			err = fmt.Errorf(" %s%w", where, err)
		}
	}()
	options := []parquet.FileOption{parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)}
	f, err := parquet.OpenFile(file, file.Size(), options...)
	if err != nil {
		return fmt.Errorf("not a Parquet file, or damaged: %w", err)
	}
	header, err := columnsOf(f)
	if err == nil {
		err = columns(header)
	}
	if err != nil || f.NumRows() == 0 {
		return err
	}
	err = parquetfile.CheckSize(f, file, parquetfile.MaxRows, parquetfile.MaxPage)
	if err != nil {
		return err
	}
	types := map[string]any{} // logical types of columns, such as timestamps
	for _, path := range f.Schema().Columns() {
		leaf, _ := f.Schema().Lookup(path...)
		if logical := leaf.Node.Type().LogicalType(); logical != nil {
			types[path[0]] = logical.Value
		}
	}
	rows := parquet.NewReader(f)
	defer rows.Close() // nothing was written
	for number := 1; ; number++ {
		fields := map[string]any{}
		err := rows.Read(&fields)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the file is damaged, or not understood: %w", err)
		}
		where = fmt.Sprintf("row %d: ", number)
		err = row(func(column string) any {
			return plain(fields[column], types[column])
		})
		if err != nil {
			return err
		}
	}
}

// CheckColumns returns an error if a Parquet file lacks a wanted column, or has
// a column that parquet-go may read as zeros.
func CheckColumns(f *parquet.File, wanted []string) error {
	header, err := columnsOf(f)
	if err != nil {
		return err
	}
	t := &table{wanted: wanted, names: wanted}
	return t.check(header)
}

// columnsOf returns the columns of a Parquet file, all of which parquet-go
// reads.
func columnsOf(f *parquet.File) (header []string, err error) {
	for _, path := range f.Schema().Columns() {
		header = append(header, path[0])
		leaf, _ := f.Schema().Lookup(path...)
		if leaf.Node.Compression() == &parquet.Lz4Raw {
			return nil, fmt.Errorf("the column %s is packed with LZ4, "+
				"want Zstandard, Snappy, gzip, Brotli or none", path[0])
		}
	}
	return header, nil
}

// plain converts a value of a Parquet file by the logical type of its column: a
// timestamp or a date becomes a time that ParseTime reads.
func plain(value, logical any) any {
	const day = 24 * 3600
	switch x := value.(type) {
	case int32:
		if _, ok := logical.(*format.DateType); ok {
			return int64(x) * day
		}
	case int64:
		switch t := logical.(type) {
		case *format.TimestampType:
			unit := int64(time.Second / t.Unit.Value.Duration())
			rest := (x%unit + unit) % unit
			return instant((x-rest)/unit, rest*int64(t.Unit.Value.Duration()))
		case *format.IntType:
			if !t.IsSigned {
				return uint64(x)
			}
		}
	case deprecated.Int96: // the nanoseconds of a day, and its Julian number
		return instant((int64(x[2])-2_440_588)*day, x.Int64())
	}
	if _, ok := logical.(*format.TimeType); ok && value != nil {
		return "a time of day"
	}
	return value
}

// instant returns a time as seconds, or as RFC 3339 if it has parts of a second
// and a year that can be written so.
func instant(seconds, nanos int64) any {
	t := time.Unix(seconds, nanos).UTC()
	if t.Nanosecond() == 0 || t.Year() < 0 || t.Year() > 9999 {
		return t.Unix()
	}
	return t.Format(time.RFC3339Nano)
}
