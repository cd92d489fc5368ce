package results

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"syscall"
	"testing"
)

var thorough = flag.Bool("thorough", false, "let every operation fail, not only some")

// A life is what happens to a directory: a sweep is run in part and
// interrupted, taken up and finished, extended, interrupted and finished.
type life struct {
	small, large *fakePlan
	promised     map[string]bool // points whose success was committed
	computed     func(point string)
}

const lifeDir = "out/life"

func newLife() *life {
	return &life{
		small:    newFakePlan(toy(), toyCells(10), 1, 2, 3, 4),
		large:    newFakePlan(toy(), toyCells(10, 20), 1, 2, 3, 4, 5),
		promised: map[string]bool{},
	}
}

// live lives it on a disk, up to the first error.
func (l *life) live(d disk) error {
	for _, part := range []struct {
		plan   *fakePlan
		runs   int // computed before the interruption; -1: all, and Finish
		commit int // after so many
	}{
		{l.small, 5, 2},
		{l.small, -1, 2},
		{l.large, 4, 3},
		{l.large, -1, 3},
		{l.large, -1, 3}, // nothing is left to do but to try failed runs again
	} {
		if err := l.run(d, part.plan, part.runs, part.commit); err != nil {
			return err
		}
	}
	return nil
}

// run is one process: what "sweep run" does.
func (l *life) run(d disk, p *fakePlan, runs, commit int) (err error) {
	s, err := open(d, lifeDir, toySpec(p.experiment), p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if len(s.Damage()) > 0 {
		return fmt.Errorf("damage: %v", s.Damage())
	}
	if err := writeManifest(d, lifeDir, Manifest{Runs: p.Runs(), OK: s.Finished()}); err != nil {
		return err
	}
	var waiting []string
	keep := func() error {
		if err := s.Commit(); err != nil {
			return err
		}
		for _, point := range waiting {
			l.promised[point] = true
		}
		waiting = waiting[:0]
		return nil
	}
	for i := range p.Runs() {
		if s.Done(i) {
			continue
		}
		if runs == 0 {
			return keep()
		}
		runs--
		row := toyRow(p, i)
		point := fmt.Sprint(row.Point.Values, row.Point.Seed)
		if l.promised[point] {
			return fmt.Errorf("run %d is computed again, though it was committed", i)
		}
		if err := s.Append(row); err != nil {
			return err
		}
		if row.Status == OK {
			waiting = append(waiting, point)
		}
		if len(s.open.entries) == commit {
			if err := keep(); err != nil {
				return err
			}
		}
	}
	if err := keep(); err != nil {
		return err
	}
	if err := s.Finish(); err != nil {
		return err
	}
	return writeManifest(d, lifeDir, Manifest{Runs: p.Runs(), OK: s.Finished(), Complete: true})
}

// recover runs the larger sweep to its end on what is left of a disk, and
// wants the files of an undisturbed life.
func (l *life) recover(t *testing.T, d *simDisk, promised map[string]bool, want map[string]string) {
	t.Helper()
	after := *l
	after.promised = maps.Clone(promised)
	if err := after.run(d, l.large, -1, 3); err != nil {
		t.Errorf("the next process: %v; on the disk were %v", err, d.files())
		return
	}
	if got := finalsOn(d); !equalFiles(got, want) {
		t.Error("the final files differ from those of an undisturbed life")
	}
	if got := d.files(); !slices.Equal(got, lifeEnds) {
		t.Errorf("in the end there are %v, want %v", got, lifeEnds)
	}
}

var lifeEnds = []string{
	path.Join(lifeDir, manifestFile), path.Join(lifeDir, runsFile), path.Join(lifeDir, seriesFile),
	path.Join(lifeDir, specFile), path.Join(lifeDir, summaryFile),
}

func finalsOn(d *simDisk) map[string]string {
	files := map[string]string{}
	for _, name := range []string{runsFile, seriesFile, summaryFile} {
		if content, err := readFile(d, path.Join(lifeDir, name)); err == nil {
			files[name] = string(content)
		}
	}
	return files
}

// undisturbed returns the final files of a life, and the operations of the
// disk that it takes.
func undisturbed(t *testing.T) (want map[string]string, operations []string) {
	t.Helper()
	d := newSimDisk()
	d.before = func(operation string) error { operations = append(operations, operation); return nil }
	must(t, newLife().live(d))
	d.before = nil
	l := newLife()
	if fresh := finish(t, l.large, ascending(l.large.Runs()), 1<<30); !equalFiles(finalsOn(d), fresh) {
		t.Fatal("the final files of an undisturbed life differ from those of one run")
	}
	return finalsOn(d), operations
}

// TestPowerCutAtAnyOperation cuts the power before every operation of a
// life, and has lost in turn everything, something and nothing of what was
// not yet durable.
func TestPowerCutAtAnyOperation(t *testing.T) {
	want, _ := undisturbed(t)
	rng := rand.New(rand.NewPCG(5, 6))
	l, d := newLife(), newSimDisk()
	cuts := 0
	d.before = func(operation string) error {
		switch operation {
		case "open", "read", "list", "close": // the same as before the next one
			return nil
		}
		cuts++
		for _, o := range outages(rng) {
			left := d.after(o)
			t.Run(fmt.Sprintf("before operation %d (%s), %s", cuts, operation, o.name), func(t *testing.T) {
				l.recover(t, left, l.promised, want)
			})
		}
		return nil
	}
	must(t, l.live(d))
	if cuts < 100 {
		t.Errorf("power was cut only %d times", cuts)
	}
}

// TestFaultAtAnyOperation makes every operation of a life fail (without
// -thorough every seventh): once, as a bad sector does, and from then on
// until the process ends, as a full disk does. The process reports the
// fault and no other; the next one goes on.
func TestFaultAtAnyOperation(t *testing.T) {
	want, operations := undisturbed(t)
	for _, fault := range []struct {
		errno   syscall.Errno
		lasting bool
		strikes []string // operations
	}{
		{syscall.EIO, false, []string{"create", "write", "sync", "close", "mkdir", "syncDir", "rename", "remove", "lock", "open", "read", "list"}},
		{syscall.ENOSPC, true, []string{"create", "write", "sync", "mkdir", "syncDir", "rename"}},
		{syscall.EROFS, true, []string{"create", "mkdir", "rename", "remove", "lock"}},
	} {
		t.Run(fault.errno.Error(), func(t *testing.T) {
			for k, operation := range operations {
				if !slices.Contains(fault.strikes, operation) || !*thorough && k%7 > 0 {
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
				err := l.live(d)
				if err != nil && !errors.Is(err, fault.errno) {
					t.Errorf("%s failed: the process reports %v", struck, err)
				}
				var data *DataError
				if errors.As(err, &data) {
					t.Errorf("%s failed: the process takes it for damage: %v", struck, err)
				}
				d.before = nil
				t.Run(struck, func(t *testing.T) { l.recover(t, d, l.promised, want) })
				if d.locked {
					t.Errorf("%s failed: the lock was not released", struck)
				}
			}
		})
	}
}
