package analysis

import (
	"io"
	"slices"

	"sweep/experiment"
	"sweep/internal/table"
	"sweep/results"
)

// The layouts of the table of a sweep. Paper sets the means and standard
// deviations beside those of the table that the spec names. Cells has one row
// for each cell, with means and standard deviations; Limits has the same rows
// with means and their 95 % confidence limits. Auto is Paper where it fits,
// else Cells.
const (
	Auto   = "auto"
	Paper  = "paper"
	Cells  = "cells"
	Limits = "limits"
)

// Layouts returns the layouts in the order of help texts.
func Layouts() []string { return []string{Auto, Paper, Cells, Limits} }

// A Table is a sweep's summary as a table.
type Table struct {
	*results.Summary
	layout  string                // Paper, Cells or Limits
	metrics []int                 // those shown
	rows    []experiment.TableRow // Paper: those of the paper's table that are about them
	sets    [][]*results.Cell     // all cells; Paper: for each copy the cell of each header, or nil
	unfit   string                // why the paper's layout, which Auto would have, does not fit
	limit   int
}

// NewTable lays a summary out. It shows the given metrics, or all if they
// are nil, and in text at most limit rows (0: all). The error is a
// *results.DataError if the layout is Paper and does not fit.
func NewTable(s *results.Summary, layout string, metrics []int, limit int) (*Table, error) {
	t := &Table{Summary: s, layout: layout, metrics: metrics, limit: limit}
	if metrics == nil {
		for m := range s.Experiment.Metrics {
			t.metrics = append(t.metrics, m)
		}
	}
	t.sets = [][]*results.Cell{s.Cells}
	if layout == Auto || layout == Paper {
		t.layout = Paper
		t.unfit = t.fillPaper()
	}
	if t.unfit != "" && layout == Paper {
		return nil, &results.DataError{
			Path:    s.Spec,
			Message: "the paper's layout does not fit: " + t.unfit,
			Hint:    "the layout cells shows any sweep",
		}
	}
	if t.unfit != "" {
		t.layout = Cells
	}
	return t, nil
}

// Write writes the table. CSV and JSON have a record for each cell and metric.
// It returns only w's errors.
func (t *Table) Write(w io.Writer, format string) error {
	switch format {
	case table.CSV:
		return table.Write(w, format, t.records())
	case table.JSON:
		return table.WriteJSON(w, t.JSON())
	}
	return table.Write(w, format, t.Tables()...)
}

// Tables returns the table for people: one for each copy of the paper's.
func (t *Table) Tables() (tables []*table.Table) {
	for _, set := range t.sets {
		if t.layout == Paper {
			tables = append(tables, t.paperTable(set))
		} else {
			tables = append(tables, t.cellsTable(set))
		}
	}
	last := tables[len(tables)-1]
	last.Notes, last.Warnings = t.notes()
	return tables
}

// JSON returns the table for table.WriteJSON. Fields may be added; those
// that are there stay.
func (t *Table) JSON() any {
	_, warnings := t.notes()
	document := map[string]any{
		"spec":          t.Spec,
		"experiment":    t.Experiment.Name,
		"model_version": t.Experiment.Version,
		"runs":          t.Runs,
		"ok":            t.OK,
		"failed":        t.Failed,
		"missing":       t.Runs - t.OK - t.Failed,
		"layout":        t.layout,
		"over":          t.over(),
		"warnings":      notNil(warnings),
		"rows":          t.records(),
	}
	if t.layout == Paper {
		document["paper"] = map[string]string{
			"table":  t.Paper.Name,
			"title":  t.Paper.Title,
			"source": t.Paper.Source,
			"note":   t.Paper.Note,
		}
	}
	return document
}

// over returns the names of the parameters that means are taken over, not nil:
// JSON has it.
func (t *Table) over() []string { return notNil(t.Experiment.NamesOf(t.Over)) }

// records returns a row for each cell and metric; in the layout of a paper, for
// the metrics of its rows. CSV has the parameters that tell cells apart, JSON
// all that a cell uses.
func (t *Table) records() *table.Table {
	metrics := t.metrics
	if t.layout == Paper {
		metrics = nil
		for _, row := range t.rows {
			metrics = append(metrics, t.Experiment.Metric(row.Metric))
		}
	}
	shown := &table.Table{}
	shown.Records = func(yield func([]table.Cell) bool) {
		for _, set := range t.sets {
			for column, c := range set {
				if c == nil {
					continue
				}
				lead := t.parameters(c)
				for k, m := range metrics {
					record := slices.Concat(lead, t.numbers(c, m))
					if t.layout == Paper {
						record = append(record, printed(t.rows[k], column, c.Metrics[m].Mean)...)
					}
					if !yield(record) {
						return
					}
				}
			}
		}
	}
	return shown
}

// parameters returns the cells of the parameters of a cell. Their list has room
// for a record.
func (t *Table) parameters(c *results.Cell) []table.Cell {
	axes := AxisCells(t.Experiment, t.Axes, c.Values)
	for i := range axes {
		axes[i].In = []string{table.CSV}
	}
	used := map[string]experiment.Value{}
	for p, v := range c.Values {
		if isSet(v) {
			used[t.Experiment.Params[p].Name] = v
		}
	}
	return append(axes, table.Cell{Name: "parameters", In: []string{table.JSON}, Value: used})
}

// numbers returns the cells of a metric in a cell.
func (t *Table) numbers(c *results.Cell, m int) []table.Cell {
	metric := &t.Experiment.Metrics[m]
	x := &c.Metrics[m]
	cells := []table.Cell{
		table.ForPrograms("metric", metric.Name),
		table.ForPrograms("unit", metric.Unit),
		table.ForPrograms("n", x.N),
		table.ForPrograms("n_failed", c.Failed),
		table.ForPrograms("mean", x.Mean),
		table.ForPrograms("std", x.Std),
		table.ForPrograms("sem", x.SEM),
		table.ForPrograms("ci_low", x.CILow),
		table.ForPrograms("ci_high", x.CIHigh),
		table.ForPrograms("min", x.Min),
		table.ForPrograms("median", x.Median),
		table.ForPrograms("max", x.Max),
	}
	if t.Over != nil {
		cells = append(cells, table.ForPrograms("std_within", c.Within[m]))
	}
	return cells
}

// printed returns the cells of what a paper prints in a column of a row, where
// our mean is another.
func printed(row experiment.TableRow, column int, ours float64) []table.Cell {
	paper := row.Mean[column]
	return []table.Cell{
		table.ForPrograms("label", row.Label),
		table.ForPrograms("paper_mean", paper),
		table.ForPrograms("paper_std", row.Std[column]),
		table.ForPrograms("ratio", ratio(ours, paper)),
	}
}
