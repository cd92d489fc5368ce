package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"sweep/internal/suggest"
)

// Files are files beside those that are on disk: their content by the path,
// if there is one. nil has none.
type Files func(path string) (data []byte, ok bool)

// Rows reads a table, and returns what stands for its content: the last element
// of the path and the beginning of a SHA-256, for example
// changes.csv@sha256:9f86d081884c7d65. The ending of the path says what the file
// is: .csv, .tsv, .jsonl or .ndjson, and .gz or .zst after it, or .parquet.
//
// add takes a row: the fields of the wanted columns, then those of the optional
// ones, empty where they are missing; they are valid until it returns. An
// optional field may be a list of texts, which come with spaces between. The error
// names the file, and the line or row if there the fault is.
func (f Files) Rows(path string, wanted, optional []string, add func(fields []string) error) (string, error) {
	var whole interface {
		io.Reader
		io.ReaderAt
	}
	file, err := os.Open(path)
	if err == nil {
		defer file.Close() // nothing was written
		whole = file
	} else if f != nil && errors.Is(err, fs.ErrNotExist) {
		if data, ok := f(path); ok {
			whole, err = bytes.NewReader(data), nil
		}
	}
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	size, err := io.Copy(digest, whole)
	if err != nil {
		return "", err
	}
	columns := slices.Concat(wanted, optional)
	fields := make([]string, len(columns))
	err = read(path, io.NewSectionReader(whole, 0, size), wanted, func(value func(column string) any) error {
		clear(fields)
		for i, name := range columns {
			switch x := value(name).(type) {
			case nil:
				if i < len(wanted) {
					return fmt.Errorf("there is no %s", name)
				}
				for _, other := range []string{strings.ToUpper(name[:1]) + name[1:], strings.ToUpper(name), " " + name} {
					if value(other) != nil {
						return fmt.Errorf("the column %q is not read, want %q", other, name)
					}
				}
			case string:
				fields[i] = x
			case float32:
				fields[i] = strconv.FormatFloat(float64(x), 'f', -1, 64) // exact
			case float64:
				fields[i] = strconv.FormatFloat(x, 'f', -1, 64) // an integer as such, which may be a name
			case *big.Float:
				fields[i] = x.Text('f', -1)
			case json.Number, bool, int32, int64, uint32, uint64:
				fields[i] = fmt.Sprint(x)
			case []any:
				if i < len(wanted) {
					return fmt.Errorf("%s is a list, want a text or a number", name)
				}
				fields[i] = strings.TrimSuffix(fmt.Sprintln(x...), "\n")
			default:
				return fmt.Errorf("%s is %v, want a text or a number", name, x)
			}
		}
		return add(fields)
	})
	if err != nil {
		err = fmt.Errorf("%s:%w", path, err)
	}
	return fmt.Sprintf("%s@sha256:%.8x", filepath.Base(path), digest.Sum(nil)), err
}

// read calls row for each row of a file that has the wanted columns, with what tells
// the value in a column, nil if there is none. Its errors, and those of the three below,
// begin with the line, or else with a blank.
func read(path string, file *io.SectionReader, wanted []string, row func(func(column string) any) error) (err error) {
	ending := strings.ToLower(filepath.Ext(path))
	var text io.Reader = file
	switch ending {
	case ".parquet":
		return readParquet(file, wanted, row)
	case ".gz":
		text, err = gzip.NewReader(file)
	case ".zst":
		text, err = zstd.NewReader(file, zstd.WithDecoderConcurrency(1)) // starts no goroutine
	}
	if err != nil {
		return fmt.Errorf(" %w", err)
	}
	if text != file {
		ending = strings.ToLower(filepath.Ext(path[:len(path)-len(ending)]))
	}
	buffered := bufio.NewReaderSize(text, 1<<16)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3) // has been read
	}
	switch ending {
	case ".csv":
		return readText(',', buffered, wanted, row)
	case ".tsv":
		return readText('\t', buffered, wanted, row)
	case ".jsonl", ".ndjson":
		return readJSON(buffered, wanted, row)
	}
	return fmt.Errorf(" want the path of %s", formats)
}

// check refuses a header that lacks a wanted column.
func check(header, wanted []string) error {
	if k := slices.IndexFunc(wanted, func(name string) bool { return !slices.Contains(header, name) }); k >= 0 {
		name, found, hint := wanted[k], list(header), ""
		if near := suggest.Nearest(name, header); near != "" {
			hint = fmt.Sprintf("\nhint: is %q the column %s?", near, name)
		} else if len(header) == 1 && strings.ContainsAny(found, ";|") {
			hint = "\nhint: fields are separated by commas in a .csv file, by tabs in a .tsv file"
		}
		return fmt.Errorf("the columns are %s, want among others %s%s", found, name, hint)
	}
	return nil
}

// list returns names for people, of which a file may have any.
func list(names []string) string {
	found := strings.Join(names, ", ")
	if quoted := strconv.Quote(found); quoted != `"`+found+`"` {
		found = quoted
	}
	return strings.ToValidUTF8(found[:min(len(found), 200)], "")
}

// longestLine bounds what is read into memory at once, in bytes.
const longestLine = 1 << 20

var errTooLong = fmt.Errorf("a line has more than %d bytes", longestLine)

// readText reads a table with a header as CSV (RFC 4180), or with another
// mark between fields.
func readText(comma rune, text io.Reader, wanted []string, row func(func(column string) any) error) error {
	const readAhead = 4096 // by the reader of CSV
	limited := &io.LimitedReader{R: text}
	reader := csv.NewReader(limited)
	reader.Comma, reader.ReuseRecord = comma, true
	var header []string
	for line := 1; ; line++ {
		limited.N = longestLine + readAhead
		record, err := reader.Read()
		if len(record) > 0 {
			line, _ = reader.FieldPos(0)
		}
		parse, malformed := errors.AsType[*csv.ParseError](err)
		switch {
		case limited.N == 0:
			err = errTooLong
		case malformed:
			line, err = parse.Line, parse.Err
		case err == io.EOF && header != nil:
			return nil
		case err == io.EOF:
			err = errors.New("the file is empty, want a header")
		case err == nil && header == nil:
			header = slices.Clone(record) // which is used again
			err = check(header, wanted)
		case err == nil:
			err = row(func(column string) any {
				if place := slices.Index(header, column); place >= 0 {
					return record[place]
				}
				return nil
			})
		}
		if err != nil {
			return fmt.Errorf("%d: %w", line, err)
		}
	}
}

// readJSON reads lines with a JSON object each.
func readJSON(text io.Reader, wanted []string, row func(func(column string) any) error) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, longestLine)
	number := 1
	for ; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		object := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		err := d.Decode(&object)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = fmt.Errorf("found: %s", wrong.Value)
		} else if _, end := d.Token(); err == nil && end != io.EOF {
			err = errors.New("there is more behind it")
		}
		if err != nil {
			err = fmt.Errorf("not a JSON object: %w", err)
		} else if err = check(slices.Sorted(maps.Keys(object)), wanted); err == nil {
			err = row(func(column string) any { return object[column] })
		}
		if err != nil {
			return fmt.Errorf("%d: %w", number, err)
		}
	}
	err := lines.Err()
	if err == bufio.ErrTooLong {
		err = errTooLong
	}
	if err != nil {
		return fmt.Errorf("%d: %w", number, err)
	}
	return nil
}

// readParquet reads a Parquet file. Timestamps and dates become seconds.
func readParquet(file *io.SectionReader, wanted []string, row func(func(column string) any) error) (err error) {
	where := ""
	defer func() {
		if p := recover(); p != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("the file is damaged: %v", p)
		}
		if err != nil {
			err = fmt.Errorf(" %s%w", where, err)
		}
	}()
	f, err := parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("not a Parquet file, or damaged: %w", err)
	}
	if err := CheckColumns(f, wanted); err != nil || f.NumRows() == 0 {
		return err
	}
	types := map[string]any{} // of columns, where these say more than the kind of a number
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
		if err := rows.Read(&fields); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("the file is damaged, or not understood: %w", err)
		}
		where = fmt.Sprintf("row %d: ", number)
		if err := row(func(column string) any {
			return plain(fields[column], types[column])
		}); err != nil {
			return err
		}
	}
}

// CheckColumns refuses a Parquet file that lacks a wanted column, or that has one
// that parquet-go may read as zeros.
func CheckColumns(f *parquet.File, wanted []string) error {
	var header []string
	for _, path := range f.Schema().Columns() {
		header = append(header, path[0])
		if leaf, _ := f.Schema().Lookup(path...); leaf.Node.Compression() == &parquet.Lz4Raw {
			return fmt.Errorf("the column %s is packed with LZ4, want Zstandard, Snappy, gzip, Brotli or none", path[0])
		}
	}
	return check(header, wanted)
}

// plain returns what a value of a Parquet file stands for by the type of its column:
// seconds if it is a timestamp or a date.
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
			return (x - (x%unit+unit)%unit) / unit
		case *format.IntType:
			if !t.IsSigned {
				return uint64(x)
			}
		}
	case deprecated.Int96: // the nanoseconds of a day, and its Julian number
		return (int64(x[2])-2_440_588)*day + x.Int64()/int64(time.Second)
	}
	if _, ok := logical.(*format.TimeType); ok && value != nil {
		return "a time of day"
	}
	return value
}
