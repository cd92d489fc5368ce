package analysis

import (
	"fmt"
	"maps"
	"slices"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/results"
)

// A Comparison sets one metric of a cell against that of its baseline.
type Comparison struct {
	Metric         int   // index in the experiment's declaration
	Cell, Baseline int64 // in the plan

	Pairs                 int // runs with a common seed
	Alone                 int // runs of the two cells without a partner
	Mean, BaselineMean    float64
	Difference            *inference.Location  // of the pairs: cell less baseline
	Low, High             float64              // limits of the difference, level inference.Confidence
	FamilyLow, FamilyHigh float64              // the same, for all comparisons together (Bonferroni)
	P, AdjustedP          float64              // of no difference; adjusted for all comparisons (Holm)
	Superiority           inference.Proportion // that a run of the cell has the higher value
}

// Doubts tell what to doubt about the numbers.
func (c *Comparison) Doubts() []string {
	list := slices.Clone(c.Difference.Doubts())
	if c.Difference.Method == inference.Bootstrap {
		list = append(list, "skewed: limits and p by the bootstrap")
	}
	if c.Alone > 0 {
		list = append(list, "some runs failed, are undefined or have no partner, and are left out")
	}
	return list
}

// Comparisons are all comparisons of one directory with a baseline.
type Comparisons struct {
	Reader *results.Reader
	By     int // the parameter that sets cells and baselines apart
	Value  experiment.Value
	List   []Comparison // by metric, then in the order of the plan

	experiment *experiment.Experiment
	cells      map[int64][]experiment.Value
	metrics    []int
	tests      int // comparisons with a p-value: the size of the family
}

// Compare compares the runs of each cell in which parameter by has another
// value than the baseline's with those of the baseline in the same
// circumstances, paired by seed. The metrics are indices in the
// experiment's declaration.
//
// The circumstances of a cell are its other parameters. If by is the
// algorithm they are the parameters that every algorithm uses, for these
// make what rivals face; among several baselines in the same circumstances
// those count that share most of the other parameters. It returns a
// *results.DataError if there is nothing to compare.
func Compare(v *results.Reader, by int, baseline experiment.Value, metrics []int) (*Comparisons, error) {
	measures := make([]measure, len(metrics))
	for i, m := range metrics {
		measures[i] = metric(m)
	}
	s, err := gather(v, false, measures, func(int64) bool { return true })
	if err != nil {
		return nil, err
	}
	r := &Comparisons{Reader: v, experiment: v.Plan.Experiment(), By: by, Value: baseline, cells: map[int64][]experiment.Value{}, metrics: metrics}
	order := slices.Sorted(maps.Keys(s.cells))
	for _, c := range order {
		values := make([]experiment.Value, len(r.experiment.Params))
		v.Plan.Cell(c, values)
		r.cells[c] = values
	}
	partners := r.partners(order)
	for i := range metrics {
		for _, p := range partners {
			r.List = append(r.List, compare(s, i, p[0], p[1]))
			r.List[len(r.List)-1].Metric = metrics[i]
		}
	}
	if len(r.List) == 0 {
		return nil, r.nothing()
	}
	r.correct()
	return r, nil
}

// compare compares one measure of two cells.
func compare(s *samples, measure int, cell, baseline int64) Comparison {
	c := Comparison{Cell: cell, Baseline: baseline}
	pairs, alone := aligned(s.column(cell, measure), s.column(baseline, measure))
	x, y := pairs[0], pairs[1]
	d := differences(x, y)
	c.Pairs, c.Alone = len(d), alone
	c.Mean, c.BaselineMean = inference.Describe(x).Mean, inference.Describe(y).Mean
	c.Difference = inference.Mean(d)
	c.Low, c.High = c.Difference.Interval(inference.Confidence)
	c.P = c.Difference.P(0)
	c.Superiority = inference.Superiority(d, inference.Confidence)
	return c
}

// correct sees the comparisons as one family.
func (r *Comparisons) correct() {
	p := make([]float64, len(r.List))
	for i := range r.List {
		p[i] = r.List[i].P
	}
	r.tests = tests(p)
	level := inference.Simultaneous(inference.Confidence, r.tests)
	for i, adjusted := range inference.Holm(p) {
		c := &r.List[i]
		c.AdjustedP = adjusted
		c.FamilyLow, c.FamilyHigh = c.Difference.Interval(level)
	}
}

// partners returns the cells to compare, each with its baseline.
func (r *Comparisons) partners(order []int64) [][2]int64 {
	circumstances := map[string][]int64{}
	for _, c := range order {
		if r.cells[c][r.By] == r.Value {
			key := r.circumstances(c)
			circumstances[key] = append(circumstances[key], c)
		}
	}
	var list [][2]int64
	for _, c := range order {
		if v := r.cells[c][r.By]; v == r.Value || v.IsNull() {
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

// nothing is the fault of a comparison without any pair of cells.
func (r *Comparisons) nothing() error {
	name := r.experiment.Params[r.By].Name
	values := map[experiment.Value]bool{}
	var list []string
	for _, c := range slices.Sorted(maps.Keys(r.cells)) {
		if v := r.cells[c][r.By]; !values[v] && !v.IsNull() {
			values[v] = true
			list = append(list, v.String())
		}
	}
	message := fmt.Sprintf("%s is %s in no run, it is %s", name, r.Value, join(list, "nothing"))
	if values[r.Value] {
		message = fmt.Sprintf("no cell differs from %s = %s in %s alone", name, r.Value, name)
	}
	return &results.DataError{Path: r.Reader.Name, Message: message}
}
