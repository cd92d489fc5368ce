package analysis

import (
	"errors"
	"fmt"
	"io"
	"math"

	"sweep/grid"
	"sweep/internal/report"
	"sweep/results"
)

// A Diff tells how the runs of two directories differ, whatever their specs:
// a run's partner has the same parameters and the same seed.
type Diff struct {
	Dirs [2]string

	// Runs that both have are identical if status, error, and every number,
	// series included, are the same bits.
	Identical, Differing int
	Only                 [2]int   // runs that one directory alone has
	Examples             []string // the first differing runs, at most mostExamples
}

const mostExamples = 10

// Same reports whether no difference was found.
func (d *Diff) Same() bool { return d.Differing+d.Only[0]+d.Only[1] == 0 }

// NewDiff compares two directories. It returns a *results.DataError if they
// are of different experiments or model versions.
func NewDiff(a, b *results.Reader, dirs [2]string) (*Diff, error) {
	d := &Diff{Dirs: dirs}
	if x, y := declared(a), declared(b); x != y {
		text := fmt.Sprintf("has runs of %s, and %s of %s", y, dirs[0], x)
		return nil, &results.DataError{Path: dirs[1], Message: text,
			Hint: "their Parquet files can be compared number by number"}
	}
	d.Only[1] = int(b.OK() + b.Failed())
	for i := range a.Plan.Runs() {
		hash, there := a.Hash(i)
		if !there {
			continue
		}
		j, both := b.Plan.Find(a.Plan.CellID(i%a.Plan.Cells()), a.Plan.Seed(i/a.Plan.Cells()))
		other := hash
		if both {
			other, both = b.Hash(j)
		}
		switch {
		case !both:
			d.Only[0]++
			continue
		case hash == other:
			d.Identical++
		default:
			x, errX := a.Run(i)
			y, errY := b.Run(j)
			if err := errors.Join(errX, errY); err != nil {
				return nil, err
			}
			d.Compare(a.Plan, x, y)
		}
		d.Only[1]--
	}
	return d, nil
}

// declared names an experiment, its version and what its runs measure.
func declared(r *results.Reader) string {
	e := r.Plan.Experiment()
	names := append(e.MetricNames(), e.ColumnNames()...)
	return fmt.Sprintf("%s version %d with the metrics %q", e.Name, e.Version, names)
}

// Compare counts a run of which there are two outcomes, and tells whether they
// are the same, bit for bit.
func (d *Diff) Compare(plan *grid.Plan, stored, now *results.Row) (same bool) {
	if stored.Hash() == now.Hash() {
		d.Identical++
		return true
	}
	if d.Differing++; len(d.Examples) < mostExamples {
		d.Examples = append(d.Examples, plan.Describe(stored.Point)+": "+firstDifference(stored, now))
	}
	return false
}

// firstDifference says what the first is of what two outcomes do not have in common.
func firstDifference(a, b *results.Row) string {
	if a.Status != b.Status || a.Error != b.Error {
		return fmt.Sprintf("status: %s %q and %s %q", a.Status, a.Error, b.Status, b.Error)
	}
	for i, m := range a.Point.Experiment.Metrics {
		if x, y := a.Result.Metrics[i], b.Result.Metrics[i]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			return fmt.Sprintf("%s: %v and %v", m.Name, x, y)
		}
	}
	return "the series"
}

// Write writes the differences as text or JSON. It returns only w's errors.
func (d *Diff) Write(w io.Writer, f string) error {
	if f == report.JSON {
		return report.WriteJSON(w, map[string]any{"first": d.Dirs[0], "second": d.Dirs[1], "same": d.Same(),
			"identical": d.Identical, "differing": d.Differing, "examples": append([]string{}, d.Examples...),
			"only_first": d.Only[0], "only_second": d.Only[1]})
	}
	text := "runs of %s and %s: %d identical, %d differing, %d only in the first, %d only in the second"
	text = fmt.Sprintf(text, d.Dirs[0], d.Dirs[1], d.Identical, d.Differing, d.Only[0], d.Only[1])
	t := &report.Table{Notes: []string{text}}
	for _, x := range d.Examples {
		t.Notes = append(t.Notes, "differs: "+x)
	}
	if more := d.Differing - len(d.Examples); more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("differs: %d more", more))
	}
	return report.Write(w, f, t)
}
