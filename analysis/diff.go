package analysis

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/results"
)

// A Diff tells how two sets of results differ. They may be of different
// specs and model versions: runs are matched by those parameters that both
// have, and by their seed.
type Diff struct {
	A, B *results.Archive

	// Declarations tells how the experiments themselves differ.
	Declarations []string

	// Runs that both have are identical if status, error, and every number
	// that both measure, series included, are the same bits.
	Identical, Differing, OnlyA, OnlyB int
	Examples                           []Example // the first differing runs, at most mostExamples
	Effects                            []Effect  // by cell and metric, where the numbers differ

	cells [][]experiment.Value // of the parameters that both have
	axes  []int                // those of them that tell the cells apart
	e     *experiment.Experiment
	tests int // effects with a p-value: the size of the family
}

const mostExamples = 10

// An Example is a run that differs.
type Example struct {
	Cell int // in the order of the diff's cells
	Seed int64
	What string // what differs first, with both values
}

// An Effect is how one metric of one cell differs, B less A.
type Effect struct {
	Cell, Metric int
	Paired       bool // over common seeds; else of two unpaired samples
	NA, NB       int  // runs that count
	MeanA, MeanB float64
	Difference   *inference.Location
	Low, High    float64 // limits of the difference, level inference.Confidence
	P, AdjustedP float64 // of no difference; adjusted for all effects together (Holm)
}

// Same reports whether no difference was found.
func (d *Diff) Same() bool {
	return d.Differing+d.OnlyA+d.OnlyB == 0 && len(d.Declarations) == 0
}

// NewDiff compares two directories of results. It returns a *results.DataError if
// they are of different experiments or have nothing in common that could be
// compared.
func NewDiff(a, b *results.Archive) (*Diff, error) {
	d := &Diff{A: a, B: b}
	common, err := d.common()
	if err != nil {
		return nil, err
	}
	d.e = common.experiment
	runsA, err := common.read(a, common.fromA)
	if err != nil {
		return nil, err
	}
	runsB, err := common.read(b, common.fromB)
	if err != nil {
		return nil, err
	}
	d.order(runsA, runsB)
	for c := range d.cells {
		d.cell(c, runsA.cells[cellKey(d.cells[c])], runsB.cells[cellKey(d.cells[c])])
	}
	d.correct()
	return d, nil
}

// correct sees the effects as one family.
func (d *Diff) correct() {
	p := make([]float64, len(d.Effects))
	for i := range d.Effects {
		p[i] = d.Effects[i].P
	}
	d.tests = tests(p)
	for i, adjusted := range inference.Holm(p) {
		d.Effects[i].AdjustedP = adjusted
	}
}

// order lists the cells of both, sorted by the values of their parameters.
func (d *Diff) order(a, b *recorded) {
	d.cells = slices.Collect(maps.Values(a.values))
	for key, values := range b.values {
		if _, both := a.values[key]; !both {
			d.cells = append(d.cells, values)
		}
	}
	slices.SortFunc(d.cells, func(x, y []experiment.Value) int { return slices.CompareFunc(x, y, compareValues) })
	var all []int
	for i := range d.e.Params {
		all = append(all, i)
	}
	d.axes = results.Axes(d.e, all, d.cells)
}

// compareValues orders the values of a parameter, null first.
func compareValues(a, b experiment.Value) int {
	return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Float(), b.Float()), cmp.Compare(a.String(), b.String()))
}

// cell compares the runs of one cell; either may have none.
func (d *Diff) cell(c int, a, b []record) {
	bySeed := func(x, y record) int { return cmp.Compare(x.seed(), y.seed()) }
	slices.SortFunc(a, bySeed)
	slices.SortFunc(b, bySeed)
	var both [][2]record
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i].seed() < b[j].seed():
			d.OnlyA++
			i++
		case i == len(a) || a[i].seed() > b[j].seed():
			d.OnlyB++
			j++
		default:
			if what := differs(&a[i], &b[j]); what == "" {
				d.Identical++
			} else {
				d.Differing++
				if len(d.Examples) < mostExamples {
					d.Examples = append(d.Examples, Example{c, a[i].seed(), what})
				}
			}
			both = append(both, [2]record{a[i], b[j]})
			i++
			j++
		}
	}
	for m := range d.e.Metrics {
		if e, ok := effect(m, a, b, both); ok {
			e.Cell = c
			d.Effects = append(d.Effects, e)
		}
	}
}

// differs says what differs first between two runs, empty if nothing does.
func differs(a, b *record) string {
	if list := results.Differences(&a.row, &b.row); len(list) > 0 {
		return list[0].String()
	}
	if a.series != b.series {
		return "the series"
	}
	return ""
}

// effect estimates how a metric of a cell differs: over pairs of runs with
// one seed if there are any. There is none if the numbers are the same.
func effect(m int, a, b []record, both [][2]record) (e Effect, ok bool) {
	e = Effect{Metric: m, Paired: len(both) > 0}
	var x, y []float64
	same := true
	if e.Paired {
		for _, pair := range both {
			u, v := pair[0].metric(m), pair[1].metric(m)
			same = same && (u == v || math.IsNaN(u) && math.IsNaN(v))
			if !math.IsNaN(u) && !math.IsNaN(v) {
				x, y = append(x, u), append(y, v)
			}
		}
		e.Difference = inference.Mean(differences(y, x))
	} else {
		x, y = defined(a, m), defined(b, m)
		e.Difference = inference.Difference(y, x)
		same = len(x) == 0 || len(y) == 0 || e.Difference.SE == 0 && e.Difference.Value == 0
	}
	e.NA, e.NB = len(x), len(y)
	e.MeanA, e.MeanB = inference.Describe(x).Mean, inference.Describe(y).Mean
	e.Low, e.High = e.Difference.Interval(inference.Confidence)
	e.P = e.Difference.P(0)
	return e, !same
}

// defined returns the defined values of a metric.
func defined(runs []record, m int) []float64 {
	var x []float64
	for _, r := range runs {
		if v := r.metric(m); !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return x
}

// A shared is what two experiments have in common, and where each has it.
type shared struct {
	experiment   *experiment.Experiment // the common parameters, metrics and series
	fromA, fromB places
}

// Places are the positions of what is shared in one of the experiments;
// those in a series count from its axis, 0.
type places struct{ params, metrics, series []int }

// common finds what the two experiments share and notes how they differ.
func (d *Diff) common() (*shared, error) {
	a, b := d.A.Experiment, d.B.Experiment
	note := func(format string, args ...any) {
		d.Declarations = append(d.Declarations, fmt.Sprintf(format, args...))
	}
	if a.Name != b.Name {
		return nil, &results.DataError{Path: d.B.Dir,
			Message: fmt.Sprintf("has runs of the experiment %s, and %s of %s", b.Name, d.A.Dir, a.Name)}
	}
	if a.Version != b.Version {
		note("the model version of %s is %d against %d", a.Name, a.Version, b.Version)
	}
	s := &shared{experiment: &experiment.Experiment{Name: a.Name, Series: experiment.Series{Axis: a.Series.Axis}}}
	match := func(what string, namesA, namesB []string) (atA, atB []int) {
		for i, name := range namesA {
			if j := slices.Index(namesB, name); j >= 0 {
				atA, atB = append(atA, i), append(atB, j)
			} else {
				note("the %s %s is only in the first", what, name)
			}
		}
		for _, name := range namesB {
			if !slices.Contains(namesA, name) {
				note("the %s %s is only in the second", what, name)
			}
		}
		return atA, atB
	}
	s.fromA.params, s.fromB.params = match("parameter", paramNames(a), paramNames(b))
	s.fromA.metrics, s.fromB.metrics = match("metric", metricNames(a.Metrics), metricNames(b.Metrics))
	s.fromA.series, s.fromB.series = match("column of the series", seriesNames(a), seriesNames(b))
	for _, i := range s.fromA.params {
		s.experiment.Params = append(s.experiment.Params, a.Params[i])
	}
	for _, i := range s.fromA.metrics {
		s.experiment.Metrics = append(s.experiment.Metrics, a.Metrics[i])
	}
	if len(s.fromA.metrics) == 0 {
		return nil, &results.DataError{Path: d.B.Dir, Message: fmt.Sprintf("has no metric in common with %s", d.A.Dir)}
	}
	return s, nil
}

func paramNames(e *experiment.Experiment) (names []string) {
	for _, p := range e.Params {
		names = append(names, p.Name)
	}
	return names
}

func metricNames(metrics []experiment.Metric) (names []string) {
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return names
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
	row    results.Row // a row of the shared experiment, without its series
	series [sha256.Size]byte
}

func (r *record) seed() int64 { return r.row.Point.Seed }

// metric returns a shared metric, NaN if the run failed.
func (r *record) metric(m int) float64 {
	if r.row.Status != results.OK {
		return math.NaN()
	}
	return r.row.Result.Metrics[m]
}

// Recorded are the runs of a directory by cell.
type recorded struct {
	values map[string][]experiment.Value // shared parameters of a cell
	cells  map[string][]record
}

func cellKey(values []experiment.Value) string {
	key := ""
	for _, v := range values {
		key += fmt.Sprintf("%s %q\n", v.Kind(), v)
	}
	return key
}

// read reads all runs.
func (s *shared) read(from *results.Archive, at places) (*recorded, error) {
	r := &recorded{values: map[string][]experiment.Value{}, cells: map[string][]record{}}
	type runKey struct {
		cell string
		seed int64
	}
	seen := map[runKey]bool{}
	width := 1 + len(from.Experiment.Series.Columns)
	for row, err := range from.Runs() {
		if err != nil {
			return nil, err
		}
		var values []experiment.Value
		for _, i := range at.params {
			values = append(values, row.Point.Values[i])
		}
		key := cellKey(values)
		if k := (runKey{key, row.Point.Seed}); seen[k] {
			return nil, &results.DataError{Path: from.Dir,
				Message: fmt.Sprintf("several runs with seed %d differ only in parameters that the other results do not have", k.seed)}
		} else {
			seen[k] = true
		}
		r.values[key] = values
		kept := record{row: results.Row{
			Point:  experiment.Point{Experiment: s.experiment, Values: values, Seed: row.Point.Seed},
			Status: row.Status, Error: row.Error,
		}}
		if row.Status == results.OK {
			for _, i := range at.metrics {
				kept.row.Result.Metrics = append(kept.row.Result.Metrics, row.Result.Metrics[i])
			}
		}
		kept.series = seriesSum(row.Result.Series, width, at.series)
		r.cells[key] = append(r.cells[key], kept)
	}
	return r, nil
}

// seriesSum returns a hash of some columns of a series.
func seriesSum(numbers []float64, width int, columns []int) [sha256.Size]byte {
	h := sha256.New()
	var bits [8]byte
	for ; len(numbers) >= width; numbers = numbers[width:] {
		for _, i := range columns {
			x := numbers[i]
			if math.IsNaN(x) {
				x = math.NaN() // of all its bit patterns, one
			}
			binary.LittleEndian.PutUint64(bits[:], math.Float64bits(x))
			h.Write(bits[:])
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
