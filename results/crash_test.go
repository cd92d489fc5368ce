package results

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestInterruptedFinish stops Finish after each of its renames and
// removals, and opens the directory again. A stop is imitated by putting a
// directory together from what was there before and after.
func TestInterruptedFinish(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10, 20), seeds(10)...)
	half := newFakePlan(toy(), toyCells(10, 20), seeds(5)...)
	want := finish(t, p, ascending(p.Runs()), 1<<30)

	// before: final files of half the seeds, and segments with the rest.
	before := t.TempDir()
	s := mustOpen(t, before, half)
	for i := range half.Runs() {
		mustAppend(t, s, toyRow(half, i))
	}
	must(t, s.Finish())
	s = mustOpen(t, before, p)
	for i := half.Runs(); i < p.Runs(); i++ {
		mustAppend(t, s, toyRow(p, i))
		if i%5 == 0 {
			must(t, s.Commit())
		}
	}
	must(t, s.Close())
	after := t.TempDir()
	for name, content := range want {
		must(t, os.WriteFile(filepath.Join(after, name), []byte(content), 0o666))
	}

	// steps of Finish, as it does them.
	at := func(name string) string { return filepath.Join(segmentsDir, name) }
	type step struct {
		name string
		do   func(t *testing.T, dir string)
	}
	write := func(name string) step {
		return step{"write " + name, func(t *testing.T, dir string) {
			copyFile(t, filepath.Join(after, name), temporary(filepath.Join(dir, name)))
		}}
	}
	rename := func(from, to string) step {
		return step{"rename " + from, func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
		}}
	}
	steps := []step{
		write(runsFile), write(seriesFile), write(summaryFile),
		rename(seriesFile, at("000000.series.parquet")),
		rename(runsFile, at("000000.runs.parquet")),
		rename(temporary(seriesFile), seriesFile),
		rename(temporary(summaryFile), summaryFile),
		rename(temporary(runsFile), runsFile),
	}
	for _, name := range []string{"000000.runs.parquet", "000000.series.parquet", "000001.runs.parquet", "000001.series.parquet", "000002.runs.parquet"} {
		steps = append(steps, step{"remove " + name, func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, at(name))))
		}})
	}

	for n := range len(steps) + 1 {
		name := "nothing"
		if n > 0 {
			name = steps[n-1].name
		}
		t.Run("after "+name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.CopyFS(dir, os.DirFS(before)))
			for _, s := range steps[:n] {
				s.do(t, dir)
			}
			s := mustOpen(t, dir, p)
			// Were both to stay, retiring the one would overwrite the other
			// in two steps.
			if names := listing(t, dir); slices.Contains(names, runsFile) && slices.Contains(names, at("000000.runs.parquet")) {
				t.Error("Open left segment 0 beside the final files made from it")
			}
			if s.Finished()+s.Failed() != p.Runs() {
				t.Errorf("%d of %d runs are known", s.Finished()+s.Failed(), p.Runs())
			}
			must(t, s.Finish())
			if !equalFiles(finalBytes(t, dir), want) {
				t.Error("the final files differ from those of an uninterrupted sweep")
			}
			if got, want := listing(t, dir), []string{runsFile, seriesFile, specFile, summaryFile}; !slices.Equal(got, want) {
				t.Errorf("directory: got %v, want %v", got, want)
			}
		})
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, content, 0o666))
}

func TestLeftoversAreRemoved(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1, 2)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s, toyRow(p, 0))
	must(t, s.Close())
	for _, name := range []string{temporary(runsFile), filepath.Join(segmentsDir, temporary("000002.runs.parquet")), filepath.Join(segmentsDir, "000002.series.parquet")} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666))
	}
	mustOpen(t, dir, p)
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
	want := []string{"segments/000001.runs.parquet", "segments/000001.series.parquet", specFile}
	if got := listing(t, dir); !slices.Equal(got, want) {
		t.Errorf("directory after a failed Finish: got %v, want %v", got, want)
	}
	must(t, os.Remove(obstacle))
	must(t, s.Finish())
}
