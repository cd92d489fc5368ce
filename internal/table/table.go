// Package table writes tables: for people as text, Markdown and LaTeX with
// rounded numbers, for programs as CSV and JSON in full precision. Whatever
// a command prints as a table is a Table, written by Write.
package table

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
)

// A Table is what one command prints. Add adds a row, a list of cells. Each
// cell has the heading of its column; the first row makes the columns.
type Table struct {
	Title    string
	Columns  []Cell           // headings: those of the first row
	Rows     [][]any          // values, as Add adds them
	Records  iter.Seq[[]Cell] // the rows, if there are too many to hold; instead of Add
	Total    int              // number of Records; needed with a Limit, and by Shown
	Notes    []string         // what the numbers are made of
	Warnings []string         // what to doubt about them

	// In text only:
	Lead  int // number of columns at the left that each part of a broken table repeats
	Limit int // maximum number of rows; the rest is counted. 0: no limit
	Width int // characters of a line; 0: 118
}

// A Cell is a value with the heading of its column. Neighbouring columns with
// the same Group share its name.
type Cell struct {
	Group, Name, Unit string

	Key      string   // name of the column in CSV and JSON; empty: Name
	Decimals int      // of a float64 for people; -1: the shortest exact text; or Significant
	Signed   bool     // a float64 above 0 has a plus sign for people
	Left     bool     // flush left: text
	In       []string // the formats that have the column; nil: all

	// Value is nil (not defined), a float64 (NaN: not defined), or any value
	// that fmt and, for JSON, encoding/json accept.
	Value any
}

// Significant, as the Decimals of a column whose numbers differ in size, shows
// four significant digits of each.
const Significant = -2

// The formats in which tables are written. LaTeX is a tabular for the package
// booktabs.
const (
	Text     = "text"
	Markdown = "markdown"
	CSV      = "csv"
	LaTeX    = "latex"
	JSON     = "json"
)

// People and Programs are the formats for each kind of reader, for Cell.In.
var (
	People   = []string{Text, Markdown, LaTeX}
	Programs = []string{CSV, JSON}
)

// Formats returns the formats in the order of help texts.
func Formats() []string { return []string{Text, Markdown, CSV, LaTeX, JSON} }

// Left returns a cell whose column is flush left, as text is.
func Left(name string, value any) Cell {
	return Cell{Name: name, Left: true, Value: value}
}

// Right returns a cell whose column is flush right, as numbers are.
func Right(name string, value any) Cell {
	return Cell{Name: name, Value: value}
}

// ForPrograms returns a cell that only CSV and JSON have.
func ForPrograms(name string, value any) Cell {
	return Cell{Name: name, In: Programs, Value: value}
}

// Add adds a row. It panics if the row has other columns than the first one.
func (t *Table) Add(cells []Cell) {
	if t.Columns == nil {
		t.Columns = cells
	}
	t.Rows = append(t.Rows, t.values(cells))
}

// values returns the values of a row.
func (t *Table) values(cells []Cell) []any {
	if len(cells) != len(t.Columns) {
		panic(fmt.Sprintf("table: a row has %d cells, want %d", len(cells), len(t.Columns)))
	}
	values := make([]any, len(cells))
	for i, c := range cells {
		if c.Name != t.Columns[i].Name {
			panic(fmt.Sprintf("table: column %q has a cell of %q", t.Columns[i].Name, c.Name))
		}
		values[i] = c.Value
	}
	return values
}

// Write writes tables one after another. CSV and JSON have only the rows: no
// titles, notes and warnings. Tables with the same columns share their CSV
// header, and all are one JSON array. Write returns w's errors, and panics if
// the format is none of those above.
func Write(w io.Writer, format string, tables ...*Table) error {
	views := make([]*view, len(tables))
	for i, t := range tables {
		views[i] = t.in(format)
	}
	b := bufio.NewWriter(w)
	if style, ok := styles[format]; ok {
		style.write(b, views)
		return b.Flush()
	}
	switch format {
	case CSV:
		writeCSV(b, views)
	case JSON:
		text, err := records(views)
		if err != nil {
			return err
		}
		if err := WriteJSON(b, json.RawMessage(text)); err != nil {
			return err
		}
	default:
		panic(fmt.Sprintf("table: format %q", format))
	}
	return b.Flush()
}

// A view is a table as a format has it: only with its columns.
type view struct {
	*Table
	columns []Cell
	rows    iter.Seq[[]any] // of columns; a row is valid until the next
	lead    int             // those columns of Lead that the format has
}

// in returns the view of a format.
func (t *Table) in(format string) *view {
	rows := slices.Values(t.Rows)
	if t.Records != nil {
		t = t.headed()
		rows = t.recorded
	}
	v := &view{Table: t}
	var at []int // of the columns in a row
	for i, c := range t.Columns {
		if c.In != nil && !slices.Contains(c.In, format) {
			continue
		}
		if c.Key == "" {
			c.Key = c.Name
		}
		if i < t.Lead {
			v.lead++
		}
		v.columns = append(v.columns, c)
		at = append(at, i)
	}
	v.rows = func(yield func([]any) bool) {
		chosen := make([]any, len(at))
		for row := range rows {
			for k, i := range at {
				chosen[k] = row[i]
			}
			if !yield(chosen) {
				return
			}
		}
	}
	return v
}

// headed returns the table with the columns of the first of Records.
func (t *Table) headed() *Table {
	headed := *t
	for first := range t.Records {
		headed.Columns = slices.Clone(first)
		break
	}
	return &headed
}

// recorded yields the values of Records.
func (t *Table) recorded(yield func([]any) bool) {
	for cells := range t.Records {
		if !yield(t.values(cells)) {
			return
		}
	}
}

// Shown returns the columns that people see and at most limit rows (0: all) of
// the text that they see there, and the number of the other rows.
func (t *Table) Shown(limit int) (columns []Cell, rows [][]string, more int) {
	v := t.in(Markdown)
	return v.columns, v.texts(limit), v.more(limit)
}

// texts returns at most limit rows (0: all) as people see them.
func (v *view) texts(limit int) (rows [][]string) {
	for row := range v.rows {
		texts := make([]string, len(row))
		for k, value := range row {
			texts[k] = v.columns[k].show(value)
		}
		rows = append(rows, texts)
		if len(rows) == limit {
			break
		}
	}
	return rows
}

// more returns the number of rows beyond a limit (0: none).
func (v *view) more(limit int) int {
	total := len(v.Rows)
	if v.Records != nil {
		total = v.Total
	}
	if limit == 0 {
		return 0
	}
	return max(0, total-limit)
}

// show returns a value of the column as people see it.
func (c *Cell) show(value any) string {
	switch v := value.(type) {
	case nil:
		return missing
	case string:
		return Plain(v)
	case float64:
		decimals := c.Decimals
		if decimals == Significant {
			decimals = Decimals([]float64{v}, nil)
		}
		text := Fixed(v, decimals)
		if c.Signed && v > 0 && text != missing {
			text = "+" + text
		}
		return text
	}
	return minus(Plain(fmt.Sprint(value)))
}
