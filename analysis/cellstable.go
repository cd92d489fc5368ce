package analysis

import (
	"math"
	"strings"

	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/results"
)

// cellsTable returns the table with a row for each cell.
func (t *Table) cellsTable(cells []*results.Cell) *table.Table {
	shown := &table.Table{
		Title: t.Spec + ": " + t.Heading,
		Lead:  len(t.Axes) + 2,
		Limit: t.limit,
		Total: len(cells),
	}
	decimals := make([]int, len(t.Experiment.Metrics))
	for _, m := range t.metrics {
		var means, errors []float64
		for _, c := range cells {
			if x := c.Metrics[m]; x.N > 0 {
				means = append(means, x.Mean)
				errors = append(errors, x.SEM)
			}
		}
		decimals[m] = table.Decimals(means, errors)
	}
	shown.Records = func(yield func([]table.Cell) bool) {
		for _, c := range cells {
			if !yield(t.row(c, decimals)) {
				return
			}
		}
	}
	return shown
}

// row returns the row of a cell, with the decimals of each metric.
func (t *Table) row(c *results.Cell, decimals []int) []table.Cell {
	row := AxisCells(t.Experiment, t.Axes, c.Values)
	for i, p := range t.Axes {
		row[i].Unit = t.Experiment.Params[p].Unit
	}
	failed := table.Right("failed", c.Failed)
	if t.Failed == 0 {
		failed.In = table.Programs
	}
	row = append(row, table.Right("n", t.ran(c)), failed)
	for _, m := range t.metrics {
		metric := &t.Experiment.Metrics[m]
		text := t.plusMinus(c.Metrics[m], decimals[m])
		row = append(row, table.Cell{Name: metric.Name, Unit: metric.Unit, Value: text})
	}
	return row
}

// ran returns the number of a cell's successful runs: the largest number of
// runs in which a metric shown is defined.
func (t *Table) ran(c *results.Cell) (n int64) {
	for _, m := range t.metrics {
		n = max(n, c.Metrics[m].N)
	}
	return n
}

// plusMinus returns a mean with its standard deviation, or with the distance of
// its confidence limits. Its numbers get more decimals than the column if those
// would change them too much.
func (t *Table) plusMinus(x inference.Statistics, decimals int) string {
	spread := x.Std
	if t.layout == Limits {
		spread = x.CIHigh - x.Mean
	}
	last := x.Mean // the number that must show its digits
	if x.N > 1 && spread != 0 {
		last = spread
	}
	if isCoarse(last, decimals) {
		own := table.Decimals([]float64{x.Mean, last}, []float64{x.SEM})
		decimals = max(decimals, own)
	}
	text := table.Fixed(x.Mean, decimals)
	if x.N > 1 {
		text += " ± " + table.Fixed(spread, decimals)
	}
	if last != 0 && !strings.ContainsAny(table.Fixed(last, decimals), "123456789–") {
		return t.plusMinus(x, table.Decimals([]float64{last}, []float64{x.SEM}))
	}
	return text
}

// isCoarse reports whether some decimals change a number by more than a
// twentieth.
func isCoarse(x float64, decimals int) bool {
	unit := math.Pow(10, -float64(decimals))
	shown := float64(math.Round(x/unit) * unit)
	return math.Abs(shown-x) > math.Abs(x)/20
}
