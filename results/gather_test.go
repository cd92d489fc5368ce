package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// openPart opens a shard of a spec of toy.
func openPart(t *testing.T, dir, text string, index, count int64) (*Store, grid.Shard, *grid.Plan) {
	t.Helper()
	spec, plan := mustParse(t, text)
	shard := plan.Shard(index, count)
	s, err := OpenShard(dir, shard, spec, plan)
	must(t, err)
	return s, shard, plan
}

// runShard appends what a shard lacks of its first so many runs, a segment
// for every 7, and finishes it if it is whole.
func runShard(t *testing.T, dir, text string, index, count, most int64) {
	t.Helper()
	s, shard, plan := openPart(t, dir, text, index, count)
	for k := range min(most, shard.Runs()) {
		if i := shard.Run(k); !s.Done(i) {
			mustAppend(t, s, luckyRow(plan, i))
		}
		if k%7 == 6 {
			must(t, s.Commit())
		}
	}
	if most >= shard.Runs() {
		must(t, s.Finish())
	}
	must(t, s.Close())
}

// oneMachine returns the final files of a single store.
func oneMachine(t *testing.T, text string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	spec, plan := mustParse(t, text)
	s, err := Open(dir, spec, plan)
	must(t, err)
	for i := range plan.Runs() {
		mustAppend(t, s, luckyRow(plan, i))
	}
	must(t, errors.Join(s.Finish(), s.Close()))
	return finalBytes(t, dir)
}

func gather(t *testing.T, to string, from ...string) *Gathering {
	t.Helper()
	g, err := Gather(to, from, []*experiment.Experiment{toy()})
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g
}

// mergeAll merges directories, whether or not runs are missing.
func mergeAll(t *testing.T, to string, from ...string) {
	t.Helper()
	g := gather(t, to, from...)
	s, err := g.Open()
	must(t, err)
	if s.Finished() != g.OK || s.Failed() != g.Failed {
		t.Errorf("%d and %d runs in the store, %d and %d were gathered", s.Finished(), s.Failed(), g.OK, g.Failed)
	}
	must(t, errors.Join(s.Finish(), s.Close(), g.Close()))
}

// snapshot returns the content of all files below a directory.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, name := range listing(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		content[name] = string(b)
	}
	return content
}

func TestShardNames(t *testing.T) {
	for _, c := range []struct {
		index, count int64
		name         string
	}{{0, 1, "0-of-1"}, {8, 9, "8-of-9"}, {3, 10, "03-of-10"}, {99, 100, "099-of-100"}} {
		if got := shardName(c.index, c.count); got != c.name {
			t.Errorf("shard %d of %d is called %s, want %s", c.index, c.count, got, c.name)
		}
		if s, ok := shardOf("x/" + c.name); !ok || s.index != c.index || s.count != c.count {
			t.Errorf("%s is shard %d of %d, %v", c.name, s.index, s.count, ok)
		}
	}
	for _, name := range []string{"3-of-10", "003-of-10", "10-of-10", "-1-of-4", "0-of-0", "1-of-4x", "1-of-", "segments", "."} {
		if _, ok := shardOf(name); ok {
			t.Errorf("%q passes for a shard", name)
		}
	}
}

// However a sweep is divided, merged it is what one machine computes: in
// place, elsewhere, in steps, and again.
func TestMergedShardsAreOneMachines(t *testing.T) {
	small := strings.Replace(smallSpec, "1..20", "1..5", 1)
	want := oneMachine(t, small)
	counts := []int64{1, 2, 3, 40} // 40: some are empty
	if *thorough {
		counts = append(counts, 4, 5, 6, 7, 8, 9)
	}
	for _, count := range counts {
		dir, elsewhere, left, right, steps := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
		var halves [2][]string
		for index := range count {
			runShard(t, dir, small, index, count, 1000)
			_, plan := mustParse(t, small)
			half := index % 2
			halves[half] = append(halves[half], ShardDir(dir, plan.Shard(index, count)))
		}
		before := snapshot(t, dir)
		mergeAll(t, elsewhere, dir)
		mergeAll(t, left, halves[0]...)
		if count > 1 {
			mergeAll(t, right, halves[1]...)
			mergeAll(t, steps, right, left)
		} else {
			mergeAll(t, steps, left, left)
		}
		if after := snapshot(t, dir); !equalFiles(before, after) {
			t.Errorf("%d shards: merging changed them", count)
		}
		mergeAll(t, dir, dir)
		for name, merged := range map[string]string{"elsewhere": elsewhere, "in place": dir, "in steps": steps} {
			if !equalFiles(finalBytes(t, merged), want) {
				t.Errorf("%d shards, merged %s: not the files of one machine", count, name)
			}
		}
		again := snapshot(t, dir)
		info, err := os.Stat(filepath.Join(dir, runsFile))
		must(t, err)
		mergeAll(t, dir, dir)
		mergeAll(t, dir, elsewhere, steps)
		now, err := os.Stat(filepath.Join(dir, runsFile))
		must(t, err)
		if !equalFiles(again, snapshot(t, dir)) {
			t.Errorf("%d shards: merging again changed something", count)
		}
		// The summary tells that there are failed runs, so shards are looked
		// at; but there is nothing to be written.
		if !os.SameFile(info, now) {
			t.Errorf("%d shards: merging again wrote the files anew", count)
		}
	}
}

// A shard that was killed is told to lack runs, and merges after it was run
// again.
func TestKilledShard(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	runShard(t, dir, smallSpec, 0, 3, 1000)
	runShard(t, dir, smallSpec, 2, 3, 1000)
	runShard(t, dir, smallSpec, 1, 3, 25)
	g := gather(t, to, dir)
	if g.Missing != 15 || g.OK+g.Failed != 105 || len(g.Shards) != 1 || g.Shards[0].Shard.Index() != 1 || g.Shards[0].Missing != 15 {
		t.Errorf("got %d missing, %+v; want 15 of shard 1", g.Missing, g.Shards)
	}
	must(t, g.Close())
	if names := listing(t, to); len(names) > 0 {
		t.Errorf("gathering has left %v", names)
	}
	_, plan := mustParse(t, smallSpec)
	for path, want := range map[string]int64{
		dir: 15, ShardDir(dir, plan.Shard(0, 3)): 0, ShardDir(dir, plan.Shard(1, 3)): 15,
	} {
		if v, _ := viewed(t, path, false); v.Missing() != want {
			t.Errorf("in %s %d runs are missing, want %d", path, v.Missing(), want)
		}
	}
	t.Chdir(ShardDir(dir, plan.Shard(1, 3)))
	if v, _ := viewed(t, ".", false); v.Missing() != 15 {
		t.Errorf("in the shard's directory by the name of . %d runs are missing, want 15", v.Missing())
	}
	mergeAll(t, to, dir) // what is there
	runShard(t, dir, smallSpec, 1, 3, 1000)
	mergeAll(t, to, dir)
	if !equalFiles(finalBytes(t, to), oneMachine(t, smallSpec)) {
		t.Error("not the files of one machine")
	}
}

// Whoever opens the whole has the shards' runs and merges them with its own.
func TestOpenSeesShards(t *testing.T) {
	dir := t.TempDir()
	runShard(t, dir, smallSpec, 0, 4, 1000)
	runShard(t, dir, smallSpec, 3, 4, 10)
	shards := snapshot(t, filepath.Join(dir, shardsDir))
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	if n := s.Finished() + s.Failed(); n != 40 || s.Assigned() != plan.Runs() {
		t.Errorf("%d runs are there, want 40 of %d", n, s.Assigned())
	}
	v, rows := viewed(t, dir, true)
	if len(rows) != 40 || v.OK() != s.Finished() {
		t.Errorf("a view has %d rows and %d runs that succeeded, the store %d", len(rows), v.OK(), s.Finished())
	}
	for i := range plan.Runs() {
		if !s.Done(i) {
			mustAppend(t, s, luckyRow(plan, i))
		}
	}
	must(t, errors.Join(s.Finish(), s.Close()))
	if !equalFiles(finalBytes(t, dir), oneMachine(t, smallSpec)) {
		t.Error("not the files of one machine")
	}
	if !equalFiles(shards, snapshot(t, filepath.Join(dir, shardsDir))) {
		t.Error("the shards have changed")
	}
	// And a shard leaves alone what the whole has.
	s, shard, _ := openPart(t, dir, smallSpec, 1, 4)
	lucky := int64(0)
	for k := range shard.Runs() {
		if luckyRow(plan, shard.Run(k)).Status == OK {
			lucky++
		}
	}
	if s.Assigned() != 30 || s.Finished() != lucky || s.Failed() != 0 {
		t.Errorf("shard 1: %d of %d runs, %d failed; want %d of 30", s.Finished(), s.Assigned(), s.Failed(), lucky)
	}
	must(t, s.Close())
}

// A run that failed in the whole and succeeds in a shard later is taken from
// there, although the whole has its final files.
func TestShardRepairsTheWhole(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	for i := range plan.Runs() {
		mustAppend(t, s, luckyRow(plan, i))
	}
	must(t, errors.Join(s.Finish(), s.Close()))
	s, shard, _ := openPart(t, dir, smallSpec, 0, 1)
	failed := int64(0)
	for k := range shard.Runs() {
		if i := shard.Run(k); !s.Done(i) {
			row := luckyRow(plan, i)
			row.Status, row.Error, row.Result.Metrics = OK, "", []float64{1, 2, 3}
			mustAppend(t, s, row)
			failed++
		}
	}
	must(t, errors.Join(s.Finish(), s.Close()))
	if failed == 0 {
		t.Fatal("no run had failed")
	}
	mergeAll(t, dir, dir)
	if v, _ := viewed(t, dir, false); v.Failed() != 0 || v.OK() != plan.Runs() {
		t.Errorf("%d runs succeeded and %d failed, want all to succeed", v.OK(), v.Failed())
	}
	if info, err := os.Stat(filepath.Join(dir, shardsDir)); err != nil || !info.IsDir() {
		t.Errorf("the shards are gone: %v", err)
	}
	must(t, os.RemoveAll(filepath.Join(dir, shardsDir)))
	if v, _ := viewed(t, dir, false); v.Failed() != 0 || v.OK() != plan.Runs() {
		t.Errorf("the final files have %d runs that succeeded and %d that failed", v.OK(), v.Failed())
	}
}

// copyOf runs the whole sweep into a new directory, with one row changed; a
// segment is closed after so many rows.
func copyOf(t *testing.T, rows int, changed int64, change func(r *Row)) string {
	t.Helper()
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	for n, i := range shuffled(plan.Runs()) {
		row := luckyRow(plan, i)
		if i == changed {
			change(row)
		}
		mustAppend(t, s, row)
		if n%rows == rows-1 {
			must(t, s.Commit())
		}
	}
	must(t, s.Close())
	return dir
}

// A run that is in several directories must be the same in all.
func TestOverlaps(t *testing.T) {
	_, plan := mustParse(t, smallSpec)
	index := int64(0) // of a run that succeeds and has a series
	for ; luckyRow(plan, index).Status != OK || len(luckyRow(plan, index).Result.Series) == 0; index++ {
	}
	id := grid.Identify(plan.Point(index)).String()
	for _, rows := range []int{1000, 2} { // one file, or more than are merged at once
		plain := copyOf(t, rows, -1, nil)
		same := copyOf(t, rows, -1, nil)
		to := t.TempDir()
		mergeAll(t, to, plain, same)
		if !equalFiles(finalBytes(t, to), oneMachine(t, smallSpec)) {
			t.Error("equal overlaps: not the files of one machine")
		}
		for name, c := range map[string]struct {
			change func(r *Row)
			want   string
		}{
			"metric":        {func(r *Row) { r.Result.Metrics[1] += 1e-9 }, ": efficiency: "},
			"series":        {func(r *Row) { r.Result.Series[2] = 7 }, ": rate in window 0: "},
			"longer series": {func(r *Row) { r.Result.Series = append(r.Result.Series, 9, 9, 9) }, ": windows of the series: "},
		} {
			if rows < 1000 && name != "metric" {
				continue // what is compared does not depend on the files
			}
			other := copyOf(t, rows, index, c.change)
			for _, from := range [][]string{{plain, other}, {same, plain, other}} {
				_, err := Gather(t.TempDir(), from, []*experiment.Experiment{toy()})
				data, ok := errors.AsType[*DataError](err)
				if !ok || data.Path != other || !strings.Contains(data.Message, id) || !strings.Contains(data.Message, from[0]) || !strings.Contains(data.Message, c.want) {
					t.Errorf("%s: got %v, want a *DataError about run %s in %s and %s", name, err, id, from[0], other)
				}
				for _, dir := range from { // no lock may be left
					if _, err := os.Stat(filepath.Join(dir, lockFile)); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%s is still locked: %v", dir, err)
					}
				}
			}
		}
		// A failure is no other outcome: the success is taken.
		failed := copyOf(t, rows, index, func(r *Row) { r.Status, r.Error, r.Result = Failed, "the machine broke", experiment.Result{} })
		for _, from := range [][]string{{plain, failed}, {failed, plain}} {
			to := t.TempDir()
			mergeAll(t, to, from...)
			if !equalFiles(finalBytes(t, to), oneMachine(t, smallSpec)) {
				t.Error("a failure replaced a success")
			}
		}
	}
}

// Shards are written at the same time, but not while someone works on the
// whole, and nothing is merged that is being written.
func TestShardLocks(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	first, _, _ := openPart(t, dir, smallSpec, 0, 2)
	second, _, _ := openPart(t, dir, smallSpec, 1, 2)
	wantLocked := func(what, held string, err error) {
		t.Helper()
		if locked, ok := errors.AsType[*LockedError](err); !ok || locked.Dir != held || locked.Holder == nil {
			t.Errorf("%s: got %v, want a *LockedError that names the holder of %s", what, err, held)
		}
	}
	_, err := OpenShard(dir, plan.Shard(1, 2), spec, plan)
	wantLocked("the same shard", ShardDir(dir, plan.Shard(1, 2)), err)
	must(t, first.Close())
	_, err = Open(dir, spec, plan)
	wantLocked("the whole beside a shard", ShardDir(dir, plan.Shard(1, 2)), err)
	_, err = Gather(t.TempDir(), []string{dir}, []*experiment.Experiment{toy()})
	wantLocked("merging a shard", ShardDir(dir, plan.Shard(1, 2)), err)
	must(t, second.Close())

	whole, err := Open(dir, spec, plan)
	must(t, err)
	_, err = OpenShard(dir, plan.Shard(0, 2), spec, plan)
	wantLocked("a shard beside the whole", dir, err)
	_, err = Gather(dir, []string{dir}, []*experiment.Experiment{toy()})
	wantLocked("merging the whole", dir, err)
	must(t, whole.Close())

	runShard(t, dir, smallSpec, 0, 2, 3)
	g := gather(t, dir, dir)
	_, err = OpenShard(dir, plan.Shard(0, 2), spec, plan)
	wantLocked("a shard while it is merged", dir, err)
	must(t, g.Close())
	if names := listing(t, dir); slices.Contains(names, lockFile) {
		t.Errorf("a lock is left: %v", names)
	}
}

// A meddler does something the moment a directory is to be locked.
type meddler struct {
	osDisk
	do func()
}

func (m meddler) lock(dir string) (func() error, error) {
	m.do()
	return m.osDisk.lock(dir)
}

// Two processes that divide a new sweep differently at the same moment:
// neither goes on, and the one that saw it leaves nothing.
func TestDividedTwiceAtOnce(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	var data *DataError
	other := ShardDir(dir, plan.Shard(2, 3))
	_, err := openShard(meddler{do: func() { must(t, os.MkdirAll(other, 0o777)) }}, dir, plan.Shard(0, 2), spec, plan)
	if !errors.As(err, &data) {
		t.Errorf("got %v, want a *DataError", err)
	}
	if _, err := os.Stat(ShardDir(dir, plan.Shard(0, 2))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory of the refused shard is left: %v", err)
	}
}

// A shard that is begun at the moment in which somebody begins with the whole
// sweep is abandoned: its directory is seen, and then gone.
func TestAbandonedShardIsOverlooked(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, smallSpec)
	shard := ShardDir(dir, plan.Shard(0, 2))
	must(t, os.MkdirAll(shard, 0o777))
	d := interposed{after: func(listed string) {
		if filepath.Base(listed) == shardsDir {
			must(t, os.RemoveAll(shard))
		}
	}}
	s, err := open(d, dir, spec, plan)
	must(t, err)
	must(t, s.Close())
}

// Whoever looks into the directory of a shard that is being abandoned keeps
// it from being removed, and loses no lock.
func TestAbandonedShardThatSomebodyLooksInto(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "0-of-2")
	spec, plan := mustParse(t, smallSpec)
	unlock := func() error { return nil }
	s, err := Open(dir, spec, plan)
	must(t, err)
	s.disk = interposed{after: func(string) {
		unlock, _, err = lockInput(osDisk{}, dir)
		must(t, err)
	}}
	must(t, s.abandon())
	if names := listing(t, dir); !slices.Equal(names, []string{lockFile}) {
		t.Errorf("the directory has %v, want the lock alone", names)
	}
	must(t, unlock())
}

// A damaged shard is not merged and left out by who runs the rest; whoever
// opens it sets the damage aside.
func TestDamagedShard(t *testing.T) {
	dir := t.TempDir()
	runShard(t, dir, smallSpec, 0, 2, 1000)
	runShard(t, dir, smallSpec, 1, 2, 1000)
	spec, plan := mustParse(t, smallSpec)
	path := filepath.Join(ShardDir(dir, plan.Shard(1, 2)), seriesFile)
	content, err := os.ReadFile(path)
	must(t, err)
	content[len(content)/2] ^= 1
	must(t, os.WriteFile(path, content, 0o666))

	_, err = Gather(t.TempDir(), []string{dir}, []*experiment.Experiment{toy()})
	if data, ok := errors.AsType[*DataError](err); !ok || data.Path != path {
		t.Errorf("Gather: got %v, want a *DataError about %s", err, path)
	}
	whole, err := Open(dir, spec, plan)
	must(t, err)
	if d := whole.Damage(); len(d) != 1 || d[0].Path != path || len(d[0].Aside) > 0 || whole.Finished()+whole.Failed() != 60 {
		t.Errorf("Open: damage %v, %d runs; want one file left alone, and 60", d, whole.Finished()+whole.Failed())
	}
	must(t, whole.Close())
	s, _, _ := openPart(t, dir, smallSpec, 1, 2)
	if d := s.Damage(); len(d) != 1 || len(d[0].Aside) != 2 || s.Finished() != 0 {
		t.Errorf("OpenShard: damage %v, %d runs; want two files aside and none", d, s.Finished())
	}
	must(t, s.Close())
	runShard(t, dir, smallSpec, 1, 2, 1000)
	mergeAll(t, dir, dir)
	if !equalFiles(finalBytes(t, dir), oneMachine(t, smallSpec)) {
		t.Error("not the files of one machine")
	}
}

// A shard does not rely on runs in damaged files of the whole sweep.
func TestDamagedWholeBesideAShard(t *testing.T) {
	dir := t.TempDir()
	runPlan(t, dir, smallSpec, ascending)
	path := filepath.Join(dir, runsFile)
	content, err := os.ReadFile(path)
	must(t, err)
	content[len(content)/2] ^= 1
	must(t, os.WriteFile(path, content, 0o666))
	before := listing(t, dir)
	s, _, _ := openPart(t, dir, smallSpec, 1, 2)
	if d := s.Damage(); len(d) != 1 || d[0].Path != path || len(d[0].Aside) > 0 || s.Finished() != 0 {
		t.Errorf("damage %v, %d runs; want one file left alone, and none", d, s.Finished())
	}
	must(t, s.Close())
	for _, name := range before {
		if !slices.Contains(listing(t, dir), name) {
			t.Errorf("%s is gone", name)
		}
	}
}

// What is not one sweep is told so, with what differs.
func TestGatherRefuses(t *testing.T) {
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
		g, err := Gather(t.TempDir(), []string{plain, other}, []*experiment.Experiment{toy()})
		if err == nil {
			must(t, g.Close())
		}
		data, ok := errors.AsType[*DataError](err)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: got %v, want none", name, err)
			}
		} else if !ok || !strings.Contains(data.Message, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	stranger := filepath.Join(plain, shardsDir, "0-of-02")
	must(t, os.Mkdir(stranger, 0o777))
	if _, err := Gather(t.TempDir(), []string{plain}, []*experiment.Experiment{toy()}); !strings.Contains(fmt.Sprint(err), "not a shard of a sweep") {
		t.Errorf("a stranger among the shards: got %v", err)
	}
}
