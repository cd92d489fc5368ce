package report

import "io"

// This file holds what compare, diff and check still print with. It goes
// with the last of them.

// A Document is what one command prints.
type Document struct {
	Sheets   []Sheet
	Notes    []string // what the numbers are made of
	Warnings []string // what to doubt about them
}

// A Sheet is one table.
type Sheet struct {
	Title   string
	Columns []Heading
	Lead    int // columns at the left that belong to all others
	Rows    [][]string
}

// A Heading stands above a column. Neighbours with one group share it.
type Heading struct {
	Group string
	Name  string
	Unit  string
	Left  bool // flush left: text
}

// Write writes the document as Text, Markdown or LaTeX.
func (d *Document) Write(w io.Writer, f Format) error {
	tables := make([]*Table, max(1, len(d.Sheets)))
	for i := range tables {
		tables[i] = &Table{}
	}
	for i, s := range d.Sheets {
		t := tables[i]
		t.Title, t.Lead = s.Title, s.Lead
		for _, h := range s.Columns {
			t.Columns = append(t.Columns, Column{Group: h.Group, Name: h.Name, Unit: h.Unit, Left: h.Left})
		}
		for _, row := range s.Rows {
			line := make([]any, len(row))
			for k, text := range row {
				line[k] = text
			}
			t.Rows = append(t.Rows, line)
		}
	}
	last := tables[len(tables)-1]
	last.Notes, last.Warnings = d.Notes, d.Warnings
	return Write(w, f, tables...)
}
