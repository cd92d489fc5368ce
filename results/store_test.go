package results

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
)

// finish runs all of a plan's runs in the given order, closing a segment
// after every cut rows, and returns the final files.
func finish(t *testing.T, p *fakePlan, order []int64, cut int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for n, i := range order {
		mustAppend(t, s, toyRow(p, i))
		if (n+1)%cut == 0 {
			must(t, s.Commit())
		}
	}
	must(t, s.Finish())
	must(t, s.Close())
	if got, want := listing(t, dir), []string{runsFile, seriesFile, specFile, summaryFile}; !slices.Equal(got, want) {
		t.Fatalf("directory after Finish: got %v, want %v", got, want)
	}
	return finalBytes(t, dir)
}

func ascending(n int64) []int64 {
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	return order
}

func TestBytesDoNotDependOnOrderOrSegments(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10, 20, 30), seeds(100)...)
	want := finish(t, p, ascending(p.Runs()), 1<<30)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, cut := range []int{1 << 30, 200, 7} {
		order := ascending(p.Runs())
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		got := finish(t, p, order, cut)
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("segments of %d rows in shuffled order: %s differs", cut, name)
			}
		}
	}
}

func TestReopenContinues(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10, 20), seeds(25)...)
	want := finish(t, p, ascending(p.Runs()), 1<<30)

	dir := t.TempDir()
	for first := int64(0); first < p.Runs(); first += 30 {
		s := mustOpen(t, dir, p)
		for i := range p.Runs() {
			finished := i < first && toyRow(p, i).Status == OK
			if s.Done(i) != finished {
				t.Fatalf("after %d runs: Done(%d) = %v", first, i, !finished)
			}
		}
		for i := first; i < min(first+30, p.Runs()); i++ {
			mustAppend(t, s, toyRow(p, i))
		}
		must(t, s.Close())
	}
	s := mustOpen(t, dir, p)
	must(t, s.Finish())
	must(t, s.Close())
	if got := finalBytes(t, dir); !equalFiles(got, want) {
		t.Error("the files of an interrupted sweep differ from those of an uninterrupted one")
	}

	// A complete directory has nothing to do and is left alone.
	before, err := os.Stat(filepath.Join(dir, runsFile))
	must(t, err)
	s = mustOpen(t, dir, p)
	if s.Finished()+s.Failed() != p.Runs() {
		t.Errorf("a complete directory has %d and %d of %d runs", s.Finished(), s.Failed(), p.Runs())
	}
	must(t, s.Finish())
	after, err := os.Stat(filepath.Join(dir, runsFile))
	must(t, err)
	if !os.SameFile(before, after) {
		t.Error("Finish rewrote complete files")
	}
}

func equalFiles(a, b map[string]string) bool {
	return a[runsFile] == b[runsFile] && a[seriesFile] == b[seriesFile] && a[summaryFile] == b[summaryFile]
}

// TestExtendedSpec grows a finished directory by cells, in another order
// than before, and by seeds in front of the others, so that rows change
// their places.
func TestExtendedSpec(t *testing.T) {
	small := newFakePlan(toy(), toyCells(10, 20), 5, 6, 7)
	cells := toyCells(20, 15, 10)
	slices.Reverse(cells)
	for _, test := range []struct {
		name string
		plan *fakePlan
	}{
		{"more seeds", newFakePlan(toy(), toyCells(10, 20), 5, 6, 7, 8, 9)},
		{"more cells", newFakePlan(toy(), toyCells(5, 10, 20), 5, 6, 7)},
		{"all shuffled", newFakePlan(toy(), cells, 9, 7, 6, 5)},
		{"only reordered", newFakePlan(toy(), toyCells(20, 10), 7, 6, 5)},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := finish(t, test.plan, ascending(test.plan.Runs()), 1<<30)
			dir := t.TempDir()
			s := mustOpen(t, dir, small)
			for i := range small.Runs() {
				mustAppend(t, s, toyRow(small, i))
			}
			must(t, s.Finish())
			must(t, s.Close())

			s = mustOpen(t, dir, test.plan)
			if s.Finished()+s.Failed() != small.Runs() {
				t.Fatalf("%d runs are known, want %d", s.Finished()+s.Failed(), small.Runs())
			}
			for i := range test.plan.Runs() {
				if r := toyRow(test.plan, i); !s.Done(i) && r.Status == OK || r.Status == Failed {
					mustAppend(t, s, r)
				}
			}
			must(t, s.Finish())
			if !equalFiles(finalBytes(t, dir), want) {
				t.Error("the files differ from those of the larger spec run at once")
			}
		})
	}
}

// TestReorderedIncompleteSweep: the two runs that are there stay in the
// order of their seeds, but their cells change places in the summary.
func TestReorderedIncompleteSweep(t *testing.T) {
	cells := toyCells(10)
	before := newFakePlan(toy(), cells, 1, 2)
	after := newFakePlan(toy(), [][]experiment.Value{cells[1], cells[0]}, 1, 2)
	dir, fresh := t.TempDir(), t.TempDir()
	for _, step := range []struct {
		dir  string
		plan *fakePlan
		runs []int64
	}{
		{dir, before, []int64{0, 3}},
		{dir, after, nil},
		{fresh, after, []int64{1, 2}},
	} {
		s := mustOpen(t, step.dir, step.plan)
		for _, i := range step.runs {
			mustAppend(t, s, toyRow(step.plan, i))
		}
		must(t, s.Finish())
		must(t, s.Close())
	}
	if !equalFiles(finalBytes(t, dir), finalBytes(t, fresh)) {
		t.Error("the files of a reordered sweep differ from those of a fresh one")
	}
}

func TestSmallerSpecIsRefused(t *testing.T) {
	large := newFakePlan(toy(), toyCells(10, 20), 1, 2, 3)
	small := newFakePlan(toy(), toyCells(10), 1, 2, 3)
	dir := t.TempDir()
	s := mustOpen(t, dir, large)
	for i := range large.Runs() {
		mustAppend(t, s, toyRow(large, i))
	}
	must(t, s.Finish())
	must(t, s.Close())
	before := finalBytes(t, dir)
	wantDataError(t, dir, small, "holds 6 runs that this spec does not have")
	if !equalFiles(before, finalBytes(t, dir)) {
		t.Error("a refused directory was changed")
	}
}

func wantDataError(t *testing.T, dir string, p *fakePlan, message string) {
	t.Helper()
	spec := toySpec(p.experiment)
	spec.Source = []byte("changed")
	_, err := Open(dir, spec, p)
	var data *DataError
	if !errors.As(err, &data) || !strings.Contains(err.Error(), message) {
		t.Errorf("Open: got %v, want a *DataError with %q", err, message)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, specFile)); string(text) == "changed" {
		t.Error("a refused directory got the new spec")
	}
}

func TestOtherResultsAreRefused(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1)
	other := toy()
	other.Name = "game"
	newer := toy()
	newer.Version++
	wider := toy()
	wider.Metrics = append(wider.Metrics, experiment.Metric{Name: "more", Kind: experiment.Float, Meaning: "more"})
	for _, test := range []struct {
		name, want string
		experiment *experiment.Experiment
	}{
		{"experiment", `the experiment is "toy", and here "game" is expected`, other},
		{"version", `the model version is "3", and here "4" is expected`, newer},
		{"columns", `column "more" is missing`, wider},
	} {
		for _, final := range []bool{false, true} {
			dir := t.TempDir()
			s := mustOpen(t, dir, p)
			mustAppend(t, s, toyRow(p, 0))
			must(t, s.Commit())
			if final {
				must(t, s.Finish())
			}
			must(t, s.Close())
			wantDataError(t, dir, newFakePlan(test.experiment, toyCells(10), 1), test.want)
		}
	}
}

func TestForeignDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666))
	p := newFakePlan(toy(), toyCells(10), 1)
	wantDataError(t, dir, p, "not the output of a sweep")
	if got := listing(t, dir); len(got) != 1 {
		t.Errorf("a refused directory was changed: %v", got)
	}
}

func TestIOFaultIsNotADataError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o666))
	p := newFakePlan(toy(), toyCells(10), 1)
	_, err := Open(filepath.Join(path, "dir"), toySpec(p.experiment), p)
	var data *DataError
	if err == nil || errors.As(err, &data) || !strings.Contains(err.Error(), path) {
		t.Errorf("Open below a file: got %v, want an error of the operating system with the path", err)
	}
}

// TestSwappedSeries: files that are whole but do not belong together.
func TestSwappedSeries(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), seeds(40)...)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for i := range p.Runs() {
		mustAppend(t, s, toyRow(p, i))
		if i%20 == 19 {
			must(t, s.Commit())
		}
	}
	first, second := segmentPath(dir, 1, "series"), segmentPath(dir, 2, "series")
	must(t, os.Rename(first, first+".x"))
	must(t, os.Rename(second, first))
	must(t, os.Rename(first+".x", second))
	var data *DataError
	if err := s.Finish(); !errors.As(err, &data) || data.Path != first {
		t.Errorf("Finish: got %v, want a *DataError of %s", err, first)
	}
}

func TestLaterRowReplacesEarlier(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1, 2)
	failed := &Row{Index: 1, ID: [16]byte{1}, Point: p.point(1), Status: Failed, Error: "no luck"}
	ok := &Row{Index: 1, ID: [16]byte{1}, Point: p.point(1), Status: OK,
		Result: experiment.Result{Metrics: []float64{1, 2, 3}, Series: []float64{3, 1, 0.5}}}
	want := finishRows(t, p, func(s *Store) { mustAppend(t, s, ok) })
	for name, rows := range map[string]func(s *Store){
		"in one segment":   func(s *Store) { mustAppend(t, s, failed, ok) },
		"in two segments":  func(s *Store) { mustAppend(t, s, failed); must(t, s.Commit()); mustAppend(t, s, ok) },
		"after the finish": func(s *Store) { mustAppend(t, s, failed); must(t, s.Finish()); mustAppend(t, s, ok) },
	} {
		t.Run(name, func(t *testing.T) {
			if !equalFiles(finishRows(t, p, rows), want) {
				t.Error("the failed row left a trace")
			}
		})
	}
}

func finishRows(t *testing.T, p *fakePlan, rows func(*Store)) map[string]string {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	rows(s)
	must(t, s.Finish())
	if !s.Done(1) || s.Finished() != 1 || s.Failed() != 0 {
		t.Errorf("after ok: Done %v, Finished %d, Failed %d", s.Done(1), s.Finished(), s.Failed())
	}
	return finalBytes(t, dir)
}
