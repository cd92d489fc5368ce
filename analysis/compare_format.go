package analysis

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/internal/report"
	"sweep/results"
)

// Write writes the comparisons: for people one table per metric, for
// programs one record per comparison. It returns only w's errors.
func (r *Comparisons) Write(w io.Writer, format results.Format) error {
	switch format {
	case results.CSV:
		return writeCSV(w, r.lines())
	case results.JSON:
		return report.WriteJSON(w, r.json())
	}
	return writeSheets(w, format, r.document())
}

// axes returns the parameters that tell the compared cells apart, and those
// that tell a cell's baselines apart from each other.
func (r *Comparisons) axes() (cell, baseline []int) {
	var cells, baselines [][]experiment.Value
	several := map[int64]int64{}
	ambiguous := false
	for i := range r.List {
		c := &r.List[i]
		cells = append(cells, r.cells[c.Cell])
		baselines = append(baselines, r.cells[c.Baseline])
		if first, ok := several[c.Cell]; ok && first != c.Baseline {
			ambiguous = true
		}
		several[c.Cell] = c.Baseline
	}
	cell = results.Axes(r.Reader.Plan.Experiment(), r.Reader.Plan.Varying(), cells)
	if len(cell) == 0 || !slices.Contains(cell, r.By) {
		cell = append([]int{r.By}, cell...)
	}
	if ambiguous {
		for _, p := range results.Axes(r.Reader.Plan.Experiment(), r.Reader.Plan.Varying(), baselines) {
			if !slices.Contains(cell, p) {
				baseline = append(baseline, p)
			}
		}
	}
	return cell, baseline
}

func (r *Comparisons) document() *report.Document {
	d := &report.Document{}
	e := r.experiment
	axes, baselineAxes := r.axes()
	base := fmt.Sprintf("%s = %s", e.Params[r.By].Name, r.Value)
	var notes footnotes
	var without []string
	for _, m := range r.metrics {
		var rows []*Comparison
		var means, errors []float64
		for i := range r.List {
			c := &r.List[i]
			if c.Metric != m {
				continue
			}
			rows = append(rows, c)
			if c.Pairs > 0 {
				means, errors = append(means, c.Mean, c.BaselineMean), append(errors, c.Difference.SE)
			}
		}
		if len(means) == 0 {
			without = append(without, e.Metrics[m].Name)
			continue
		}
		decimals := report.Decimals(means, errors)
		t := report.Sheet{Title: fmt.Sprintf("%s, against %s", title(e.Metrics[m]), base), Lead: len(axes)}
		for _, p := range axes {
			kind := e.Params[p].Kind
			t.Columns = append(t.Columns, report.Heading{Name: e.Params[p].Name, Left: kind == experiment.String || kind == experiment.Bool})
		}
		for _, p := range baselineAxes {
			t.Columns = append(t.Columns, report.Heading{Group: "baseline", Name: e.Params[p].Name})
		}
		t.Columns = append(t.Columns,
			report.Heading{Name: "n"}, report.Heading{Name: "mean"}, report.Heading{Name: "baseline mean"},
			report.Heading{Name: "diff."}, report.Heading{Group: "95 % limits", Name: "low"}, report.Heading{Group: "95 % limits", Name: "high"},
			report.Heading{Name: "p (Holm)"}, report.Heading{Name: "prob. higher"}, report.Heading{Left: true})
		for _, c := range rows {
			var line []string
			for _, p := range axes {
				line = append(line, value(r.cells[c.Cell][p]))
			}
			for _, p := range baselineAxes {
				line = append(line, value(r.cells[c.Baseline][p]))
			}
			t.Rows = append(t.Rows, append(line,
				strconv.Itoa(c.Pairs), report.Fixed(c.Mean, decimals), report.Fixed(c.BaselineMean, decimals),
				signed(c.Difference.Value, decimals), signed(c.Low, decimals), signed(c.High, decimals),
				probability(c.AdjustedP), report.Fixed(c.Superiority.Value, 2), notes.marks(c.Doubts())))
		}
		d.Sheets = append(d.Sheets, t)
	}
	if len(d.Sheets) > 0 {
		d.Notes = []string{
			"n pairs of runs with one seed; the mean of their differences, with its 95 % limits one by one",
			"p: of no difference, adjusted for " + together(r.tests, "comparison") + " after Holm",
			"prob. higher: how often a run has the higher value than its partner, ties counting half",
		}
	}
	if len(without) > 0 {
		d.Notes = append(d.Notes, "left out, as no pair of runs with one seed has both values: "+strings.Join(without, ", "))
	}
	d.Warnings = append(incomplete(r.Reader), notes.warnings()...)
	return d
}

func (r *Comparisons) lines() [][]string {
	e := r.experiment
	axes, baselineAxes := r.axes()
	var header []string
	for _, p := range axes {
		header = append(header, e.Params[p].Name)
	}
	for _, p := range baselineAxes {
		header = append(header, "baseline_"+e.Params[p].Name)
	}
	lines := [][]string{append(header, "metric", "unit", "pairs", "alone", "mean", "baseline_mean",
		"difference", "ci_low", "ci_high", "family_low", "family_high", "method", "p", "p_holm",
		"superiority", "superiority_low", "superiority_high", "warnings")}
	for i := range r.List {
		c := &r.List[i]
		var line []string
		for _, p := range axes {
			line = append(line, blank(r.cells[c.Cell][p]))
		}
		for _, p := range baselineAxes {
			line = append(line, blank(r.cells[c.Baseline][p]))
		}
		m := e.Metrics[c.Metric]
		lines = append(lines, append(line, m.Name, m.Unit, strconv.Itoa(c.Pairs), strconv.Itoa(c.Alone),
			report.Exact(c.Mean), report.Exact(c.BaselineMean), report.Exact(c.Difference.Value), report.Exact(c.Low), report.Exact(c.High),
			report.Exact(c.FamilyLow), report.Exact(c.FamilyHigh), string(c.Difference.Method), report.Exact(c.P), report.Exact(c.AdjustedP),
			report.Exact(c.Superiority.Value), report.Exact(c.Superiority.Low), report.Exact(c.Superiority.High), join(c.Doubts(), "")))
	}
	return lines
}

// blank returns a value for CSV, where null is empty.
func blank(v experiment.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.String()
}

// The JSON documents. Fields may be added; those that are there stay.
type (
	jsonComparisons struct {
		Spec        string           `json:"spec"`
		Experiment  string           `json:"experiment"`
		By          string           `json:"by"`
		Baseline    experiment.Value `json:"baseline"`
		Confidence  float64          `json:"confidence"`
		Warnings    []string         `json:"warnings"`
		Comparisons []jsonComparison `json:"comparisons"`
	}
	jsonComparison struct {
		Metric          string                      `json:"metric"`
		Unit            string                      `json:"unit"`
		Parameters      map[string]experiment.Value `json:"parameters"`
		Baseline        map[string]experiment.Value `json:"baseline"`
		Pairs           int                         `json:"pairs"`
		Alone           int                         `json:"alone"`
		Mean            number                      `json:"mean"`
		BaselineMean    number                      `json:"baseline_mean"`
		Difference      number                      `json:"difference"`
		CILow           number                      `json:"ci_low"`
		CIHigh          number                      `json:"ci_high"`
		FamilyLow       number                      `json:"family_low"`
		FamilyHigh      number                      `json:"family_high"`
		Method          inference.Method            `json:"method"`
		P               number                      `json:"p"`
		PHolm           number                      `json:"p_holm"`
		Superiority     number                      `json:"superiority"`
		SuperiorityLow  number                      `json:"superiority_low"`
		SuperiorityHigh number                      `json:"superiority_high"`
		Warnings        []string                    `json:"warnings"`
	}
)

func (r *Comparisons) json() jsonComparisons {
	e := r.experiment
	j := jsonComparisons{
		Spec: r.Reader.Name, Experiment: e.Name, By: e.Params[r.By].Name, Baseline: r.Value,
		Confidence: inference.Confidence, Warnings: append([]string{}, incomplete(r.Reader)...),
	}
	for i := range r.List {
		c := &r.List[i]
		m := e.Metrics[c.Metric]
		j.Comparisons = append(j.Comparisons, jsonComparison{
			Metric: m.Name, Unit: m.Unit, Parameters: used(e, r.cells[c.Cell]), Baseline: used(e, r.cells[c.Baseline]),
			Pairs: c.Pairs, Alone: c.Alone, Mean: number(c.Mean), BaselineMean: number(c.BaselineMean),
			Difference: number(c.Difference.Value), CILow: number(c.Low), CIHigh: number(c.High),
			FamilyLow: number(c.FamilyLow), FamilyHigh: number(c.FamilyHigh), Method: c.Difference.Method,
			P: number(c.P), PHolm: number(c.AdjustedP), Superiority: number(c.Superiority.Value),
			SuperiorityLow: number(c.Superiority.Low), SuperiorityHigh: number(c.Superiority.High),
			Warnings: append([]string{}, c.Doubts()...),
		})
	}
	return j
}
