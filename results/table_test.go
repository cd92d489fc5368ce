package results

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"sweep/experiment"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// loaded runs a plan, but for the runs in without, and loads the directory.
func loaded(t *testing.T, p *fakePlan, finished bool, without ...int64) *Summary {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	skipped := map[int64]bool{}
	for _, i := range without {
		skipped[i] = true
	}
	for i := range p.Runs() {
		if !skipped[i] {
			mustAppend(t, s, toyRow(p, i))
		}
	}
	if finished {
		must(t, s.Finish())
	}
	must(t, s.Close())
	before := listing(t, dir)
	set, err := load(dir, toySpec(p.experiment), p)
	must(t, err)
	if after := listing(t, dir); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("loading changed the directory from %v to %v", before, after)
	}
	return set
}

// wideToy is toy with so many metrics that a line does not hold them.
func wideToy() *experiment.Experiment {
	e := toy()
	for i := range 6 {
		e.Metrics = append(e.Metrics, experiment.Metric{Name: fmt.Sprintf("further_%d", i), Kind: experiment.Float, Unit: "s", Meaning: "more"})
	}
	return e
}

func TestTables(t *testing.T) {
	wide := newFakePlan(wideToy(), toyCells(10, 20), seeds(6)...)
	wideDir := t.TempDir()
	s := mustOpen(t, wideDir, wide)
	for i := range wide.Runs() {
		r := toyRow(wide, i)
		if r.Status == OK {
			for k := range 6 {
				r.Result.Metrics = append(r.Result.Metrics, r.Result.Metrics[1]*float64(k*k*1000))
			}
		}
		mustAppend(t, s, r)
	}
	must(t, s.Finish())
	wideSet, err := load(wideDir, toySpec(wide.experiment), wide)
	must(t, err)

	for _, test := range []struct {
		name   string
		set    *Summary
		layout Layout
	}{
		{"paper", loaded(t, newFakePlan(toy(), toyCells(10), seeds(30)...), true), Auto},
		{"paper-axes", loaded(t, newFakePlan(toy(), toyCells(10, 20), seeds(4)...), true), Paper},
		{"cells", loaded(t, newFakePlan(toy(), toyCells(10, 20), seeds(30)...), true), Cells},
		{"limits", loaded(t, newFakePlan(toy(), toyCells(10, 20), seeds(30)...), true), Limits},
		{"cells-wide", wideSet, Cells},
		{"unfinished", loaded(t, newFakePlan(toy(), toyCells(10), seeds(10)...), false, 3, 18, 19), Auto},
	} {
		for _, format := range Formats() {
			t.Run(test.name+"/"+string(format), func(t *testing.T) {
				var b strings.Builder
				must(t, test.set.Table(&b, format, test.layout))
				golden(t, test.name+"."+string(format), b.String())
				if format == Text {
					for _, line := range strings.Split(b.String(), "\n") {
						if n := utf8.RuneCountInString(line); n > 120 {
							t.Errorf("a line has %d characters: %s", n, line)
						}
					}
				}
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "table", name)
	if *update {
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s differs (run with -update and read the difference):\n%s", path, got)
	}
}

// TestUnfinishedEqualsFinished: a table does not depend on whether the
// segments have been merged.
func TestUnfinishedEqualsFinished(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10, 20), seeds(9)...)
	for _, format := range Formats() {
		var finished, unfinished strings.Builder
		must(t, loaded(t, p, true).Table(&finished, format, Auto))
		must(t, loaded(t, p, false).Table(&unfinished, format, Auto))
		if finished.String() != unfinished.String() {
			t.Errorf("%s: finished\n%s\nunfinished\n%s", format, finished.String(), unfinished.String())
		}
	}
}

func TestPaperLayoutThatDoesNotFit(t *testing.T) {
	// beta varies, and RL does not use it.
	cells := toyCells(10)
	more := append([]experiment.Value{}, cells[1]...)
	more[1] = experiment.FloatValue(0.5)
	set := loaded(t, newFakePlan(toy(), append(cells, more), seeds(3)...), true)
	err := set.Table(&strings.Builder{}, Text, Paper)
	var data *DataError
	if !errors.As(err, &data) || !strings.Contains(err.Error(), "beta varies, and only for some values of algorithm") {
		t.Errorf("got %v, want an error about beta", err)
	}
	var b strings.Builder
	must(t, set.Table(&b, Text, Auto))
	if !strings.Contains(b.String(), "±") {
		t.Errorf("Auto did not fall back to a row for each cell:\n%s", b.String())
	}
	set.paper = nil
	if err := set.Table(&b, Text, Paper); err == nil || !strings.Contains(err.Error(), "names no table") {
		t.Errorf("without a paper's table: got %v", err)
	}
}

// TestDataFormatsParse reads CSV and JSON with independent parsers.
func TestDataFormatsParse(t *testing.T) {
	set := loaded(t, newFakePlan(toy(), toyCells(10), seeds(12)...), true)
	var b strings.Builder
	must(t, set.Table(&b, CSV, Auto))
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	must(t, err)
	if len(lines) != 1+2*3 {
		t.Errorf("CSV has %d lines, want a header and 2 cells of 3 metrics", len(lines))
	}
	b.Reset()
	must(t, set.Table(&b, JSON, Auto))
	var table struct {
		Rows []struct {
			Parameters map[string]any
			Mean       float64
			PaperMean  float64 `json:"paper_mean"`
			Ratio      float64
		}
	}
	must(t, json.Unmarshal([]byte(b.String()), &table))
	r := table.Rows[0]
	if r.Parameters["algorithm"] != "RL" || r.PaperMean != 540636 || r.Ratio != r.Mean/r.PaperMean {
		t.Errorf("first row of the JSON table: %+v", r)
	}
}

func TestLoadWithoutResults(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for _, when := range []string{"before", "after"} {
		_, err := load(dir, toySpec(p.experiment), p)
		var data *DataError
		if !errors.As(err, &data) || !strings.Contains(err.Error(), "no run has finished yet") {
			t.Errorf("%s an empty Finish: got %v", when, err)
		}
		must(t, s.Finish())
	}
}
