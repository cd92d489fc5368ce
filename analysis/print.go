package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/table"
	"sweep/results"
)

// AxisCells returns the values of parameters, nil where they are null.
func AxisCells(e *experiment.Experiment, axes []int, values []experiment.Value) []table.Cell {
	cells := make([]table.Cell, len(axes))
	for i, p := range axes {
		cells[i].Name = e.Params[p].Name
		cells[i].Left = !e.Params[p].Kind.IsNumber()
		if v := values[p]; isSet(v) {
			cells[i].Value = v
		}
	}
	return cells
}

// contrastColumns are the columns of contrasts in one table.
type contrastColumns struct {
	left             string // name of the mean of the left side
	right            string
	estimate         string // name of what is estimated from both
	key              string // of estimate in CSV and JSON
	decimals         int    // of the means
	estimateDecimals int
}

// fit chooses the decimals that a list of contrasts needs.
func (f *contrastColumns) fit(list []*Contrast) {
	var means, errors []float64
	finest := 0 // decimals of any row by itself
	for _, c := range list {
		if c.N == 0 {
			continue
		}
		sides := []float64{c.Left, c.Right}
		means = append(means, sides...)
		errors = append(errors, c.Estimate.SE)
		finest = max(finest, table.Decimals(sides, []float64{c.Estimate.SE}))
	}
	errors = slices.DeleteFunc(errors, math.IsNaN)
	f.decimals = table.Decimals(means, errors)
	f.estimateDecimals = f.decimals
	coarse := f.decimals + 2
	if table.Decimals(errors, errors) > coarse { // they are small beside the means
		f.estimateDecimals = table.Significant
	}
	if finest > coarse { // such as rows of several metrics
		f.decimals = table.Significant
		f.estimateDecimals = table.Significant
	}
}

// cells returns the cells of a contrast.
func (f *contrastColumns) cells(c *Contrast) []table.Cell {
	estimate := table.Cell{
		Name:     f.estimate,
		Key:      f.key,
		Decimals: f.estimateDecimals,
		Signed:   strings.HasPrefix(f.estimate, "diff"),
		Value:    c.Estimate.Value,
	}
	limit := estimate
	limit.Group = "95 % limits"
	limit.Key = "ci"
	left := table.Right(f.left, c.Left)
	left.Decimals = f.decimals
	right := table.Right(f.right, c.Right)
	right.Key = strings.ReplaceAll(f.right, " ", "_")
	right.Decimals = f.decimals
	if f.estimate == Value { // it is the left mean, against a number
		left.In = table.Programs
		right.In = table.Programs
	}
	return []table.Cell{
		table.Right("n", c.N),
		table.ForPrograms("alone", c.Unpaired),
		left,
		right,
		estimate,
		lowLimit(limit, c.Low),
		highLimit(limit, c.High),
		table.ForPrograms("method", c.Estimate.Method),
	}
}

// lowLimit returns the cell of the lower limit of an estimate, whose key it
// extends.
func lowLimit(estimate table.Cell, limit float64) table.Cell {
	estimate.Name = "low"
	estimate.Key += "_low"
	estimate.Value = limit
	return estimate
}

// highLimit returns the cell of the upper limit.
func highLimit(estimate table.Cell, limit float64) table.Cell {
	estimate.Name = "high"
	estimate.Key += "_high"
	estimate.Value = limit
	return estimate
}

// title returns a metric's name with its unit.
func title(name, unit string) string {
	if unit != "" {
		name += " [" + unit + "]"
	}
	return name
}

// footnotes adds the warnings about a row to those about a table, where a
// letter stands before each. It returns the letters for people, and the words
// for programs.
func footnotes(all *[]string, warnings []string) []table.Cell {
	marks := ""
	for _, warning := range warnings {
		at := slices.IndexFunc(*all, func(note string) bool {
			return note[3:] == warning
		})
		if at < 0 {
			at = len(*all)
			*all = append(*all, fmt.Sprintf("%c: %s", 'a'+at, warning))
		}
		marks += (*all)[at][:1]
	}
	return []table.Cell{
		{Left: true, In: table.People, Value: marks},
		table.ForPrograms("warnings", strings.Join(warnings, ", ")),
	}
}

// incompleteRuns warns of runs of a directory that are missing or failed.
func incompleteRuns(v *results.Reader) []string {
	return incomplete(v.Assigned(), v.OK(), v.Failed(), v.Plan.Stop())
}

// incomplete warns of runs that are missing or failed.
func incomplete(runs, ok, failed int64, stop *grid.Stop) (list []string) {
	left := runs - ok - failed
	switch {
	case left > 0 && stop != nil:
		text := fmt.Sprintf("at least %d more runs are needed: the sweep is not finished", left)
		list = append(list, text)
	case left > 0:
		text := fmt.Sprintf("%d of %d runs are missing: the sweep is not finished", left, runs)
		list = append(list, text)
	}
	if failed > 0 {
		text := fmt.Sprintf("%d of %d runs failed and are left out", failed, runs)
		list = append(list, text)
	}
	return list
}
