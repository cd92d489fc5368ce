package results

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
)

// Runs that come one by one leave few files, which hold them all, also in a
// directory that is taken up again.
func TestSmallSegmentsBecomeOne(t *testing.T) {
	dir, fresh := t.TempDir(), t.TempDir()
	text := strings.Replace(smallSpec, `"1..20"`, `"1..60"`, 1)
	runPlan(t, fresh, text, ascending)
	spec, plan := mustParse(t, text)
	commits, most := 0, 0
	for commits < int(plan.Runs()) {
		s, err := Open(dir, spec, plan)
		must(t, err)
		for i := range plan.Runs() {
			if s.Done(i) {
				continue
			}
			mustAppend(t, s, planRow(plan, i))
			must(t, s.Commit())
			commits++
			files, err := os.ReadDir(filepath.Join(dir, segmentsDir))
			must(t, err)
			most = max(most, len(files))
			if commits%100 == 0 {
				break
			}
		}
		must(t, s.Close())
		v, err := OpenReader(dir, []*experiment.Experiment{toy()})
		must(t, err)
		if v.OK() != int64(commits) {
			t.Fatalf("after %d commits %d runs are there", commits, v.OK())
		}
	}
	if limit := 2 * (compactSegments + 1); most > limit { // runs and series; for a moment, the new one too
		t.Errorf("%d commits left up to %d files, want at most %d", commits, most, limit)
	}
	s, err := Open(dir, spec, plan)
	must(t, err)
	must(t, s.Finish())
	must(t, s.Close())
	if !equalFiles(finalBytes(t, dir), finalBytes(t, fresh)) {
		t.Error("the files of many small segments differ from those of few large ones")
	}
}

// A segment of many bytes is left alone, however few its runs.
func TestLargeSegmentsStay(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	defer s.Close()
	s.compactAfter = 2
	for i := range int64(4) {
		row := planRow(plan, i)
		row.Result.Series = make([]float64, 0, 3*60_000)
		for k := range 60_000 {
			row.Result.Series = append(row.Result.Series, float64(k), 1, 1/(float64(k)+float64(i)+0.3))
		}
		mustAppend(t, s, row)
		must(t, s.Commit())
	}
	if len(s.sources) != 4 {
		t.Errorf("of 4 large segments %d are left", len(s.sources))
	}
}

// A tornDisk lists a directory in which two files become one meanwhile.
type tornDisk struct {
	disk
	listings [][]string
}

func (d *tornDisk) list(string) ([]string, error) {
	names := d.listings[0]
	d.listings = d.listings[1:]
	return names, nil
}

func TestListingOfADirectoryThatChanges(t *testing.T) {
	old, torn, merged, more := []string{"1", "2"}, []string{"2"}, []string{"3"}, []string{"1", "2", "4"}
	for _, c := range []struct {
		listings [][]string
		want     []string
	}{
		{[][]string{old, old}, old},
		{[][]string{old, more}, more},
		{[][]string{torn, {"2", "3"}}, []string{"2", "3"}},
		{[][]string{old, torn, merged, merged}, merged},
	} {
		got, err := listWhole(&tornDisk{listings: c.listings}, "")
		must(t, err)
		if !slices.Equal(got, c.want) {
			t.Errorf("listings %v: got %v, want %v", c.listings, got, c.want)
		}
	}
}
