package command

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/parquetfile"
)

// A sheet is a table that a program wrote: a file with named columns of
// numbers. They are the series or, if the spec has none, the metrics, in the
// only row.

// isSheet reports whether a file is one, by its name.
func isSheet(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".csv", ".tsv", ".jsonl", ".parquet":
		return true
	}
	return false
}

// hasSheet reports whether the program's file is a sheet.
func (p *program) hasSheet() bool { return isSheet(p.file) }

// answersInFile reports whether the program writes its answer to a file.
func (p *program) answersInFile() bool { return p.file != "" && !p.hasSheet() }

// checkFile refuses a file from which nothing would be read.
func (p *program) checkFile(t table, e *experiment.Experiment) {
	isRead := len(e.Columns()) > 0 || len(p.patterns) < len(e.Metrics)
	if p.file != "" && !isRead {
		t.fail("file", "", "nothing is read from %s: there is no series, "+
			"and every metric has a pattern", p.file)
	}
}

// extra reads what is to be done about answers that hold more than the spec
// names.
func (t table) extra() (refuse bool) {
	const want = `"ignore" or "refuse"`
	choices := []string{"ignore", "refuse"}
	text := get[string](t, "extra", want)
	if t.Entry("extra") == nil {
		return false
	}
	if !slices.Contains(choices, text) {
		near := document.DidYouMean(text, choices)
		t.fail("extra", near, "found %q, want %s", text, want)
	}
	return text == "refuse"
}

// readSheet reads the sheet: the series into the result or, if there is none,
// the metrics that have no pattern into known.
func (p *program) readSheet(
	dir string, e *experiment.Experiment, known map[string]float64, out *experiment.Result,
) error {
	hasSeries := len(e.Columns()) > 0
	var wanted []string
	if hasSeries {
		for _, m := range p.written(e.Series) {
			wanted = append(wanted, m.Name)
		}
	} else {
		for _, m := range e.Metrics {
			if p.patterns[m.Name] == nil {
				wanted = append(wanted, m.Name)
			}
		}
	}
	s := &sheet{wanted: wanted, columns: make([][]float64, len(wanted))}
	if err := s.read(dir, p.file); err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	extra := slices.DeleteFunc(s.others, func(name string) bool {
		return p.patterns[name] != nil && !hasSeries
	})
	if p.refuseExtra && len(extra) > 0 {
		return fmt.Errorf("%s: unknown column %q", p.file, extra[0])
	}
	addUnnamed(extra)
	if hasSeries {
		out.Series = p.rows(s.columns)
		return nil
	}
	if n := len(s.columns[0]); n != 1 {
		const fault = "%s has %d rows, want one, which holds the metrics, " +
			"as the spec has no series"
		return fmt.Errorf(fault, p.file, n)
	}
	for i, name := range wanted {
		known[name] = s.columns[i][0]
	}
	return nil
}

// maxCells bounds the numbers that are read of a sheet: as many as fit into an
// answer of float64.
const maxCells = maxAnswer / 8

// errTooManyCells refuses a sheet that has more.
var errTooManyCells = fmt.Errorf("more numbers are wanted than the %d that are read", maxCells)

// A sheet holds the columns that are wanted of a table.
type sheet struct {
	wanted  []string
	columns [][]float64 // as wanted
	others  []string    // the names of other columns
}

// read reads a file, whose name says how it is written.
func (s *sheet) read(dir, name string) error {
	text, err := readFile(dir, name)
	if err != nil {
		return err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return s.readCSV(text, ',')
	case ".tsv":
		return s.readCSV(text, '\t')
	case ".jsonl":
		return s.readJSONLines(text)
	}
	return s.readParquet(text)
}

// find returns where in a list of names those of the wanted columns are, and
// notes the others.
func (s *sheet) find(names []string) (at []int, err error) {
	for _, name := range s.wanted {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("no column %q, found are %s", name, listed(names))
		}
		if slices.Contains(names[i+1:], name) {
			return nil, fmt.Errorf("two columns %q", name)
		}
		at = append(at, i)
	}
	for _, name := range names {
		if !slices.Contains(s.wanted, name) {
			s.others = append(s.others, name)
		}
	}
	return at, nil
}

// listed lists names, at most some of many.
func listed(names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, fmt.Sprintf("%.40q", name))
	}
	if len(names) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// readCSV reads a text whose first line names the columns. Spaces around cells
// do not count.
func (s *sheet) readCSV(text []byte, comma rune) error {
	text = bytes.TrimPrefix(text, []byte("\uFEFF")) // some programs on Windows write it
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = comma
	r.TrimLeadingSpace = comma != '\t'
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("empty, want a line with the names of the columns")
	}
	if err != nil {
		return err
	}
	var names []string
	for _, name := range header {
		names = append(names, strings.TrimSpace(name))
	}
	at, err := s.find(names)
	if err != nil {
		return err
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for k, i := range at {
			x, err := number(strings.TrimSpace(cells[i]))
			if err != nil {
				line, _ := r.FieldPos(i)
				const fault = "line %d: %q is %.40q, %w, or nothing or NA for what is not defined"
				return fmt.Errorf(fault, line, s.wanted[k], cells[i], err)
			}
			s.columns[k] = append(s.columns[k], x)
		}
		if s.isFull() {
			return errTooManyCells
		}
	}
}

// isFull reports whether more numbers were read than may be.
func (s *sheet) isFull() bool { return len(s.columns)*len(s.columns[0]) > maxCells }

// readJSONLines reads a text in which every line is a JSON object with the
// columns as keys.
func (s *sheet) readJSONLines(text []byte) error {
	others := map[string]bool{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		row := &answer{}
		if err := row.read(fmt.Sprintf("line %d", n), line); err != nil {
			return err
		}
		for k, name := range s.wanted {
			x := row.number(name, row.take(name))
			s.columns[k] = append(s.columns[k], x)
		}
		if row.faults != nil {
			return fmt.Errorf("line %d: %s", n, strings.Join(row.faults, "; "))
		}
		for name := range row.values {
			others[name] = true
		}
		if s.isFull() {
			return errTooManyCells
		}
	}
	s.others = slices.Sorted(maps.Keys(others))
	return nil
}

// readParquet reads a Parquet file.
func (s *sheet) readParquet(text []byte) error {
	f, err := parquetfile.Open(text)
	if err != nil {
		return err
	}
	at, err := s.find(f.Names())
	if err != nil {
		return err
	}
	if f.Rows() > maxCells/int64(len(s.wanted)) {
		return errTooManyCells
	}
	for k, i := range at {
		s.columns[k], err = f.Numbers(i)
		if err != nil {
			return fmt.Errorf("%q: %w", s.wanted[k], err)
		}
	}
	return nil
}
