package results

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOverlapAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		sources := make([]source, 1+rng.IntN(12))
		for i := range sources {
			first := rng.Int64N(30)
			sources[i].index = []int64{first, first + rng.Int64N(10)}
		}
		want := 0
		for at := range int64(40) {
			n := 0
			for _, s := range sources {
				if s.index[0] <= at && at <= s.index[1] {
					n++
				}
			}
			want = max(want, n)
		}
		if got := overlap(sources); got != want {
			t.Fatalf("overlap(%v) = %d, want %d", sources, got, want)
		}
	}
}

// TestMergeOpensFewFiles: however many segments overlap, those that are
// merged at once do not exceed the bound, and intermediate files go away.
func TestMergeOpensFewFiles(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), seeds(mergeWidth*3)...)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for i := range p.Runs() / 2 { // each segment spans all others after it
		mustAppend(t, s, toyRow(p, i), toyRow(p, p.Runs()-1-i))
		must(t, s.Commit())
	}
	if got := overlap(s.sources); got != len(s.sources) {
		t.Fatalf("%d of %d segments overlap", got, len(s.sources))
	}
	m := merger{disk: osDisk{}, layouts: s.layouts, scratch: t.TempDir()}
	sources, err := m.prepare(s.sources)
	must(t, err)
	if got := overlap(sources); got > mergeWidth || m.made == 0 {
		t.Errorf("%d sources are merged at once after %d intermediate ones, want at most %d", got, m.made, mergeWidth)
	}
	m.removeScratch()
	if left := listing(t, m.scratch); len(left) > 0 {
		t.Errorf("intermediate files are left: %v", left)
	}
}

// TestSuccessStays: a run that succeeded once stays so, however late a
// failure comes.
func TestSuccessStays(t *testing.T) {
	spec, plan := mustParse(t, smallSpec)
	good := luckyRow(plan, 3)
	good.Status, good.Error, good.Result.Metrics = OK, "", []float64{1, 2, 3}
	bad := &Row{Index: 3, ID: good.ID, Point: good.Point, Status: Failed, Error: "the machine broke"}
	var sources []source
	for _, row := range []*Row{bad, good, bad} {
		dir := t.TempDir()
		s, err := Open(dir, spec, plan)
		must(t, err)
		mustAppend(t, s, row)
		must(t, s.Commit())
		sources = append(sources, s.sources...)
		mustAppend(t, s, bad)
		if s.Done(3) != (row == good) || s.Finished()+s.Failed() != 1 {
			t.Errorf("after %s and %s: done %v, %d and %d runs", row.Status, bad.Status, s.Done(3), s.Finished(), s.Failed())
		}
		must(t, s.Close())
		if _, rows := viewed(t, dir, true); !slices.Equal(rows, []string{describeRow(row)}) {
			t.Errorf("after %s and %s: %v", row.Status, bad.Status, rows)
		}
	}
	// The one that succeeded is neither the first nor the last source.
	var rows []string
	to := newRowSink("", plan.Experiment(), func(r *Row) bool { rows = append(rows, describeRow(r)); return true })
	m := merger{disk: osDisk{}, layouts: newLayouts(plan.Experiment(), spec.Name), scratch: t.TempDir()}
	must(t, m.merge(sources, to))
	must(t, to.end())
	if !slices.Equal(rows, []string{describeRow(good)}) {
		t.Errorf("merged: %v", rows)
	}
}
