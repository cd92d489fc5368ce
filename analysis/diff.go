package analysis

import (
	"errors"
	"fmt"
	"io"
	"math"

	"sweep/experiment"
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
func NewDiff(a, b *results.Archive, dirs [2]string) (*Diff, error) {
	d := &Diff{Dirs: dirs}
	if x, y := declared(a.Experiment), declared(b.Experiment); x != y {
		return nil, &results.DataError{Path: dirs[1], Message: fmt.Sprintf("has runs of %s, and %s of %s", y, dirs[0], x),
			Hint: "their Parquet files can be compared number by number"}
	}
	var differing []results.RunKey
	d.Only[1] = len(b.Keys)
	for _, key := range a.Keys {
		x, _ := a.Hash(key)
		switch y, both := b.Hash(key); {
		case !both:
			d.Only[0]++
			continue
		case x == y:
			d.Identical++
		default:
			differing = append(differing, key)
		}
		d.Only[1]--
	}
	d.Differing = len(differing)
	if d.Differing == 0 {
		return d, nil
	}
	varying, err := varying(a)
	for _, key := range differing[:min(mostExamples, len(differing))] {
		x, errX := a.Run(key)
		y, errY := b.Run(key)
		if err = errors.Join(err, errX, errY); err != nil {
			return nil, err
		}
		d.Examples = append(d.Examples, example(x, y, varying))
	}
	return d, nil
}

// varying tells which parameters vary.
func varying(a *results.Archive) ([]bool, error) {
	varying, seen := make([]bool, len(a.Experiment.Params)), map[grid.ID]bool{}
	var first []experiment.Value
	for _, key := range a.Keys {
		if seen[key.Cell] {
			continue
		}
		seen[key.Cell] = true
		r, err := a.Run(key)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = r.Point.Values
		}
		for p, v := range r.Point.Values {
			varying[p] = varying[p] || v != first[p]
		}
	}
	return varying, nil
}

// declared names an experiment, its version and what its runs measure.
func declared(e *experiment.Experiment) string {
	return fmt.Sprintf("%s version %d with the metrics %q", e.Name, e.Version, append(metricNames(e.Metrics), metricNames(e.Series.Columns)...))
}

// example says what sets a run apart, and the first thing that differs.
func example(a, b *results.Row, varying []bool) string {
	where := ""
	for p, v := range a.Point.Values {
		if varying[p] && !v.IsNull() {
			where += fmt.Sprintf("%s = %s, ", a.Point.Experiment.Params[p].Name, v)
		}
	}
	return fmt.Sprintf("%sseed = %d: %s", where, a.Point.Seed, firstDifference(a, b))
}

// Compare counts a run that was executed again, and tells whether it is the
// same, bit for bit.
func (d *Diff) Compare(plan *grid.Plan, stored, now *results.Row) (same bool) {
	if results.Same(stored, now) {
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
func (d *Diff) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, map[string]any{"first": d.Dirs[0], "second": d.Dirs[1], "same": d.Same(),
			"identical": d.Identical, "differing": d.Differing, "only_first": d.Only[0], "only_second": d.Only[1],
			"examples": append([]string{}, d.Examples...)})
	}
	t := &report.Table{Notes: []string{fmt.Sprintf("runs of %s and %s: %d identical, %d differing, %d only in the first, %d only in the second",
		d.Dirs[0], d.Dirs[1], d.Identical, d.Differing, d.Only[0], d.Only[1])}}
	for _, x := range d.Examples {
		t.Notes = append(t.Notes, "differs: "+x)
	}
	if more := d.Differing - len(d.Examples); more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("differs: %d more", more))
	}
	return report.Write(w, f, t)
}
