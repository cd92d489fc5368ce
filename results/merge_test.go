package results

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// shardDir returns the directory of a shard of the sweep in dir.
func shardDir(dir string, shard grid.Shard) string {
	return filepath.Join(dir, shardsDir, shardName(shard.Index, shard.Count))
}

// runShard appends what a shard lacks of its first so many runs.
func runShard(t *testing.T, dir, text string, index, count, most int64) {
	t.Helper()
	spec := parse(text)
	shard := spec.Plan().Shard(index, count)
	s := testutil.Must(Open(dir, spec, &shard))
	for k := range min(most, shard.Runs()) {
		if i := shard.Run(k); !s.Done(i) {
			testutil.NoError(s.Append(toyRow(spec.Plan(), i)))
		}
	}
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
}

// oneMachine returns the files of a sweep that was run at once.
func oneMachine(t *testing.T, text string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, text)
	return exported(dir)
}

func openMerge(to string, from ...string) *Reader {
	return testutil.Must(OpenMerge(to, from, []*experiment.Experiment{toy()}))
}

// mergeAll merges directories, whether or not runs are missing.
func mergeAll(t *testing.T, to string, from ...string) {
	t.Helper()
	r := openMerge(to, from...)
	s := testutil.Must(Open(to, r.Spec, nil))
	testutil.NoError(s.Take(from, true))
	if d := s.Digest(); d != r.Digest() {
		t.Errorf("the store has %v, the reader %v", d, r.Digest())
	}
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
}

// However a sweep is divided, merged it is what one machine computes: in
// place, elsewhere, in steps, and again. Inputs stay as they are. With -thorough
// it is divided in more ways.
func TestMergedShardsAreOneMachines(t *testing.T) {
	small := strings.Replace(smallSpec, "1..20", "1..5", 1)
	want := oneMachine(t, small)
	counts := testutil.IfThorough([]int64{1, 2, 3, 40}, []int64{1, 3})
	for _, count := range counts { // 40: some are empty
		dir, elsewhere, left, right, steps := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
		var halves [2][]string
		for index := range max(count, 2) { // one shard is both halves
			runShard(t, dir, small, index%count, count, 1000)
			shard := parse(small).Plan().Shard(index%count, count)
			halves[index%2] = append(halves[index%2], shardDir(dir, shard))
		}
		before := snapshot(dir)
		if m := openMerge(elsewhere, dir); m.Missing() != 0 || m.MissingIn(count)[0] != 0 {
			t.Errorf("%d shards: %d runs are missing", count, m.Missing())
		}
		mergeAll(t, elsewhere, dir)
		mergeAll(t, left, halves[0]...)
		mergeAll(t, right, halves[1]...)
		mergeAll(t, steps, right, left)
		if !maps.Equal(before, snapshot(dir)) {
			t.Errorf("%d shards: merging changed them", count)
		}
		mergeAll(t, dir, dir)
		for name, merged := range map[string]string{"elsewhere": elsewhere, "in place": dir, "in steps": steps} {
			if !maps.Equal(exported(merged), want) {
				t.Errorf("%d shards, merged %s: not the files of one machine", count, name)
			}
		}
		again := snapshot(dir)
		mergeAll(t, dir, dir)
		if !maps.Equal(again, snapshot(dir)) {
			t.Errorf("%d shards: merging again changed something", count)
		}
		mergeAll(t, dir, elsewhere, steps)
		if !maps.Equal(exported(dir), want) {
			t.Errorf("%d shards: merging what was merged changed the files", count)
		}
		// Nothing is lost with the shards.
		testutil.NoError(os.RemoveAll(filepath.Join(dir, shardsDir)))
		testutil.NoError(os.Remove(filepath.Join(dir, runsFile)))
		mergeAll(t, dir, dir)
		if r, _ := read(dir, false); r.Missing() != 0 || !maps.Equal(exported(dir), want) {
			t.Errorf("%d shards, removed: %d runs are missing, or not the files of one machine", count, r.Missing())
		}
	}
}

// A run that is in several directories must be the same in all.
func TestConflicts(t *testing.T) {
	spec := parse(smallSpec)
	index := int64(0)
	for ; toyRow(spec.Plan(), index).Status != OK || len(toyRow(spec.Plan(), index).Result.Series) == 0; index++ {
	}
	copyOf := func(change func(r *Row)) string {
		dir := t.TempDir()
		s := testutil.Must(Open(dir, spec, nil))
		for _, i := range shuffled(spec.Plan().Runs()) {
			row := toyRow(spec.Plan(), i)
			if i == index && change != nil {
				change(row)
			}
			testutil.NoError(s.Append(row))
		}
		testutil.NoError(s.Close())
		return dir
	}
	plain, same := copyOf(nil), copyOf(nil)
	other := copyOf(func(r *Row) { r.Result.Series[2] = 7 })
	_, err := OpenMerge(t.TempDir(), []string{same, plain, other}, []*experiment.Experiment{toy()})
	wantDataError(t, "another outcome", err, spec.Plan().ID(index).String())
	if !strings.Contains(fmt.Sprint(err), same) || !strings.Contains(fmt.Sprint(err), other) {
		t.Errorf("%v does not name %s and %s", err, same, other)
	}
	s := testutil.Must(Open(t.TempDir(), spec, nil))
	testutil.NoError(s.Append(toyRow(spec.Plan(), index)))
	wantDataError(t, "another outcome, reused", s.Take([]string{other}, false), spec.Plan().ID(index).String())
	testutil.NoError(s.Close())
	failed := copyOf(func(r *Row) { r.Status, r.Error, r.Result = Failed, "the machine broke", experiment.Result{} })
	want := oneMachine(t, smallSpec)
	for name, from := range map[string][]string{"equal": {plain, same}, "failed later": {plain, failed}, "failed before": {failed, plain}} {
		to := t.TempDir()
		mergeAll(t, to, from...)
		if !maps.Equal(exported(to), want) {
			t.Errorf("%s: not the files of one machine", name)
		}
	}
}

func wantLocked(t *testing.T, what, dir string, err error) {
	t.Helper()
	owner := fmt.Sprintf("%s: %v: process %d on", dir, ErrLocked, os.Getpid())
	if !errors.Is(err, ErrLocked) || !strings.HasPrefix(err.Error(), owner) {
		t.Errorf("%s: got %v, want %s", what, err, owner)
	}
}

// One process writes to a directory. Shards are written at the same time,
// but not while someone works on the whole, and nothing is merged that is
// being written. Where there are no locks, a warning says so.
func TestLocks(t *testing.T) {
	dir := t.TempDir()
	spec := parse(smallSpec)
	plan := spec.Plan()
	shard := shardDir(dir, plan.Shard(1, 2))
	whole := testutil.Must(Open(dir, spec, nil))
	testutil.NoError(whole.WriteManifest(Manifest{PID: os.Getpid()}))
	_, err := Open(dir, spec, nil)
	wantLocked(t, "the whole twice", dir, err)
	_, err = Open(dir, spec, new(plan.Shard(0, 2)))
	wantLocked(t, "a shard beside the whole", dir, err)
	_, err = OpenMerge(dir, []string{dir}, []*experiment.Experiment{toy()})
	wantLocked(t, "merging the whole", dir, err)
	testutil.NoError(whole.Close())
	testutil.NoError(os.Mkdir(filepath.Join(dir, shardsDir), 0o777)) // which the refused shard has not made

	first := testutil.Must(Open(dir, spec, new(plan.Shard(0, 2))))
	second := testutil.Must(Open(dir, spec, new(plan.Shard(1, 2))))
	testutil.NoError(second.Append(toyRow(plan, plan.Shard(1, 2).Run(0))))
	testutil.NoError(second.WriteManifest(Manifest{PID: os.Getpid()}))
	_, err = Open(dir, spec, new(plan.Shard(1, 2)))
	wantLocked(t, "the same shard", shard, err)
	testutil.NoError(first.Close())
	_, err = Open(dir, spec, nil)
	wantLocked(t, "the whole beside a shard", shard, err)
	_, err = OpenMerge(t.TempDir(), []string{dir}, []*experiment.Experiment{toy()})
	wantLocked(t, "merging a shard", shard, err)
	testutil.NoError(second.Close())

	before := snapshot(dir)
	_, err = Open(dir, spec, new(plan.Shard(0, 3)))
	wantDataError(t, "another number of shards", err, "divided into 2 shards here, not into 3")
	testutil.NoError(os.Mkdir(shardDir(dir, plan.Shard(0, 3)), 0o777)) // which is not left
	if !maps.Equal(before, snapshot(dir)) {
		t.Error("the directory was changed")
	}
	d := newSimDisk()
	d.before = func(operation string) error { // somebody else begins at the same time
		if operation == "lock" {
			d.names["shards/0-of-3"] = &simNode{isDir: true}
		}
		return nil
	}
	_, err = openStore(d.top(), spec, new(plan.Shard(0, 2)))
	wantDataError(t, "another number of shards, at once", err, "divided into 3 shards here, not into 2")
	d.lockless, d.before = true, nil
	s := testutil.Must(openStore(d.top(), spec, nil))
	if w := s.Warnings; len(w) != 1 || !strings.Contains(w[0], "does not lock files") || !strings.Contains(w[0], "second process") {
		t.Errorf("warnings %q, want one about locks", w)
	}
	testutil.NoError(s.Close())
}

// What is not one sweep is told so, with what differs.
func TestMergeRefuses(t *testing.T) {
	plain := t.TempDir()
	runShard(t, plain, smallSpec, 0, 2, 5)
	for name, c := range map[string]struct{ from, to, want string }{
		"other seeds":      {`"1..20"`, `"1..21"`, "20 seeds (1 … 20) and 21 seeds (1 … 21)"},
		"another value":    {"[10, 20]", "[10, 30]", "k is 20 and 30 in cell 2 of 6"},
		"fewer cells":      {"[10, 20]", "[10]", "6 and 3 cells"},
		"nothing but text": {"beta", "# so to speak\nbeta", ""},
	} {
		other := t.TempDir()
		runShard(t, other, strings.Replace(smallSpec, c.from, c.to, 1), 1, 2, 5)
		_, err := OpenMerge(t.TempDir(), []string{plain, other}, []*experiment.Experiment{toy()})
		if c.want == "" {
			testutil.NoError(err)
		} else {
			wantDataError(t, name, err, c.want)
		}
	}
	dir := t.TempDir()
	run(t, dir, strings.Replace(smallSpec, "1..20", "1..5", 1))
	mergeAll(t, dir, plain) // extended
	if r, _ := read(dir, false); r.Plan.Seeds() != 20 {
		t.Errorf("the merged sweep has %d seeds, want 20", r.Plan.Seeds())
	}
	content := snapshot(plain)["shards/0-of-2/"+logFile]
	path := filepath.Join(plain, "shards/0-of-2", logFile)
	testutil.NoError(os.WriteFile(path, []byte(strings.Replace(content, `"seed":1`, `"seed":3`, 2)), 0o666))
	begin := fmt.Sprintf("from byte %d on", strings.Index(content, recordStart))
	if r := openMerge(t.TempDir(), plain); len(r.Damage) != 1 || !strings.Contains(r.Damage[0].Message, begin) ||
		r.Missing() != 117 || r.MissingIn(2)[0] != 57 {
		t.Errorf("of a corrupt input, %v is told, and %d runs are missing; want 117, and 57 in shard 0", r.Damage, r.Missing())
	}
	for _, told := range []int{1, 0} { // though the shard is as corrupt as before
		s := testutil.Must(Open(plain, parse(smallSpec), nil))
		if len(s.Damage) != told {
			t.Errorf("of a corrupt shard, %v is told, want %d", s.Damage, told)
		}
		appendMissing(s)
		testutil.NoError(s.Close())
	}
	r, _ := read(plain, false)
	if all, err := r.Check(); err != nil || len(all) != 1 || len(r.Damage) > 0 {
		t.Errorf("where no run is missing, %v is told; all damage is %v, error %v", r.Damage, all, err)
	}
	for _, name := range []string{"0-of-02", "3-of-10", "003-of-10", "10-of-10", "-1-of-4", "0-of-0", "1-of-4x", "1-of-", "segments"} {
		testutil.NoError(os.Mkdir(filepath.Join(plain, shardsDir, name), 0o777))
		_, err := OpenMerge(t.TempDir(), []string{plain}, []*experiment.Experiment{toy()})
		wantDataError(t, name, err, "not a shard of a sweep")
		testutil.NoError(os.Remove(filepath.Join(plain, shardsDir, name)))
	}
}

// A spec that its log does not name is refused, also if all shards agree on it.
func TestMergeRefusesDamagedSpecs(t *testing.T) {
	dir := t.TempDir()
	runShard(t, dir, smallSpec, 0, 2, 60)
	runShard(t, dir, smallSpec, 1, 2, 60)
	damaged := strings.Replace(smallSpec, `"1..20"`, `"1..10"`, 1)
	for _, shard := range []string{"0-of-2", "1-of-2"} {
		path := filepath.Join(dir, shardsDir, shard, specFile)
		testutil.NoError(os.WriteFile(path, []byte(damaged), 0o666))
	}
	_, err := OpenMerge(t.TempDir(), []string{dir}, []*experiment.Experiment{toy()})
	wantDataError(t, "damaged specs", err, "is not the spec that the sweep was run with")
}

// Readers meet a sweep at every moment of its life.
func TestReadersMeetAWriter(t *testing.T) {
	dir := t.TempDir()
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !done.Load() {
				r, err := OpenReader(dir, []*experiment.Experiment{toy()})
				if err == nil {
					_, err = r.Summary(nil)
				}
				if err != nil && !slices.ContainsFunc([]string{"no run has finished yet", "there is no spec.toml", "not begun"}, func(s string) bool { return strings.Contains(err.Error(), s) }) {
					t.Error(err)
					return
				}
			}
		})
	}
	for seeds := range testutil.IfThorough(20, 2) {
		run(t, dir, strings.Replace(smallSpec, `"1..20"`, fmt.Sprint(seeds+1), 1))
	}
	done.Store(true)
	readers.Wait()
}

// Each shard that is at work counts, and the sweep itself.
func TestWriters(t *testing.T) {
	dir := t.TempDir()
	spec := parse("experiment = 'toy'\n[grid]\nk = [1, 2]")
	check := func(want int) {
		t.Helper()
		n, err := Writers(dir)
		if n != want || err != nil {
			t.Errorf("%d processes write there, %v, want %d", n, err, want)
		}
	}
	first := testutil.Must(Open(dir, spec, new(spec.Plan().Shard(0, 2))))
	check(1)
	second := testutil.Must(Open(dir, spec, new(spec.Plan().Shard(1, 2))))
	check(2)
	testutil.NoError(first.Close())
	check(1)
	testutil.NoError(second.Close())
	check(0)
}

// A reader of more shards than it keeps open reads the same runs, opens each a
// few times only, and says so if another file has taken the place of one that
// it had closed.
func TestReaderOfManyShards(t *testing.T) {
	defer func(usual int) { maxOpen = usual }(maxOpen)
	maxOpen = 2
	small := strings.Replace(smallSpec, "1..20", "1..5", 1)
	whole, dir := t.TempDir(), t.TempDir()
	run(t, whole, small)
	const count = 7
	for index := range int64(count) {
		runShard(t, dir, small, index, count, 1000)
	}
	_, want := read(whole, true)
	r, got := read(dir, true)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("%d runs are read, want %d, the same", len(got), len(want))
	}
	open := 0
	for _, l := range r.logs {
		if l.file != nil {
			open++
		}
	}
	if open > maxOpen {
		t.Errorf("%d logs are open, want at most %d", open, maxOpen)
	}
	windows := func() (list []int64) {
		for _, l := range r.logs {
			list = append(list, l.windowAt, int64(len(l.window)))
		}
		return list
	}
	before := windows()
	for _, err := range r.Runs(false) {
		testutil.NoError(err)
		if !slices.Equal(windows(), before) {
			t.Fatal("what was read of a log is read again")
		}
	}
	r = testutil.Must(OpenReader(dir, []*experiment.Experiment{toy()}))
	spec := parse(small)
	first := filepath.Join(shardDir(dir, spec.Plan().Shard(0, count)), logFile)
	second := filepath.Join(shardDir(dir, spec.Plan().Shard(1, count)), logFile)
	testutil.NoError(os.Rename(second, first))
	var err error
	for _, failed := range r.Runs(false) {
		err = failed
	}
	if _, isData := errors.AsType[*DataError](err); !isData {
		t.Errorf("of a file that was replaced: %v", err)
	}
}
