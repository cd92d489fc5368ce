package results

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/report"
)

// Format is how a table is written.
type Format string

// The formats. Text is for terminals; Markdown and LaTeX (a booktabs
// tabular) for papers, both with the numbers rounded as in Text. CSV and
// JSON have one record per cell and metric, in full precision.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	LaTeX    Format = "latex"
	JSON     Format = "json"
)

// Formats returns the formats in the order of help texts.
func Formats() []Format { return []Format{Text, Markdown, CSV, LaTeX, JSON} }

// Layout is what a table shows.
type Layout string

// The layouts. Paper sets the means and standard deviations beside those
// of the table that the spec names. Cells has one row for each cell, with
// means and standard deviations; Limits has the same rows with means and
// their 95 % confidence limits. Auto is Paper where it fits, else Cells.
const (
	Auto   Layout = "auto"
	Paper  Layout = "paper"
	Cells  Layout = "cells"
	Limits Layout = "limits"
)

// Layouts returns the layouts in the order of help texts.
func Layouts() []Layout { return []Layout{Auto, Paper, Cells, Limits} }

// Table writes the set as a table. It returns a *DataError if the layout
// is Paper and does not fit, and otherwise only w's errors. It panics if
// the format or layout is none of the package's.
func (s *Summary) Table(w io.Writer, format Format, layout Layout) error {
	if !slices.Contains(Formats(), format) || !slices.Contains(Layouts(), layout) {
		panic(fmt.Sprintf("results: table in format %q and layout %q", format, layout))
	}
	var d document
	papers, why := s.papers()
	switch {
	case (layout == Auto || layout == Paper) && why == "":
		d = s.paperDocument(papers)
	case layout == Paper:
		return &DataError{
			Path: s.Spec, Message: "the paper's layout does not fit: " + why,
			Hint: "the layout cells shows any sweep",
		}
	case layout == Limits:
		d = s.cellsDocument(Limits, Statistics.margin)
	default:
		d = s.cellsDocument(Cells, Statistics.deviation)
	}
	d.Notes = s.notes(d.layout)
	if layout == Auto && s.Paper != nil && why != "" {
		d.Notes = append(d.Notes, "the paper's table is not shown: "+why)
	}
	d.Warnings = s.warnings()
	var b strings.Builder
	switch format {
	case Text:
		report.Text(&b, &d.Document)
	case Markdown:
		report.Markdown(&b, &d.Document)
	case LaTeX:
		report.LaTeX(&b, &d.Document)
	case CSV:
		s.writeCSV(&b, &d)
	case JSON:
		s.writeJSON(&b, &d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A document is what the formats have in common.
type document struct {
	report.Document // for people
	layout          Layout
	records         []tableRecord // for programs
}

// A record is one cell's Statistics of one metric.
type tableRecord struct {
	cell   *Cell
	metric int
	paper  *comparison // nil outside the paper's layout
}

// Axes returns those of the varying parameters of a plan that tell cells
// with the given canonical parameters apart, in the order of varying. A
// parameter that has one value wherever it is used does not: the algorithm,
// or the input that takes its place, already says whether it is used. An
// input itself does, since null is one of its values.
func Axes(e *experiment.Experiment, varying []int, cells [][]experiment.Value) []int {
	var axes []int
	for _, p := range varying {
		input := e.Params[p].Input != nil
		first := cells[0][p]
		for _, c := range cells {
			v := c[p]
			if first.IsNull() && !input {
				first = v
			} else if v != first && (input || !v.IsNull()) {
				axes = append(axes, p)
				break
			}
		}
	}
	return axes
}

// notes say what the numbers are made of.
func (s *Summary) notes(layout Layout) []string {
	least, most := int64(math.MaxInt64), int64(0)
	for _, c := range s.Cells {
		n := c.n()
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
	if layout == Limits {
		what = "mean and 95 % confidence limits by Student's t"
	}
	notes := []string{what + " over n = " + over}
	if s.Stop != nil {
		notes = append(notes, fmt.Sprintf("cells got seeds until %s was within %s, %d to %d each",
			s.interval(), s.width(), s.Stop.Min, s.Stop.Max))
	}
	var nowhere []string
	for m, metric := range s.Experiment.Metrics {
		if most > 0 && s.defined(m) == 0 {
			nowhere = append(nowhere, metric.Name)
		}
	}
	if len(nowhere) > 0 {
		notes = append(notes, "undefined in all of these runs: "+strings.Join(nowhere, ", "))
	}
	return notes
}

// defined returns in how many runs a metric is defined.
func (s *Summary) defined(metric int) int64 {
	var n int64
	for _, c := range s.Cells {
		n += c.Metrics[metric].N
	}
	return n
}

// interval names the interval that the stopping rule looks at.
func (s *Summary) interval() string {
	return fmt.Sprintf("the %.4g %% interval of mean %s", 100*s.Stop.Confidence, s.Experiment.Metrics[s.Stop.Metric].Name)
}

// width says how wide the stopping rule lets an interval be.
func (s *Summary) width() string {
	if s.Stop.Relative {
		return fmt.Sprintf("± %.4g %%", 100*s.Stop.HalfWidth)
	}
	text := fmt.Sprintf("± %.6g", s.Stop.HalfWidth)
	if unit := s.Experiment.Metrics[s.Stop.Metric].Unit; unit != "" {
		text += " " + unit
	}
	return text
}

// n returns the number of successful runs, as far as the metrics show: the
// greatest number of runs in which one of them is defined.
func (c *Cell) n() int64 {
	var n int64
	for _, m := range c.Metrics {
		n = max(n, m.N)
	}
	return n
}

// fewRuns is the number below which a standard deviation is hardly known:
// with five runs its own 95 % interval reaches from 0.6 to 2.9 times it.
const fewRuns = 5

// warnings tell of doubts about the numbers.
func (s *Summary) warnings() []string {
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
		warn("%d of %d cells have all their seeds, and %s is still wider than %s", s.Unsure, len(s.Cells), s.interval(), s.width())
	}
	few := 0
	for _, c := range s.Cells {
		if c.n() < fewRuns {
			few++
		}
	}
	switch {
	case few == len(s.Cells):
		warn("fewer than %d runs: the standard deviations are rough", fewRuns)
	case few > 0:
		warn("fewer than %d runs in %d of %d cells: their standard deviations are rough", fewRuns, few, len(s.Cells))
	}
	var all int64
	for _, c := range s.Cells {
		all += c.n()
	}
	for m, metric := range s.Experiment.Metrics {
		if n := s.defined(m); 0 < n && n < all {
			warn("%s is undefined in %d of %d runs", metric.Name, all-n, all)
		}
	}
	return list
}
