package results

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// An archive yields what a view yields, in any order, without spec or
// declaration.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	check := func(when string) {
		t.Helper()
		_, want := viewed(t, dir, true)
		a, err := OpenArchive(dir)
		must(t, err)
		var got []string
		for r, err := range a.Runs() {
			must(t, err)
			r.Index, _ = plan.Find(r.Point.Values, r.Point.Seed)
			if grid.Identify(experiment.Point{Experiment: plan.Experiment(), Values: r.Point.Values, Seed: r.Point.Seed}) != r.ID {
				t.Fatalf("%s: run %s has the parameters of another", when, r.ID)
			}
			got = append(got, describeRow(r))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want the %d of the view", when, len(got), len(want))
		}
		e := plan.Experiment()
		if a.Experiment.Name != e.Name || a.Experiment.Version != e.Version || len(a.Experiment.Series.Columns) != len(e.Series.Columns) {
			t.Errorf("%s: experiment %+v", when, a.Experiment)
		}
	}
	rows := map[int64]*Row{}
	for i := range plan.Runs() {
		rows[i] = luckyRow(plan, i)
		mustAppend(t, s, rows[i])
		if i%37 == 0 {
			must(t, s.Commit())
		}
	}
	must(t, s.Commit())
	check("in segments")
	// Later rows replace earlier ones.
	for _, i := range slices.Sorted(maps.Keys(rows)) {
		if rows[i].Status == Failed {
			r := luckyRow(plan, i)
			r.Status, r.Error = OK, ""
			r.Result.Metrics = []float64{7, 8, 9}
			mustAppend(t, s, r)
		}
	}
	must(t, s.Commit())
	check("with repeated runs")
	must(t, s.Finish())
	must(t, s.Close())
	check("finished")
}

func TestArchiveOfNothing(t *testing.T) {
	if _, err := OpenArchive(filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	var data *DataError
	if _, err := OpenArchive(t.TempDir()); !errors.As(err, &data) {
		t.Errorf("an empty directory: %v", err)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, specFile), nil, 0o666))
	must(t, os.WriteFile(filepath.Join(dir, runsFile), []byte("PAR1 and nothing"), 0o666))
	if _, err := OpenArchive(dir); !errors.As(err, &data) {
		t.Errorf("a damaged file: %v", err)
	}
}
