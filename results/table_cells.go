package results

import (
	"strconv"

	"sweep/experiment"
	"sweep/internal/report"
)

// cellsDocument returns a document with a row for each cell, in which spread
// says what stands behind the ± of a mean.
func (s *Summary) cellsDocument(layout Layout, spread func(Statistics) float64) document {
	axes := s.Axes
	e := s.Experiment
	t := report.Sheet{Title: s.Spec + ": " + e.Title, Lead: len(axes) + 1}
	for _, p := range axes {
		kind := e.Params[p].Kind
		t.Columns = append(t.Columns, report.Heading{
			Name: e.Params[p].Name, Unit: e.Params[p].Unit,
			Left: kind == experiment.String || kind == experiment.Bool,
		})
	}
	t.Columns = append(t.Columns, report.Heading{Name: "n"})
	if s.Failed > 0 {
		t.Columns = append(t.Columns, report.Heading{Name: "failed"})
		t.Lead++
	}
	decimals := make([]int, len(e.Metrics))
	for m, metric := range e.Metrics {
		t.Columns = append(t.Columns, report.Heading{Name: metric.Name, Unit: metric.Unit})
		decimals[m] = s.decimals(m)
	}
	d := document{layout: layout}
	for i := range s.Cells {
		c := &s.Cells[i]
		var line []string
		for _, p := range axes {
			if c.Values[p].IsNull() {
				line = append(line, report.Missing)
			} else {
				line = append(line, c.Values[p].String())
			}
		}
		line = append(line, strconv.FormatInt(c.n(), 10))
		if s.Failed > 0 {
			line = append(line, strconv.FormatInt(c.Failed, 10))
		}
		for m := range e.Metrics {
			line = append(line, plusMinus(c.Metrics[m], spread, decimals[m]))
			d.records = append(d.records, tableRecord{cell: c, metric: m})
		}
		t.Rows = append(t.Rows, line)
	}
	d.Sheets = []report.Sheet{t}
	return d
}

// decimals returns how many decimals a metric's column shows.
func (s *Summary) decimals(metric int) int {
	var means, errors []float64
	for _, c := range s.Cells {
		if d := c.Metrics[metric]; d.N > 0 {
			means, errors = append(means, d.Mean), append(errors, d.SEM)
		}
	}
	return report.Decimals(means, errors)
}

func plusMinus(d Statistics, spread func(Statistics) float64, decimals int) string {
	if d.N < 2 {
		return report.Fixed(d.Mean, decimals)
	}
	return report.Fixed(d.Mean, decimals) + " ± " + report.Fixed(spread(d), decimals)
}

func (d Statistics) deviation() float64 { return d.Std }

// margin returns how far the confidence limits are from the mean.
func (d Statistics) margin() float64 { return d.CIHigh - d.Mean }
