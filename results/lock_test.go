package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"sweep/experiment"
)

func TestSecondWriterIsRefused(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1, 2)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s, toyRow(p, 0))
	must(t, s.Commit())
	before := listing(t, dir)
	_, err := Open(dir, toySpec(p.experiment), p)
	locked, ok := errors.AsType[*LockedError](err)
	if !ok || locked.Dir != dir || locked.Holder == nil || locked.Holder.PID != os.Getpid() {
		t.Fatalf("Open: got %v, want a *LockedError that names this process", err)
	}
	if after := listing(t, dir); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("the second writer changed the directory from %v to %v", before, after)
	}
	must(t, s.Close())
	must(t, s.Close())
	must(t, mustOpen(t, dir, p).Close())
}

// TestLockLeavesNothing: neither in a directory that is refused nor at the
// end.
func TestLockLeavesNothing(t *testing.T) {
	large := newFakePlan(toy(), toyCells(10, 20), 1)
	small := newFakePlan(toy(), toyCells(10), 1)
	dir := t.TempDir()
	s := mustOpen(t, dir, large)
	mustAppend(t, s, toyRow(large, 3))
	must(t, s.Close())
	if _, err := Open(dir, toySpec(small.experiment), small); err == nil {
		t.Fatal("Open accepted runs that the plan does not have")
	}
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err == nil {
		t.Error("a refused directory has a lock")
	}
}

// TestAbandonedLock: the file that a killed process leaves behind neither
// locks a directory nor makes it somebody's.
func TestAbandonedLock(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, lockFile), []byte(`{"pid":1}`), 0o666))
	must(t, mustOpen(t, dir, p).Close())
	if got, want := listing(t, dir), []string{specFile}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("directory: got %v, want %v", got, want)
	}
	other := t.TempDir()
	for _, name := range []string{lockFile, "thesis.tex"} {
		must(t, os.WriteFile(filepath.Join(other, name), nil, 0o666))
	}
	wantDataError(t, other, p, "not the output of a sweep")
}

// TestAskingDoesNotLock: processes that ask who holds a lock are not in the
// way of one that takes it.
func TestAskingDoesNotLock(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, lockFile), nil, 0o666))
	asker := flock.New(filepath.Join(dir, lockFile))
	if got, err := asker.TryRLock(); !got || err != nil {
		t.Fatal(got, err)
	}
	time.AfterFunc(lockPause, func() { asker.Close() })
	release, err := lockDir(dir)
	must(t, err)
	must(t, release())
}

// TestLockIsExclusive takes and releases the lock from many sides at once,
// while its file comes and goes.
func TestLockIsExclusive(t *testing.T) {
	dir := t.TempDir()
	var inside, entered atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				release, err := lockDir(dir)
				if _, ok := errors.AsType[*LockedError](err); ok {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) > 1 {
					t.Error("two hold the lock")
				}
				entered.Add(1)
				inside.Add(-1)
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if entered.Load() == 0 {
		t.Error("nobody ever had the lock")
	}
}

// Who waited for a lock may get it on a file that its last holder has
// removed, and that locks nothing any more.
func TestLockedFileWithoutName(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockFile)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR))
	defer lock.Close()
	_, err := lock.TryLock()
	must(t, err)
	check := func(when string, want bool) {
		t.Helper()
		if got, err := bears(lock, path); got != want || err != nil {
			t.Errorf("%s: %v, error %v; want %v", when, got, err, want)
		}
	}
	check("locked", true)
	must(t, os.Remove(path))
	check("removed", false)
	must(t, os.WriteFile(path, nil, 0o666))
	check("made anew", false)
}

// A lockless disk is one of a file system without locks.
type lockless struct{ osDisk }

func (lockless) lock(string) (func() error, error) {
	return nil, fmt.Errorf("%w: %w", errNoLocks, syscall.ENOLCK)
}

func TestWithoutLocksThereIsAWarning(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1)
	s, err := open(lockless{}, t.TempDir(), toySpec(p.experiment), p)
	must(t, err)
	if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], "does not lock files") || !strings.Contains(w[0], "second process") {
		t.Errorf("warnings %q, want one about locks", w)
	}
	must(t, s.Finish())
	must(t, s.Close())
	for err, want := range map[error]bool{
		syscall.ENOLCK: true, syscall.ENOSYS: true, syscall.EOPNOTSUPP: true, syscall.EINVAL: true,
		syscall.EIO: false, syscall.EACCES: false, syscall.ENOSPC: false,
	} {
		if got := lacksLocks(&os.PathError{Err: err}); got != want {
			t.Errorf("lacksLocks(%v) = %v, want %v", err, got, want)
		}
	}
}

// A frozen disk cannot be written to.
type frozen struct{ osDisk }

func (frozen) lock(dir string) (func() error, error) {
	return nil, &os.PathError{Op: "open", Path: filepath.Join(dir, lockFile), Err: syscall.EROFS}
}

func TestReadOnlyDirectory(t *testing.T) {
	p := newFakePlan(toy(), toyCells(10), 1, 2)
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s, toyRow(p, 0))
	must(t, s.Close())
	if _, err := open(frozen{}, dir, toySpec(p.experiment), p); !errors.Is(err, syscall.EROFS) {
		t.Errorf("an unfinished read-only directory: got %v, want %v", err, syscall.EROFS)
	}
	s = mustOpen(t, dir, p)
	for i := range p.Runs() {
		mustAppend(t, s, toyRow(p, i))
	}
	must(t, s.Finish())
	must(t, s.Close())
	s, err := open(frozen{}, dir, toySpec(p.experiment), p)
	if err != nil {
		t.Fatalf("a finished read-only directory: got %v, want none", err)
	}
	must(t, s.Finish())
	must(t, s.Close())
}

// TestReadersMeetAFinish reads the summary of a directory again and again
// while a process takes it from segments to final files and on to more of
// them.
func TestReadersMeetAFinish(t *testing.T) {
	dir := t.TempDir()
	read := make(chan struct{})
	var readers sync.WaitGroup
	var loaded atomic.Int64
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-read:
					return
				default:
				}
				if _, err := LoadSummary(dir, []*experiment.Experiment{toy()}); err == nil {
					loaded.Add(1)
				} else if !strings.Contains(err.Error(), "no run has finished yet") && !strings.Contains(err.Error(), "there is no spec.toml") {
					t.Error(err)
					return
				}
			}
		})
	}
	for seeds := range 30 {
		runPlan(t, dir, strings.Replace(smallSpec, `"1..20"`, fmt.Sprint(seeds+20), 1), ascending)
	}
	close(read)
	readers.Wait()
	if loaded.Load() == 0 {
		t.Error("nothing was ever read")
	}
}
