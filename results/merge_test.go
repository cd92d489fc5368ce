package results

import (
	"math/rand/v2"
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
