package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Files are files beside those that are on disk: their content by the path,
// if there is one. nil has none.
type Files func(path string) (data []byte, ok bool)

// A shape is what rows mean.
type shape struct {
	wanted   []string // columns
	optional []string // columns that may be missing
	list     string   // the column that may be a list of texts, which come with spaces between; empty: none

	// add takes a row: the fields of the wanted columns, then those of the
	// optional ones, empty where they are missing. They are valid until it returns.
	add func(fields []string) error
}

// Rows reads any table: see shape.
func (f Files) Rows(path string, wanted, optional []string, list string, add func(fields []string) error) error {
	_, err := f.rows(path, shape{wanted, optional, list, add})
	return err
}

func (s *shape) columns() []string { return slices.Concat(s.wanted, s.optional) }

// check refuses a header that lacks a wanted column.
func (s *shape) check(header []string) error {
	for _, name := range s.wanted {
		if !slices.Contains(header, name) {
			return fmt.Errorf("the columns are %s, want among others %s", strings.Join(header, ", "), name)
		}
	}
	return nil
}

// rows passes the rows of a table on to a shape, and returns what stands for the
// file and its content. The ending of the path says what the file is: .csv,
// .tsv, .jsonl or .ndjson, and .gz or .zst after it, or .parquet.
func (f Files) rows(path string, s shape) (name string, err error) {
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
	if err == nil {
		err = decode(path, io.NewSectionReader(whole, 0, size), s)
	}
	return filepath.Base(path) + "@sha256:" + hex.EncodeToString(digest.Sum(nil))[:16], err
}

func decode(path string, file *io.SectionReader, s shape) (err error) {
	ending := strings.ToLower(filepath.Ext(path))
	var text io.Reader = file
	switch ending {
	case ".parquet":
		return parquetRows(path, file, s)
	case ".gz":
		text, err = gzip.NewReader(file)
	case ".zst":
		text, err = zstd.NewReader(file, zstd.WithDecoderConcurrency(1)) // starts no goroutine
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if text != file {
		ending = strings.ToLower(filepath.Ext(path[:len(path)-len(ending)]))
	}
	buffered := bufio.NewReaderSize(&lines{from: text}, 1<<16)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3) // has been read
	}
	switch ending {
	case ".csv":
		return textRows(path, ',', buffered, s)
	case ".tsv":
		return textRows(path, '\t', buffered, s)
	case ".jsonl", ".ndjson":
		return jsonRows(path, buffered, s)
	}
	return fmt.Errorf("%s: want the path of %s", path, formats)
}

// longestLine bounds what is read into memory at once, in bytes.
const longestLine = 1 << 20

// lines is a text that ends with an error where a line is too long.
type lines struct {
	from   io.Reader
	length int // of the line so far
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		l.length = n - end - 1
	} else if l.length += n; l.length > longestLine {
		err = fmt.Errorf("a line has more than %d bytes", longestLine)
	}
	return n, err
}

// textRows reads a table with a header as CSV (RFC 4180), or with another
// mark between fields.
func textRows(path string, comma rune, text io.Reader, s shape) error {
	reader := csv.NewReader(text)
	reader.Comma, reader.ReuseRecord = comma, true
	header, err := reader.Read()
	if err == io.EOF {
		return fmt.Errorf("%s:1: the file is empty, want a header", path)
	}
	if err == nil {
		err = s.check(header)
	}
	var places []int // of the columns; -1: nowhere
	for _, name := range s.columns() {
		places = append(places, slices.Index(header, name))
	}
	fields := make([]string, len(places))
	for err == nil {
		var row []string
		if row, err = reader.Read(); err == io.EOF {
			return nil
		} else if err == nil {
			for i, place := range places {
				if place >= 0 {
					fields[i] = row[place]
				}
			}
			err = s.add(fields)
		}
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %w", path, parse.Line, parse.Err)
	}
	line, _ := reader.FieldPos(0)
	return fmt.Errorf("%s:%d: %w", path, line, err)
}

// jsonRows reads lines with a JSON object each.
func jsonRows(path string, text io.Reader, s shape) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 2*longestLine) // longer than what the reader of lines refuses
	for number := 1; lines.Scan() && lines.Err() == nil; number++ {
		if err := jsonRow(lines.Bytes(), s); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func jsonRow(line []byte, s shape) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	row := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	return s.addValues(row, "there is no %s")
}

// addValues adds a row of values by their columns, or says that one is missing.
func (s *shape) addValues(row map[string]any, missing string) error {
	fields := make([]string, len(s.wanted)+len(s.optional))
	for i, name := range s.columns() {
		switch x := row[name].(type) {
		case nil:
			if i < len(s.wanted) {
				return fmt.Errorf(missing, name)
			}
		case float32:
			fields[i] = fmt.Sprint(float64(x)) // exact
		case string, json.Number, bool, int32, int64, float64:
			fields[i] = fmt.Sprint(x)
		case []any:
			if name != s.list {
				return fmt.Errorf("%s is a list, want a text or a number", name)
			}
			fields[i] = fmt.Sprintln(x...)
		default:
			return fmt.Errorf("%s is %v, want a text or a number", name, x)
		}
	}
	return s.add(fields)
}

// parquetRows reads a Parquet file: ids as integers or strings, times also as
// timestamps.
func parquetRows(path string, file *io.SectionReader, s shape) (err error) {
	number := 0
	defer func() {
		if p := recover(); p != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("the file is damaged: %v", p)
		}
		if err != nil && number > 0 {
			err = fmt.Errorf("row %d: %w", number, err)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	f, err := parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("not a Parquet file, or damaged: %w", err)
	}
	var header []string
	for _, path := range f.Schema().Columns() {
		header = append(header, strings.Join(path, "."))
	}
	if err := s.check(header); err != nil {
		return err
	}
	units := map[string]int64{} // in a second, of columns that are timestamps
	for _, name := range s.columns() {
		leaf, ok := f.Schema().Lookup(name)
		if !ok {
			continue // optional
		}
		if leaf.Node.Repeated() {
			return fmt.Errorf("column %s is a list", name)
		}
		if logical := leaf.Node.Type().LogicalType(); logical != nil {
			if t, ok := logical.Value.(*format.TimestampType); ok {
				units[name] = int64(time.Second / t.Unit.Value.Duration())
			}
		}
	}
	rows := parquet.NewReader(f)
	defer rows.Close() // nothing was written
	for {
		row := map[string]any{}
		if err := rows.Read(&row); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("the file is damaged: %w", err)
		}
		number++
		for name, unit := range units {
			if t, ok := row[name].(int64); ok {
				row[name] = t / unit
			}
		}
		if err := s.addValues(row, "%s is null"); err != nil {
			return err
		}
	}
}
