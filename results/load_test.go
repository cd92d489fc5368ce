package results

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

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

// TestUnfinishedEqualsFinished: a summary does not depend on whether the
// segments have been merged.
func TestUnfinishedEqualsFinished(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10, 20), seeds(9)...)
	finished, unfinished := loaded(t, p, true), loaded(t, p, false)
	if got, want := fmt.Sprint(unfinished.Cells, unfinished.Axes), fmt.Sprint(finished.Cells, finished.Axes); got != want || len(finished.Cells) != 4 {
		t.Errorf("finished\n%s\nunfinished\n%s", want, got)
	}
	for name, s := range map[string]*Summary{"finished": finished, "unfinished": unfinished} {
		if s.Runs != 36 || s.OK+s.Failed != 36 || s.Failed == 0 || s.Paper == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if got := loaded(t, p, false, 3, 18); got.Runs-got.OK-got.Failed != 2 {
		t.Errorf("without two runs: %d of %d are there", got.OK+got.Failed, got.Runs)
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
