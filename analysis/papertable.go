package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/table"
	"sweep/results"
)

// fillPaper distributes the cells over copies of the paper's table, one for
// each combination of the other axes, or says why it cannot.
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
		header := c.Values[column].String()
		if !slices.Contains(t.Paper.Headers, header) {
			return fmt.Sprintf("%s is %s in some runs, which the table does not have",
				t.Paper.Column, header)
		}
		for _, p := range t.Axes {
			if c.Values[p].IsNull() {
				return fmt.Sprintf("%s varies, and only for some values of %s",
					t.Experiment.Params[p].Name, t.Paper.Column)
			}
		}
	}
	t.sets = grouped(t.Cells, t.others)
	for i, cells := range t.sets {
		t.sets[i] = make([]*results.Cell, len(t.Paper.Headers))
		for _, c := range cells {
			header := c.Values[column].String()
			t.sets[i][slices.Index(t.Paper.Headers, header)] = c
		}
	}
	return ""
}

// others names the copy of the paper's table that a cell belongs to: the values
// of the axes that the table does not have.
func (t *Table) others(c *results.Cell) (text string) {
	for _, p := range t.Axes {
		if name := t.Experiment.Params[p].Name; name != t.Paper.Column {
			text += fmt.Sprintf(", %s = %s", name, c.Values[p])
		}
	}
	return text
}

// paperTable returns one copy of the paper's table, with our numbers beside
// the paper's.
func (t *Table) paperTable(set []*results.Cell) *table.Table {
	shown := &table.Table{Title: t.Paper.Title, Lead: 1}
	if t.Paper.Source != "" {
		shown.Title += " (" + t.Paper.Source + ")"
	}
	for _, c := range set {
		if c != nil {
			shown.Title += t.others(c)
			break
		}
	}
	for _, row := range t.rows {
		m := t.Experiment.Metric(row.Metric)
		label := row.Label
		if !strings.Contains(label, "(") { // else it names a unit itself
			label = title(label, t.Experiment.Metrics[m].Unit)
		}
		line := []table.Cell{table.Left("", label)}
		for h, c := range set {
			if c != nil {
				line = append(line, t.beside(c, row, h)...)
			}
		}
		shown.Add(line)
	}
	return shown
}

// beside returns our mean and standard deviation in a cell, and those in a
// column of the paper's row. Where means are taken, the standard deviations are
// that of runs at one value of what is averaged over, and that of the means.
func (t *Table) beside(c *results.Cell, row experiment.TableRow, column int) []table.Cell {
	x := c.Metrics[t.Experiment.Metric(row.Metric)]
	printed := row.Mean[column]
	cells := []table.Cell{table.Right("mean", table.Fixed(x.Mean, row.Digits+1))}
	if t.Over == nil {
		cells = append(cells, table.Right("std", table.Fixed(x.Std, row.Digits+1)))
	} else {
		within := c.Within[t.Experiment.Metric(row.Metric)]
		cells = append(cells,
			table.Right("std within", table.Fixed(within, row.Digits+1)),
			table.Right("std between", table.Fixed(x.Std, row.Digits+1)))
	}
	cells = append(cells,
		table.Right("paper mean", table.Fixed(printed, row.Digits)),
		table.Right("paper std", table.Fixed(row.Std[column], row.Digits)),
		table.Right("ratio", table.Fixed(ratio(x.Mean, printed), 3)))
	for i := range cells {
		cells[i].Group = t.Paper.Headers[column]
	}
	return cells
}

// ratio returns our number divided by the paper's, NaN if that is 0.
func ratio(ours, paper float64) float64 {
	if paper == 0 {
		return math.NaN()
	}
	return ours / paper
}
