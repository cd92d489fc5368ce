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

	"github.com/klauspost/compress/zstd"

	"sweep/internal/document"
	"sweep/internal/parquetfile"
)

// Files are files besides those on disk. The function returns the content of
// the file at a path, if there is one; nil has no files.
type Files func(path string) (data []byte, ok bool)

// open opens a file that is on disk, or among the files. A pipe or a device may
// have no end.
func (f Files) open(path string) (readable, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file (mode %s)", path, info.Mode())
	}
	file, err := os.Open(path)
	if f != nil && errors.Is(err, fs.ErrNotExist) {
		if data, ok := f(path); ok {
			return inMemory{bytes.NewReader(data)}, nil
		}
	}
	return file, err
}

// readable is what is read of a file.
type readable interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// A record is a row of a table: it returns the value in a column, nil if there
// is none.
type record func(column string) any

// Rows reads a table, and calls add with each row. The ending of the path says
// how the table is encoded: .csv, .tsv, .jsonl, .ndjson, .cdx or .cdxj, and .gz
// or .zst after it, or .parquet.
//
// A row has the fields of the wanted columns, then those of the optional ones,
// which are empty where a column is missing. It is valid until add returns. A
// list of texts in an optional column is joined by spaces.
//
// Rows returns a name that identifies the content: the last element of the path
// and the beginning of a SHA-256, for example
// changes.csv@sha256:9f86d081884c7d65. Its error names the file, and the line
// or row if the fault is there.
func (f Files) Rows(
	path string, wanted, optional []string, add func(fields []string) error,
) (name string, err error) {
	name, _, err = f.rows(path, wanted, optional, add)
	return name, err
}

// rows reads a table as Rows does, and returns the columns that it does not
// read, or in which it finds nothing, too.
func (f Files) rows(
	path string, wanted, optional []string, add func(fields []string) error,
) (name string, unread []string, err error) {
	file, err := f.open(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close() // nothing was written
	digest := sha256.New()
	size, err := io.Copy(digest, file)
	if err != nil {
		return "", nil, err
	}
	fields := make([]string, len(wanted)+len(optional))
	section := io.NewSectionReader(file, 0, size)
	seen := map[string]bool{}
	empty := map[string]bool{} // optional columns without a value
	header := func(columns []string) error {
		for _, column := range columns {
			switch {
			case seen[column]:
			case slices.Contains(optional, column):
				empty[column] = true
			case !slices.Contains(wanted, column) && len(unread) < maxUnread:
				unread = append(unread, column)
			}
			seen[column] = true
		}
		return check(columns, wanted)
	}
	number := 0
	err = read(path, section, header, func(row record) error {
		number++
		if number > parquetfile.MaxRows {
			return fmt.Errorf("there are more than %d rows", parquetfile.MaxRows)
		}
		for i, column := range wanted {
			text, err := row.wanted(column)
			if err != nil {
				return err
			}
			fields[i] = text
		}
		for i, column := range optional {
			text, err := row.optional(column)
			if err != nil {
				return err
			}
			fields[len(wanted)+i] = text
			if text != "" {
				delete(empty, column)
			}
		}
		return add(fields)
	})
	if err != nil {
		err = fmt.Errorf("%s:%w", path, err)
	}
	name = fmt.Sprintf("%s@sha256:%.8x", filepath.Base(path), digest.Sum(nil))
	return name, append(unread, slices.Sorted(maps.Keys(empty))...), err
}

// maxUnread is the largest number of columns of which it is said that they are
// not read. Each line of a JSON file may have others.
const maxUnread = 100

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

// check returns an error if a header lacks a wanted column.
func check(header, wanted []string) error {
	for _, name := range wanted {
		if slices.Contains(header, name) {
			continue
		}
		found := list(header)
		hint := ""
		if near := nearColumn(name, header); near != "" {
			hint = fmt.Sprintf("\nhint: is %q the column %s? Then rename it", near, name)
		} else if len(header) == 1 && strings.ContainsAny(found, ";|") {
			hint = "\nhint: fields are separated by commas in a .csv file, by tabs in a .tsv file"
		}
		return fmt.Errorf("the columns are %s, want among others %s%s", found, name, hint)
	}
	return nil
}

// nearColumn returns the column that is most likely meant by a name: one that
// is nearly spelt like it, or else the first that contains it, as timestamp
// does time, or is contained in it, as url is in url_id.
func nearColumn(name string, header []string) string {
	if near := document.Nearest(name, header); near != "" {
		return near
	}
	for _, column := range header {
		lower := strings.ToLower(column)
		if strings.Contains(lower, name) || len(lower) > 2 && strings.Contains(name, lower) {
			return column
		}
	}
	return ""
}

// list lists names for people, quoted if they have unusual characters.
func list(names []string) string {
	found := strings.Join(names, ", ")
	quoted := strconv.Quote(found)
	if quoted != `"`+found+`"` {
		found = quoted
	}
	return strings.ToValidUTF8(found[:min(len(found), 200)], "")
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
