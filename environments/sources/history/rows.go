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

	// add takes a row: the fields of the wanted columns, then those of the
	// optional ones, empty where they are missing. They are valid until it returns.
	add func(fields []string) error
}

func (s *shape) columns() []string { return slices.Concat(s.wanted, s.optional) }

// places returns where the columns are in a header; -1: nowhere.
func (s *shape) places(header []string) ([]int, error) {
	var places []int
	for i, name := range s.columns() {
		place := slices.Index(header, name)
		if place < 0 && i < len(s.wanted) {
			return nil, fmt.Errorf("the columns are %s, want among others %s", strings.Join(header, ", "), name)
		}
		places = append(places, place)
	}
	return places, nil
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
	return fmt.Errorf("%s: want %s", path, Accepts)
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
	fault := func(err error) error {
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("%s:%d: %w", path, parse.Line, parse.Err)
		}
		line, _ := reader.FieldPos(0)
		return fmt.Errorf("%s:%d: %w", path, line, err)
	}
	header, err := reader.Read()
	if err == io.EOF {
		return fmt.Errorf("%s:1: the file is empty, want a header", path)
	}
	var places []int
	if err == nil {
		places, err = s.places(header)
	}
	if err != nil {
		return fault(err)
	}
	fields := make([]string, len(places))
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fault(err)
		}
		for i, place := range places {
			if place >= 0 {
				fields[i] = row[place]
			}
		}
		if err := s.add(fields); err != nil {
			return fault(err)
		}
	}
}

// jsonRows reads lines with a JSON object each.
func jsonRows(path string, text io.Reader, s shape) error {
	lines := bufio.NewScanner(text) // up to 64 KiB each
	for number := 1; lines.Scan(); number++ {
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
	if _, err := s.places(header); err != nil {
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
