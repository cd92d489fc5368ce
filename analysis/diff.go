package analysis

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/expr"
	"sweep/internal/report"
	"sweep/results"
)

// A Side is one of two sets of results: runs of an experiment, which may be
// of any version and is known by its names and units at least.
type Side struct {
	Dir        string
	Experiment *experiment.Experiment
	Runs       iter.Seq2[*results.Row, error] // a row may change after the next one is asked for
}

// A Diff tells how two sets of results differ. They may be of different
// specs and model versions: runs are matched by those parameters that both
// have, and by their seed.
type Diff struct {
	A, B Side

	// Declarations tells how the experiments themselves differ.
	Declarations []string

	// Runs that both have are identical if status, error, and every number
	// that both measure, series included, are the same bits.
	Identical, Differing, OnlyA, OnlyB int
	Examples                           []string  // the first differing runs, at most mostExamples
	Effects                            []*Effect // by cell and metric, where the numbers differ

	e     *experiment.Experiment // what both have
	cells [][]experiment.Value
	axes  []int // of the parameters of e, those that tell the cells apart
	tests int   // effects with a p-value: the size of the family
}

const mostExamples = 10

// An Effect is how one metric of one cell differs over the seeds that both
// sides have: left is the second, right the first.
type Effect struct {
	Test
	Cell   []experiment.Value
	Metric int
}

// Same reports whether no difference was found.
func (d *Diff) Same() bool {
	return d.Differing+d.OnlyA+d.OnlyB == 0 && len(d.Declarations) == 0
}

// NewDiff compares two sets of results. It returns a *results.DataError if
// they are of different experiments or have nothing in common that could be
// compared.
func NewDiff(a, b Side) (*Diff, error) {
	d := &Diff{A: a, B: b, e: &experiment.Experiment{Name: a.Experiment.Name}}
	atA, atB, err := d.common(a.Experiment, b.Experiment)
	if err != nil {
		return nil, err
	}
	runsA, err := read(a, atA)
	if err != nil {
		return nil, err
	}
	runsB, err := read(b, atB)
	if err != nil {
		return nil, err
	}
	d.order(runsA, runsB)
	for _, values := range d.cells {
		key := fmt.Sprintf("%q", values)
		d.cell(values, runsA[key], runsB[key])
	}
	d.tests = correct(d.family())
	return d, nil
}

// family returns the effects as tests.
func (d *Diff) family() (list []*Test) {
	for _, e := range d.Effects {
		list = append(list, &e.Test)
	}
	return list
}

// Places are the positions of what both sides have in one of the
// experiments; those in a series count from its axis, 0.
type places struct{ params, metrics, series []int }

// common finds what the two experiments share and notes how they differ.
func (d *Diff) common(a, b *experiment.Experiment) (atA, atB places, err error) {
	note := func(format string, args ...any) {
		d.Declarations = append(d.Declarations, fmt.Sprintf(format, args...))
	}
	if a.Name != b.Name {
		return atA, atB, &results.DataError{Path: d.B.Dir,
			Message: fmt.Sprintf("has runs of the experiment %s, and %s of %s", b.Name, d.A.Dir, a.Name)}
	}
	if a.Version != b.Version {
		note("the model version of %s is %d against %d", a.Name, a.Version, b.Version)
	}
	match := func(what string, namesA, namesB []string) (inA, inB []int) {
		for i, name := range namesA {
			if j := slices.Index(namesB, name); j >= 0 {
				inA, inB = append(inA, i), append(inB, j)
			} else {
				note("the %s %s is only in the first", what, name)
			}
		}
		for _, name := range namesB {
			if !slices.Contains(namesA, name) {
				note("the %s %s is only in the second", what, name)
			}
		}
		return inA, inB
	}
	atA.params, atB.params = match("parameter", paramNames(a), paramNames(b))
	atA.metrics, atB.metrics = match("metric", metricNames(a.Metrics), metricNames(b.Metrics))
	atA.series, atB.series = match("column of the series", seriesNames(a), seriesNames(b))
	for _, i := range atA.params {
		d.e.Params = append(d.e.Params, a.Params[i])
	}
	for _, i := range atA.metrics {
		d.e.Metrics = append(d.e.Metrics, a.Metrics[i])
	}
	if len(atA.metrics) == 0 {
		err = &results.DataError{Path: d.B.Dir, Message: fmt.Sprintf("has no metric in common with %s", d.A.Dir)}
	}
	return atA, atB, err
}

// seriesNames returns the names of axis and columns.
func seriesNames(e *experiment.Experiment) []string {
	if len(e.Series.Columns) == 0 {
		return nil
	}
	return append([]string{e.Series.Axis.Name}, metricNames(e.Series.Columns)...)
}

// A record is a run as far as it can be compared.
type record struct {
	values  []experiment.Value
	seed    int64
	outcome string            // the status, with the error
	metrics []float64         // NaN if the run failed
	series  [sha256.Size]byte // a hash
}

// read returns the runs of a side by cell, ordered by seed.
func read(from Side, at places) (map[string][]record, error) {
	cells := map[string][]record{}
	width := 1 + len(from.Experiment.Series.Columns)
	for row, err := range from.Runs {
		if err != nil {
			return nil, err
		}
		r := record{seed: row.Point.Seed, outcome: strings.TrimSuffix(row.Status+" ("+row.Error+")", " ()")}
		for _, i := range at.params {
			r.values = append(r.values, row.Point.Values[i])
		}
		for _, i := range at.metrics {
			x := math.NaN()
			if row.Status == results.OK {
				x = row.Result.Metrics[i]
			}
			r.metrics = append(r.metrics, x)
		}
		r.series = seriesSum(row.Result.Series, width, at.series)
		key := fmt.Sprintf("%q", r.values)
		cells[key] = append(cells[key], r)
	}
	for _, runs := range cells {
		slices.SortFunc(runs, func(x, y record) int { return cmp.Compare(x.seed, y.seed) })
		for i := 1; i < len(runs); i++ {
			if runs[i].seed == runs[i-1].seed {
				return nil, &results.DataError{Path: from.Dir,
					Message: fmt.Sprintf("several runs with seed %d differ only in parameters that the other results do not have", runs[i].seed)}
			}
		}
	}
	return cells, nil
}

// seriesSum returns a hash of some columns of a series.
func seriesSum(numbers []float64, width int, columns []int) [sha256.Size]byte {
	h := sha256.New()
	var bits [8]byte
	for ; len(numbers) >= width; numbers = numbers[width:] {
		for _, i := range columns {
			x := numbers[i] + 0 // 0 for −0
			if math.IsNaN(x) {
				x = math.NaN() // of all its bit patterns, one
			}
			binary.LittleEndian.PutUint64(bits[:], math.Float64bits(x))
			h.Write(bits[:])
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// order lists the cells of both, sorted by the values of their parameters.
func (d *Diff) order(a, b map[string][]record) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, runs := range all {
		d.cells = append(d.cells, runs[0].values)
	}
	compareValues := func(a, b experiment.Value) int {
		return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Float(), b.Float()), cmp.Compare(a.String(), b.String()))
	}
	slices.SortFunc(d.cells, func(x, y []experiment.Value) int { return slices.CompareFunc(x, y, compareValues) })
	var params []int
	for i := range d.e.Params {
		params = append(params, i)
	}
	if len(d.cells) > 0 {
		d.axes = results.Axes(d.e, params, d.cells)
	}
}

// cell compares the runs of one cell; either may have none.
func (d *Diff) cell(values []experiment.Value, a, b []record) {
	var both [][2]*record
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i].seed < b[j].seed:
			d.OnlyA++
			i++
		case i == len(a) || a[i].seed > b[j].seed:
			d.OnlyB++
			j++
		default:
			d.pair(&a[i], &b[j])
			both = append(both, [2]*record{&a[i], &b[j]})
			i++
			j++
		}
	}
	for m := range d.e.Metrics {
		var x, y []float64
		same := true
		for _, pair := range both {
			u, v := pair[0].metrics[m], pair[1].metrics[m]
			same = same && equal(u, v)
			if !math.IsNaN(u) && !math.IsNaN(v) {
				x, y = append(x, u), append(y, v)
			}
		}
		if !same {
			pairs := newJoined(0, []*expr.Node{former, latter}, [][]float64{y, x})
			d.Effects = append(d.Effects, &Effect{Test{Contrast: contrast([]*joined{pairs}, difference, former, latter)}, values, m})
		}
	}
}

func equal(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// pair compares two runs.
func (d *Diff) pair(a, b *record) {
	what := ""
	m := -1
	for i := range a.metrics {
		if m < 0 && !equal(a.metrics[i], b.metrics[i]) {
			m = i
		}
	}
	switch {
	case a.outcome != b.outcome:
		what = fmt.Sprintf("status: %s and %s", a.outcome, b.outcome)
	case m >= 0:
		what = fmt.Sprintf("%s: %v and %v", d.e.Metrics[m].Name, a.metrics[m], b.metrics[m])
	case a.series != b.series:
		what = "the series"
	default:
		d.Identical++
		return
	}
	if d.Differing++; len(d.Examples) < mostExamples {
		var parts []string
		for _, p := range d.axes {
			if v := a.values[p]; !v.IsNull() {
				parts = append(parts, fmt.Sprintf("%s = %s", d.e.Params[p].Name, v))
			}
		}
		d.Examples = append(d.Examples, strings.Join(append(parts, fmt.Sprintf("seed = %d: %s", a.seed, what)), ", "))
	}
}

// Write writes the differences. CSV has the effects alone, a record each. It
// returns only w's errors.
func (d *Diff) Write(w io.Writer, f report.Format) error {
	t, notes := d.table()
	if f == report.JSON {
		return report.WriteJSON(w, map[string]any{
			"first": d.A.Dir, "second": d.B.Dir, "same": d.Same(), "declarations": append([]string{}, d.Declarations...),
			"identical": d.Identical, "differing": d.Differing, "only_first": d.OnlyA, "only_second": d.OnlyB,
			"examples": append([]string{}, d.Examples...), "effects": t,
		})
	}
	if len(t.Rows) == 0 && f != report.CSV {
		t.Title, t.Columns = "", nil
	}
	t.Notes = append(t.Notes, fmt.Sprintf("runs of %s and %s: %d identical, %d differing, %d only in the first, %d only in the second",
		d.A.Dir, d.B.Dir, d.Identical, d.Differing, d.OnlyA, d.OnlyB))
	t.Notes = append(t.Notes, d.Declarations...)
	for _, x := range d.Examples {
		t.Notes = append(t.Notes, "differs: "+x)
	}
	if more := d.Differing - len(d.Examples); more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("differs: %d more", more))
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("p: of no difference, adjusted for %s after Holm", together(d.tests, "effect")))
	}
	t.Warnings = notes.warnings()
	return report.Write(w, f, t)
}

// table returns the effects.
func (d *Diff) table() (*report.Table, *footnotes) {
	notes := &footnotes{}
	t := &report.Table{Title: "effects, second less first", Lead: len(d.axes) + 1, Columns: axisColumns(d.e, d.axes, "")}
	t.Columns = append(t.Columns, report.Column{Name: "metric", Left: true, In: report.People})
	t.Columns = append(t.Columns, testColumns(d.family(), "second mean", "first mean")...)
	t.Columns = append(t.Columns, report.Column{Left: true, In: report.People}, data("warnings"))
	for _, e := range d.Effects {
		row := append(axisCells(d.axes, e.Cell), title(d.e.Metrics[e.Metric]))
		row = append(row, e.cells(d.e.Metrics[e.Metric])...)
		t.Rows = append(t.Rows, append(row, notes.marks(e.Doubts()), strings.Join(e.Doubts(), ", ")))
	}
	return t, notes
}
