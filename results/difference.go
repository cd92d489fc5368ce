package results

import (
	"fmt"
	"math"
	"strconv"
)

// A Difference is one thing in which two outcomes of a run differ.
type Difference struct {
	What string // "status", "error", a metric, or a column of the series and its window
	A, B string // what it is here and there; numbers so that they read back as themselves
}

// String returns "what: a and b".
func (d Difference) String() string { return fmt.Sprintf("%s: %s and %s", d.What, d.A, d.B) }

// Differences compares two outcomes of one run bit for bit, as the files
// keep them: a NaN is null, and negative zero is zero. Of rows with
// different statuses, nothing else is compared.
func Differences(a, b *Row) []Difference {
	if a.Status != b.Status {
		return []Difference{{"status", outcome(a), outcome(b)}}
	}
	var list []Difference
	if a.Error != b.Error {
		list = append(list, Difference{"error", a.Error, b.Error})
	}
	number := func(what string, x, y float64) {
		if x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			list = append(list, Difference{what, exactly(x), exactly(y)})
		}
	}
	e := a.Point.Experiment
	for i := range min(len(a.Result.Metrics), len(b.Result.Metrics)) {
		number(e.Metrics[i].Name, a.Result.Metrics[i], b.Result.Metrics[i])
	}
	width := 1 + len(e.Series.Columns)
	x, y := a.Result.Series, b.Result.Series
	if len(x) != len(y) {
		list = append(list, Difference{"windows of the series", strconv.Itoa(len(x) / width), strconv.Itoa(len(y) / width)})
	}
	for i := range min(len(x), len(y)) {
		name := e.Series.Axis.Name
		if column := i % width; column > 0 {
			name = e.Series.Columns[column-1].Name
		}
		number(fmt.Sprintf("%s in window %d", name, i/width), x[i], y[i])
	}
	return list
}

func outcome(r *Row) string {
	if r.Error != "" {
		return r.Status + " (" + r.Error + ")"
	}
	return r.Status
}

func exactly(x float64) string {
	if math.IsNaN(x) {
		return "null"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
