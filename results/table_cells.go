package results

import (
	"math"
	"strconv"

	"sweep/internal/schema"
)

func (s *Set) cellsDocument() document {
	axes := s.axes()
	e := s.Experiment
	t := sheet{title: s.Spec + ": " + e.Title, lead: len(axes) + 1}
	for _, p := range axes {
		kind := e.Params[p].Kind
		t.columns = append(t.columns, heading{
			name: e.Params[p].Name, unit: e.Params[p].Unit,
			left: kind == schema.String || kind == schema.Bool,
		})
	}
	t.columns = append(t.columns, heading{name: "n"})
	if s.Failed > 0 {
		t.columns = append(t.columns, heading{name: "failed"})
		t.lead++
	}
	decimals := make([]int, len(e.Metrics))
	for m, metric := range e.Metrics {
		t.columns = append(t.columns, heading{name: metric.Name, unit: metric.Unit})
		decimals[m] = s.decimals(m)
	}
	d := document{layout: Cells}
	for i := range s.cells {
		c := &s.cells[i]
		var line []string
		for _, p := range axes {
			if c.params[p].IsNull() {
				line = append(line, missing)
			} else {
				line = append(line, c.params[p].String())
			}
		}
		line = append(line, strconv.FormatInt(c.n(), 10))
		if s.Failed > 0 {
			line = append(line, strconv.FormatInt(c.failed, 10))
		}
		for m := range e.Metrics {
			line = append(line, plusMinus(c.metrics[m], decimals[m]))
			d.records = append(d.records, record{cell: c, metric: m})
		}
		t.rows = append(t.rows, line)
	}
	d.sheets = []sheet{t}
	return d
}

// decimals returns how many decimals a metric's column shows: as many as
// give the most exact of its means two digits of standard error, and not
// more than six digits in all. Without standard errors, four digits.
func (s *Set) decimals(metric int) int {
	most, decimals := 0.0, math.MinInt
	for _, c := range s.cells {
		d := c.metrics[metric]
		if d.n == 0 {
			continue
		}
		most = max(most, math.Abs(d.mean))
		if d.sem > 0 {
			decimals = max(decimals, 1-exponent(d.sem))
		}
	}
	if most == 0 {
		return 0
	}
	if decimals == math.MinInt {
		decimals = 3 - exponent(most)
	}
	return max(0, min(decimals, 5-exponent(most)))
}

// exponent returns the power of ten of x's first digit.
func exponent(x float64) int { return int(math.Floor(math.Log10(x))) }

func plusMinus(d statistics, decimals int) string {
	if d.n < 2 {
		return fixed(d.mean, decimals)
	}
	return fixed(d.mean, decimals) + " ± " + fixed(d.std, decimals)
}
