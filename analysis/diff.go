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
	Sides [2]Side

	// Declarations tells how the experiments themselves differ.
	Declarations []string

	// Runs that both have are identical if status, error, and every number
	// that both measure, series included, are the same bits.
	Identical, Differing int
	Only                 [2]int    // runs that one side alone has
	Examples             []string  // the first differing runs, at most mostExamples
	Effects              []*Effect // by cell and metric, where the numbers differ: the second less the first

	e     *experiment.Experiment // what both have
	axes  []int                  // of the parameters of e, those that tell the cells apart
	tests int                    // effects with a p-value: the size of the family
}

const mostExamples = 10

// Same reports whether no difference was found.
func (d *Diff) Same() bool {
	return d.Differing+d.Only[0]+d.Only[1] == 0 && len(d.Declarations) == 0
}

// NewDiff compares two sets of results. It returns a *results.DataError if
// they are of different experiments or have nothing in common that could be
// compared.
func NewDiff(a, b Side) (*Diff, error) {
	d := &Diff{Sides: [2]Side{a, b}, e: &experiment.Experiment{Name: a.Experiment.Name}}
	at, err := d.common(a.Experiment, b.Experiment)
	if err != nil {
		return nil, err
	}
	all := map[string]*match{} // by seed and values
	for side := range d.Sides {
		if err := d.read(side, at[side], all); err != nil {
			return nil, err
		}
	}
	cells := grouped(slices.Collect(maps.Values(all)), func(m *match) string { return m.cell })
	slices.SortFunc(cells, func(a, b []*match) int { return slices.CompareFunc(a[0].values, b[0].values, compareValues) })
	var params []int
	for p := range d.e.Params {
		params = append(params, p)
	}
	var values [][]experiment.Value
	for _, cell := range cells {
		values = append(values, cell[0].values)
	}
	if len(cells) > 0 {
		d.axes = results.Axes(d.e, params, values)
	}
	for _, cell := range cells {
		slices.SortFunc(cell, func(a, b *match) int { return cmp.Compare(a.seed, b.seed) })
		d.addCell(cell)
	}
	d.tests = correct(d.Effects)
	return d, nil
}

// names are what an experiment has: parameters, metrics, and axis and columns
// of the series.
func names(e *experiment.Experiment) [3][]string {
	list := [3][]string{paramNames(e), metricNames(e.Metrics)}
	if len(e.Series.Columns) > 0 {
		list[2] = append([]string{e.Series.Axis.Name}, metricNames(e.Series.Columns)...)
	}
	return list
}

// common finds what the two experiments share and notes how they differ. It
// returns where each of them has those of its names that both have.
func (d *Diff) common(a, b *experiment.Experiment) (at [2][3][]int, err error) {
	note := func(format string, args ...any) {
		d.Declarations = append(d.Declarations, fmt.Sprintf(format, args...))
	}
	if a.Name != b.Name {
		return at, &results.DataError{Path: d.Sides[1].Dir,
			Message: fmt.Sprintf("has runs of the experiment %s, and %s of %s", b.Name, d.Sides[0].Dir, a.Name)}
	}
	if a.Version != b.Version {
		note("the model version of %s is %d against %d", a.Name, a.Version, b.Version)
	}
	namesA, namesB := names(a), names(b)
	for k, kind := range []string{"parameter", "metric", "column of the series"} {
		for i, name := range namesA[k] {
			if j := slices.Index(namesB[k], name); j >= 0 {
				at[0][k], at[1][k] = append(at[0][k], i), append(at[1][k], j)
			} else {
				note("the %s %s is only in the first", kind, name)
			}
		}
		for _, name := range namesB[k] {
			if !slices.Contains(namesA[k], name) {
				note("the %s %s is only in the second", kind, name)
			}
		}
	}
	for _, i := range at[0][0] {
		d.e.Params = append(d.e.Params, a.Params[i])
	}
	for _, i := range at[0][1] {
		d.e.Metrics = append(d.e.Metrics, a.Metrics[i])
	}
	if len(d.e.Metrics) == 0 {
		err = &results.DataError{Path: d.Sides[1].Dir, Message: fmt.Sprintf("has no metric in common with %s", d.Sides[0].Dir)}
	}
	return at, err
}

// A match is the runs of both sides that have the same seed and the same
// values of the parameters that both know.
type match struct {
	cell   string // a text of the values
	values []experiment.Value
	seed   int64
	runs   [2]*outcome // nil: that side has none
}

func compareValues(x, y experiment.Value) int {
	return cmp.Or(cmp.Compare(x.Kind(), y.Kind()), cmp.Compare(x.Float(), y.Float()), cmp.Compare(x.String(), y.String()))
}

// An outcome is that of a run as far as it can be compared.
type outcome struct {
	status  string            // with the error
	metrics []float64         // NaN if the run failed
	series  [sha256.Size]byte // a hash
}

// read adds the runs of a side to the matches; at are the positions of what
// both experiments have.
func (d *Diff) read(side int, at [3][]int, all map[string]*match) error {
	from := d.Sides[side]
	for row, err := range from.Runs {
		if err != nil {
			return err
		}
		m := &match{seed: row.Point.Seed}
		for _, i := range at[0] {
			m.values = append(m.values, row.Point.Values[i])
		}
		m.cell = fmt.Sprintf("%q", m.values)
		key := fmt.Sprint(m.seed, m.cell)
		if all[key] == nil {
			all[key] = m
		}
		if all[key].runs[side] != nil {
			return &results.DataError{Path: from.Dir,
				Message: fmt.Sprintf("several runs with seed %d differ only in parameters that the other results do not have", m.seed)}
		}
		o := &outcome{status: strings.TrimSuffix(row.Status+" ("+row.Error+")", " ()")}
		for _, i := range at[1] {
			x := math.NaN()
			if row.Status == results.OK {
				x = row.Result.Metrics[i]
			}
			o.metrics = append(o.metrics, x)
		}
		o.series = hashSeries(row.Result.Series, 1+len(from.Experiment.Series.Columns), at[2])
		all[key].runs[side] = o
	}
	return nil
}

// hashSeries returns a hash of some columns of a series.
func hashSeries(numbers []float64, width int, columns []int) [sha256.Size]byte {
	var b []byte
	for row := range slices.Chunk(numbers, width) {
		for _, i := range columns {
			x := row[i] + 0 // 0 for −0
			if math.IsNaN(x) {
				x = math.NaN() // of all its bit patterns, one
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return sha256.Sum256(b)
}

// addCell compares the runs of one cell.
func (d *Diff) addCell(cell []*match) {
	var samples [2]cellSample
	differing := make([]bool, len(d.e.Metrics))
	for _, m := range cell {
		for side, run := range m.runs {
			if run == nil {
				d.Only[1-side]++
				continue
			}
			samples[side].seeds = append(samples[side].seeds, m.seed)
			samples[side].values = append(samples[side].values, run.metrics)
		}
		if m.runs[0] != nil && m.runs[1] != nil {
			d.addPair(m, differing)
		}
	}
	for i := range differing {
		if differing[i] {
			x := effect(i, [2]*cellSample{&samples[1], &samples[0]})
			x.Metric, x.Cell = i, cell[0].values
			d.Effects = append(d.Effects, x)
		}
	}
}

// addPair compares two runs, and notes which metrics differ.
func (d *Diff) addPair(m *match, differing []bool) {
	a, b := m.runs[0], m.runs[1]
	what := ""
	for i, x := range a.metrics {
		if y := b.metrics[i]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			differing[i] = true
			what = cmp.Or(what, fmt.Sprintf("%s: %v and %v", d.e.Metrics[i].Name, x, y))
		}
	}
	switch {
	case a.status != b.status:
		what = fmt.Sprintf("status: %s and %s", a.status, b.status)
	case what == "" && a.series != b.series:
		what = "the series"
	case what == "":
		d.Identical++
		return
	}
	if d.Differing++; len(d.Examples) < mostExamples {
		where := ""
		for _, p := range d.axes {
			if v := m.values[p]; !v.IsNull() {
				where += fmt.Sprintf("%s = %s, ", d.e.Params[p].Name, v)
			}
		}
		d.Examples = append(d.Examples, fmt.Sprintf("%sseed = %d: %s", where, m.seed, what))
	}
}

// Write writes the differences. CSV has the effects alone, a record each. It
// returns only w's errors.
func (d *Diff) Write(w io.Writer, f report.Format) error {
	t, first, second := d.table(), d.Sides[0].Dir, d.Sides[1].Dir
	if f == report.JSON {
		return report.WriteJSON(w, map[string]any{
			"first": first, "second": second, "same": d.Same(), "declarations": append([]string{}, d.Declarations...),
			"identical": d.Identical, "differing": d.Differing, "only_first": d.Only[0], "only_second": d.Only[1],
			"examples": append([]string{}, d.Examples...), "effects": t,
		})
	}
	if len(t.Rows) == 0 && f != report.CSV {
		t.Title, t.Columns = "", nil
	}
	t.Notes = append(t.Notes, fmt.Sprintf("runs of %s and %s: %d identical, %d differing, %d only in the first, %d only in the second",
		first, second, d.Identical, d.Differing, d.Only[0], d.Only[1]))
	t.Notes = append(t.Notes, d.Declarations...)
	for _, x := range d.Examples {
		t.Notes = append(t.Notes, "differs: "+x)
	}
	if more := d.Differing - len(d.Examples); more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("differs: %d more", more))
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, adjusted(d.tests, "effect"))
	}
	return report.Write(w, f, t)
}

// table returns the effects.
func (d *Diff) table() *report.Table {
	t := &report.Table{Title: "effects, second less first", Lead: len(d.axes) + 1, Columns: axisColumns(d.e, d.axes, "")}
	t.Columns = append(t.Columns, people("metric"))
	for _, x := range d.Effects {
		t.Rows = append(t.Rows, append(axisCells(d.axes, x.Cell), title(d.e.Metrics[x.Metric])))
	}
	var warnings footnotes
	addEffects(t, d.e, d.Effects, "second mean", "first mean", false, &warnings)
	t.Warnings = warnings
	return t
}
