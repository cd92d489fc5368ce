package results

import (
	"maps"
	"math"
	"path/filepath"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// collected returns the rows of a collection by run_id, each by column.
func collected(t *testing.T, sweeps ...*Reader) map[any]map[string]any {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.parquet")
	n := testutil.Must(Collect(path, sweeps))
	rows := byID(path)
	if int64(len(rows)) != n {
		t.Errorf("%d rows have %d identities", n, len(rows))
	}
	return rows
}

func byID(path string) map[any]map[string]any {
	_, rows, _ := decode(path)
	found := map[any]map[string]any{}
	for _, row := range rows {
		found[row["run_id"]] = row
	}
	return found
}

// A collection has the rows of its sweeps, each run once, with the parameters
// that vary.
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
			if want[id] == nil {
				want[id] = row
				row["sweep"] = r.Name
			}
			delete(row, "beta")    // 0.3 wherever it is used
			delete(row, "rewired") // false
		}
	}
	got := collected(t, sweeps...)
	if len(got) != 20*2+20*2-10 {
		t.Errorf("%d runs, want 70", len(got))
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
	_, err := Collect(filepath.Join(t.TempDir(), "all.parquet"), []*Reader{ok, outcome(OK, 0.6)})
	wantDataError(t, "two outcomes", err, "another outcome")
}
