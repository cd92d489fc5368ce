package plots

import (
	"math"
	"slices"
)

// keptRuns is how many single runs a chart shows, of all its lines together.
const keptRuns = 30

// A run is one column of one run's series.
type run struct{ x, y []float64 }

// A trace is what the runs of a cell did over time, in one column of the
// series.
type trace struct {
	axis   []float64 // all values of the axis, ascending after sort
	at     []moments // of the runs that have this value
	runs   []run     // the first
	count  int       // of runs
	uneven bool      // whether some run lacks a value of the axis
	place  map[float64]int
}

// add adds a run: the rows of its series, which are width numbers each, with
// the axis first and this trace's column at the given place.
func (t *trace) add(series []float64, width, column int) {
	if t.place == nil {
		t.place = map[float64]int{}
	}
	var r run
	before := len(t.axis)
	for row := range slices.Chunk(series, width) {
		at, known := t.place[row[0]]
		if !known {
			at = len(t.axis)
			t.place[row[0]] = at
			t.axis = append(t.axis, row[0])
			t.at = append(t.at, moments{})
		}
		t.at[at].add(row[column])
		r.x, r.y = append(r.x, row[0]), append(r.y, row[column])
	}
	if t.count > 0 && (len(t.axis) != before || len(r.x) != before) {
		t.uneven = true
	}
	t.count++
	if len(t.runs) < keptRuns {
		t.runs = append(t.runs, r)
	}
}

// sort puts the axis in order once all runs are there.
func (t *trace) sort() {
	axis, at := slices.Sorted(slices.Values(t.axis)), make([]moments, len(t.at))
	for i, x := range axis {
		at[i] = t.at[t.place[x]]
	}
	t.axis, t.at, t.place = axis, at, nil
}

// line returns the trace as a line of a chart, with as many single runs at
// most; x turns the axis into what the chart shows.
func (t *trace) line(s student, runs int, x func(float64) float64) line {
	var l line
	for i := range t.axis {
		mean, margin := t.at[i].average(), s.margin(&t.at[i])
		if math.IsNaN(margin) {
			margin = 0
		}
		l.x = append(l.x, x(t.axis[i]))
		l.y = append(l.y, mean)
		l.low = append(l.low, mean-margin)
		l.high = append(l.high, mean+margin)
	}
	for _, r := range t.runs[:min(runs, len(t.runs))] {
		shown := run{y: r.y}
		for _, v := range r.x {
			shown.x = append(shown.x, x(v))
		}
		l.runs = append(l.runs, shown)
	}
	return l
}
