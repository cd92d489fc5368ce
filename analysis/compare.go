package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// A Comparison sets one metric of a cell against that of its baseline: left
// the cell, right the baseline, estimated is the difference.
type Comparison struct {
	Test
	Metric         int
	Cell, Baseline []experiment.Value
	Superiority    inference.Proportion // that a run of the cell has the higher value
}

// Comparisons are all comparisons of one directory with a baseline.
type Comparisons struct {
	Question
	Reader *results.Reader
	List   []*Comparison // by metric, then in the order of the plan

	experiment *experiment.Experiment
	cells      map[int64][]experiment.Value
	tests      int // comparisons with a p-value: the size of the family
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
	measures := make([]measure, len(q.Metrics))
	for i, m := range q.Metrics {
		measures[i] = metric(m)
	}
	samples, err := gather(v, false, measures, func(int64) bool { return true })
	if err != nil {
		return nil, err
	}
	r := &Comparisons{Question: q, Reader: v, experiment: v.Plan.Experiment(), cells: map[int64][]experiment.Value{}}
	order := slices.Sorted(maps.Keys(samples))
	for _, c := range order {
		r.cells[c] = make([]experiment.Value, len(r.experiment.Params))
		v.Plan.Cell(c, r.cells[c])
	}
	groups := r.groups(r.partners(order))
	if len(groups) == 0 {
		return nil, r.nothing()
	}
	var family []*Test
	for i, m := range q.Metrics {
		for _, pairs := range groups {
			c := compare(samples, i, pairs)
			c.Metric, c.Cell, c.Baseline = m, r.cells[pairs[0][0]], r.cells[pairs[0][1]]
			r.List, family = append(r.List, c), append(family, &c.Test)
		}
	}
	r.tests = correct(family)
	return r, nil
}

// compare compares one measure of pairs of cells: of several pairs, the
// means over the runs of each.
func compare(samples map[int64]*cellSample, measure int, pairs [][2]int64) *Comparison {
	var sets []*joined
	for _, p := range pairs {
		values, alone := aligned(column{samples[p[0]], measure}, column{samples[p[1]], measure})
		sets = append(sets, newJoined(alone, []*expr.Node{former, latter}, values))
	}
	c := &Comparison{}
	c.Contrast = contrast(sets, difference, former, latter)
	c.Superiority = inference.Superiority(c.sample, inference.Confidence)
	return c
}

// partners returns the cells to compare, each with its baseline.
func (r *Comparisons) partners(order []int64) [][2]int64 {
	circumstances := map[string][]int64{}
	for _, c := range order {
		if r.cells[c][r.By] == r.Question.Baseline {
			key := r.circumstances(c)
			circumstances[key] = append(circumstances[key], c)
		}
	}
	var list [][2]int64
	for _, c := range order {
		if v := r.cells[c][r.By]; v == r.Question.Baseline || v.IsNull() {
			continue
		}
		candidates := circumstances[r.circumstances(c)]
		most := 0
		for _, b := range candidates {
			most = max(most, r.shared(c, b))
		}
		for _, b := range candidates {
			if r.shared(c, b) == most {
				list = append(list, [2]int64{c, b})
			}
		}
	}
	return list
}

// circumstances returns a text that is the same for cells that may be
// compared.
func (r *Comparisons) circumstances(cell int64) string {
	params := r.experiment.Params
	key := ""
	for i, v := range r.cells[cell] {
		if i != r.By && (params[r.By].Name != experiment.Algorithm || params[i].UsedBy == nil) {
			key += fmt.Sprintf("%q ", v)
		}
	}
	return key
}

// shared counts the parameters in which two cells agree.
func (r *Comparisons) shared(a, b int64) int {
	n := 0
	for i, v := range r.cells[a] {
		if v == r.cells[b][i] {
			n++
		}
	}
	return n
}

// groups puts those pairs together that differ only in what is averaged
// over.
func (r *Comparisons) groups(pairs [][2]int64) [][][2]int64 {
	var list [][][2]int64
	at := map[string]int{}
	for _, p := range pairs {
		key := ""
		for _, cell := range p {
			for i, v := range r.cells[cell] {
				if !slices.Contains(r.Over, i) {
					key += fmt.Sprintf("%q ", v)
				}
			}
		}
		k, ok := at[key]
		if !ok {
			k = len(list)
			at[key], list = k, append(list, nil)
		}
		list[k] = append(list[k], p)
	}
	return list
}

// nothing is the fault of a comparison without any pair of cells.
func (r *Comparisons) nothing() error {
	name := r.experiment.Params[r.By].Name
	var list []string
	known := false
	for _, c := range slices.Sorted(maps.Keys(r.cells)) {
		v := r.cells[c][r.By]
		known = known || v == r.Question.Baseline
		if !v.IsNull() && !slices.Contains(list, v.String()) {
			list = append(list, v.String())
		}
	}
	message := fmt.Sprintf("%s is %s in no run, it is %s", name, r.Question.Baseline, strings.Join(append(list, "nothing")[:max(1, len(list))], ", "))
	if known {
		message = fmt.Sprintf("no cell differs from %s = %s in %s alone", name, r.Question.Baseline, name)
	}
	return &results.DataError{Path: r.Reader.Name, Message: message}
}

// axes returns the parameters that tell the compared cells apart, and those
// that tell baselines apart where they are not the cell's own.
func (r *Comparisons) axes() (cell, baseline []int) {
	var cells, baselines [][]experiment.Value
	for _, c := range r.List {
		cells, baselines = append(cells, c.Cell), append(baselines, c.Baseline)
	}
	averaged := func(p int) bool { return slices.Contains(r.Over, p) }
	varying := slices.DeleteFunc(slices.Clone(r.Reader.Plan.Varying()), averaged)
	cell = results.Axes(r.experiment, varying, cells)
	if !slices.Contains(cell, r.By) {
		cell = append([]int{r.By}, cell...)
	}
	for _, p := range varying {
		varies := slices.ContainsFunc(baselines, func(b []experiment.Value) bool { return b[p] != baselines[0][p] })
		if varies && slices.ContainsFunc(r.List, func(c *Comparison) bool { return c.Cell[p] != c.Baseline[p] }) {
			baseline = append(baseline, p)
		}
	}
	return cell, baseline
}

// Tables returns the comparisons as tables, one for each metric, with a row
// for each comparison.
func (r *Comparisons) Tables(f report.Format) []*report.Table {
	e := r.experiment
	axes, baselineAxes := r.axes()
	var notes footnotes
	var without []string
	var tables []*report.Table
	for _, m := range r.Metrics {
		var list []*Comparison
		var family []*Test
		pairs := 0
		for _, c := range r.List {
			if c.Metric == m {
				list, family, pairs = append(list, c), append(family, &c.Test), pairs+c.N
			}
		}
		if pairs == 0 && slices.Contains(report.People, f) {
			without = append(without, e.Metrics[m].Name)
			continue
		}
		t := &report.Table{Lead: len(axes) + len(baselineAxes), Columns: slices.Concat(axisColumns(e, axes, ""), axisColumns(e, baselineAxes, "baseline"))}
		t.Title = fmt.Sprintf("%s, against %s = %s", title(e.Metrics[m]), e.Params[r.By].Name, r.Question.Baseline)
		t.Columns = append(t.Columns, testColumns(family, "mean", "baseline mean")...)
		t.Columns = append(t.Columns, report.Column{Name: "prob. higher", Key: "superiority", Decimals: 2},
			data("superiority_low"), data("superiority_high"), report.Column{Left: true, In: report.People}, data("warnings"))
		for _, c := range list {
			row := slices.Concat(axisCells(axes, c.Cell), axisCells(baselineAxes, c.Baseline), c.cells(e.Metrics[m]))
			t.Rows = append(t.Rows, append(row, c.Superiority.Value, c.Superiority.Low, c.Superiority.High,
				notes.marks(c.Doubts()), strings.Join(c.Doubts(), ", ")))
		}
		tables = append(tables, t)
	}
	last := &report.Table{}
	if len(tables) > 0 {
		last = tables[len(tables)-1]
		last.Notes = []string{
			"n pairs of runs with one seed; the mean of their differences, with its 95 % limits one by one",
			fmt.Sprintf("p: of no difference, adjusted for %s after Holm", together(r.tests, "comparison")),
			"prob. higher: how often a run has the higher value than its partner, ties counting half",
		}
		if len(r.Over) > 0 {
			last.Notes[0] = fmt.Sprintf("n values of %s, over whose means is averaged; the mean of their differences, with its 95 %% limits", paramNames(e)[r.Over[0]])
		}
	} else {
		tables = []*report.Table{last}
	}
	if len(without) > 0 {
		last.Notes = append(last.Notes, "left out, as no pair of runs with one seed has both values: "+strings.Join(without, ", "))
	}
	last.Warnings = append(incomplete(r.Reader), notes.warnings()...)
	return tables
}
