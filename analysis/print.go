package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/report"
	"sweep/results"
)

// axisColumns returns the columns of parameters.
func axisColumns(e *experiment.Experiment, axes []int, group string) (list []report.Column) {
	for _, p := range axes {
		kind := e.Params[p].Kind
		c := report.Column{Group: group, Name: e.Params[p].Name, Left: kind == experiment.String || kind == experiment.Bool}
		if group != "" {
			c.Key = group + "_" + c.Name
		}
		list = append(list, c)
	}
	return list
}

// axisCells returns the values of parameters.
func axisCells(axes []int, values []experiment.Value) (list []any) {
	for _, p := range axes {
		if list = append(list, values[p]); values[p].IsNull() {
			list[len(list)-1] = nil
		}
	}
	return list
}

// data is a column for programs alone.
func data(name string) report.Column { return report.Column{Name: name, In: report.Programs} }

// contrastColumns returns the columns of contrasts: left and right are the
// names of the two means, estimate that of what is estimated from them, which
// has a key as well.
func contrastColumns(list []*Contrast, left, right, estimate, estimateKey string) []report.Column {
	var means, errors []float64
	for _, c := range list {
		if c.N > 0 {
			means, errors = append(means, c.Left, c.Right), append(errors, c.Estimate.SE)
		}
	}
	number := report.Column{Decimals: report.Decimals(means, errors), Signed: strings.HasPrefix(estimate, "diff")}
	column := func(group, name, key string) report.Column {
		c := number
		c.Group, c.Name, c.Key = group, name, key
		return c
	}
	key := func(name string) string { return strings.ReplaceAll(name, " ", "_") }
	columns := []report.Column{{Name: "n"}, data("alone"), column("", left, key(left)), column("", right, key(right)),
		column("", estimate, estimateKey), column("95 % limits", "low", "ci_low"), column("95 % limits", "high", "ci_high"), data("method")}
	for _, side := range []int{2, 3} {
		if columns[side].Signed = false; estimate == string(Value) { // it is the left one, against a number
			columns[side].In = report.Programs
		}
	}
	return columns
}

// cells returns the cells of contrastColumns.
func (c *Contrast) cells() []any {
	return []any{c.N, c.Alone, c.Left, c.Right, c.Estimate.Value, c.Low, c.High, string(c.Estimate.Method)}
}

// testColumns returns the columns of tests of one metric, of which each
// estimates a difference.
func testColumns(list []*Test, left, right string) []report.Column {
	var contrasts []*Contrast
	for _, t := range list {
		contrasts = append(contrasts, &t.Contrast)
	}
	columns := append([]report.Column{data("metric"), data("unit")}, contrastColumns(contrasts, left, right, "diff.", "difference")...)
	return append(columns, data("family_low"), data("family_high"), data("p"), data("p_is_bound"),
		data("p_holm"), report.Column{Name: "p (Holm)", In: report.People})
}

// cells returns the cells of testColumns. A p-value from a bootstrap that
// could not have been smaller is only a bound.
func (t *Test) cells(m experiment.Metric) []any {
	bound := t.P == t.Estimate.LeastP() && t.P > 0
	sign, p, digits := "", t.AdjustedP, 3
	if bound {
		sign = "≤"
	} else if p < 0.0001 {
		sign, p = "<", 0.0001
	}
	if p < 0.001 {
		digits = 4
	}
	return append(append([]any{m.Name, m.Unit}, t.Contrast.cells()...), t.FamilyLow, t.FamilyHigh, t.P, bound,
		t.AdjustedP, sign+report.Fixed(p, digits))
}

// title returns a metric's name with its unit.
func title(m experiment.Metric) string {
	if m.Unit == "" {
		return m.Name
	}
	return m.Name + " [" + m.Unit + "]"
}

// together says what is seen as one family.
func together(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "this one " + noun
	}
	return "these " + strconv.Itoa(n) + " " + noun + "s together"
}

// Footnotes gather doubts about the rows of a table under letters.
type footnotes struct{ texts []string }

// marks returns the letters of a row's doubts.
func (f *footnotes) marks(doubts []string) string {
	marks := ""
	for _, d := range doubts {
		at := slices.Index(f.texts, d)
		if at < 0 {
			at, f.texts = len(f.texts), append(f.texts, d)
		}
		marks += string(rune('a' + at))
	}
	return marks
}

// warnings returns the doubts with their letters.
func (f *footnotes) warnings() []string {
	var list []string
	for i, t := range f.texts {
		list = append(list, fmt.Sprintf("%c: %s", 'a'+i, t))
	}
	return list
}

// incomplete tells what a directory lacks.
func incomplete(v *results.Reader) []string {
	var list []string
	runs := v.Assigned()
	if missing := v.Missing(); missing > 0 {
		list = append(list, fmt.Sprintf("%d of %d runs are missing: the sweep is not finished", missing, runs))
	}
	if failed := v.Failed(); failed > 0 {
		list = append(list, fmt.Sprintf("%d of %d runs failed and are left out", failed, runs))
	}
	return list
}
