package results

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestAnyFlippedBitIsFound flips every bit of a runs and of a series file,
// one at a time, and cuts them off at every length.
func TestAnyFlippedBitIsFound(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), seeds(5)...)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for i := range p.Runs() {
		mustAppend(t, s, toyRow(p, i))
	}
	must(t, s.Close())
	for _, kind := range []string{"runs", "series"} {
		content, err := os.ReadFile(segmentPath(dir, 1, kind))
		must(t, err)
		if fault, err := examine(memory(content)); fault != nil || err != nil {
			t.Fatalf("%s: an intact file has fault %v, error %v", kind, fault, err)
		}
		for bit := range 8 * len(content) {
			content[bit/8] ^= 1 << (bit % 8)
			if fault, err := examine(memory(content)); fault == nil || err != nil {
				t.Errorf("%s: bit %d of byte %d flipped: fault %v, error %v", kind, bit%8, bit/8, fault, err)
			}
			content[bit/8] ^= 1 << (bit % 8)
		}
		for length := range content {
			if fault, err := examine(memory(content[:length])); fault == nil || err != nil {
				t.Errorf("%s: cut off after %d bytes: fault %v, error %v", kind, length, fault, err)
			}
		}
		if fault, _ := examine(memory(append(content, 0))); fault == nil {
			t.Errorf("%s: a byte too many: no fault", kind)
		}
	}
}

// A memory is an input that is not on a disk.
type memory []byte

func (m memory) Size() (int64, error) { return int64(len(m)), nil }
func (m memory) Close() error         { return nil }
func (m memory) ReadAt(p []byte, at int64) (int, error) {
	return copy(p, m[at:]), nil
}

// TestDamagedSegment: what one segment held is computed again, what the
// others hold is not, and the files end up the same.
func TestDamagedSegment(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), seeds(30)...)
	want := finish(t, p, ascending(p.Runs()), 1<<30)
	rng := rand.New(rand.NewPCG(3, 4))
	flip := func(t *testing.T, path string) {
		content, err := os.ReadFile(path)
		must(t, err)
		content[rng.IntN(len(content))] ^= 1 << rng.IntN(8)
		must(t, os.WriteFile(path, content, 0o666))
	}
	truncate := func(t *testing.T, path string) { must(t, os.Truncate(path, 100)) }
	remove := func(t *testing.T, path string) { must(t, os.Remove(path)) }
	for _, test := range []struct {
		name, kind string
		damage     func(*testing.T, string)
		aside      []string
	}{
		{"bit of the runs", "runs", flip, []string{"000002.runs.parquet", "000002.series.parquet"}},
		{"bit of the series", "series", flip, []string{"000002.runs.parquet", "000002.series.parquet"}},
		{"truncated runs", "runs", truncate, []string{"000002.runs.parquet", "000002.series.parquet"}},
		{"truncated series", "series", truncate, []string{"000002.runs.parquet", "000002.series.parquet"}},
		{"no series", "series", remove, []string{"000002.runs.parquet"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, p)
			for i := range p.Runs() {
				mustAppend(t, s, toyRow(p, i))
				if i%10 == 9 {
					must(t, s.Commit())
				}
			}
			must(t, s.Close())
			path := segmentPath(dir, 2, test.kind)
			test.damage(t, path)

			s = mustOpen(t, dir, p)
			var aside []string
			for _, name := range test.aside {
				aside = append(aside, filepath.Join(dir, damagedDir, name))
			}
			if d := s.Damage(); len(d) != 1 || d[0].Path != path || d[0].Err == nil || !slices.Equal(d[0].Aside, aside) {
				t.Fatalf("damage %v, want %s set aside as %v", d, path, aside)
			}
			for _, path := range aside {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
			for i := range p.Runs() {
				known := s.Done(i) || toyRow(p, i).Status == Failed
				if lost := i/10 == 1; known == lost && toyRow(p, i).Status == OK {
					t.Errorf("run %d is known: %v", i, known)
				}
				if i/10 == 1 {
					mustAppend(t, s, toyRow(p, i))
				}
			}
			must(t, s.Finish())
			must(t, s.Close())
			if !equalFiles(finalBytes(t, dir), want) {
				t.Error("the final files differ from those of an undamaged sweep")
			}
			s = mustOpen(t, dir, p)
			if len(s.Damage()) > 0 || s.Finished()+s.Failed() != p.Runs() {
				t.Errorf("opened again: damage %v, %d runs", s.Damage(), s.Finished()+s.Failed())
			}
			must(t, s.Close())
		})
	}
}

// TestDamagedFinalFiles damages each of the three, twice.
func TestDamagedFinalFiles(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), seeds(10)...)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	for i := range p.Runs() {
		mustAppend(t, s, toyRow(p, i))
	}
	must(t, s.Finish())
	must(t, s.Close())
	want := finalBytes(t, dir)
	for _, again := range []string{"", ".2"} {
		for _, test := range []struct {
			name  string
			lost  bool
			aside []string
		}{
			{runsFile, true, []string{"runs", "series"}},
			{summaryFile, false, []string{"summary"}},
			{seriesFile, true, []string{"runs", "series"}},
		} {
			path := filepath.Join(dir, test.name)
			must(t, os.Truncate(path, int64(len(want[test.name])/2)))
			s := mustOpen(t, dir, p)
			d := s.Damage()
			if len(d) != 1 || d[0].Path != path || len(d[0].Aside) != len(test.aside) {
				t.Fatalf("%s cut off: damage %v", test.name, d)
			}
			if again == "" && test.name == runsFile && d[0].Aside[0] != filepath.Join(dir, damagedDir, runsFile) {
				t.Errorf("set aside as %v", d[0].Aside)
			}
			if lost := s.Finished() == 0; lost != test.lost {
				t.Errorf("%s cut off: %d runs are left", test.name, s.Finished())
			}
			for i := range p.Runs() {
				if !s.Done(i) {
					mustAppend(t, s, toyRow(p, i))
				}
			}
			must(t, s.Finish())
			must(t, s.Close())
			if !equalFiles(finalBytes(t, dir), want) {
				t.Errorf("after %s was cut off, the final files differ", test.name)
			}
		}
	}
	names, err := os.ReadDir(filepath.Join(dir, damagedDir))
	must(t, err)
	if got := fmt.Sprint(names); len(names) != 10 || !strings.Contains(got, "series.4.parquet") {
		t.Errorf("set aside are %v, want each of the files under a name of its own", got)
	}
}

// TestRefusedDirectoryKeepsItsDamage: nothing is moved in a directory that
// another spec owns.
func TestRefusedDirectoryKeepsItsDamage(t *testing.T) {
	large, small := newFakePlan(toy(), toyCells(10, 20), 1, 2), newFakePlan(toy(), toyCells(10), 1, 2)
	dir := t.TempDir()
	s := mustOpen(t, dir, large)
	for i := range large.Runs() {
		mustAppend(t, s, toyRow(large, i))
		must(t, s.Commit())
	}
	must(t, s.Close())
	must(t, os.Truncate(segmentPath(dir, 1, "runs"), 10))
	before := listing(t, dir)
	wantDataError(t, dir, small, "runs that this spec does not have")
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("the refused directory changed from %v to %v", before, after)
	}
}

// TestUnreadableIsNotDamaged: a disk that fails to read is no reason to
// compute anything again.
func TestUnreadableIsNotDamaged(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1, 2)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s, toyRow(p, 0))
	must(t, s.Close())
	before := listing(t, dir)
	var data *DataError
	if _, err := open(unreadable{}, dir, toySpec(p.experiment), p); !errors.Is(err, errUnreadable) || errors.As(err, &data) {
		t.Errorf("Open: got %v, want %v", err, errUnreadable)
	}
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("the directory changed from %v to %v", before, after)
	}
}

// An unreadable disk opens files and fails to read them.
type unreadable struct{ osDisk }

var errUnreadable = errors.New("unreadable sector")

func (u unreadable) open(path string) (input, error) {
	f, err := u.osDisk.open(path)
	return unreadableInput{f}, err
}

type unreadableInput struct{ input }

func (unreadableInput) ReadAt([]byte, int64) (int, error) { return 0, errUnreadable }

// TestFilesOfAnotherFormat are refused, not taken for damaged.
func TestFilesOfAnotherFormat(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1)
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, segmentsDir), 0o777))
	f, err := os.Create(segmentPath(dir, 1, "runs"))
	must(t, err)
	w := parquet.NewGenericWriter[any](f, &parquet.WriterConfig{
		Schema:           newLayouts(p.experiment, "x").runs.schema,
		KeyValueMetadata: map[string]string{keyFormat: "1"},
	})
	must(t, w.Close())
	must(t, f.Close())
	must(t, os.WriteFile(segmentPath(dir, 1, "series"), nil, 0o666))
	wantDataError(t, dir, p, `the layout of the file is version "1", and here "2" is expected`)
}

// TestDamagedManifest: it is set aside like the others, and costs no run.
func TestDamagedManifest(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s, toyRow(p, 0))
	must(t, s.Close())
	path := filepath.Join(dir, manifestFile)
	must(t, os.WriteFile(path, []byte(`{"tool_ver`), 0o666))
	s = mustOpen(t, dir, p)
	if d := s.Damage(); len(d) != 1 || d[0].Path != path || !s.Done(0) && toyRow(p, 0).Status == OK {
		t.Errorf("damage %v, run 0 is there: %v", d, s.Done(0))
	}
	must(t, s.Close())
	if m, err := ReadManifest(dir); m != nil || err != nil {
		t.Errorf("then the manifest is %v, error %v; want none", m, err)
	}
}
