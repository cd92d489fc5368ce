package results

import (
	"fmt"
	"math"

	"sweep/experiment"
	"sweep/grid"
)

// The statuses of a run.
const (
	OK     = "ok"
	Failed = "failed"
)

// Row is the outcome of one run.
type Row struct {
	Index   int64 // position in the plan
	ID      grid.ID
	Point   experiment.Point
	Status  string            // OK or Failed
	Error   string            // empty unless failed
	Seconds float64           // that the run took; no part of the outcome
	Result  experiment.Result // Metrics and Series; ignored if failed
}

// Check reports how a result breaks the declaration of its experiment: it
// has as many metrics as are declared, a series of whole rows, none of them
// without its place on the axis, no infinity, and a whole number below 2⁵³,
// or NaN for "not defined", wherever an Int is declared.
func Check(e *experiment.Experiment, r *experiment.Result) error {
	if got, want := len(r.Metrics), len(e.Metrics); got != want {
		return fmt.Errorf("result has %d metrics, %s declares %d", got, e.Name, want)
	}
	for i := range e.Metrics {
		if err := checkNumber(&e.Metrics[i], r.Metrics[i]); err != nil {
			return err
		}
	}
	if !hasSeries(e) {
		if len(r.Series) > 0 {
			return fmt.Errorf("result has a series, %s declares none", e.Name)
		}
		return nil
	}
	width := 1 + len(e.Series.Columns)
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
