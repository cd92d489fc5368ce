package analysis

import (
	"fmt"
	"io"
	"math"

	"sweep/grid"
	"sweep/internal/table"
	"sweep/results"
)

// A Diff tells how the runs of two directories differ, whatever their specs:
// a run's partner has the same parameters and the same seed.
type Diff struct {
	Dirs [2]string

	// Runs that both have are identical if status, error, and every number,
	// series included, are the same bits.
	Identical int
	Differing int
	Only      [2]int   // runs that one directory alone has
	Examples  []string // the first differing runs, at most maxExamples
}

const maxExamples = 10

// Same reports whether no difference was found.
func (d *Diff) Same() bool { return d.Differing == 0 && d.Only == [2]int{} }

// NewDiff compares two directories. It returns a *results.DataError if they
// are of different experiments or model versions.
func NewDiff(a, b *results.Reader) (*Diff, error) {
	dirs := [2]string{a.Dir, b.Dir}
	first := declared(a)
	second := declared(b)
	if first != second {
		return nil, &results.DataError{
			Path:    dirs[1],
			Message: fmt.Sprintf("has runs of %s, and %s of %s", second, dirs[0], first),
			Hint:    "sweep compare shows what has changed; their Parquet files have every number",
		}
	}
	d := &Diff{Dirs: dirs}
	d.Only[1] = int(b.OK() + b.Failed())
	cells := a.Plan.Cells()
	for i := range a.Plan.Runs() {
		hash, there := a.Hash(i)
		if !there {
			continue
		}
		j, both := b.Plan.Find(a.Plan.CellID(i%cells), a.Plan.Seed(i/cells))
		other := hash
		if both {
			other, both = b.Hash(j)
		}
		if !both {
			d.Only[0]++
			continue
		}
		d.Only[1]--
		if hash == other {
			d.Identical++
			continue
		}
		x, err := a.Run(i)
		if err != nil {
			return nil, err
		}
		y, err := b.Run(j)
		if err != nil {
			return nil, err
		}
		d.Compare(a.Plan, x, y)
	}
	return d, nil
}

// declared names an experiment, its version and what its runs measure.
func declared(r *results.Reader) string {
	e := r.Plan.Experiment()
	names := append(e.MetricNames(), e.ColumnNames()...)
	return fmt.Sprintf("%s version %d with the metrics %q", e.Name, e.Version, names)
}

// Compare counts a run with two outcomes, and tells whether they are the same,
// bit for bit.
func (d *Diff) Compare(plan *grid.Plan, stored, now *results.Row) (same bool) {
	if stored.Hash() == now.Hash() {
		d.Identical++
		return true
	}
	d.Differing++
	if len(d.Examples) < maxExamples {
		example := plan.Describe(stored.Point) + ": " + firstDifference(stored, now)
		d.Examples = append(d.Examples, example)
	}
	return false
}

// firstDifference describes the first difference of two outcomes.
func firstDifference(a, b *results.Row) string {
	if a.Status != b.Status || a.Error != b.Error {
		return fmt.Sprintf("status: %s %q and %s %q", a.Status, a.Error, b.Status, b.Error)
	}
	for i, m := range a.Point.Experiment.Metrics {
		x := a.Result.Metrics[i]
		y := b.Result.Metrics[i]
		bothUndefined := math.IsNaN(x) && math.IsNaN(y)
		if x != y && !bothUndefined {
			return fmt.Sprintf("%s: %v and %v", m.Name, x, y)
		}
	}
	return "the series"
}

// Write writes the differences as text or JSON. It returns only w's errors.
func (d *Diff) Write(w io.Writer, format string) error {
	if format == table.JSON {
		return table.WriteJSON(w, map[string]any{
			"first":       d.Dirs[0],
			"second":      d.Dirs[1],
			"same":        d.Same(),
			"identical":   d.Identical,
			"differing":   d.Differing,
			"examples":    notNil(d.Examples),
			"only_first":  d.Only[0],
			"only_second": d.Only[1],
		})
	}
	text := fmt.Sprintf("runs of %s and %s: %d identical, %d differing, ",
		d.Dirs[0], d.Dirs[1], d.Identical, d.Differing)
	text += fmt.Sprintf("%d only in the first, %d only in the second", d.Only[0], d.Only[1])
	t := &table.Table{Notes: []string{text}}
	for _, example := range d.Examples {
		t.Notes = append(t.Notes, "differs: "+example)
	}
	if more := d.Differing - len(d.Examples); more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("differs: %d more", more))
	}
	return table.Write(w, format, t)
}
