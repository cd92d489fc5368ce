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
}

// An Effect is the difference of one metric between a cell and its
// baseline, one of a family of them: left the cell, right the baseline.
type Effect struct {
	Contrast
	Metric                int
	Cell, Baseline        []experiment.Value
	P                     float64 // of no difference; NaN if there is no test
	AdjustedP             float64 // for the whole family (Holm)
	FamilyLow, FamilyHigh float64 // limits that hold for the whole family together (Bonferroni)
}

// Comparisons are all comparisons of one directory with a baseline.
type Comparisons struct {
	Question
	Reader *results.Reader

	experiment *experiment.Experiment
	cells      map[int64][]experiment.Value
	list       []*Effect // by metric, then in the order of the plan
	tests      int       // effects with a p-value: the size of the family
}

// Compare compares the runs of each cell in which one parameter has another
// value than the baseline's with those of the baseline in the same
// circumstances, paired by seed.
//
// The circumstances of a cell are its other parameters. If cells differ by
// the algorithm they are the parameters that every algorithm uses, for these
// make what rivals face; among several baselines in the same circumstances
// those count that share most of the other parameters. It returns a
// *results.DataError if there is nothing to compare.
func Compare(v *results.Reader, q Question) (*Comparisons, error) {
	samples, err := v.Samples(false, results.Metrics(q.Metrics), nil)
	if err != nil {
		return nil, err
	}
	r := &Comparisons{Question: q, Reader: v, experiment: v.Plan.Experiment(), cells: map[int64][]experiment.Value{}}
	var order []int64 // cells that have a run
	for c, s := range samples {
		if s != nil {
			order = append(order, int64(c))
			r.cells[int64(c)] = v.Plan.Point(int64(c)).Values
		}
	}
	groups := r.groups(r.partners(order))
	if len(groups) == 0 {
		return nil, r.nothing(order)
	}
	left, right := &expr.Node{Op: expr.Name}, &expr.Node{Op: expr.Name}
	difference := &expr.Node{Op: "-", Args: []*expr.Node{left, right}}
	for i, m := range q.Metrics {
		effect := func(group *[][2]int64) *Effect {
			var sets []*joined
			for _, p := range *group {
				sets = append(sets, join(column{left, samples[p[0]], i}, column{right, samples[p[1]], i}))
			}
			first := (*group)[0]
			return &Effect{Contrast: contrast(sets, difference, left, right), Metric: m, Cell: r.cells[first[0]], Baseline: r.cells[first[1]]}
		}
		r.list = append(r.list, iter.Map(groups, effect)...) // on all processors: resampling takes time
	}
	r.tests = correct(r.list)
	return r, nil
}

// correct sees effects as one family, and returns how many have a p-value.
func correct(family []*Effect) int {
	p := make([]float64, len(family))
	n := 0
	for i, x := range family {
		x.P = x.Estimate.P(0)
		if p[i] = x.P; !math.IsNaN(x.P) {
			n++
		}
	}
	level := inference.Simultaneous(inference.Confidence, n)
	for i, adjusted := range inference.Holm(p) {
		family[i].AdjustedP = adjusted
		family[i].FamilyLow, family[i].FamilyHigh = family[i].Estimate.Interval(level)
	}
	return n
}

// partners returns the cells to compare, each with its baselines.
func (r *Comparisons) partners(order []int64) (pairs [][2]int64) {
	baselines := map[string][]int64{} // by their circumstances
	for _, c := range order {
		if r.cells[c][r.By] == r.Question.Baseline {
			key := r.circumstances(c)
			baselines[key] = append(baselines[key], c)
		}
	}
	for _, c := range order {
		if v := r.cells[c][r.By]; v == r.Question.Baseline || v.IsNull() {
			continue
		}
		most, from := 0, len(pairs)
		for _, b := range baselines[r.circumstances(c)] {
			shared := 0
			for p, v := range r.cells[c] {
				if v == r.cells[b][p] {
					shared++
				}
			}
			if shared > most {
				most, pairs = shared, pairs[:from]
			}
			if shared == most {
				pairs = append(pairs, [2]int64{c, b})
			}
		}
	}
	return pairs
}

// circumstances returns a text of a cell's other parameters, if algorithms are
// compared of those that all of them use.
func (r *Comparisons) circumstances(cell int64) string {
	var key []byte
	for p, v := range r.cells[cell] {
		own := r.experiment.Params[r.By].Name == experiment.Algorithm && r.experiment.Params[p].UsedBy != nil
		if p != r.By && !own {
			key = fmt.Appendf(key, "%q ", v)
		}
	}
	return string(key)
}

// groups puts those pairs together that differ only in what is averaged
// over.
func (r *Comparisons) groups(pairs [][2]int64) [][][2]int64 {
	return grouped(pairs, func(pair [2]int64) string {
		key := ""
		for p := range r.experiment.Params {
			if !slices.Contains(r.Over, p) {
				key += fmt.Sprintf("%q %q ", r.cells[pair[0]][p], r.cells[pair[1]][p])
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
func (r *Comparisons) nothing(order []int64) error {
	var list []string
	for _, c := range order {
		if v := r.cells[c][r.By]; !v.IsNull() && !slices.Contains(list, v.String()) {
			list = append(list, v.String())
		}
	}
	name := r.experiment.Params[r.By].Name
	return &results.DataError{Path: r.Reader.Name, Message: fmt.Sprintf("no cell differs from %s = %s in %s alone; there is %s = %s",
		name, r.Question.Baseline, name, name, strings.Join(list, ", "))}
}

// axes returns the parameters that tell the compared cells apart, and those
// that tell baselines apart where they are not the cell's own.
func (r *Comparisons) axes() (cell, baseline []int) {
	var cells, baselines [][]experiment.Value
	for _, x := range r.list {
		cells, baselines = append(cells, x.Cell), append(baselines, x.Baseline)
	}
	averaged := func(p int) bool { return slices.Contains(r.Over, p) }
	shared := func(p int) bool {
		return !slices.ContainsFunc(r.list, func(x *Effect) bool { return x.Baseline[p] != x.Cell[p] })
	}
	varying := slices.DeleteFunc(slices.Clone(r.Reader.Plan.Varying()), averaged)
	cell = results.Axes(r.experiment, varying, slices.Values(cells))
	if !slices.Contains(cell, r.By) {
		cell = append([]int{r.By}, cell...)
	}
	return cell, slices.DeleteFunc(results.Axes(r.experiment, varying, slices.Values(baselines)), shared)
}

// Tables returns the comparisons as tables, one for each metric, with a row
// for each comparison.
func (r *Comparisons) Tables(f report.Format) (tables []*report.Table) {
	e := r.experiment
	axes, baselineAxes := r.axes()
	var warnings footnotes
	var without []string
	for _, m := range r.Metrics {
		list := slices.DeleteFunc(slices.Clone(r.list), func(x *Effect) bool { return x.Metric != m })
		empty := !slices.ContainsFunc(list, func(x *Effect) bool { return x.N > 0 })
		if empty && slices.Contains(report.People, f) {
			without = append(without, e.Metrics[m].Name)
			continue
		}
		t := &report.Table{Lead: len(axes) + len(baselineAxes), Columns: slices.Concat(axisColumns(e, axes, ""), axisColumns(e, baselineAxes, "baseline"))}
		t.Title = fmt.Sprintf("%s, against %s = %s", title(e.Metrics[m]), e.Params[r.By].Name, r.Question.Baseline)
		var contrasts []*Contrast
		for _, x := range list {
			contrasts = append(contrasts, &x.Contrast)
		}
		t.Columns = slices.Concat(t.Columns, []report.Column{data("metric"), data("unit")}, contrastColumns(contrasts, "mean", "baseline mean", "diff.", "difference"),
			[]report.Column{data("family_low"), data("family_high"), data("p"), data("p_is_bound"), data("p_holm"), {Name: "p (Holm)", In: report.People},
				{Name: "prob. higher", Key: "superiority", Decimals: 2}, data("superiority_low"), data("superiority_high"), people(""), data("warnings")})
		for _, x := range list {
			bound, shown := x.shownP()
			higher := inference.Superiority(x.sample, inference.Confidence)
			t.Rows = append(t.Rows, slices.Concat(axisCells(axes, x.Cell), axisCells(baselineAxes, x.Baseline), []any{e.Metrics[m].Name, e.Metrics[m].Unit}, x.cells(),
				[]any{x.FamilyLow, x.FamilyHigh, x.P, bound, x.AdjustedP, shown, higher.Value, higher.Low, higher.High}, warnings.cells(x.Warnings())))
		}
		tables = append(tables, t)
	}
	if tables == nil {
		tables = []*report.Table{{}}
	}
	last := tables[len(tables)-1]
	if last.Rows != nil {
		last.Notes = []string{
			"n pairs of runs with one seed; the mean of their differences, with its 95 % limits one by one",
			fmt.Sprintf("p: of no difference, adjusted for %s after Holm", report.Count(int64(r.tests), "comparison")),
			"prob. higher: how often a run has the higher value than its partner, ties counting half",
		}
		if len(r.Over) > 0 {
			last.Notes[0] = fmt.Sprintf("n values of %s, over whose means is averaged; the mean of their differences, with its 95 %% limits", e.Params[r.Over[0]].Name)
		}
	}
	if len(without) > 0 {
		last.Notes = append(last.Notes, "left out, as no pair of runs with one seed has both values: "+strings.Join(without, ", "))
	}
	last.Warnings = append(incomplete(r.Reader.Assigned(), r.Reader.OK(), r.Reader.Failed(), r.Reader.Plan.Stop()), warnings...)
	return tables
}

// shownP returns the adjusted p-value for people. A p-value from a bootstrap
// that could not have been smaller is only a bound.
func (x *Effect) shownP() (bound bool, text string) {
	bound = x.P == x.Estimate.LeastP() && x.P > 0
	p, sign, digits := x.AdjustedP, "", 3
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
