package engine

import (
	"fmt"
	"math"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// newRow returns run i's row without a result.
func newRow(plan *grid.Plan, i int64) *results.Row {
	point := plan.Point(i)
	return &results.Row{Index: i, ID: grid.Identify(point), Point: point, Status: results.OK}
}

// fail makes the row that of a failed run. The text becomes part of the
// results, where it must be a non-empty string of valid UTF-8.
func fail(row *results.Row, err error) {
	row.Status, row.Result = results.Failed, experiment.Result{}
	row.Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
	if row.Error == "" {
		row.Error = "an error without a text"
	}
}

// check reports how a result breaks the experiment's declaration: a fault
// of the experiment's code, found before it becomes a wrong column.
func check(e *experiment.Experiment, r *experiment.Result) error {
	if got, want := len(r.Metrics), len(e.Metrics); got != want {
		return fmt.Errorf("result has %d metrics, %s declares %d", got, e.Name, want)
	}
	for i := range e.Metrics {
		if err := checkNumber(&e.Metrics[i], r.Metrics[i]); err != nil {
			return err
		}
	}
	width := 1 + len(e.Series.Columns)
	if width == 1 {
		if len(r.Series) > 0 {
			return fmt.Errorf("result has a series, %s declares none", e.Name)
		}
		return nil
	}
	if len(r.Series)%width != 0 {
		return fmt.Errorf("series has %d numbers, want a multiple of %d", len(r.Series), width)
	}
	for i, x := range r.Series {
		m := &e.Series.Axis
		if column := i % width; column > 0 {
			m = &e.Series.Columns[column-1]
		} else if math.IsNaN(x) {
			return fmt.Errorf("%s in row %d of the series is missing", m.Name, i/width)
		}
		if err := checkNumber(m, x); err != nil {
			return fmt.Errorf("row %d of the series: %w", i/width, err)
		}
	}
	return nil
}

// checkNumber reports whether x is a value of the metric; NaN, for "not
// defined", always is.
func checkNumber(m *experiment.Metric, x float64) error {
	if math.IsInf(x, 0) {
		return fmt.Errorf("%s is infinite", m.Name)
	}
	const limit = 1 << 53 // beyond it, float64 skips integers
	if m.Kind == experiment.Int && (x != math.Trunc(x) || math.Abs(x) >= limit) && !math.IsNaN(x) {
		return fmt.Errorf("%s is %v, want a whole number below 2⁵³", m.Name, x)
	}
	return nil
}
