package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/report"
)

// axisColumns returns the columns of parameters, in some formats or in all.
func axisColumns(e *experiment.Experiment, axes []int, group string, in ...string) (list []report.Column) {
	for _, p := range axes {
		kind := e.Params[p].Kind
		c := report.Column{Group: group, Name: e.Params[p].Name, In: in}
		c.Left = kind == experiment.String || kind == experiment.Bool
		if group != "" {
			c.Key = group + "_" + c.Name
		}
		list = append(list, c)
	}
	return list
}

// AxisCells returns the values of parameters, nil where they are null.
func AxisCells(axes []int, values []experiment.Value) (list []any) {
	for _, p := range axes {
		var cell any
		if v := values[p]; !v.IsNull() {
			cell = v
		}
		list = append(list, cell)
	}
	return list
}

// contrastColumns returns the columns of contrasts: left and right are the
// names of the two means, estimate that of what is estimated from them, which
// has a key as well.
func contrastColumns(list []*Contrast, left, right, estimate, estimateKey string) []report.Column {
	var means, errors []float64
	finest := 0 // decimals of any row by itself
	for _, c := range list {
		if c.N > 0 {
			means, errors = append(means, c.Left, c.Right), append(errors, c.Estimate.SE)
			finest = max(finest, report.Decimals([]float64{c.Left, c.Right}, []float64{c.Estimate.SE}))
		}
	}
	errors = slices.DeleteFunc(errors, math.IsNaN)
	decimals, own := report.Decimals(means, errors), report.Decimals(errors, errors)
	if finest > decimals+2 { // such as rows of several metrics
		decimals = report.Significant
	}
	sides := []report.Column{{Name: left}, {Name: right, Key: strings.ReplaceAll(right, " ", "_")}}
	if estimate == Value { // it is the left one, against a number
		sides = report.Data(left, right)
	}
	signed, limits := strings.HasPrefix(estimate, "diff"), "95 % limits"
	columns := slices.Concat([]report.Column{{Name: "n"}}, report.Data("alone"), sides, []report.Column{
		{Name: estimate, Key: estimateKey, Signed: signed},
		{Group: limits, Name: "low", Key: "ci_low", Signed: signed},
		{Group: limits, Name: "high", Key: "ci_high", Signed: signed}}, report.Data("method"))
	for i := range columns {
		columns[i].Decimals = decimals
		if own > decimals+2 && i >= len(columns)-4 { // they are small beside the means
			columns[i].Decimals = report.Significant
		}
	}
	return columns
}

// cells returns the cells of contrastColumns.
func (c *Contrast) cells() []any {
	return []any{c.N, c.Unpaired, c.Left, c.Right, c.Estimate.Value, c.Low, c.High, c.Estimate.Method}
}

// title returns a metric's name with its unit.
func title(name, unit string) string {
	if unit != "" {
		name += " [" + unit + "]"
	}
	return name
}

// footnoteColumns are those of footnotes.
var footnoteColumns = append([]report.Column{{Left: true, In: report.People}}, report.Data("warnings")...)

// footnotes adds the warnings about a row to those about a table, each after its
// letter. It returns the letters for people, and all in words for programs.
func footnotes(all *[]string, warnings []string) []any {
	marks := ""
	for _, d := range warnings {
		at := slices.IndexFunc(*all, func(note string) bool { return note[3:] == d })
		if at < 0 {
			at, *all = len(*all), append(*all, fmt.Sprintf("%c: %s", 'a'+len(*all), d))
		}
		marks += (*all)[at][:1]
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
