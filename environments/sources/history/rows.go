package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A record is a row of a table: it returns the value in a column, nil if there
// is none.
type record func(column string) any

// wanted returns the field of a required column.
func (r record) wanted(column string) (string, error) {
	switch value := r(column).(type) {
	case nil:
		return "", fmt.Errorf("there is no %s", column)
	case []any:
		return "", fmt.Errorf("%s is a list, want a text or a number", column)
	default:
		return textOf(value, column)
	}
}

// optional returns the field of a column, which is empty if the column is
// missing. If there is a column of nearly the same name, it returns an error.
func (r record) optional(column string) (string, error) {
	value := r(column)
	if value != nil {
		return textOf(value, column)
	}
	title := strings.ToUpper(column[:1]) + column[1:]
	for _, other := range []string{title, strings.ToUpper(column), " " + column} {
		if r(other) != nil {
			return "", fmt.Errorf("the column %q is not read, want %q", other, column)
		}
	}
	return "", nil
}

// textOf returns the value in a column as a text.
func textOf(value any, column string) (string, error) {
	switch x := value.(type) {
	case string:
		return x, nil
	case float32:
		return strconv.FormatFloat(float64(x), 'f', -1, 64), nil // exact
	case float64: // an integer as such, which may be a name
		return strconv.FormatFloat(x, 'f', -1, 64), nil
	case *big.Float:
		return x.Text('f', -1), nil
	case json.Number, bool, int32, int64, uint32, uint64:
		return fmt.Sprint(x), nil
	case []any:
		return strings.TrimSuffix(fmt.Sprintln(x...), "\n"), nil
	default:
		return "", fmt.Errorf("%s is %v, want a text or a number", column, x)
	}
}

// read calls header with the columns of a file, in a JSON file with those of
// each row, and row for each row. Its errors, and those of readText, readJSON,
// readCDX and readParquet, begin with the line, or else with a blank.
func read(
	path string, file *io.SectionReader, header func([]string) error, row func(record) error,
) (err error) {
	ending := strings.ToLower(filepath.Ext(path))
	var text io.Reader = file
	switch ending {
	case ".parquet":
		return readParquet(file, header, row)
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
		return readText(',', buffered, header, row)
	case ".tsv":
		return readText('\t', buffered, header, row)
	case ".jsonl", ".ndjson":
		return readJSON(buffered, header, row)
	case ".cdx", ".cdxj":
		return readCDX(buffered, header, row)
	}
	return fmt.Errorf(" want the path of %s", formats)
}

// maxLine is the largest number of bytes of a line.
const maxLine = 1 << 20

var errTooLong = fmt.Errorf("a line has more than %d bytes", maxLine)

// readText reads a table with a header as CSV (RFC 4180), or with another
// separator.
func readText(
	comma rune, text io.Reader, columns func([]string) error, row func(record) error,
) error {
	const readAhead = 4096 // bytes that the reader of CSV buffers
	limited := &io.LimitedReader{R: text}
	reader := csv.NewReader(limited)
	reader.Comma = comma
	reader.ReuseRecord = true
	var header []string
	for line := 1; ; line++ {
		limited.N = maxLine + readAhead
		fields, err := reader.Read()
		if len(fields) > 0 {
			line, _ = reader.FieldPos(0)
		}
		parse, malformed := errors.AsType[*csv.ParseError](err)
		switch {
		case limited.N == 0:
			err = errTooLong
		case malformed:
			line = parse.Line
			err = parse.Err
		case err == io.EOF && header != nil:
			return nil
		case err == io.EOF:
			err = errors.New("the file is empty, want a header")
		case err == nil && header == nil:
			header = slices.Clone(fields) // which are used again
			err = columns(header)
		case err == nil:
			err = row(func(column string) any {
				i := slices.Index(header, column)
				if i < 0 {
					return nil
				}
				return fields[i]
			})
		}
		if err != nil {
			return fmt.Errorf("%d: %w", line, err)
		}
	}
}

// readJSON reads a table with a JSON object on each line.
func readJSON(text io.Reader, columns func([]string) error, row func(record) error) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	number := 1
	for ; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		object, err := decodeObject(line)
		if err == nil {
			err = columns(slices.Sorted(maps.Keys(object)))
		}
		if err == nil {
			err = row(func(column string) any { return object[column] })
		}
		if err != nil {
			return fmt.Errorf("%d: %w", number, err)
		}
	}
	return endOf(lines, number)
}

// endOf returns why a scanner has stopped after a line; nil if it is at the
// end.
func endOf(lines *bufio.Scanner, number int) error {
	err := lines.Err()
	if err == bufio.ErrTooLong {
		err = errTooLong
	}
	if err != nil {
		return fmt.Errorf("%d: %w", number, err)
	}
	return nil
}

// decodeObject decodes a JSON object, with its numbers as they are written.
func decodeObject(line []byte) (map[string]any, error) {
	object := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	err := d.Decode(&object)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("found: %s", wrong.Value)
	}
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("there is more behind it")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	return object, nil
}
