package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sweep/internal/testutil"
)

// A file is there whole or not at all, no link leads out of the directory, and
// an error tells the path that the user knows.
func TestWholeFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	d := testutil.Must(Make(dir))
	defer d.Close()
	testutil.NoError(WriteFile(d, "a", []byte("old")))
	f := testutil.Must(d.Create(Temporary("a")))
	testutil.Must(f.Write([]byte("123456789")))
	if text := testutil.Must(ReadFile(d, "a")); string(text) != "old" {
		t.Errorf("before it is published, the file has %q", text)
	}
	testutil.NoError(Publish(d, f, "a", nil))
	if sum := testutil.Must(SumOf(d, "a")); sum != (Sum{9, "e3069283"}) { // the check value of CRC-32C
		t.Errorf("the sum is %v", sum)
	}
	testutil.NoError(os.Symlink("a", filepath.Join(dir, "link")))
	if _, err := ReadFile(d, "link"); !errors.As(err, new(*DataError)) {
		t.Errorf("a link: %v", err)
	}
	_, err := ReadFile(d, "none")
	if fault, ok := errors.AsType[*fs.PathError](err); !ok || fault.Path != filepath.Join(dir, "none") {
		t.Errorf("of what is not there: %v", err)
	}
}

// A rename that fails tells both paths.
func TestRenameTellsPaths(t *testing.T) {
	dir := t.TempDir()
	d := testutil.Must(Open(dir))
	defer d.Close()
	err := d.Rename("none", "new")
	fault, ok := errors.AsType[*os.LinkError](err)
	if !ok || fault.Old != filepath.Join(dir, "none") || fault.New != filepath.Join(dir, "new") {
		t.Errorf("of what is not there: %v", err)
	}
}

// A directory that cannot be listed is called by its path. Some systems list
// one that was removed.
func TestListTellsPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	d := testutil.Must(Make(dir))
	defer d.Close()
	testutil.NoError(os.Remove(dir))
	_, err := d.List()
	fault, ok := errors.AsType[*fs.PathError](err)
	if err != nil && (!ok || fault.Path != dir) {
		t.Errorf("of what is gone: %v", err)
	}
}

// The lock is taken and released from many sides at once, while its file
// comes and goes and others ask who has it.
func TestLockIsExclusive(t *testing.T) {
	d := testutil.Must(Open(t.TempDir()))
	var inside sync.Mutex
	var entered atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				_ = d.Held("log")
				f, err := d.Lock("log")
				if err == ErrLocked {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !inside.TryLock() {
					t.Error("two hold the lock")
					continue
				}
				entered.Add(1)
				time.Sleep(10 * time.Microsecond)
				inside.Unlock()
				if err := errors.Join(d.Remove("log"), f.Close()); err != nil {
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
