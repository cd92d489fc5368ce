package analysis

import (
	"fmt"
	"math"
	"strings"

	"sweep/results"
)

// notes say what the numbers are made of.
func (t *Table) notes() []string {
	s := t.summary
	least, most := int64(math.MaxInt64), int64(0)
	for i := range s.Cells {
		n := ran(&s.Cells[i])
		least, most = min(least, n), max(most, n)
	}
	over := fmt.Sprintf("%d runs", most)
	switch {
	case least < most:
		over = fmt.Sprintf("%d to %d runs", least, most)
	case most == 1:
		over = "1 run"
	}
	what := "mean and standard deviation (n−1)"
	if t.layout == Limits {
		what = "mean and 95 % confidence limits by Student's t"
	}
	notes := []string{what + " over n = " + over}
	if t.layout == Paper && s.Paper.Note != "" {
		notes[0] += "; paper: " + s.Paper.Note
	}
	if s.Stop != nil {
		notes = append(notes, fmt.Sprintf("cells got seeds until %s was within %s, %d to %d each",
			t.interval(), t.width(), s.Stop.Min, s.Stop.Max))
	}
	var nowhere []string
	for _, m := range t.metrics {
		if most > 0 && t.defined(m) == 0 {
			nowhere = append(nowhere, s.Experiment.Metrics[m].Name)
		}
	}
	if len(nowhere) > 0 {
		notes = append(notes, "undefined in all of these runs: "+strings.Join(nowhere, ", "))
	}
	return notes
}

// ran returns the number of a cell's successful runs, as far as the metrics
// show: the greatest number of runs in which one of them is defined.
func ran(c *results.Cell) int64 {
	var n int64
	for i := range c.Metrics {
		n = max(n, c.Metrics[i].N)
	}
	return n
}

// defined returns in how many runs a metric is defined.
func (t *Table) defined(metric int) int64 {
	var n int64
	for i := range t.summary.Cells {
		n += t.summary.Cells[i].Metrics[metric].N
	}
	return n
}

// interval names the interval that the stopping rule looks at.
func (t *Table) interval() string {
	stop := t.summary.Stop
	return fmt.Sprintf("the %.4g %% interval of mean %s", 100*stop.Confidence, t.summary.Experiment.Metrics[stop.Metric].Name)
}

// width says how wide the stopping rule lets an interval be.
func (t *Table) width() string {
	stop := t.summary.Stop
	if stop.Relative {
		return fmt.Sprintf("± %.4g %%", 100*stop.HalfWidth)
	}
	return strings.TrimSpace(fmt.Sprintf("± %.6g %s", stop.HalfWidth, t.summary.Experiment.Metrics[stop.Metric].Unit))
}

// fewRuns is the number below which a standard deviation is hardly known:
// with five runs its own 95 % interval reaches from 0.6 to 2.9 times it.
const fewRuns = 5

// warnings tell of doubts about the numbers.
func (t *Table) warnings() []string {
	s := t.summary
	var list []string
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if left := s.Runs - s.OK - s.Failed; left > 0 && s.Stop != nil {
		warn("at least %d more runs are needed: the sweep is not finished", left)
	} else if left > 0 {
		warn("%d of %d runs are missing: the sweep is not finished", left, s.Runs)
	}
	if s.Failed > 0 {
		warn("%d of %d runs failed and are left out", s.Failed, s.Runs)
	}
	if s.Unsure > 0 {
		warn("%d of %d cells have all their seeds, and %s is still wider than %s", s.Unsure, len(s.Cells), t.interval(), t.width())
	}
	few, all := 0, int64(0)
	for i := range s.Cells {
		n := ran(&s.Cells[i])
		all += n
		if n < fewRuns {
			few++
		}
	}
	switch {
	case few == len(s.Cells):
		warn("fewer than %d runs: the standard deviations are rough", fewRuns)
	case few > 0:
		warn("fewer than %d runs in %d of %d cells: their standard deviations are rough", fewRuns, few, len(s.Cells))
	}
	for _, m := range t.metrics {
		if n := t.defined(m); 0 < n && n < all {
			warn("%s is undefined in %d of %d runs", s.Experiment.Metrics[m].Name, all-n, all)
		}
	}
	return list
}
