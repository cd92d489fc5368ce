package analysis

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/report"
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

// A column for programs or for people alone.
func data(name string) report.Column { return report.Column{Name: name, In: report.Programs} }
func people(name string) report.Column {
	return report.Column{Name: name, Left: true, In: report.People}
}

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
	decimals := report.Decimals(means, errors)
	signed := strings.HasPrefix(estimate, "diff")
	columns := []report.Column{{Name: "n"}, data("alone"),
		{Name: left, Key: strings.ReplaceAll(left, " ", "_"), Decimals: decimals},
		{Name: right, Key: strings.ReplaceAll(right, " ", "_"), Decimals: decimals},
		{Name: estimate, Key: estimateKey, Decimals: decimals, Signed: signed},
		{Group: "95 % limits", Name: "low", Key: "ci_low", Decimals: decimals, Signed: signed},
		{Group: "95 % limits", Name: "high", Key: "ci_high", Decimals: decimals, Signed: signed}, data("method")}
	if estimate == string(Value) { // it is the left one, against a number
		columns[2].In, columns[3].In = report.Programs, report.Programs
	}
	return columns
}

// cells returns the cells of contrastColumns.
func (c *Contrast) cells() []any {
	return []any{c.N, c.Alone, c.Left, c.Right, c.Estimate.Value, c.Low, c.High, string(c.Estimate.Method)}
}

// addEffects adds effects to a table, one to each of its rows: left and right
// are the names of the two means.
func addEffects(t *report.Table, e *experiment.Experiment, list []*Effect, left, right string, superiority bool, warnings *footnotes) {
	var contrasts []*Contrast
	for _, x := range list {
		contrasts = append(contrasts, &x.Contrast)
	}
	t.Columns = slices.Concat(t.Columns, []report.Column{data("metric"), data("unit")}, contrastColumns(contrasts, left, right, "diff.", "difference"),
		[]report.Column{data("family_low"), data("family_high"), data("p"), data("p_is_bound"), data("p_holm"), {Name: "p (Holm)", In: report.People}})
	if superiority {
		t.Columns = append(t.Columns, report.Column{Name: "prob. higher", Key: "superiority", Decimals: 2}, data("superiority_low"), data("superiority_high"))
	}
	t.Columns = append(t.Columns, people(""), data("warnings"))
	for i, x := range list {
		bound, shown := x.shownP()
		row := slices.Concat(t.Rows[i], []any{e.Metrics[x.Metric].Name, e.Metrics[x.Metric].Unit}, x.cells(),
			[]any{x.FamilyLow, x.FamilyHigh, x.P, bound, x.AdjustedP, shown})
		if superiority {
			row = append(row, x.Superiority.Value, x.Superiority.Low, x.Superiority.High)
		}
		t.Rows[i] = append(row, warnings.cells(x.Warnings())...)
	}
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

// adjusted says for what p-values are adjusted.
func adjusted(n int, noun string) string {
	return fmt.Sprintf("p: of no difference, adjusted for %s after Holm", report.Count(int64(n), noun))
}

// title returns a metric's name with its unit.
func title(m experiment.Metric) string {
	if m.Unit == "" {
		return m.Name
	}
	return m.Name + " [" + m.Unit + "]"
}

// Footnotes gather warnings about the rows of a table, each after its letter.
type footnotes []string

// cells returns the letters of a row's warnings for people, and all in words
// for programs.
func (f *footnotes) cells(warnings []string) []any {
	marks := ""
	for _, d := range warnings {
		at := slices.IndexFunc(*f, func(note string) bool { return note[3:] == d })
		if at < 0 {
			at, *f = len(*f), append(*f, fmt.Sprintf("%c: %s", 'a'+len(*f), d))
		}
		marks += (*f)[at][:1]
	}
	return []any{marks, strings.Join(warnings, ", ")}
}

// incomplete tells what is left of the runs that there should be.
func incomplete(runs, ok, failed int64, stop *grid.Stop) (list []string) {
	if left := runs - ok - failed; left > 0 && stop != nil {
		list = append(list, fmt.Sprintf("at least %d more runs are needed: the sweep is not finished", left))
	} else if left > 0 {
		list = append(list, fmt.Sprintf("%d of %d runs are missing: the sweep is not finished", left, runs))
	}
	if failed > 0 {
		list = append(list, fmt.Sprintf("%d of %d runs failed and are left out", failed, runs))
	}
	return list
}
