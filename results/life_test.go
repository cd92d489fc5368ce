package results

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/testutil"
)

// A life is what happens to a directory.
type life struct {
	small, large *grid.Spec
	promised     map[grid.ID]bool // runs whose success was committed
}

func newLife() *life {
	return &life{
		small:    parse("experiment = 'toy'\nseeds = 4\n[grid]\nalgorithm = ['RL', 'WL']\nk = 10"),
		large:    parse("experiment = 'toy'\nseeds = 5\n[grid]\nalgorithm = ['RL', 'WL']\nk = [10, 20]"),
		promised: map[grid.ID]bool{},
	}
}

// A course is a life lived on a disk. It panics with the first error of a
// process, which live returns.
type course func(l *life, d disk.Dir)

func (c course) live(l *life, d disk.Dir) (err error) {
	defer func() { err, _ = recover().(error) }()
	c(l, d)
	return nil
}

// extended is the course in which a sweep is run in part and interrupted,
// taken up and finished, extended, interrupted and finished. A power cut had
// left the spec of the directory, and no log.
func extended(l *life, d disk.Dir) {
	testutil.NoError(disk.WriteFile(d, specFile, l.small.Source))
	l.work(d, l.small, nil, 5, 2)
	l.work(d, l.small, nil, -1, 2)
	l.work(d, l.large, nil, 4, 3)
	l.work(d, l.large, nil, -1, 3)
	l.work(d, l.large, nil, -1, 3) // nothing is left to do but to try failed runs again
}

// sharded is the course in which of two shards one is interrupted and
// finished, the other is interrupted, and then all is finished at once.
func sharded(l *life, d disk.Dir) {
	first, second := l.large.Plan().Shard(0, 2), l.large.Plan().Shard(1, 2)
	l.work(d, l.large, &first, 4, 3)
	l.work(d, l.large, &first, -1, 3)
	l.work(d, l.large, &second, 4, 3)
	l.work(d, l.large, nil, -1, 3)
}

// work is one process, which does what "sweep run" does: it computes what a
// directory lacks of a sweep, or of a shard, in the midst of which it refreshes
// the exported files. It commits after so many runs. After so many runs it is
// interrupted, unless the number is negative.
func (l *life) work(d disk.Dir, of *grid.Spec, shard *grid.Shard, runs, commit int) {
	s := testutil.Must(openStore(d, of, shard))
	defer func() {
		err, _ := recover().(error)
		testutil.NoError(errors.Join(err, s.Close()))
	}()
	if len(s.Damage) > 0 {
		panic(fmt.Errorf("damage: %v", s.Damage))
	}
	plan := s.Plan
	var waiting []grid.ID
	keep := func() {
		testutil.NoError(s.Commit())
		for _, id := range waiting {
			l.promised[id] = true
		}
		waiting = waiting[:0]
	}
	for i := range plan.Runs() {
		if s.Done(i) || s.Shard != nil && !s.Shard.Has(i) {
			continue
		}
		if runs == 0 {
			keep()
			return
		}
		runs--
		row := toyRow(plan, i)
		if l.promised[row.ID] {
			panic(fmt.Errorf("run %d is computed again, though it was committed", i))
		}
		testutil.NoError(s.Append(row))
		if row.Status == OK {
			waiting = append(waiting, row.ID)
		}
		if s.waiting == commit {
			keep()
		}
		if i == plan.Runs()/2+1 { // a run that the smaller sweep lacks
			testutil.NoError(s.WriteManifest(Manifest{Runs: plan.Runs(), OK: s.OK()}))
			testutil.NoError(s.Export(context.Background()))
		}
	}
	keep()
	testutil.NoError(s.Export(context.Background()))
	testutil.NoError(s.WriteManifest(Manifest{Runs: plan.Runs(), OK: s.OK(), Complete: true}))
}

// whole is the course in which the larger sweep is run to its end.
func whole(l *life, d disk.Dir) { l.work(d, l.large, nil, -1, 3) }

// recover runs the larger sweep to its end on what is left of a disk, and
// wants the files of an undisturbed life.
func (l *life) recover(t *testing.T, d *simDisk, want map[string]string) {
	t.Helper()
	after := *l
	after.promised = maps.Clone(l.promised)
	if err := course(whole).live(&after, d.top()); err != nil {
		t.Errorf("the next process: %v; on the disk were %v", err, d.files())
		return
	}
	if got := finalsOn(d); !maps.Equal(got, want) {
		t.Error("the exported files differ from those of an undisturbed life")
	}
	inShards := func(p string) bool { return strings.HasPrefix(p, shardsDir) }
	lifeEnds := []string{manifestFile, logFile, runsFile, seriesFile, specFile, summaryFile, timingsFile}
	if got := slices.DeleteFunc(d.files(), inShards); !slices.Equal(got, lifeEnds) {
		t.Errorf("in the end there are %v, want %v", got, lifeEnds)
	}
}

func finalsOn(d *simDisk) map[string]string {
	files := map[string]string{}
	for _, name := range exportFiles {
		if content, err := disk.ReadFile(d.top(), name); err == nil {
			files[name] = string(content)
		}
	}
	return files
}

// undisturbed returns the exported files of a life, and the operations of the
// disk that a course takes. The files are those of a sweep run at once.
func undisturbed(t *testing.T, c course) (want map[string]string, operations []string) {
	t.Helper()
	atOnce := newSimDisk()
	testutil.NoError(course(whole).live(newLife(), atOnce.top()))
	want = finalsOn(atOnce)
	if len(want) != len(exportFiles) {
		t.Fatalf("%d exported files", len(want))
	}
	d := newSimDisk()
	d.before = func(operation string) error { operations = append(operations, operation); return nil }
	testutil.NoError(c.live(newLife(), d.top()))
	d.before = nil
	if !maps.Equal(finalsOn(d), want) {
		t.Fatal("the exported files of an undisturbed life differ from those of a sweep run at once")
	}
	return want, operations
}

// eachCourse tests hundreds of lives of each course.
func eachCourse(t *testing.T, test func(t *testing.T, c course)) {
	for name, c := range map[string]course{"extended": extended, "sharded": sharded} {
		t.Run(name, func(t *testing.T) { test(t, c) })
	}
}

// TestPowerCutAtAnyOperation cuts the power before every operation of a
// life (without -thorough every third), and has lost everything or, every other
// time, some of what was not yet durable; with -thorough all that and more.
func TestPowerCutAtAnyOperation(t *testing.T) { eachCourse(t, cutPower) }

func cutPower(t *testing.T, c course) {
	want, _ := undisturbed(t, c)
	rng := rand.New(rand.NewPCG(5, 6))
	l, d := newLife(), newSimDisk()
	cuts := 0
	d.before = func(operation string) error {
		switch operation {
		case "open", "read", "list", "close": // the same as before the next one
			return nil
		}
		cuts++
		cases := outages(rng)
		if !testutil.Thorough() {
			if cuts%5 > 0 {
				return nil
			}
			cases = cases[cuts%2 : cuts%2+1]
		}
		for _, o := range cases {
			left := d.after(o)
			t.Run(fmt.Sprintf("before operation %d (%s), %s", cuts, operation, o.name), func(t *testing.T) {
				l.recover(t, left, want)
			})
		}
		return nil
	}
	testutil.NoError(c.live(l, d.top()))
	if cuts < 100 {
		t.Errorf("power was cut only %d times", cuts)
	}
}

// TestFaultAtAnyOperation makes every operation of a life fail (without
// -thorough every 13th): once, as a bad sector does, and from then on
// until the process ends, as a full disk does. The process reports the
// fault and no other; the next one goes on.
func TestFaultAtAnyOperation(t *testing.T) { eachCourse(t, failEverywhere) }

func failEverywhere(t *testing.T, c course) {
	want, operations := undisturbed(t, c)
	for _, fault := range []struct {
		errno   syscall.Errno
		lasting bool
		strikes []string // operations
	}{
		{syscall.EIO, false, []string{"create", "write", "sync", "truncate", "close", "mkdir", "syncDir", "rename", "remove", "lock", "open", "read", "list"}},
		{syscall.ENOSPC, true, []string{"create", "write", "sync", "mkdir", "syncDir", "rename"}},
		{syscall.EROFS, true, []string{"create", "mkdir", "rename", "remove", "lock"}},
	} {
		t.Run(fault.errno.Error(), func(t *testing.T) {
			for k, operation := range operations {
				if !slices.Contains(fault.strikes, operation) || !testutil.Thorough() && k%23 > 0 {
					continue
				}
				struck := fmt.Sprintf("operation %d (%s)", k, operation)
				l, d := newLife(), newSimDisk()
				at := -1
				d.before = func(operation string) error {
					at++
					if at == k || at > k && fault.lasting && slices.Contains(fault.strikes, operation) {
						return fault.errno
					}
					return nil
				}
				err := c.live(l, d.top())
				if err != nil && !errors.Is(err, fault.errno) {
					t.Errorf("%s failed: the process reports %v", struck, err)
				}
				var data *DataError
				if errors.As(err, &data) {
					t.Errorf("%s failed: the process takes it for damage: %v", struck, err)
				}
				d.before = nil
				t.Run(struck, func(t *testing.T) { l.recover(t, d, want) })
				if len(d.locked) > 0 {
					t.Errorf("%s failed: the lock was not released", struck)
				}
			}
		})
	}
}
