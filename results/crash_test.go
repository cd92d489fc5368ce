package results

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLeftoversAreRemoved(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1, 2)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s, toyRow(p, 0))
	must(t, s.Close())
	for _, name := range []string{temporary(runsFile), filepath.Join(segmentsDir, temporary("000002.runs.parquet")), filepath.Join(segmentsDir, "000002.series.parquet")} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666))
	}
	s = mustOpen(t, dir, p)
	must(t, s.Close())
	want := []string{"segments/000001.runs.parquet", "segments/000001.series.parquet", specFile}
	if got := listing(t, dir); !slices.Equal(got, want) {
		t.Errorf("directory after Open: got %v, want %v", got, want)
	}
}

func TestFailedFinishLeavesSegments(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), seeds(20)...)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for i := range p.Runs() {
		mustAppend(t, s, toyRow(p, i))
	}
	must(t, s.Commit())
	// A directory where the summary is to be written makes Finish fail.
	obstacle := temporary(filepath.Join(dir, summaryFile))
	must(t, os.Mkdir(obstacle, 0o777))
	if err := s.Finish(); err == nil {
		t.Fatal("Finish succeeded over an obstacle")
	}
	must(t, s.Close())
	want := []string{"segments/000001.runs.parquet", "segments/000001.series.parquet", specFile}
	if got := listing(t, dir); !slices.Equal(got, want) {
		t.Errorf("directory after a failed Finish: got %v, want %v", got, want)
	}
	must(t, os.Remove(obstacle))
	s = mustOpen(t, dir, p)
	must(t, s.Finish())
}
