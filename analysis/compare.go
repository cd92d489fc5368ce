package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/results"
)

// A Question asks how the cells of a sweep differ from a baseline.
type Question struct {
	By       int // the parameter that sets cells and baselines apart
	Baseline experiment.Value
	Metrics  []int // indices in the experiment's declaration
	Over     []int // parameters over whose values is averaged

	experiment *experiment.Experiment
	cells      [][]experiment.Value // of the plan; nil if there is no run
}

// Compare compares the runs of each cell in which one parameter has another
// value than the baseline's with those of the baseline in the same
// circumstances, paired by seed. It returns a table for each metric, with a row
// for each comparison.
//
// The circumstances of a cell are its other parameters. If cells differ by
// the algorithm they are the parameters that every algorithm uses, for these
// make what rivals face; among several baselines in the same circumstances
// those count that share most of the other parameters. It returns a
// *results.DataError if there is nothing to compare.
func Compare(v *results.Reader, q Question, f string) ([]*report.Table, error) {
	samples, err := v.Samples(false, results.Metrics(q.Metrics), nil)
	if err != nil {
		return nil, err
	}
	q.experiment, q.cells = v.Plan.Experiment(), make([][]experiment.Value, len(samples))
	for c, s := range samples {
		if s != nil {
			q.cells[c] = v.Plan.Point(int64(c)).Values
		}
	}
	groups := q.groups(q.partners())
	if len(groups) == 0 {
		return nil, q.noPair(v.Name)
	}
	var family []*Contrast // of each metric as many
	left, right := &expr.Node{Op: expr.Name}, &expr.Node{Op: expr.Name}
	difference := &expr.Node{Op: "-", Args: []*expr.Node{left, right}}
	for i := range q.Metrics {
		terms := []*term{{node: left, measure: i}, {node: right, measure: i}}
		for _, group := range groups {
			c := &Contrast{terms: terms, number: difference, left: left, right: right}
			c.sets = lists.Map(group, func(pair [2]int64) []int64 { return pair[:] })
			c.over = !cmp.Or(lists.Map(q.Over, func(p int) experiment.Value {
				return cmp.Or(q.cells[group[0][0]][p], q.cells[group[0][1]][p])
			})...).IsNull()
			family = append(family, c)
		}
	}
	// On all processors: resampling takes time.
	iter.ForEach(family, func(c **Contrast) { (*c).compute(samples) })
	return q.tables(family, v, f), nil
}

// correct sees contrasts as one family. It returns their p-values of no difference,
// NaN where there is no test, as adjusted for the whole family (Holm), the level of
// limits that hold for all of it together (Bonferroni), and how many tests there are.
func correct(family []*Contrast) (adjusted []float64, level float64, tests int) {
	for _, c := range family {
		p := c.Estimate.P(0)
		if adjusted = append(adjusted, p); !math.IsNaN(p) {
			tests++
		}
	}
	return inference.Holm(adjusted), inference.Simultaneous(inference.Confidence, tests), tests
}

// partners returns the cells to compare, each with its baselines.
func (q *Question) partners() (pairs [][2]int64) {
	baselines := map[string][]int{} // by their circumstances
	for c, values := range q.cells {
		if values != nil && values[q.By] == q.Baseline {
			key := q.circumstances(values)
			baselines[key] = append(baselines[key], c)
		}
	}
	for c, values := range q.cells {
		if values == nil || values[q.By] == q.Baseline || values[q.By].IsNull() {
			continue
		}
		most, from := 0, len(pairs)
		for _, b := range baselines[q.circumstances(values)] {
			shared := 0
			for p, v := range values {
				if v == q.cells[b][p] {
					shared++
				}
			}
			if shared > most {
				most, pairs = shared, pairs[:from]
			}
			if shared == most {
				pairs = append(pairs, [2]int64{int64(c), int64(b)})
			}
		}
	}
	return pairs
}

// circumstances returns a text of a cell's other parameters, if algorithms are
// compared of those that all of them use.
func (q *Question) circumstances(cell []experiment.Value) string {
	var key []byte
	for p, v := range cell {
		own := q.experiment.Params[q.By].Name == experiment.Algorithm && q.experiment.Params[p].UsedBy != nil
		if p != q.By && !own {
			key = fmt.Appendf(key, "%q ", v)
		}
	}
	return string(key)
}

// groups puts those pairs together that differ only in what is averaged
// over.
func (q *Question) groups(pairs [][2]int64) [][][2]int64 {
	return grouped(pairs, func(pair [2]int64) string {
		key := ""
		for p := range q.experiment.Params {
			if !slices.Contains(q.Over, p) {
				key += fmt.Sprintf("%q %q ", q.cells[pair[0]][p], q.cells[pair[1]][p])
			}
		}
		return key
	})
}

// grouped puts items with one key together, in the order of their first.
func grouped[T any](items []T, key func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, item := range items {
		k, ok := at[key(item)]
		if !ok {
			k = len(groups)
			at[key(item)], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], item)
	}
	return groups
}

// noPair is the fault of a comparison without any pair of cells.
func (q *Question) noPair(sweep string) error {
	var list []experiment.Value
	for _, cell := range q.cells {
		if cell != nil && !cell[q.By].IsNull() && !slices.Contains(list, cell[q.By]) {
			list = append(list, cell[q.By])
		}
	}
	text := fmt.Sprintf("no cell differs from %[1]s = %[2]s in %[1]s alone; there is %[1]s = %[3]s",
		q.experiment.Params[q.By].Name, q.Baseline, grid.Outline(list))
	return &results.DataError{Path: sweep, Message: text}
}

// axes returns the parameters that tell the compared cells apart from any others, and
// those that tell baselines apart where they are not the cell's own.
func (q *Question) axes(family []*Contrast, varying []int) (cell, baseline []int) {
	cells := lists.Map(family, func(c *Contrast) []experiment.Value { return q.cells[c.sets[0][0]] })
	baselines := lists.Map(family, func(c *Contrast) []experiment.Value { return q.cells[c.sets[0][1]] })
	varying = slices.DeleteFunc(slices.Clone(varying), func(p int) bool { return slices.Contains(q.Over, p) })
	some := slices.DeleteFunc(slices.Clone(q.cells), func(c []experiment.Value) bool { return c == nil })
	cell = slices.DeleteFunc(grid.Axes(q.experiment, varying, slices.Values(some)), func(p int) bool {
		used := func(c []experiment.Value) bool { return !c[p].IsNull() }
		return p == q.By || !slices.ContainsFunc(cells, used)
	})
	shared := func(p int) bool {
		same := func(cell, baseline []experiment.Value) bool { return cell[p] == baseline[p] }
		return slices.EqualFunc(cells, baselines, same)
	}
	baseline = slices.DeleteFunc(grid.Axes(q.experiment, varying, slices.Values(baselines)), shared)
	return append([]int{q.By}, cell...), baseline
}

// tables returns a table for each metric, at least one. The family has as many
// contrasts of each, one metric after another.
func (q *Question) tables(family []*Contrast, v *results.Reader, f string) (tables []*report.Table) {
	e := q.experiment
	axes, baselineAxes := q.axes(family, v.Plan.Varying)
	adjusted, level, tests := correct(family)
	var warnings, without []string
	n := len(family) / len(q.Metrics)
	for i, m := range q.Metrics {
		metric, list := &e.Metrics[m], family[i*n:(i+1)*n]
		paired := slices.ContainsFunc(list, func(c *Contrast) bool { return c.N > 0 })
		if slices.Contains(report.People, f) && !paired {
			without = append(without, metric.Name)
			continue
		}
		t := &report.Table{Lead: len(axes) + len(baselineAxes), Title: title(metric.Name, metric.Unit)}
		t.Title += fmt.Sprintf(", against %s = %s", e.Params[q.By].Name, q.Baseline)
		means := contrastColumns(list, "mean", "baseline mean", "diff.", "difference")
		t.Columns = slices.Concat(axisColumns(e, axes, ""), axisColumns(e, baselineAxes, "baseline"),
			report.Data("metric", "unit"), means, testColumns, footnoteColumns)
		for k, c := range list {
			t.Rows = append(t.Rows, slices.Concat(AxisCells(axes, q.cells[c.sets[0][0]]),
				AxisCells(baselineAxes, q.cells[c.sets[0][1]]), []any{metric.Name, metric.Unit},
				c.cells(), c.test(level, adjusted[i*n+k]), footnotes(&warnings, c.Warnings())))
		}
		tables = append(tables, t)
	}
	last := &report.Table{} // what is below all of them
	if tables != nil {
		what, limits, one := "pairs of runs with one seed", " one by one", "a run"
		if len(q.Over) > 0 {
			names := lists.Map(q.Over, func(p int) string { return e.Params[p].Name })
			what, limits, one = "values of "+strings.Join(names, " and ")+", over whose means is averaged", "", "a mean"
		}
		last.Notes = []string{
			"n " + what + "; the mean of their differences, with its 95 % limits" + limits,
			"p: of no difference, adjusted for " + report.Count(int64(tests), "comparison") + " after Holm",
			"prob. higher: how often " + one + " has the higher value than its partner, ties counting half",
		}
	}
	if without != nil {
		text := "left out, as no pair of runs with one seed has both values: "
		last.Notes = append(last.Notes, text+strings.Join(without, ", "))
	}
	last.Warnings = append(incomplete(v.Assigned(), v.OK(), v.Failed(), v.Plan.Stop()), warnings...)
	return append(tables, last)
}

// testColumns are those of test.
var testColumns = slices.Concat(report.Data("family_low", "family_high", "p", "p_is_bound", "p_holm"),
	[]report.Column{{Name: "p (Holm)", In: report.People},
		{Name: "prob. higher", Key: "superiority", Decimals: 2}},
	report.Data("superiority_low", "superiority_high"))

// test returns limits of a level, p-values, of which one is adjusted, and how often
// the difference is positive.
func (c *Contrast) test(level, adjusted float64) []any {
	low, high := c.Estimate.Interval(level)
	bound, shown := shownP(c.Estimate, adjusted)
	higher := inference.Superiority(c.sample, inference.Confidence)
	return []any{low, high, c.Estimate.P(0), bound, adjusted, shown, higher.Value, higher.Low, higher.High}
}

// shownP returns an adjusted p-value for people. A p-value from a bootstrap
// that could not have been smaller is only a bound.
func shownP(estimate *inference.Location, p float64) (bound bool, text string) {
	bound = estimate.Method == inference.Bootstrap && estimate.P(0) == inference.LeastP
	sign, digits := "", 3
	if bound {
		sign = "≤"
	} else if p < 0.0001 {
		sign, p = "<", 0.0001
	}
	if p < 0.001 {
		digits = 4
	}
	return bound, sign + report.Fixed(p, digits)
}
