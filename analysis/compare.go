package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"sweep/experiment"
	"sweep/internal/expr"
	"sweep/internal/inference"
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

// An effect is the difference of one metric between a cell and its
// baseline, one of a family of them: left the cell, right the baseline.
type effect struct {
	Contrast
	cell, baseline        []experiment.Value
	p                     float64 // of no difference; NaN if there is no test
	adjustedP             float64 // for the whole family (Holm)
	familyLow, familyHigh float64 // limits that hold for the whole family together (Bonferroni)
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
func Compare(v *results.Reader, q Question, f report.Format) ([]*report.Table, error) {
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
		return nil, q.nothing(v.Name)
	}
	left, right := &expr.Node{Op: expr.Name}, &expr.Node{Op: expr.Name}
	difference := &expr.Node{Op: "-", Args: []*expr.Node{left, right}}
	var family []*effect
	for i := range q.Metrics {
		terms := []*term{{node: left, measure: i}, {node: right, measure: i}}
		family = append(family, iter.Map(groups, func(group *[][2]int) *effect { // on all processors: resampling takes time
			var sets []*joined
			for _, p := range *group {
				sets = append(sets, join(terms, []*results.Sample{samples[p[0]], samples[p[1]]}))
			}
			first := (*group)[0]
			return &effect{Contrast: contrast(sets, difference, left, right), cell: q.cells[first[0]], baseline: q.cells[first[1]]}
		})...)
	}
	return q.tables(family, correct(family), v, f), nil
}

// correct sees effects as one family, and returns how many have a p-value.
func correct(family []*effect) int {
	p := make([]float64, len(family))
	n := 0
	for i, x := range family {
		x.p = x.Estimate.P(0)
		if p[i] = x.p; !math.IsNaN(x.p) {
			n++
		}
	}
	level := inference.Simultaneous(inference.Confidence, n)
	for i, adjusted := range inference.Holm(p) {
		family[i].adjustedP = adjusted
		family[i].familyLow, family[i].familyHigh = family[i].Estimate.Interval(level)
	}
	return n
}

// partners returns the cells to compare, each with its baselines.
func (q *Question) partners() (pairs [][2]int) {
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
				pairs = append(pairs, [2]int{c, b})
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
func (q *Question) groups(pairs [][2]int) [][][2]int {
	return grouped(pairs, func(pair [2]int) string {
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

// nothing is the fault of a comparison without any pair of cells.
func (q *Question) nothing(sweep string) error {
	var list []string
	for _, cell := range q.cells {
		if cell != nil && !cell[q.By].IsNull() && !slices.Contains(list, cell[q.By].String()) {
			list = append(list, cell[q.By].String())
		}
	}
	name := q.experiment.Params[q.By].Name
	return &results.DataError{Path: sweep, Message: fmt.Sprintf("no cell differs from %s = %s in %s alone; there is %s = %s",
		name, q.Baseline, name, name, strings.Join(list, ", "))}
}

// axes returns the parameters that tell the compared cells apart, and those
// that tell baselines apart where they are not the cell's own.
func (q *Question) axes(family []*effect, varying []int) (cell, baseline []int) {
	var cells, baselines [][]experiment.Value
	for _, x := range family {
		cells, baselines = append(cells, x.cell), append(baselines, x.baseline)
	}
	varying = slices.DeleteFunc(slices.Clone(varying), func(p int) bool { return slices.Contains(q.Over, p) })
	cell = results.Axes(q.experiment, varying, slices.Values(cells))
	if !slices.Contains(cell, q.By) {
		cell = append([]int{q.By}, cell...)
	}
	shared := func(p int) bool {
		return !slices.ContainsFunc(family, func(x *effect) bool { return x.baseline[p] != x.cell[p] })
	}
	return cell, slices.DeleteFunc(results.Axes(q.experiment, varying, slices.Values(baselines)), shared)
}

// tables returns a table for each metric, at least one. The family has as many
// effects of each, one metric after another; so many of all have a p-value.
func (q *Question) tables(family []*effect, tests int, v *results.Reader, f report.Format) (tables []*report.Table) {
	e := q.experiment
	axes, baselineAxes := q.axes(family, v.Plan.Varying())
	var warnings footnotes
	var without []string
	n := len(family) / len(q.Metrics)
	for i, m := range q.Metrics {
		list := family[i*n : (i+1)*n]
		if slices.Contains(report.People, f) && !slices.ContainsFunc(list, func(x *effect) bool { return x.N > 0 }) {
			without = append(without, e.Metrics[m].Name)
			continue
		}
		t := &report.Table{Title: fmt.Sprintf("%s, against %s = %s", title(e.Metrics[m]), e.Params[q.By].Name, q.Baseline), Lead: len(axes) + len(baselineAxes)}
		var contrasts []*Contrast
		for _, x := range list {
			contrasts = append(contrasts, &x.Contrast)
			bound, shown := x.shownP()
			higher := inference.Superiority(x.sample, inference.Confidence)
			t.Rows = append(t.Rows, slices.Concat(axisCells(axes, x.cell), axisCells(baselineAxes, x.baseline), []any{e.Metrics[m].Name, e.Metrics[m].Unit}, x.cells(),
				[]any{x.familyLow, x.familyHigh, x.p, bound, x.adjustedP, shown, higher.Value, higher.Low, higher.High}, warnings.cells(x.Warnings())))
		}
		t.Columns = slices.Concat(axisColumns(e, axes, ""), axisColumns(e, baselineAxes, "baseline"), data("metric", "unit"),
			contrastColumns(contrasts, "mean", "baseline mean", "diff.", "difference"), data("family_low", "family_high", "p", "p_is_bound", "p_holm"),
			[]report.Column{{Name: "p (Holm)", In: report.People}, {Name: "prob. higher", Key: "superiority", Decimals: 2}},
			data("superiority_low", "superiority_high"), footnoteColumns)
		tables = append(tables, t)
	}
	if tables == nil {
		tables = []*report.Table{{}}
	}
	last := tables[len(tables)-1]
	if last.Rows != nil {
		last.Notes = []string{
			"n pairs of runs with one seed; the mean of their differences, with its 95 % limits one by one",
			fmt.Sprintf("p: of no difference, adjusted for %s after Holm", report.Count(int64(tests), "comparison")),
			"prob. higher: how often a run has the higher value than its partner, ties counting half",
		}
		if len(q.Over) > 0 {
			last.Notes[0] = fmt.Sprintf("n values of %s, over whose means is averaged; the mean of their differences, with its 95 %% limits", e.Params[q.Over[0]].Name)
		}
	}
	if without != nil {
		last.Notes = append(last.Notes, "left out, as no pair of runs with one seed has both values: "+strings.Join(without, ", "))
	}
	last.Warnings = append(incomplete(v.Assigned(), v.OK(), v.Failed(), v.Plan.Stop()), warnings...)
	return tables
}

// shownP returns the adjusted p-value for people. A p-value from a bootstrap
// that could not have been smaller is only a bound.
func (x *effect) shownP() (bound bool, text string) {
	bound = x.Estimate.Method == inference.Bootstrap && x.p == inference.LeastP
	p, sign, digits := x.adjustedP, "", 3
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
