package history

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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

// A Renaming tells what columns are called in a table, by the names that this
// package gives them. A table may have a column by either name; the one that
// the Renaming tells counts first.
type Renaming map[string]string

// A table is a file that is read row by row.
type table struct {
	path             string
	wanted, optional []string
	inSpec           bool // whether a spec names it
	columns          Renaming

	names  []string        // what the columns are called in the row: wanted, then optional
	seen   map[string]bool // columns of any row
	empty  map[string]bool // optional columns without a value
	unread []string        // columns that are not read, or in which nothing was found
}

// tableOfSpec returns the table at a path that a spec names. The spec may tell
// what columns are called.
func tableOfSpec(path string, columns Renaming) *table {
	return &table{path: path, inSpec: true, columns: columns}
}

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
	return f.read(&table{path: path, wanted: wanted, optional: optional}, add)
}

// read reads a table as Rows does. The name that it returns also tells which
// columns were renamed.
func (f Files) read(t *table, add func(fields []string) error) (name string, err error) {
	file, err := f.open(t.path)
	if err != nil {
		return "", err
	}
	defer file.Close() // nothing was written
	digest := sha256.New()
	size, err := io.Copy(digest, file)
	if err != nil {
		return "", err
	}
	t.seen = map[string]bool{}
	t.empty = map[string]bool{}
	fields := make([]string, len(t.wanted)+len(t.optional))
	number := 0
	section := io.NewSectionReader(file, 0, size)
	err = read(t.path, section, t.header, func(row record) error {
		number++
		if number > parquetfile.MaxRows {
			return fmt.Errorf("there are more than %d rows", parquetfile.MaxRows)
		}
		err := t.fill(fields, row)
		if err != nil {
			return err
		}
		return add(fields)
	})
	if err != nil {
		return "", fmt.Errorf("%s:%w", t.path, err)
	}
	name = fmt.Sprintf("%s@sha256:%.8x", filepath.Base(t.path), digest.Sum(nil))
	renamed, err := t.renamed()
	t.unread = append(t.unread, slices.Sorted(maps.Keys(t.empty))...)
	return name + renamed, err
}

// maxUnread is the largest number of columns of which it is said that they are
// not read. Each line of a JSON file may have others.
const maxUnread = 100

// header finds the columns of the table among those of a header.
func (t *table) header(columns []string) error {
	t.names = t.names[:0]
	for _, column := range slices.Concat(t.wanted, t.optional) {
		other, isRenamed := t.columns[column]
		if isRenamed && slices.Contains(columns, other) {
			column = other
		}
		t.names = append(t.names, column)
	}
	for _, column := range columns {
		if t.seen[column] {
			continue
		}
		t.seen[column] = true
		k := slices.Index(t.names, column)
		switch {
		case k >= len(t.wanted):
			t.empty[column] = true
		case k < 0 && len(t.unread) < maxUnread:
			t.unread = append(t.unread, column)
		}
	}
	return t.check(columns)
}

// fill sets the fields to those of a row.
func (t *table) fill(fields []string, row record) error {
	for i, column := range t.names {
		field := row.optional
		if i < len(t.wanted) {
			field = row.wanted
		}
		text, err := field(column)
		if err != nil {
			return err
		}
		fields[i] = text
		if text != "" {
			delete(t.empty, column)
		}
	}
	return nil
}

// renamed tells which columns were read by another name, for example
// with time="timestamp". The error names one that was not there by either name.
func (t *table) renamed() (told string, err error) {
	for _, column := range slices.Concat(t.wanted, t.optional) {
		other, isRenamed := t.columns[column]
		switch {
		case !isRenamed:
		case t.seen[other]:
			told += fmt.Sprintf(" with %s=%q", column, other)
		case !t.seen[column]:
			found := list(slices.Sorted(maps.Keys(t.seen)))
			const fault = "%s: the columns are %s, and none is %q, which columns gives for %s"
			return "", fmt.Errorf(fault, t.path, found, other, column)
		}
	}
	return told, nil
}

// check returns an error if a header lacks a wanted column.
func (t *table) check(header []string) error {
	for k, name := range t.wanted {
		if slices.Contains(header, t.names[k]) {
			continue
		}
		if other, isRenamed := t.columns[name]; isRenamed {
			name = fmt.Sprintf("%q, which columns gives for %s", other, name)
		}
		return fmt.Errorf("the columns are %s, want among others %s%s",
			list(header), name, t.hint(header))
	}
	return nil
}

// hint tells which columns of a header may be those that are missing, or how
// fields are separated.
func (t *table) hint(header []string) string {
	if len(header) == 1 && strings.ContainsAny(header[0], ";|\t,") {
		return "\nhint: fields are separated by commas in a .csv file, by tabs in a .tsv file"
	}
	var meant []string
	anyNear := false
	for k, name := range t.wanted {
		near := t.names[k]
		if !slices.Contains(header, near) {
			near = nearColumn(name, header)
			anyNear = anyNear || near != ""
			near = cmp.Or(near, "…")
		}
		if near != name {
			meant = append(meant, fmt.Sprintf("%s = %q", name, near))
		}
	}
	switch {
	case anyNear && t.inSpec:
		return fmt.Sprintf("\nhint: if this is meant, add a line to the spec, above all tables: "+
			"columns = { %s }", strings.Join(meant, ", "))
	case anyNear:
		return "\nhint: rename columns if this is meant: " + strings.Join(meant, ", ")
	}
	return ""
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
