package results

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// luckyRow returns what run i of a plan of toy yields: nulls, failures and
// series of several lengths among it.
func luckyRow(plan *grid.Plan, i int64) *Row {
	point := plan.Point(i)
	r := &Row{Index: i, ID: grid.Identify(point), Point: point, Status: OK}
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	if rng.IntN(6) == 0 {
		r.Status, r.Error = Failed, fmt.Sprint("no luck with ", i)
		return r
	}
	r.Result.Metrics = []float64{float64(rng.IntN(1e6)), rng.Float64(), math.NaN()}
	for w := range rng.IntN(4) {
		r.Result.Series = append(r.Result.Series, float64(w), math.NaN(), rng.Float64())
	}
	return r
}

func describeRow(r *Row) string {
	return fmt.Sprint(r.Index, r.ID, r.Point.Values, r.Point.Seed, r.Status, r.Error, r.Result.Metrics, r.Result.Series)
}

// viewed returns what a view of the directory yields.
func viewed(t *testing.T, dir string, series bool) (v *Reader, rows []string) {
	t.Helper()
	v, err := OpenReader(dir, []*experiment.Experiment{toy()})
	must(t, err)
	for r, err := range v.Runs(series) {
		must(t, err)
		rows = append(rows, describeRow(r))
	}
	return v, rows
}

// A view yields, at any time of a sweep, what was appended, in the order of
// the plan, and changes nothing.
func TestView(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	kept := map[int64]*Row{}
	check := func(when string) {
		t.Helper()
		files := listing(t, dir)
		for _, series := range []bool{true, false} {
			var want []string
			for i := range plan.Runs() {
				if r := kept[i]; r != nil {
					r := *r
					if !series {
						r.Result.Series = nil
					}
					want = append(want, describeRow(&r))
				}
			}
			v, got := viewed(t, dir, series)
			if !slices.Equal(got, want) {
				t.Errorf("%s, series %v: got\n%s\nwant\n%s", when, series, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for i := range plan.Runs() {
				status := ""
				if r := kept[i]; r != nil {
					status = r.Status
				}
				if got := v.Status(i); got != status {
					t.Errorf("%s: status of run %d is %q, want %q", when, i, got, status)
				}
			}
			if v.OK()+v.Failed() != int64(len(want)) || len(want) > 0 && v.Name != "toys" {
				t.Errorf("%s: %d and %d runs of %s", when, v.OK(), v.Failed(), v.Name)
			}
		}
		if after := listing(t, dir); !slices.Equal(after, files) {
			t.Errorf("%s: files were %v, are %v", when, files, after)
		}
	}
	check("before the first run")
	for n, i := range shuffled(plan.Runs()) {
		row := luckyRow(plan, i)
		mustAppend(t, s, row)
		kept[i] = row
		if n%50 == 49 {
			must(t, s.Commit())
			check(fmt.Sprint("after ", n+1))
		}
	}
	must(t, s.Finish())
	check("finished")
}

// The segments of a sweep may be merged and removed, and others may follow,
// while somebody reads the runs.
func TestViewOfASweepThatEnds(t *testing.T) {
	for _, series := range []bool{true, false} {
		dir := t.TempDir()
		spec, plan := mustParse(t, smallSpec)
		s, err := Open(dir, spec, plan)
		must(t, err)
		for i := range plan.Runs() / 2 {
			mustAppend(t, s, luckyRow(plan, i))
			must(t, s.Commit())
		}
		_, want := viewed(t, dir, series)
		v, err := OpenReader(dir, []*experiment.Experiment{toy()})
		must(t, err)
		var got []string
		for r, err := range v.Runs(series) {
			must(t, err)
			if got = append(got, describeRow(r)); len(got) == 5 {
				must(t, s.Finish())
			}
			if len(got) == 9 {
				mustAppend(t, s, luckyRow(plan, plan.Runs()-1))
				must(t, s.Finish())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("series %v: got\n%s\nwant\n%s", series, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		must(t, s.Close())
	}
}

// An interposed disk lets something happen after a directory was listed.
type interposed struct {
	osDisk
	after func(dir string)
}

func (d interposed) list(dir string) ([]string, error) {
	names, err := d.osDisk.list(dir)
	d.after(dir)
	return names, err
}

// Who lists a directory while its segments are merged does not take it for
// an empty one.
func TestInventoryOfASweepThatEnds(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	mustAppend(t, s, luckyRow(plan, 0))
	must(t, s.Commit())
	d := interposed{after: func(listed string) {
		if listed == dir {
			must(t, s.Finish())
		}
	}}
	if inv, err := takeInventory(d, dir, true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("inventory %+v, error %v; want %v", inv, err, fs.ErrNotExist)
	}
	must(t, s.Close())
}

func TestViewBreaksOff(t *testing.T) {
	dir := t.TempDir()
	runPlan(t, dir, smallSpec, ascending)
	v, err := OpenReader(dir, []*experiment.Experiment{toy()})
	must(t, err)
	seen := 0
	for r, err := range v.Runs(true) {
		must(t, err)
		if seen++; r.Index == 4 {
			break
		}
	}
	if seen != 5 {
		t.Errorf("%d rows were seen, want 5", seen)
	}
}

// A run that failed and was repeated has two rows until they are merged.
func TestFilesOfARun(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	append := func(i int64, status string) {
		r := luckyRow(plan, i)
		r.Status, r.Result.Metrics = status, []float64{1, 1, 1}
		must(t, s.Append(r))
		must(t, s.Commit())
	}
	append(0, Failed)
	append(1, OK)
	append(0, OK)
	names := func(i int64) (list []string) {
		v, _ := viewed(t, dir, false)
		for _, file := range v.Files(i) {
			list = slices.Concat(list, []string{strings.TrimPrefix(file, dir+"/")})
		}
		return list
	}
	if got, want := names(0), []string{"segments/000001.runs.parquet", "segments/000003.runs.parquet"}; !slices.Equal(got, want) {
		t.Errorf("run 0 is in %v, want %v", got, want)
	}
	if got := names(2); got != nil {
		t.Errorf("run 2 is in %v, want none", got)
	}
	must(t, s.Finish())
	must(t, s.Close())
	if got := names(0); !slices.Equal(got, []string{"runs.parquet"}) {
		t.Errorf("run 0 is in %v, want runs.parquet", got)
	}
}
