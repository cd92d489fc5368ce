package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweep/experiment"
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
	var measures []measure
	for _, m := range q.Metrics {
		measures = append(measures, metric(m))
	}
	samples, err := gather(v, false, measures)
	if err != nil {
		return nil, err
	}
	r := &Comparisons{Question: q, Reader: v, experiment: v.Plan.Experiment(), cells: map[int64][]experiment.Value{}}
	order := slices.Sorted(maps.Keys(samples))
	for _, c := range order {
		r.cells[c] = v.Plan.Point(c).Values
	}
	groups := r.groups(r.partners(order))
	if len(groups) == 0 {
		return nil, r.nothing(order)
	}
	for i, m := range q.Metrics {
		for _, group := range groups {
			var pairs [][2]*cellSample
			for _, p := range group {
				pairs = append(pairs, [2]*cellSample{samples[p[0]], samples[p[1]]})
			}
			x := effect(i, pairs...)
			x.Metric, x.Cell, x.Baseline = m, r.cells[group[0][0]], r.cells[group[0][1]]
			r.list = append(r.list, x)
		}
	}
	r.tests = correct(r.list)
	return r, nil
}

// partners returns the cells to compare, each with its baseline.
func (r *Comparisons) partners(order []int64) (pairs [][2]int64) {
	var baselines []int64
	for _, c := range order {
		if r.cells[c][r.By] == r.Question.Baseline {
			baselines = append(baselines, c)
		}
	}
	for _, c := range order {
		if v := r.cells[c][r.By]; v == r.Question.Baseline || v.IsNull() {
			continue
		}
		most, from := 0, len(pairs)
		for _, b := range baselines {
			switch n := r.shared(r.cells[c], r.cells[b]); {
			case n > most:
				most, pairs = n, append(pairs[:from], [2]int64{c, b})
			case n == most:
				pairs = append(pairs, [2]int64{c, b})
			}
		}
	}
	return pairs
}

// shared counts the parameters in which two cells agree; −1 if their
// circumstances are not the same.
func (r *Comparisons) shared(a, b []experiment.Value) (n int) {
	params := r.experiment.Params
	for p := range a {
		own := params[r.By].Name == experiment.Algorithm && params[p].UsedBy != nil
		if a[p] == b[p] {
			n++
		} else if p != r.By && !own {
			return -1
		}
	}
	return n
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
	cell = results.Axes(r.experiment, varying, cells)
	if !slices.Contains(cell, r.By) {
		cell = append([]int{r.By}, cell...)
	}
	return cell, slices.DeleteFunc(results.Axes(r.experiment, varying, baselines), shared)
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
		for _, x := range list {
			t.Rows = append(t.Rows, slices.Concat(axisCells(axes, x.Cell), axisCells(baselineAxes, x.Baseline)))
		}
		addEffects(t, e, list, "mean", "baseline mean", true, &warnings)
		tables = append(tables, t)
	}
	if tables == nil {
		tables = []*report.Table{{}}
	}
	last := tables[len(tables)-1]
	if last.Rows != nil {
		last.Notes = []string{
			"n pairs of runs with one seed; the mean of their differences, with its 95 % limits one by one",
			adjusted(r.tests, "comparison"),
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
