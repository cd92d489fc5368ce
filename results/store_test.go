package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/parquetfile"
	"sweep/internal/testutil"
)

// decode reads a Parquet file as another program does: its columns, and rows by
// their names, with nil for null.
func decode(path string) (columns []string, rows []map[string]any, file *parquet.File) {
	content := testutil.Must(os.ReadFile(path))
	file = testutil.Must(parquet.OpenFile(bytes.NewReader(content), int64(len(content))))
	for _, field := range file.Schema().Fields() {
		columns = append(columns, field.Name())
	}
	for _, row := range testutil.Must(parquet.ReadFile[any](path)) {
		rows = append(rows, row.(map[string]any))
	}
	return columns, rows, file
}

// TestExportedFiles reads the three files of a small sweep worked out by
// hand.
func TestExportedFiles(t *testing.T) {
	spec := parse("experiment = 'toy'\nseeds = [0, 7, 9]\n[grid]\nalgorithm = ['RL', 'WL']\nk = 0")
	plan := spec.Plan()
	ok := func(i int64, series []float64, metrics ...float64) *Row {
		return &Row{Index: i, ID: plan.ID(i), Point: plan.Point(i), Status: OK, Result: experiment.Result{Metrics: metrics, Series: series}}
	}
	dir := t.TempDir()
	s := testutil.Must(Open(dir, spec, nil))
	for _, r := range []*Row{
		ok(0, []float64{3, 0, 0, 6, 1, math.NaN()}, 0, 0, math.NaN()),
		ok(2, nil, 4, 1, 2.5),
		{Index: 1, ID: plan.ID(1), Point: plan.Point(1), Status: Failed, Error: "no luck"},
		ok(4, nil, 5, math.Copysign(0, -1), 1.5),
		ok(3, []float64{3, 16, 0.5}, 7, 8, 9),
	} {
		testutil.NoError(s.Append(r))
	}
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
	id := func(i int64) string { return plan.ID(i).String() }
	values := func(columns []string, row map[string]any) (list []any) {
		for _, column := range columns {
			list = append(list, row[column])
		}
		return list
	}
	check := func(name string, columns []string, want [][]any) *parquet.File {
		t.Helper()
		got, rows, file := decode(filepath.Join(dir, name))
		if !slices.Equal(got, columns) || len(rows) != len(want) {
			t.Fatalf("%s has columns %v and %d rows, want %v and %d", name, got, len(rows), columns, len(want))
		}
		for i := range want {
			if got := values(columns, rows[i]); !slices.Equal(got, want[i]) {
				t.Errorf("%s, row %d: got %v, want %v", name, i, got, want[i])
			}
		}
		return file
	}
	runs := check(runsFile, []string{"run_id", "experiment", "algorithm", "beta", "k", "rewired",
		"seed", "status", "error", "downloaded", "efficiency", "age_hours"}, [][]any{
		{id(0), "toy", "RL", nil, int64(0), false, int64(0), "ok", nil, int64(0), 0.0, nil},
		{id(1), "toy", "WL", 0.3, int64(0), false, int64(0), "failed", "no luck", nil, nil, nil},
		{id(2), "toy", "RL", nil, int64(0), false, int64(7), "ok", nil, int64(4), 1.0, 2.5},
		{id(3), "toy", "WL", 0.3, int64(0), false, int64(7), "ok", nil, int64(7), 8.0, 9.0},
		{id(4), "toy", "RL", nil, int64(0), false, int64(9), "ok", nil, int64(5), 0.0, 1.5},
	})
	for key, want := range map[string]string{keyFormat: "3", keyTable: "runs", keySpec: "toys", keyExperiment: "toy", keyVersion: "3"} {
		if got, _ := runs.Lookup(key); got != want {
			t.Errorf("metadata %s is %q, want %q", key, got, want)
		}
	}
	if runs.Metadata().CreatedBy != parquetfile.CreatedBy {
		t.Errorf("created by %q", runs.Metadata().CreatedBy)
	}
	check(seriesFile, []string{"run_id", "window", "hours", "foragers", "rate"}, [][]any{
		{id(0), int64(0), 3.0, int64(0), 0.0},
		{id(0), int64(1), 6.0, int64(1), nil},
		{id(3), int64(0), 3.0, int64(16), 0.5},
	})
	// Of RL: downloaded 0, 4, 5 has mean 3, deviations −3, 1, 2, variance
	// 14/2 and t(2) = 4.30265272975; its ages 2.5 and 1.5 have a standard error
	// of 1/2, and t(1) = 12.7062047362.
	sem := math.Sqrt(7) / math.Sqrt(3)
	margin := 4.30265272975 * sem
	columns, rows, _ := decode(filepath.Join(dir, summaryFile))
	for i, want := range map[int][]any{
		0: {"RL", nil, int64(0), false, "downloaded", "pages", int64(3), 3.0, math.Sqrt(7), sem, 3 - margin, 3 + margin, 0.0, 4.0, 5.0, int64(0)},
		4: {"RL", nil, int64(0), false, "age_hours", "h", int64(2), 2.0, math.Sqrt(0.5), math.Sqrt(0.5) / math.Sqrt(2),
			2 - 12.7062047362/2, 2 + 12.7062047362/2, 1.5, 2.0, 2.5, int64(0)},
		5: {"WL", 0.3, int64(0), false, "age_hours", "h", int64(1), 9.0, nil, nil, nil, nil, 9.0, 9.0, 9.0, int64(1)},
	} {
		if got := values(columns, rows[i]); len(rows) != 6 || !slices.Equal(got, want) {
			t.Errorf("of %d rows of the summary, row %d is %v, want %v", len(rows), i, got, want)
		}
	}
}

// In any order, with more seeds and values, fewer, or in another order: the
// files are those of the last spec, run at once, and no run is computed twice.
func TestFilesDependOnTheSpecAlone(t *testing.T) {
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(smallSpec) }
	large := edit(`"1..20"`, `"1..25"`, `["RL", "WL"]`, `["WL", "RL"]`, `[10, 20]`, `[5, 20, 10]`)
	small := edit(`"1..20"`, `[7, 3]`, `[10, 20]`, `[20]`)
	dir, done := t.TempDir(), map[grid.ID]bool{}
	for _, text := range []string{smallSpec, smallSpec, large, large + "# as before\n", small, smallSpec, large} {
		s := testutil.Must(Open(dir, parse(text), nil))
		for _, i := range shuffled(s.Plan.Runs()) {
			row := toyRow(s.Plan, i)
			if s.Done(i) != done[row.ID] {
				t.Errorf("run %d is done: %v", i, s.Done(i))
			}
			if !s.Done(i) {
				testutil.NoError(s.Append(row))
				done[row.ID] = row.Status == OK
			}
		}
		testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
		if !maps.Equal(exported(dir), oneMachine(t, text)) {
			t.Errorf("other files than those of a fresh run of %s", text)
		}
	}
}

// A complete directory is left alone, exported files that are corrupt are
// written again, and one that is missing too.
func TestExportsAreVerified(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, smallSpec)
	want := exported(dir)
	open := func(damaged string) {
		t.Helper()
		before, _ := os.Stat(filepath.Join(dir, seriesFile))
		s := testutil.Must(Open(dir, parse(smallSpec), nil))
		if d := s.Damage; (damaged == "") != (len(d) == 0) || len(d) > 0 && (len(d) != 1 || d[0].Path != filepath.Join(dir, damaged)) {
			t.Errorf("damage %v, want that of %q", d, damaged)
		}
		testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
		after, _ := os.Stat(filepath.Join(dir, seriesFile))
		if damaged == "" && before != nil && !os.SameFile(before, after) {
			t.Error("whole files were written again")
		}
		if !maps.Equal(exported(dir), want) {
			t.Error("other files")
		}
	}
	flip := func(name, content string, at int) {
		changed := []byte(content)
		changed[at] ^= 1
		testutil.NoError(os.WriteFile(filepath.Join(dir, name), changed, 0o666))
	}
	open("")
	for _, name := range exportFiles {
		for _, at := range []int{0, len(want[name]) / 2, len(want[name]) - 1} {
			flip(name, want[name], at)
			r, _ := read(dir, false)
			if d, err := r.Check(); err != nil || len(d) != 1 {
				t.Errorf("Check: %v, error %v; want %s", d, err, name)
			}
			open(name)
			open("")
		}
		testutil.NoError(os.Truncate(filepath.Join(dir, name), 10))
		open(name)
	}
	manifest := snapshot(dir)[manifestFile]
	for at := 0; at < len(manifest); at += testutil.IfThorough(1, 5) {
		flip(manifestFile, manifest, at)
		if list, err := Manifests(dir); err == nil || len(list) > 0 {
			t.Errorf("a manifest with a flipped bit in byte %d is read", at)
		}
	}
	open(manifestFile)
	if m, err := Manifests(dir); err != nil || len(m) != 1 || m[0].Exports == nil {
		t.Errorf("then the manifests are %v, error %v", m, err)
	}
	testutil.NoError(os.Remove(filepath.Join(dir, seriesFile)))
	open("")
	renamed := parse(smallSpec)
	renamed.Name = "renamed"
	s := testutil.Must(Open(dir, renamed, nil))
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
	if _, _, file := decode(filepath.Join(dir, runsFile)); !strings.Contains(fmt.Sprint(file.Metadata().KeyValueMetadata), "renamed") {
		t.Error("the exported files have the old name of the spec")
	}
}

func wantDataError(t *testing.T, what string, err error, message string) {
	t.Helper()
	if _, ok := errors.AsType[*DataError](err); !ok || !strings.Contains(err.Error(), message) {
		t.Errorf("%s: got %v, want a *DataError with %q", what, err, message)
	}
}

// What is not this sweep's is refused, and left as it was.
func TestRefusedDirectories(t *testing.T) {
	spec := parse(smallSpec)
	ours := func(dir string) { run(t, dir, smallSpec) }
	put := func(name, content string) func(string) {
		return func(dir string) {
			testutil.NoError(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
			testutil.NoError(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
		}
	}
	for _, test := range []struct {
		name, want string
		fill       func(dir string)
		spec       *grid.Spec
	}{
		{"another experiment", "runs are of toy, model version 3, and here those of game, model version 3,", ours, parse("experiment = 'game'", func(e *experiment.Experiment) { e.Name = "game" })},
		{"another version", "runs are of toy, model version 3, and here those of toy, model version 4,", ours, parse("experiment = 'toy'", func(e *experiment.Experiment) { e.Version++ })},
		{"another metric", "measured downloaded (int) where downloaded (float) is", ours, parse("experiment = 'toy'", func(e *experiment.Experiment) { e.Metrics[0].Kind = experiment.Float })},
		{"another program's", "not the output of a sweep", put("thesis.tex", "x"), spec},
		{"an earlier format", "an earlier version of this program", put("segments/000001.runs.parquet", "x"), nil},
		{"an earlier format, finished", "an earlier version of this program", put("runs.parquet", "x"), nil},
		{"a later format", `the format is "sweep log 2", and here "sweep log 1" is expected`, put(logFile, string(sealLine([]byte(`{"format":"sweep log 2"`), 0))), spec},
	} {
		dir := t.TempDir()
		test.fill(dir)
		if test.spec == nil {
			test.spec = spec
			testutil.NoError(os.WriteFile(filepath.Join(dir, specFile), spec.Source, 0o666))
		}
		before := snapshot(dir)
		for _, shard := range []*grid.Shard{nil, new(test.spec.Plan().Shard(0, 2))} {
			_, err := Open(dir, test.spec, shard)
			wantDataError(t, test.name, err, test.want)
		}
		if !maps.Equal(before, snapshot(dir)) {
			t.Errorf("%s: the refused directory was changed", test.name)
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	testutil.NoError(os.WriteFile(path, nil, 0o666))
	if _, err := Open(filepath.Join(path, "dir"), spec, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("below a file: got %v, want an error with the path", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if runtime.GOOS == "windows" {
		return
	}
	testutil.NoError(exec.Command("mkfifo", pipe).Run())
	if _, err := OpenReader(pipe, nil); !errors.Is(err, syscall.ENOTDIR) { // and does not wait for a writer
		t.Errorf("a pipe: got %v, want %v", err, syscall.ENOTDIR)
	}
}

// The runs of a log that was lost are executed again.
func TestLostLog(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, smallSpec)
	want := exported(dir)
	testutil.NoError(os.Remove(filepath.Join(dir, logFile)))
	run(t, dir, smallSpec)
	if !maps.Equal(exported(dir), want) {
		t.Error("the files are others than before")
	}
}

// What file systems and desktops leave anywhere is in nobody's way.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	testutil.NoError(os.Mkdir(filepath.Join(dir, "lost+found"), 0o777))
	for _, name := range []string{".DS_Store", "Thumbs.db", ".nfs00000001", ".fuse_hidden0001", ".runs.parquet.tmp"} {
		testutil.NoError(os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	run(t, dir, smallSpec)
	testutil.NoError(os.Mkdir(filepath.Join(dir, "shards"), 0o777))
	for _, name := range []string{"shards/.nfs0002", "shards/.DS_Store"} {
		testutil.NoError(os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	if r, _ := read(dir, false); r.Missing() != 0 {
		t.Errorf("%d runs are missing", r.Missing())
	}
	if _, err := os.Stat(filepath.Join(dir, ".runs.parquet.tmp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what an interrupted process left is still there: %v", err)
	}
}

// Nothing is opened through a link, and what is no regular file is not
// opened at all; what links point to is as before.
func TestLinksAndDevices(t *testing.T) {
	spec := parse(smallSpec)
	kinds := testutil.IfThorough(
		[]string{"link", "link within", "fifo", "directory"},
		[]string{"link", "fifo"},
	)
	for _, name := range []string{logFile, disk.Temporary(logFile), specFile, disk.Temporary(specFile), manifestFile, disk.Temporary(manifestFile), disk.Temporary(runsFile), disk.Temporary(summaryFile)} {
		for _, kind := range kinds {
			dir, victim := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "precious")
			testutil.NoError(os.WriteFile(victim, []byte("precious"), 0o666))
			s := testutil.Must(Open(dir, spec, nil)) // a sweep in the midst
			testutil.NoError(s.Append(toyRow(spec.Plan(), 0)))
			testutil.NoError(s.Close())
			path := filepath.Join(dir, name)
			os.RemoveAll(path)
			switch kind {
			case "link":
				testutil.NoError(os.Symlink(victim, path))
			case "link within":
				testutil.NoError(os.WriteFile(filepath.Join(dir, "other"), []byte("precious"), 0o666))
				testutil.NoError(os.Symlink("other", path))
			case "fifo":
				testutil.NoError(exec.Command("mkfifo", path).Run())
			case "directory":
				testutil.NoError(os.Mkdir(path, 0o777))
			}
			s, err := Open(dir, spec, nil)
			if err == nil {
				_ = s.Append(toyRow(spec.Plan(), 1))
				err = errors.Join(s.Export(t.Context()), s.WriteManifest(Manifest{}), s.Close())
			}
			tidied := strings.HasSuffix(name, ".tmp") // a link itself may be removed
			if _, ok := errors.AsType[*DataError](err); !ok && !tidied {
				t.Errorf("%s is a %s: got %v, want a *DataError", name, kind, err)
			}
			r, err := OpenReader(dir, []*experiment.Experiment{toy()})
			if _, ok := errors.AsType[*DataError](err); err != nil && !ok {
				t.Errorf("%s is a %s: a reader gets %v", name, kind, err)
			} else if err == nil {
				_, _ = r.Check()
			}
			_, _ = Manifests(dir)
			for _, precious := range []string{victim, filepath.Join(dir, "other")} {
				if text, err := os.ReadFile(precious); string(text) != "precious" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is a %s: what it points to holds %q", name, kind, text)
				}
			}
		}
	}
}

// Files that are read whole are not larger than they can be.
func TestHugeFiles(t *testing.T) {
	testutil.NeedsThorough(t, "files of 65 MB are read")
	for _, name := range []string{specFile, manifestFile, logFile} {
		dir := t.TempDir()
		run(t, dir, tinySpec)
		testutil.NoError(os.Truncate(filepath.Join(dir, name), maxRecord+1<<20)) // sparse
		r, err := OpenReader(dir, []*experiment.Experiment{toy()})
		if err == nil && name == manifestFile {
			_, err = Manifests(dir)
		}
		if name != logFile {
			wantDataError(t, name, err, "bytes")
		} else if err != nil || r.OK() == 0 || len(r.Damage) != 1 { // no writer leaves so much unfinished
			t.Errorf("%s: error %v, damage %v", name, err, r.Damage)
		}
	}
}

// Whoever finds that somebody else has written, or that its directory is
// another, writes nothing more.
func TestFencing(t *testing.T) {
	spec := parse(smallSpec)
	for name, meddle := range map[string]func(dir string){
		"written to": func(dir string) {
			f := testutil.Must(os.OpenFile(filepath.Join(dir, logFile), os.O_WRONLY|os.O_APPEND, 0))
			testutil.Must(f.WriteString("x"))
			testutil.NoError(f.Close())
		},
		"cut off":     func(dir string) { testutil.NoError(os.Truncate(filepath.Join(dir, logFile), 10)) },
		"log removed": func(dir string) { testutil.NoError(os.Remove(filepath.Join(dir, logFile))) },
		"log renamed": func(dir string) {
			path := filepath.Join(dir, logFile)
			testutil.NoError(os.Rename(path, path+".old"))
		},
		"log replaced": func(dir string) {
			path := filepath.Join(dir, logFile)
			text := testutil.Must(os.ReadFile(path))
			testutil.NoError(os.Remove(path))
			testutil.NoError(os.WriteFile(path, text, 0o666))
		},
		"removed":  func(dir string) { testutil.NoError(os.RemoveAll(dir)) },
		"replaced": func(dir string) { testutil.NoError(os.Rename(dir, dir+".old")); testutil.NoError(os.Mkdir(dir, 0o777)) },
	} {
		dir := filepath.Join(t.TempDir(), "out")
		s := testutil.Must(Open(dir, spec, nil))
		testutil.NoError(s.Append(toyRow(spec.Plan(), 0)))
		testutil.NoError(s.Commit())
		meddle(dir)
		testutil.NoError(s.Append(toyRow(spec.Plan(), 1)))
		for range 2 {
			if _, ok := errors.AsType[*fs.PathError](s.Commit()); !ok {
				t.Errorf("%s: Commit returned %v, want a *fs.PathError", name, s.Commit())
			}
		}
		if err := s.Export(t.Context()); err == nil {
			t.Errorf("%s: Export succeeded", name)
		}
		_ = s.Close()
		if _, err := os.Stat(filepath.Join(dir, runsFile)); err == nil {
			t.Errorf("%s: there are exported files", name)
		}
	}
}

// An export of runs that are kept in memory does not hide that the log has lost
// them.
func TestExportAfterTheLogWasCutOff(t *testing.T) {
	dir := t.TempDir()
	spec := parse(smallSpec)
	s := testutil.Must(Open(dir, spec, nil))
	row := toyRow(spec.Plan(), 0)
	row.Status, row.Error = OK, ""
	row.Attempts, row.Result = 1, experiment.Result{Metrics: []float64{1, 2, 3}}
	testutil.NoError(s.Append(row))
	testutil.NoError(s.Commit())
	testutil.NoError(os.Truncate(filepath.Join(dir, logFile), 10))
	if err := s.Export(t.Context()); err == nil {
		t.Error("Export succeeded")
	}
	_ = s.Close()
}

// Whoever removes the log does not free the lock of its writer.
func TestLockOutlivesTheLog(t *testing.T) {
	spec := parse(smallSpec)
	dir := t.TempDir()
	s := testutil.Must(Open(dir, spec, nil))
	testutil.NoError(os.Remove(filepath.Join(dir, logFile)))
	if _, err := Open(dir, spec, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("a second writer gets %v, want ErrLocked", err)
	}
	_ = s.Close()
	s = testutil.Must(Open(dir, spec, nil))
	testutil.NoError(s.Close())
}

// A log with two names is not written to: both would change.
func TestHardLink(t *testing.T) {
	spec := parse(smallSpec)
	dir := t.TempDir()
	precious := filepath.Join(t.TempDir(), "precious")
	testutil.NoError(os.WriteFile(precious, []byte("text without a line break"), 0o666))
	testutil.NoError(os.Link(precious, filepath.Join(dir, logFile)))
	if _, err := Open(dir, spec, nil); !errors.As(err, new(*DataError)) {
		t.Errorf("a hard link: %v, want a *DataError", err)
	}
	if text := string(testutil.Must(os.ReadFile(precious))); text != "text without a line break" {
		t.Errorf("the other name has %q", text)
	}
}

// A finished log that lost lines is damaged, for readers and for the next
// writer, who computes the runs again.
func TestLostEnd(t *testing.T) {
	spec := parse(smallSpec)
	dir := t.TempDir()
	finishAll := func() []*DataError {
		s := testutil.Must(Open(dir, spec, nil))
		damage := s.Damage
		for i := range spec.Plan().Runs() {
			if !s.Done(i) {
				testutil.NoError(s.Append(toyRow(spec.Plan(), i)))
			}
		}
		testutil.NoError(s.Export(t.Context()))
		m := Manifest{
			SpecSHA256: spec.SHA256(), Complete: true, OK: s.OK(), Failed: s.Failed(),
		}
		testutil.NoError(errors.Join(s.WriteManifest(m), s.Close()))
		return damage
	}
	finishAll()
	path := filepath.Join(dir, logFile)
	whole := testutil.Must(os.ReadFile(path))
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for name, left := range map[string][]byte{
		"the last line is gone":  bytes.Join(lines[:len(lines)-2], nil),
		"a line within is gone":  bytes.Join(slices.Delete(slices.Clone(lines), 2, 3), nil),
		"all but the first gone": lines[0],
	} {
		testutil.NoError(os.WriteFile(path, left, 0o666))
		r := testutil.Must(OpenReader(dir, []*experiment.Experiment{toy()}))
		checked := testutil.Must(r.Check())
		if len(r.Damage) != 1 || len(checked) != 1 {
			t.Errorf("%s: the reader tells of %v, its check of %v", name, r.Damage, checked)
		}
		if damage := finishAll(); len(damage) != 1 {
			t.Errorf("%s: the writer tells of %v", name, damage)
		}
		r = testutil.Must(OpenReader(dir, []*experiment.Experiment{toy()}))
		if r.Damage != nil {
			t.Errorf("%s: after it was run again: %v", name, r.Damage)
		}
	}
}

// The log of a shard whose process has ended is damaged, too, if it lacks runs
// that the manifest tells of: for readers of the whole and of the shard, for
// merge, and for the next writer, who computes the runs again. It does not
// matter if nobody lacks them.
func TestLostEndOfAShard(t *testing.T) {
	spec := parse(smallSpec)
	shard := spec.Plan().Shard(1, 3)
	toys := []*experiment.Experiment{toy()}
	dir := t.TempDir()
	own := shardDir(dir, shard)
	runShard(t, dir, smallSpec, 0, 3, 1000) // it tells nothing
	work := func(of *grid.Shard, most int64, end time.Time) []*DataError {
		s := testutil.Must(Open(dir, spec, of))
		damage := s.Damage
		for k := range min(most, of.Runs()) {
			if i := of.Run(k); !s.Done(i) {
				testutil.NoError(s.Append(toyRow(spec.Plan(), i)))
			}
		}
		testutil.NoError(s.Commit())
		m := Manifest{
			SpecSHA256: spec.SHA256(), OK: s.OK(), Failed: s.Failed(), Start: time.Now(), End: end,
		}
		testutil.NoError(errors.Join(s.WriteManifest(m), s.Close()))
		return damage
	}
	told := func() (list []int) {
		whole := testutil.Must(OpenReader(dir, toys))
		alone := testutil.Must(OpenReader(own, toys))
		merged := openMerge(filepath.Join(t.TempDir(), "to"), dir)
		to := testutil.Must(Open(t.TempDir(), spec, nil))
		testutil.NoError(to.Take([]string{dir}, true))
		for _, r := range []*Reader{whole, alone, merged, to.Reader} {
			list = append(list, len(r.Damage))
		}
		testutil.NoError(to.Close())
		return append(list, len(testutil.Must(whole.Check())))
	}
	for _, most := range []int64{20, 1000} {
		name := fmt.Sprintf("at most %d runs", most)
		work(&shard, most, time.Now())
		if got, want := told(), []int{0, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: told %v, want %v", name, got, want)
		}
		path := filepath.Join(own, logFile)
		lines := bytes.SplitAfter(testutil.Must(os.ReadFile(path)), []byte("\n"))
		for _, left := range [][][]byte{lines[:len(lines)-2], slices.Concat(lines[:2], lines[3:]), {}} {
			testutil.NoError(os.WriteFile(path, bytes.Join(left, nil), 0o666))
			if got, want := told(), []int{1, 1, 1, 1, 1}; !slices.Equal(got, want) {
				t.Errorf("%s, %d lines left: told %v, want %v", name, len(left), got, want)
			}
		}
		if damage := work(&shard, 20, time.Time{}); len(damage) != 1 {
			t.Errorf("%s: the writer tells of %v", name, damage)
		}
		if got, want := told(), []int{0, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("%s, at work again: told %v, want %v", name, got, want)
		}
	}
	work(&shard, 1000, time.Now())
	run(t, dir, smallSpec)
	testutil.NoError(os.WriteFile(filepath.Join(own, logFile), nil, 0o666))
	if r := testutil.Must(OpenReader(dir, toys)); r.Damage != nil {
		t.Errorf("nothing is missing in the whole, and yet %v", r.Damage)
	}
}

// A process that was ended before it wrote the spec has not begun.
func TestNotBegun(t *testing.T) {
	dir := t.TempDir()
	testutil.NoError(os.WriteFile(filepath.Join(dir, logFile), nil, 0o666))
	_, err := OpenReader(dir, []*experiment.Experiment{toy()})
	if !errors.Is(err, ErrNotBegun) {
		t.Errorf("an empty log alone: %v, want ErrNotBegun", err)
	}
}

// naiveDigest is the digest as its description has it.
func naiveDigest(rows map[int64]*Row) string {
	sum := new(big.Int)
	for _, r := range rows {
		text := func(s string) string { return string(binary.BigEndian.AppendUint64(nil, uint64(len(s)))) + s }
		number := func(x float64) string {
			word := math.Float64bits(x)
			if x != x {
				word = 0x7ff8000000000001
			}
			return string(binary.BigEndian.AppendUint64(nil, word))
		}
		all := "sweep result 1\n" + r.ID.String() + text(r.Status) + text(r.Error) + string(binary.BigEndian.AppendUint64(nil, 3))
		metrics := r.Result.Metrics
		if r.Status == Failed {
			metrics = []float64{math.NaN(), math.NaN(), math.NaN()}
		}
		for _, x := range append(slices.Clone(metrics), r.Result.Series...) {
			all += number(x)
		}
		hash := sha256.Sum256([]byte(all))
		sum.Add(sum, new(big.Int).SetBytes(hash[:]))
	}
	sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 256))
	return fmt.Sprintf("%064x", sum)
}

// A reader shows at any time what was committed, and changes nothing.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	spec := parse(smallSpec)
	plan := spec.Plan()
	s := testutil.Must(Open(dir, spec, nil))
	kept := map[int64]*Row{}
	check := func() {
		t.Helper()
		before := snapshot(dir)
		for _, whole := range []bool{true, false} {
			var want []string
			for i := range plan.Runs() {
				if r := kept[i]; r != nil {
					shown := *r
					if !whole {
						shown.ID = grid.ID{}
						shown.Result.Series = nil
					}
					want = append(want, describeRow(&shown))
				}
			}
			r, got := read(dir, whole)
			if !slices.Equal(got, want) {
				t.Errorf("whole %v: got\n%s\nwant\n%s", whole, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if d := r.Digest(); d != naiveDigest(kept) || s.Digest() != d {
				t.Errorf("the digest of %d runs is %s, want %s", len(want), d, naiveDigest(kept))
			}
			if r.OK()+r.Failed() != int64(len(want)) || r.Missing() != plan.Runs()-int64(len(want)) || r.Name != "toys" {
				t.Errorf("%d and %d runs of %s, %d missing", r.OK(), r.Failed(), r.Name, r.Missing())
			}
			for i, row := range kept {
				if r.Status(i) != row.Status {
					t.Errorf("status of run %d is %q", i, r.Status(i))
				}
				single := testutil.Must(r.Run(i))
				if describeRow(single) != describeRow(row) {
					t.Errorf("run %d is %s, want %s", i, describeRow(single), describeRow(row))
				}
			}
		}
		if !maps.Equal(before, snapshot(dir)) {
			t.Error("reading has changed something")
		}
	}
	check()
	for n, i := range shuffled(plan.Runs()) {
		kept[i] = toyRow(plan, i)
		testutil.NoError(s.Append(kept[i]))
		if n%50 == 49 {
			testutil.NoError(s.Commit())
			check()
		}
	}
	testutil.NoError(s.Export(t.Context()))
	check()
	testutil.NoError(s.Close())
}

// Runs of other directories are taken as they are, however parameters were
// declared there.
func TestReuse(t *testing.T) {
	large := strings.Replace(smallSpec, "[10, 20]", "[5, 20, 10]", 1)
	from, dir := t.TempDir(), t.TempDir()
	run(t, from, large, func(e *experiment.Experiment) {
		e.Params[2].Kind, e.Params[2].Default = experiment.Float, experiment.FloatValue(50)
		slices.Reverse(e.Params)
	})
	before := snapshot(from)
	s := testutil.Must(Open(dir, parse(smallSpec), nil))
	const ran = 30
	for i := range int64(ran) {
		testutil.NoError(s.Append(toyRow(s.Plan, i)))
	}
	held := s.OK()
	testutil.NoError(s.Take([]string{from}, false))
	r, _ := read(dir, false) // it is on disk
	taken, rest := r.OK()-held, s.Plan.Runs()-r.OK()
	appendMissing(s)
	if ok := s.OK(); taken == 0 || ran+taken+rest < ok || rest > 120-ok {
		t.Errorf("%d runs were computed, %d taken, %d computed then; %d have succeeded", ran, taken, rest, ok)
	}
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
	if !maps.Equal(exported(dir), oneMachine(t, smallSpec)) || !maps.Equal(before, snapshot(from)) {
		t.Error("other files than those of a fresh run, or the source has changed")
	}
}

// Where nothing can be written, what is complete can be opened, and nothing
// else.
func TestReadOnlyDirectory(t *testing.T) {
	spec, d := parse("experiment = 'toy'\n[grid]\nk = 10"), newSimDisk()
	use := func(shard *grid.Shard, row *Row) error {
		s, err := openStore(d.top(), spec, shard)
		if err != nil {
			return err
		}
		if row != nil {
			testutil.NoError(s.Append(row))
		}
		return errors.Join(s.Export(t.Context()), s.Close())
	}
	frozen := func(operation string) error {
		if slices.Contains([]string{"lock", "create", "write", "rename", "remove"}, operation) {
			return syscall.EROFS
		}
		return nil
	}
	refused := func(what string) {
		t.Helper()
		d.before = frozen
		if err := use(nil, nil); !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: got %v, want %v", what, err, syscall.EROFS)
		}
		d.before = nil
	}
	testutil.NoError(use(nil, nil))
	refused("an unfinished directory")
	row := toyRow(spec.Plan(), 0)
	row.Status, row.Error, row.Result.Metrics = OK, "", []float64{1, 2, 3}
	shard := new(spec.Plan().Shard(0, 1))
	testutil.NoError(errors.Join(use(nil, row), use(shard, nil)))
	d.before = frozen
	testutil.NoError(errors.Join(use(nil, nil), use(shard, nil)))
	log := d.names[logFile]
	log.content = append(log.content, "x\n"...)
	refused("a corrupt log")
	testutil.NoError(use(nil, nil))
	delete(d.names, runsFile)
	refused("one without an exported file")
}
