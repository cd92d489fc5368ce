package results

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// collected returns the rows of a collection by sweep and run_id, each by
// column.
func collected(t *testing.T, sweeps ...*Reader) map[any]map[string]any {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.parquet")
	n, different, err := Collect(path, sweeps, sameNames)
	testutil.NoError(err)
	rows := byMembership(path)
	if int64(len(rows)) != n {
		t.Errorf("%d rows have %d identities", n, len(rows))
	}
	if runs := byID(path); int64(len(runs)) != different {
		t.Errorf("%d runs have %d identities", different, len(runs))
	}
	return rows
}

func sameNames(_, column string) string { return column }

// byMembership returns the rows of a collection by sweep and run_id.
func byMembership(path string) map[any]map[string]any {
	_, rows, _ := decode(path)
	found := map[any]map[string]any{}
	for _, row := range rows {
		found[[2]any{row["sweep"], row["run_id"]}] = row
	}
	return found
}

func byID(path string) map[any]map[string]any {
	_, rows, _ := decode(path)
	found := map[any]map[string]any{}
	for _, row := range rows {
		found[row["run_id"]] = row
	}
	return found
}

// A collection has the rows of each of its sweeps, with the parameters that
// vary.
func TestCollect(t *testing.T) {
	specs := []string{
		"name = \"one\"\nexperiment = \"toy\"\nseeds = \"1..20\"\n[grid]\nalgorithm = [\"RL\", \"WL\"]\n",
		"name = \"two\"\nexperiment = \"toy\"\nseeds = \"11..30\"\n[grid]\nalgorithm = \"WL\"\nk = [50, 60]\n",
	}
	var sweeps []*Reader
	want := map[any]map[string]any{}
	for _, text := range specs {
		dir := t.TempDir()
		run(t, dir, text)
		r, _ := read(dir, false)
		sweeps = append(sweeps, r)
		for id, row := range byID(filepath.Join(dir, runsFile)) {
			want[[2]any{r.Name, id}] = row
			row["sweep"] = r.Name
			delete(row, "beta")    // 0.3 wherever it is used
			delete(row, "rewired") // false
		}
	}
	got := collected(t, sweeps...)
	if len(got) != 20*2+20*2 {
		t.Errorf("%d rows, want 80", len(got))
	}
	if !maps.EqualFunc(got, want, maps.Equal) {
		t.Errorf("the collection is\n%v, want\n%v", got, want)
	}
	again := collected(t, sweeps[1], sweeps[0], sweeps[1])
	if !maps.EqualFunc(again, got, func(a, b map[string]any) bool { return a["seed"] == b["seed"] }) {
		t.Errorf("in another order there are other runs")
	}
}

// Of a run that failed in one directory and succeeded in another the success
// is taken; two successes that differ are an error.
func TestCollectOutcomes(t *testing.T) {
	spec := parse("experiment = \"toy\"\nseeds = 1\n")
	outcome := func(status string, efficiency float64) *Reader {
		dir := t.TempDir()
		s := testutil.Must(Open(dir, spec, nil))
		r := toyRow(s.Plan, 0)
		r.Status, r.Error, r.Result = status, "no luck", experiment.Result{}
		if status == OK {
			r.Error, r.Result.Metrics = "", []float64{1, efficiency, math.NaN()}
		}
		testutil.NoError(s.Append(r))
		testutil.NoError(s.Close())
		reader, _ := read(dir, false)
		return reader
	}
	failed, ok := outcome(Failed, 0), outcome(OK, 0.5)
	for _, rows := range []map[any]map[string]any{collected(t, failed, ok), collected(t, ok, failed), collected(t, ok, outcome(OK, 0.5))} {
		for _, row := range rows {
			if len(rows) != 1 || row["status"] != OK || row["efficiency"] != 0.5 {
				t.Errorf("collected %v", rows)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "all.parquet")
	_, _, err := Collect(path, []*Reader{ok, outcome(OK, 0.6)}, sameNames)
	wantDataError(t, "two outcomes", err, "another outcome")
}

// Columns are called as the naming says: two of different sweeps become one,
// and of one sweep no two may.
func TestCollectNames(t *testing.T) {
	var sweeps []*Reader
	for _, text := range []string{
		"name = \"one\"\nexperiment = \"toy\"\n[grid]\nalgorithm = \"WL\"\nbeta = [0.1, 0.2]\n",
		"name = \"two\"\nexperiment = \"toy\"\n[grid]\nalgorithm = \"WL\"\nk = [1, 2]\n",
	} {
		dir := t.TempDir()
		run(t, dir, text)
		r, _ := read(dir, false)
		sweeps = append(sweeps, r)
	}
	path := filepath.Join(t.TempDir(), "all.parquet")
	growth := map[string]string{"one.beta": "growth", "two.k": "growth", "two.efficiency": "yield"}
	_, _, err := Collect(path, sweeps, func(sweep, column string) string {
		if name, ok := growth[sweep+"."+column]; ok {
			return name
		}
		return column
	})
	testutil.NoError(err)
	for member, row := range byMembership(path) {
		want := []float64{0.1, 0.2}
		has, lacks := "efficiency", "yield"
		if member.([2]any)[0] == "two" {
			want = []float64{1, 2}
			has, lacks = lacks, has
		}
		if !slices.Contains(want, row["growth"].(float64)) || row[has] == nil || row[lacks] != nil {
			t.Errorf("%v is %v", member, row)
		}
	}
	for _, name := range []string{"beta", "seed", "sweep"} {
		_, _, err := Collect(path, sweeps, func(_, column string) string {
			if column == "efficiency" {
				return name
			}
			return column
		})
		wantDataError(t, name, err, "cannot be called "+name)
	}
}
