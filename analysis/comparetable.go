package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/results"
)

// correct corrects for the number of contrasts. It returns their p-values of no
// difference as adjusted by Holm, NaN without a test, the level of limits that
// all hold together (Bonferroni), and the number of tests.
func correct(family []*Contrast) (adjusted []float64, level float64, tests int) {
	for _, c := range family {
		p := c.Estimate.P(0)
		adjusted = append(adjusted, p)
		if !math.IsNaN(p) {
			tests++
		}
	}
	return inference.Holm(adjusted), inference.Simultaneous(inference.Confidence, tests), tests
}

// cell returns the values of the cell that a contrast compares.
func (q *Question) cell(c *Contrast) []experiment.Value { return q.cells[c.sets[0][0]] }

// baseline returns the values of the baseline of a contrast.
func (q *Question) baseline(c *Contrast) []experiment.Value { return q.cells[c.sets[0][1]] }

// axes returns the parameters that tell the compared cells from other cells,
// and those that tell baselines apart and differ from the cell's own.
func (q *Question) axes(family []*Contrast, varying []int) (cell, baseline []int) {
	varying = slices.Clone(varying)
	varying = slices.DeleteFunc(varying, func(p int) bool {
		return slices.Contains(q.Over, p)
	})
	cells := slices.Clone(q.cells)
	cells = slices.DeleteFunc(cells, func(c []experiment.Value) bool {
		return c == nil
	})
	cell = []int{q.By}
	for _, p := range grid.Axes(q.experiment, varying, slices.Values(cells)) {
		used := slices.ContainsFunc(family, func(c *Contrast) bool {
			return isSet(q.cell(c)[p])
		})
		if used && p != q.By {
			cell = append(cell, p)
		}
	}
	var baselines [][]experiment.Value
	for _, c := range family {
		baselines = append(baselines, q.baseline(c))
	}
	for _, p := range grid.Axes(q.experiment, varying, slices.Values(baselines)) {
		own := slices.ContainsFunc(family, func(c *Contrast) bool {
			return q.baseline(c)[p] != q.cell(c)[p]
		})
		if own {
			baseline = append(baseline, p)
		}
	}
	return cell, baseline
}

// A family is contrasts of several metrics, the same number for each metric,
// one metric after another. They are corrected together.
type family struct {
	metrics   []*experiment.Metric
	contrasts []*Contrast

	title   string // what follows the name of a metric in the title of its table
	columns contrastColumns
	lead    func(c *Contrast) []table.Cell // tells what is compared
	last    func(c *Contrast) []table.Cell // what else is said of it; nil: nothing
}

// tables returns a table for each metric, and what is said about all of them:
// the warnings, the number of tests, and for people, the metrics that have no
// table because nothing could be compared.
func (f *family) tables(format string) (
	tables []*table.Table, warnings []string, tests int, without []string,
) {
	adjusted, level, tests := correct(f.contrasts)
	n := len(f.contrasts) / len(f.metrics)
	for i, metric := range f.metrics {
		list := f.contrasts[i*n : (i+1)*n]
		forPeople := slices.Contains(table.People, format)
		if forPeople && !slices.ContainsFunc(list, hasRuns) {
			without = append(without, metric.Name)
			continue
		}
		t := &table.Table{Lead: len(f.lead(list[0]))}
		t.Title = title(metric.Name, metric.Unit) + f.title
		columns := f.columns
		columns.fit(list)
		for k, c := range list {
			row := append(f.lead(c),
				table.ForPrograms("metric", metric.Name),
				table.ForPrograms("unit", metric.Unit),
			)
			row = append(row, columns.cells(c)...)
			row = append(row, c.test(level, adjusted[i*n+k])...)
			if f.last != nil {
				row = append(row, f.last(c)...)
			}
			t.Add(append(row, footnotes(&warnings, c.Warnings())...))
		}
		tables = append(tables, t)
	}
	return tables, warnings, tests, without
}

// tables returns a table for each metric, and one with the notes on all of
// them.
func (q *Question) tables(
	contrasts []*Contrast, v *results.Reader, format string) []*table.Table {
	axes, baselineAxes := q.axes(contrasts, v.Plan.Varying)
	f := &family{
		contrasts: contrasts,
		title:     fmt.Sprintf(", against %s = %s", q.experiment.Params[q.By].Name, q.Baseline),
		columns: contrastColumns{
			left:     "mean",
			right:    "baseline mean",
			estimate: "diff.",
			key:      "difference",
		},
	}
	for _, m := range q.Metrics {
		f.metrics = append(f.metrics, &q.experiment.Metrics[m])
	}
	f.lead = func(c *Contrast) []table.Cell {
		row := AxisCells(q.experiment, axes, q.cell(c))
		for _, cell := range AxisCells(q.experiment, baselineAxes, q.baseline(c)) {
			cell.Group = "baseline"
			cell.Key = "baseline_" + cell.Name
			row = append(row, cell)
		}
		return row
	}
	tables, warnings, tests, without := f.tables(format)
	last := &table.Table{Warnings: incompleteRuns(v)}
	if q.seedless > 0 {
		last.Warnings = append(last.Warnings, seedless(q.seedless))
	}
	last.Warnings = append(last.Warnings, warnings...)
	if tables != nil {
		last.Notes = q.notes(tests)
	}
	if without != nil {
		last.Notes = append(last.Notes, leftOut(without))
	}
	return append(tables, last)
}

// leftOut says which metrics have no table.
func leftOut(metrics []string) string {
	return "left out, as no pair of runs with one seed has both values: " +
		strings.Join(metrics, ", ")
}

func hasRuns(c *Contrast) bool { return c.N > 0 }

// notes explains the columns of the tables.
func (q *Question) notes(tests int) []string {
	pairs := "pairs of runs with one seed"
	limits := " one by one"
	one := "a run"
	comparisons := table.Count(int64(tests), "comparison")
	if len(q.Over) > 0 {
		var names []string
		for _, p := range q.Over {
			names = append(names, q.experiment.Params[p].Name)
		}
		pairs = "values of " + strings.Join(names, " and ") + ", over whose means is averaged"
		limits = ""
		one = "a mean"
	}
	return []string{
		"n " + pairs + "; the mean of their differences, with its 95 % limits" + limits,
		"p: of no difference, adjusted for " + comparisons + " after Holm",
		fmt.Sprintf("prob. higher: how often %s has the higher value than its partner, "+
			"ties counting half", one),
	}
}

// test returns the limits at a level, p-values, one of them adjusted, and how
// often the difference is positive.
func (c *Contrast) test(level, adjusted float64) []table.Cell {
	low, high := c.Estimate.Interval(level)
	isBound, shown := shownP(c.Estimate, adjusted)
	higher := inference.Superiority(c.sample, inference.Confidence)
	return []table.Cell{
		table.ForPrograms("family_low", low),
		table.ForPrograms("family_high", high),
		table.ForPrograms("p", c.Estimate.P(0)),
		table.ForPrograms("p_is_bound", isBound),
		table.ForPrograms("p_holm", adjusted),
		{Name: "p (Holm)", In: table.People, Value: shown},
		{Name: "prob. higher", Key: "superiority", Decimals: 2, Value: higher.Value},
		table.ForPrograms("superiority_low", higher.Low),
		table.ForPrograms("superiority_high", higher.High),
	}
}

// shownP returns an adjusted p-value for people. The p-value of a bootstrap
// that could not have been smaller is only a bound.
func shownP(estimate *inference.Location, p float64) (isBound bool, text string) {
	const smallest = 0.0001 // that is shown
	isBound = estimate.Method == inference.Bootstrap && estimate.P(0) == inference.MinP
	sign := ""
	if isBound {
		sign = "≤"
	} else if p < smallest {
		sign = "<"
		p = smallest
	}
	digits := 3
	if p < 0.001 {
		digits = 4
	}
	return isBound, sign + table.Fixed(p, digits)
}
