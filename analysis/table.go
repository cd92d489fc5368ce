package analysis

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/results"
)

// The layouts of the table of a sweep. Paper sets the means and standard deviations
// beside those of the table that the spec names. Cells has one row for each cell,
// with means and standard deviations; Limits has the same rows with means and
// their 95 % confidence limits. Auto is Paper where it fits, else Cells.
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
		t.metrics = lists.Indices(len(s.Experiment.Metrics))
	}
	t.sets = [][]*results.Cell{s.Cells}
	if layout == Auto || layout == Paper {
		t.layout, t.unfit = Paper, t.fillPaper()
	}
	switch {
	case t.unfit != "" && layout == Paper:
		return nil, &results.DataError{Path: s.Spec, Message: "the paper's layout does not fit: " + t.unfit,
			Hint: "the layout cells shows any sweep"}
	case t.unfit != "":
		t.layout = Cells
	}
	return t, nil
}

// fillPaper distributes the cells over copies of the paper's table, one for
// each combination of the other axes. If that cannot be done it says why.
func (t *Table) fillPaper() (why string) {
	if t.Paper == nil {
		return "the spec names no table of a paper"
	}
	for _, row := range t.Paper.Rows {
		if slices.Contains(t.metrics, t.Experiment.Metric(row.Metric)) {
			t.rows = append(t.rows, row)
		}
	}
	if t.rows == nil {
		return "the table has none of these metrics"
	}
	_, column := t.Experiment.Param(t.Paper.Column)
	for _, c := range t.Cells {
		if name := c.Values[column].String(); !slices.Contains(t.Paper.Headers, name) {
			return fmt.Sprintf("%s is %s in some runs, which the table does not have", t.Paper.Column, name)
		}
		for _, p := range t.Axes {
			if c.Values[p].IsNull() {
				name := t.Experiment.Params[p].Name
				return fmt.Sprintf("%s varies, and only for some values of %s", name, t.Paper.Column)
			}
		}
	}
	t.sets = grouped(t.Cells, t.others)
	for i, list := range t.sets {
		t.sets[i] = make([]*results.Cell, len(t.Paper.Headers))
		for _, c := range list {
			t.sets[i][slices.Index(t.Paper.Headers, c.Values[column].String())] = c
		}
	}
	return ""
}

// others says which copy of the paper's table a cell belongs to, by the axes
// that the table does not have.
func (t *Table) others(c *results.Cell) (text string) {
	for _, p := range t.Axes {
		if name := t.Experiment.Params[p].Name; name != t.Paper.Column {
			text += fmt.Sprintf(", %s = %s", name, c.Values[p])
		}
	}
	return text
}

// Write writes the table. CSV and JSON have a record per cell and metric. It
// returns only w's errors.
func (t *Table) Write(w io.Writer, format string) error {
	switch format {
	case report.CSV:
		return report.Write(w, format, t.records())
	case report.JSON:
		return report.WriteJSON(w, t.JSON())
	}
	return report.Write(w, format, t.Tables()...)
}

// Tables returns the table for people: as often as the paper's is filled.
func (t *Table) Tables() (tables []*report.Table) {
	layOut := t.cellsTable
	if t.layout == Paper {
		layOut = t.paperTable
	}
	tables = lists.Map(t.sets, layOut)
	last := tables[len(tables)-1]
	last.Notes, last.Warnings = t.notes()
	return tables
}

// JSON returns the table for report.WriteJSON. Fields may be added; those
// that are there stay.
func (t *Table) JSON() any {
	_, warnings := t.notes()
	document := map[string]any{
		"spec": t.Spec, "experiment": t.Experiment.Name, "model_version": t.Experiment.Version,
		"runs": t.Runs, "ok": t.OK, "failed": t.Failed, "missing": t.Runs - t.OK - t.Failed,
		"layout": t.layout, "warnings": append([]string{}, warnings...), "rows": t.records(),
	}
	if p := t.Paper; t.layout == Paper {
		document["paper"] = map[string]string{
			"table": p.Name, "title": p.Title, "source": p.Source, "note": p.Note}
	}
	return document
}

// cellsTable returns the table with a row for each cell.
func (t *Table) cellsTable(cells []*results.Cell) *report.Table {
	e := t.Experiment
	table := &report.Table{Title: t.Spec + ": " + e.Title, Limit: t.limit}
	table.Columns = axisColumns(e, t.Axes, "")
	for k, p := range t.Axes {
		table.Columns[k].Unit = e.Params[p].Unit
	}
	table.Columns = append(table.Columns, report.Column{Name: "n"}, report.Column{Name: "failed"})
	table.Lead = len(table.Columns)
	if t.Failed == 0 {
		table.Columns[table.Lead-1].In = report.Programs
	}
	decimals := make([]int, len(e.Metrics))
	for _, m := range t.metrics {
		table.Columns = append(table.Columns, report.Column{Name: e.Metrics[m].Name, Unit: e.Metrics[m].Unit})
		var means, errors []float64
		for _, c := range cells {
			if x := c.Metrics[m]; x.N > 0 {
				means, errors = append(means, x.Mean), append(errors, x.SEM)
			}
		}
		decimals[m] = report.Decimals(means, errors)
	}
	table.Each = func(yield func([]any) bool) {
		for _, c := range cells {
			row := append(AxisCells(t.Axes, c.Values), t.ran(c), c.Failed)
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

// ran returns the number of a cell's successful runs, as far as the metrics shown
// tell: the greatest number of runs in which one of them is defined.
func (t *Table) ran(c *results.Cell) (n int64) {
	for _, m := range t.metrics {
		n = max(n, c.Metrics[m].N)
	}
	return n
}

// plusMinus returns a mean with its standard deviation, or with how far its
// confidence limits are.
func (t *Table) plusMinus(x inference.Statistics, decimals int) string {
	text, last, spread := report.Fixed(x.Mean, decimals), x.Mean, x.Std
	if t.layout == Limits {
		spread = x.CIHigh - x.Mean
	}
	if x.N > 1 {
		text += " ± " + report.Fixed(spread, decimals)
		last = cmp.Or(spread, last)
	}
	if last != 0 && !strings.ContainsAny(report.Fixed(last, decimals), "123456789–") { // too few decimals
		return t.plusMinus(x, report.Decimals([]float64{last}, []float64{x.SEM}))
	}
	return text
}

// paperTable returns one copy of the paper's table, with our numbers beside
// the paper's.
func (t *Table) paperTable(set []*results.Cell) *report.Table {
	table := &report.Table{Title: t.Paper.Title, Columns: []report.Column{{Left: true}}, Lead: 1}
	if t.Paper.Source != "" {
		table.Title += " (" + t.Paper.Source + ")"
	}
	table.Title += t.others(cmp.Or(set...))
	for h, c := range set {
		for _, name := range []string{"mean", "std", "paper mean", "paper std", "ratio"} {
			if c != nil {
				table.Columns = append(table.Columns, report.Column{Group: t.Paper.Headers[h], Name: name})
			}
		}
	}
	for _, row := range t.rows {
		m := t.Experiment.Metric(row.Metric)
		label := row.Label
		if !strings.Contains(label, "(") { // else it names a unit itself
			label = title(label, t.Experiment.Metrics[m].Unit)
		}
		line := []any{label}
		for h, c := range set {
			if c == nil {
				continue
			}
			x := c.Metrics[m]
			line = append(line, report.Fixed(x.Mean, row.Digits+1), report.Fixed(x.Std, row.Digits+1),
				report.Fixed(row.Mean[h], row.Digits), report.Fixed(row.Std[h], row.Digits),
				report.Fixed(ratio(x.Mean, row.Mean[h]), 3))
		}
		table.Rows = append(table.Rows, line)
	}
	return table
}

// ratio returns ours/paper's, NaN if there is none.
func ratio(ours, paper float64) float64 {
	if paper == 0 {
		return math.NaN()
	}
	return ours / paper
}

// records returns a row per cell and metric; in the layout of a paper, for the
// metrics of its rows. CSV has the parameters that tell cells apart, JSON all
// that a cell uses.
func (t *Table) records() *report.Table {
	e := t.Experiment
	table := &report.Table{Columns: slices.Concat(axisColumns(e, t.Axes, "", report.CSV),
		[]report.Column{{Name: "parameters", In: []string{report.JSON}}}, report.Data("metric", "unit", "n",
			"n_failed", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max"))}
	metrics := t.metrics
	if t.layout == Paper {
		table.Columns = append(table.Columns, report.Data("label", "paper_mean", "paper_std", "ratio")...)
		metrics = lists.Map(t.rows, func(row experiment.TableRow) int { return e.Metric(row.Metric) })
	}
	table.Each = func(yield func([]any) bool) {
		for i, c := range slices.Concat(t.sets...) {
			if c == nil {
				continue
			}
			used := map[string]experiment.Value{}
			for p, v := range c.Values {
				if !v.IsNull() {
					used[e.Params[p].Name] = v
				}
			}
			for k, m := range metrics {
				x := c.Metrics[m]
				row := append(AxisCells(t.Axes, c.Values), used, e.Metrics[m].Name, e.Metrics[m].Unit, x.N,
					c.Failed, x.Mean, x.Std, x.SEM, x.CILow, x.CIHigh, x.Min, x.Median, x.Max)
				if t.layout == Paper {
					paper, h := t.rows[k], i%len(t.Paper.Headers)
					row = append(row, paper.Label, paper.Mean[h], paper.Std[h], ratio(x.Mean, paper.Mean[h]))
				}
				if !yield(row) {
					return
				}
			}
		}
	}
	return table
}

// notes say what the numbers are made of, warnings what to doubt about them.
func (t *Table) notes() (notes, warnings []string) {
	e := t.Experiment
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	few, least, most := 0, int64(math.MaxInt64), int64(0)
	defined := make([]int64, len(e.Metrics)) // in how many runs
	for _, c := range t.Cells {
		n := t.ran(c)
		least, most = min(least, n), max(most, n)
		if n < inference.FewRuns {
			few++
		}
		for m, x := range c.Metrics {
			defined[m] += x.N
		}
	}

	what, over := "mean and standard deviation (n−1)", report.Count(most, "run")
	if t.layout == Limits {
		what = "mean and 95 % confidence limits by Student's t"
	}
	if least < most {
		over = fmt.Sprintf("%d to %d runs", least, most)
	}
	note("%s over n = %s", what, over)
	if t.layout == Paper && t.Paper.Note != "" {
		notes[0] += "; paper: " + t.Paper.Note
	}
	warnings = incomplete(t.Runs, t.OK, t.Failed, t.Stop)
	if stop := t.Stop; stop != nil {
		m := &e.Metrics[stop.Metric]
		interval := fmt.Sprintf("the %.4g %% interval of mean %s", 100*stop.Confidence, m.Name)
		width := strings.TrimSpace(fmt.Sprintf("± %.6g %s", stop.HalfWidth, m.Unit))
		if stop.Relative {
			width = fmt.Sprintf("± %.4g %%", 100*stop.HalfWidth)
		}
		note("cells got seeds until %s was within %s, %d to %d each", interval, width, stop.Min, stop.Max)
		if t.Unsure > 0 {
			warn("%d of %d cells have all their seeds, and %s is still wider than %s",
				t.Unsure, len(t.Cells), interval, width)
		}
	}
	switch {
	case few == len(t.Cells):
		warn("fewer than %d runs: the standard deviations are rough", inference.FewRuns)
	case few > 0:
		warn("fewer than %d runs in %d of %d cells: their standard deviations are rough",
			inference.FewRuns, few, len(t.Cells))
	}
	var nowhere []string
	for _, m := range t.metrics {
		if n := defined[m]; n == 0 && t.OK > 0 {
			nowhere = append(nowhere, e.Metrics[m].Name)
		} else if n < t.OK {
			warn("%s is undefined in %d of %d runs", e.Metrics[m].Name, t.OK-n, t.OK)
		}
	}
	if nowhere != nil {
		note("undefined in all of these runs: %s", strings.Join(nowhere, ", "))
	}
	if t.unfit != "" && t.Paper != nil {
		note("the paper's table is not shown: %s", t.unfit)
	}
	return notes, warnings
}
