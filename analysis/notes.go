package analysis

import (
	"fmt"
	"math"
	"strings"

	"sweep/internal/inference"
	"sweep/internal/table"
)

// notes returns what the numbers are made of, and warnings of what may be wrong
// with them.
func (t *Table) notes() (notes, warnings []string) {
	few := 0                    // cells
	low := int64(math.MaxInt64) // runs of a cell
	high := int64(0)
	defined := make([]int64, len(t.Experiment.Metrics)) // in how many runs
	for _, c := range t.Cells {
		n := t.ran(c)
		low = min(low, n)
		high = max(high, n)
		if n < inference.FewRuns {
			few++
		}
		for m, x := range c.Metrics {
			defined[m] += x.N
		}
	}

	what := "mean and standard deviation (n−1)"
	if t.layout == Limits {
		what = "mean and 95 % confidence limits by Student's t"
	}
	unit := "run"
	over := strings.Join(t.over(), " and ")
	if t.Over != nil {
		unit = "mean"
		what += " of the means at each " + over
	}
	if t.Over != nil && t.layout == Paper {
		what = "std within: of runs at one " + over + "; std between: of the means at each; mean"
	}
	runs := table.Count(high, unit)
	if low < high {
		runs = fmt.Sprintf("%d to %d %ss", low, high, unit)
	}
	what += " over n = " + runs
	if t.layout == Paper && t.Paper.Note != "" {
		what += "; paper: " + t.Paper.Note
	}
	notes = []string{what}
	warnings = incomplete(t.Runs, t.OK, t.Failed, t.Stop)
	if t.Seedless > 0 {
		warnings = append(warnings, seedless(t.Seedless))
	}
	if t.Bought {
		notes = append(notes, "seeds were bought for claims: "+
			"limits that hold at all looks are those of sweep check")
	}
	if t.Stop != nil {
		note, warning := t.stopped()
		notes = append(notes, note)
		if t.Unsure > 0 {
			warnings = append(warnings, warning)
		}
	}
	switch {
	case few == len(t.Cells):
		warnings = append(warnings,
			fmt.Sprintf("fewer than %d %ss: the standard deviations are rough",
				inference.FewRuns, unit))
	case few > 0:
		warnings = append(warnings,
			fmt.Sprintf("fewer than %d %ss in %d of %d cells: their standard deviations are rough",
				inference.FewRuns, unit, few, len(t.Cells)))
	}
	var nowhere []string // metrics
	for _, m := range t.metrics {
		name := t.Experiment.Metrics[m].Name
		switch n := defined[m]; {
		case n == 0 && t.OK > 0:
			nowhere = append(nowhere, name)
		case n < t.OK && t.Over == nil:
			warnings = append(warnings,
				fmt.Sprintf("%s is undefined in %d of %d runs", name, t.OK-n, t.OK))
		}
	}
	if nowhere != nil {
		notes = append(notes, "undefined in all of these runs: "+strings.Join(nowhere, ", "))
	}
	if t.unfit != "" && t.Paper != nil {
		notes = append(notes, "the paper's table is not shown: "+t.unfit)
	}
	return notes, warnings
}

// stopped describes the rule by which cells got their seeds, with a warning for
// cells in which all seeds were not enough.
func (t *Table) stopped() (note, warning string) {
	stop := t.Stop
	metric := &t.Experiment.Metrics[stop.Metric]
	interval := fmt.Sprintf("the %.4g %% interval of mean %s", 100*stop.Confidence, metric.Name)
	width := strings.TrimSpace(fmt.Sprintf("± %.6g %s", stop.HalfWidth, metric.Unit))
	if stop.Relative {
		width = fmt.Sprintf("± %.4g %%", 100*stop.HalfWidth)
	}
	note = fmt.Sprintf("cells got seeds until %s was within %s, %d to %d each",
		interval, width, stop.Min, stop.Max)
	warning = fmt.Sprintf("%d of %d cells have all their seeds, and %s is still wider than %s",
		t.Unsure, len(t.Cells), interval, width)
	return note, warning
}

// seedless warns that seeds make no difference.
func seedless(seeds int) string {
	return fmt.Sprintf("the %d seeds of each cell gave equal numbers: "+
		"limits and p-values say nothing", seeds)
}
