package analysis

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/report"
	"sweep/results"
)

// A Layout is what the table of a sweep shows.
type Layout string

// The layouts. Paper sets the means and standard deviations beside those
// of the table that the spec names. Cells has one row for each cell, with
// means and standard deviations; Limits has the same rows with means and
// their 95 % confidence limits. Auto is Paper where it fits, else Cells.
const (
	Auto   Layout = "auto"
	Paper  Layout = "paper"
	Cells  Layout = "cells"
	Limits Layout = "limits"
)

// Layouts returns the layouts in the order of help texts.
func Layouts() []Layout { return []Layout{Auto, Paper, Cells, Limits} }

// A Table is a sweep's summary as a table.
type Table struct {
	summary *results.Summary
	layout  Layout          // Paper, Cells or Limits
	metrics []int           // those shown
	people  []*report.Table // what people read
	records *report.Table   // what programs read: a row per cell and metric
}

// NewTable lays a summary out. It shows the given metrics, or all if they
// are nil, and in text at most limit rows (0: all). The error is a
// *results.DataError if the layout is Paper and does not fit.
func NewTable(s *results.Summary, layout Layout, metrics []int, limit int) (*Table, error) {
	t := &Table{summary: s, layout: layout, metrics: metrics}
	for m := range s.Experiment.Metrics {
		if metrics == nil {
			t.metrics = append(t.metrics, m)
		}
	}
	t.records = t.recordsTable()
	sets, why := t.paperSets()
	switch {
	case (layout == Auto || layout == Paper) && why == "":
		t.layout = Paper
		t.addPaper(sets)
	case layout == Paper:
		return nil, &results.DataError{
			Path: s.Spec, Message: "the paper's layout does not fit: " + why,
			Hint: "the layout cells shows any sweep",
		}
	default:
		if layout == Auto {
			t.layout = Cells
		}
		t.people = []*report.Table{t.cellsTable(limit)}
	}
	last := t.people[len(t.people)-1]
	last.Notes, last.Warnings = t.notes(), t.warnings()
	if layout == Auto && s.Paper != nil && why != "" {
		last.Notes = append(last.Notes, "the paper's table is not shown: "+why)
	}
	return t, nil
}

// Write writes the table. CSV and JSON have a record per cell and metric. It
// returns only w's errors.
func (t *Table) Write(w io.Writer, format report.Format) error {
	switch format {
	case report.CSV:
		return report.Write(w, format, t.records)
	case report.JSON:
		return report.WriteJSON(w, t.JSON())
	}
	return report.Write(w, format, t.people...)
}

// cellsTable returns the table with a row for each cell.
func (t *Table) cellsTable(limit int) *report.Table {
	s := t.summary
	e := s.Experiment
	table := &report.Table{Title: s.Spec + ": " + e.Title, Columns: axisColumns(e, s.Axes, ""), Lead: len(s.Axes) + 1, Limit: limit}
	for k, p := range s.Axes {
		table.Columns[k].Unit = e.Params[p].Unit
	}
	table.Columns = append(table.Columns, report.Column{Name: "n"})
	if s.Failed > 0 {
		table.Columns = append(table.Columns, report.Column{Name: "failed"})
		table.Lead++
	}
	decimals := make([]int, len(e.Metrics))
	for _, m := range t.metrics {
		table.Columns = append(table.Columns, report.Column{Name: e.Metrics[m].Name, Unit: e.Metrics[m].Unit})
		decimals[m] = t.decimals(m)
	}
	table.Each = func(yield func([]any) bool) {
		for i := range s.Cells {
			c := &s.Cells[i]
			row := append(axisCells(s.Axes, c.Values), ran(c))
			if s.Failed > 0 {
				row = append(row, c.Failed)
			}
			for _, m := range t.metrics {
				row = append(row, t.plusMinus(c.Metrics[m], decimals[m]))
			}
			if !yield(row) {
				return
			}
		}
	}
	return table
}

// decimals returns how many decimals a metric's column shows.
func (t *Table) decimals(metric int) int {
	var means, errors []float64
	for i := range t.summary.Cells {
		if x := &t.summary.Cells[i].Metrics[metric]; x.N > 0 {
			means, errors = append(means, x.Mean), append(errors, x.SEM)
		}
	}
	return report.Decimals(means, errors)
}

// plusMinus returns a mean with its standard deviation, or with how far its
// confidence limits are.
func (t *Table) plusMinus(x results.Statistics, decimals int) string {
	spread := x.Std
	if t.layout == Limits {
		spread = x.CIHigh - x.Mean
	}
	if x.N < 2 {
		return report.Fixed(x.Mean, decimals)
	}
	return report.Fixed(x.Mean, decimals) + " ± " + report.Fixed(spread, decimals)
}

// A paperSet holds the cells for one copy of the paper's table.
type paperSet struct {
	title string
	cells []*results.Cell // for each of the table's headers; nil if not in the sweep
}

// paperSets distributes the cells over copies of the paper's table, one for
// each combination of the other axes. If that cannot be done it says why.
func (t *Table) paperSets() (sets []paperSet, why string) {
	s := t.summary
	if s.Paper == nil {
		return nil, "the spec names no table of a paper"
	}
	if len(t.paperRows()) == 0 {
		return nil, "the table has none of these metrics"
	}
	_, column := s.Experiment.Param(s.Paper.Column)
	axes := slices.DeleteFunc(slices.Clone(s.Axes), func(p int) bool { return p == column })
	at := map[string]int{} // in sets, by title
	for i := range s.Cells {
		c := &s.Cells[i]
		header := slices.Index(s.Paper.Headers, c.Values[column].String())
		if header < 0 {
			return nil, fmt.Sprintf("%s is %s in some runs, which the table does not have", s.Paper.Column, c.Values[column])
		}
		var parts []string
		for _, p := range axes {
			name, v := s.Experiment.Params[p].Name, c.Values[p]
			if v.IsNull() {
				return nil, fmt.Sprintf("%s varies, and only for some values of %s", name, s.Paper.Column)
			}
			parts = append(parts, fmt.Sprintf("%s = %s", name, v))
		}
		title := strings.Join(parts, ", ")
		k, ok := at[title]
		if !ok {
			k = len(sets)
			at[title] = k
			sets = append(sets, paperSet{title, make([]*results.Cell, len(s.Paper.Headers))})
		}
		sets[k].cells[header] = c
	}
	return sets, ""
}

// paperRows returns the rows of the paper's table that are among the metrics.
func (t *Table) paperRows() []experiment.TableRow {
	return slices.DeleteFunc(slices.Clone(t.summary.Paper.Rows), func(row experiment.TableRow) bool {
		return !slices.Contains(t.metrics, t.summary.Experiment.Metric(row.Metric))
	})
}

// addPaper adds our numbers beside the paper's: a table for each set, and
// the records of all.
func (t *Table) addPaper(sets []paperSet) {
	s := t.summary
	for _, name := range []string{"label", "paper_mean", "paper_std", "ratio"} {
		t.records.Columns = append(t.records.Columns, report.Column{Name: name})
	}
	t.records.Each = nil
	for _, set := range sets {
		t.people = append(t.people, t.paperTable(set))
		for h, c := range set.cells {
			if c == nil {
				continue
			}
			for _, row := range t.paperRows() {
				m := s.Experiment.Metric(row.Metric)
				t.records.Rows = append(t.records.Rows, append(t.record(c, m),
					row.Label, row.Mean[h], row.Std[h], ratio(c.Metrics[m].Mean, row.Mean[h])))
			}
		}
	}
}

// paperTable returns one copy of the paper's table.
func (t *Table) paperTable(set paperSet) *report.Table {
	s := t.summary
	table := &report.Table{Title: s.Paper.Title, Columns: []report.Column{{Left: true}}, Lead: 1}
	if s.Paper.Source != "" {
		table.Title += " (" + s.Paper.Source + ")"
	}
	if set.title != "" {
		table.Title += ", " + set.title
	}
	for h, c := range set.cells {
		if c != nil {
			for _, name := range []string{"mean", "std", "paper mean", "paper std", "ratio"} {
				table.Columns = append(table.Columns, report.Column{Group: s.Paper.Headers[h], Name: name})
			}
		}
	}
	for _, row := range t.paperRows() {
		m := s.Experiment.Metric(row.Metric)
		line := []any{paperLabel(row, s.Experiment.Metrics[m])}
		for h, c := range set.cells {
			if c != nil {
				x := c.Metrics[m]
				line = append(line, report.Fixed(x.Mean, row.Digits+1), report.Fixed(x.Std, row.Digits+1),
					report.Fixed(row.Mean[h], row.Digits), report.Fixed(row.Std[h], row.Digits),
					report.Fixed(ratio(x.Mean, row.Mean[h]), 3))
			}
		}
		table.Rows = append(table.Rows, line)
	}
	return table
}

// paperLabel adds the metric's unit to the paper's title of a row, unless
// the title already names one.
func paperLabel(row experiment.TableRow, m experiment.Metric) string {
	if strings.Contains(row.Label, "(") {
		return row.Label
	}
	return title(experiment.Metric{Name: row.Label, Unit: m.Unit})
}

// ratio returns ours/paper's, NaN if there is none.
func ratio(ours, paper float64) float64 {
	if paper == 0 {
		return math.NaN()
	}
	return ours / paper
}

// recordsTable returns a row per cell and metric. CSV has the parameters
// that tell cells apart, JSON all that a cell uses.
func (t *Table) recordsTable() *report.Table {
	s := t.summary
	table := &report.Table{Columns: axisColumns(s.Experiment, s.Axes, "")}
	for k := range table.Columns {
		table.Columns[k].In = []report.Format{report.CSV}
	}
	table.Columns = append(table.Columns, report.Column{Name: "parameters", In: []report.Format{report.JSON}})
	for _, name := range []string{"metric", "unit", "n", "n_failed", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max"} {
		table.Columns = append(table.Columns, report.Column{Name: name})
	}
	table.Each = func(yield func([]any) bool) {
		for i := range s.Cells {
			for _, m := range t.metrics {
				if !yield(t.record(&s.Cells[i], m)) {
					return
				}
			}
		}
	}
	return table
}

func (t *Table) record(c *results.Cell, metric int) []any {
	e := t.summary.Experiment
	m, x := e.Metrics[metric], &c.Metrics[metric]
	used := map[string]experiment.Value{}
	for p, v := range c.Values {
		if !v.IsNull() {
			used[e.Params[p].Name] = v
		}
	}
	return append(axisCells(t.summary.Axes, c.Values), used, m.Name, m.Unit, x.N, c.Failed,
		x.Mean, x.Std, x.SEM, x.CILow, x.CIHigh, x.Min, x.Median, x.Max)
}

// A sweepJSON is a table for programs. Fields may be added; those that are
// there stay.
type sweepJSON struct {
	Spec         string        `json:"spec"`
	Experiment   string        `json:"experiment"`
	ModelVersion int           `json:"model_version"`
	Layout       Layout        `json:"layout"`
	Paper        *paperJSON    `json:"paper,omitempty"`
	Runs         int64         `json:"runs"`
	OK           int64         `json:"ok"`
	Failed       int64         `json:"failed"`
	Missing      int64         `json:"missing"`
	Warnings     []string      `json:"warnings"`
	Rows         *report.Table `json:"rows"`
}

type paperJSON struct {
	Table  string `json:"table"`
	Title  string `json:"title"`
	Source string `json:"source"`
	Note   string `json:"note"`
}

// JSON returns the table for report.WriteJSON.
func (t *Table) JSON() any {
	s := t.summary
	document := sweepJSON{
		Spec: s.Spec, Experiment: s.Experiment.Name, ModelVersion: s.Experiment.Version, Layout: t.layout,
		Runs: s.Runs, OK: s.OK, Failed: s.Failed, Missing: s.Runs - s.OK - s.Failed,
		Warnings: append([]string{}, t.warnings()...), Rows: t.records,
	}
	if t.layout == Paper {
		document.Paper = &paperJSON{s.Paper.Name, s.Paper.Title, s.Paper.Source, s.Paper.Note}
	}
	return document
}
