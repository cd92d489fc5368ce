// Package disk writes files in a directory whole and durably, locks them, and
// follows no link out of the directory. Its errors have the paths that the user
// knows.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// A Dir is a directory, and all that is done to the file system there. Names
// are those of its entries. [Open] returns one of the operating system; the
// tests of package results put others in its place, which fail or lose power at
// any operation.
//
// This much of a file system is relied on: content is durable
// once it was synced, and the names in a directory once the directory was.
// Before that a power cut may undo any of the changes and keep any other.
// A rename happens wholly or not at all.
type Dir interface {
	Create(name string) (File, error) // empty, in place of a file that has the name
	Open(name string) (File, error)   // for reading
	List() ([]string, error)          // the names
	Mkdir(name string) error
	Rename(from, to string) error
	Remove(name string) error // a file, or an empty directory
	Sync() error              // makes the names durable

	// Lock opens a file for reading and appending, makes it if need be, and
	// locks it until it is closed, and with it the directory: who removes the
	// file does not free the lock. The error is ErrLocked if a process has it
	// locked. Where locks do not work it is ErrNoLocks, and the file is open.
	// A file with another name, too (a hard link), is refused.
	Lock(name string) (File, error)

	// Held returns ErrLocked if a process has the file locked, and ErrNoLocks
	// if that cannot be known.
	Held(name string) error

	// Sub opens a directory in this one.
	Sub(name string) (Dir, error)

	// Moved returns an error if another directory, or none, has the path by
	// which this one was opened, or another file, or none, the name by which
	// f was.
	Moved(f File, name string) error

	Path(name string) string // for messages
	Close() error
}

// A file is open for reading, and for writing if it was opened so, as an
// *os.File is.
type File interface {
	io.ReaderAt
	io.Writer // at the end
	io.Seeker // tells the size
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// A DataError says that a directory or file cannot be used as it is:
// corrupt, or the results of something else.
type DataError struct {
	Path    string // the file or directory
	Message string // what was found, and what was expected
	Hint    string // what to do about it; empty if there is no advice
	Err     error  // the cause, or nil
}

// Refuse returns a DataError without a cause.
func Refuse(path, hint, format string, args ...any) *DataError {
	return &DataError{Path: path, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Error returns the path and the message, without the hint.
func (e *DataError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Path, e.Message, e.Err)
	}
	return e.Path + ": " + e.Message
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// Size returns the number of bytes in a file.
func Size(f File) (int64, error) { return f.Seek(0, io.SeekEnd) }

// osDir is a directory of the operating system, by its handle: if another
// directory takes its path later, or that of one above it, that one is not
// touched. osDir follows no link and opens only regular files, since a
// directory may come from somebody else.
type osDir struct {
	root *os.Root
	dir  string
}

// Open opens a directory.
func Open(dir string) (Dir, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() { // it may be a pipe, which is opened when somebody writes to it
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return osDir{root, dir}, nil
}

// Within opens a directory, calls do and closes the directory.
func Within(dir string, do func(d Dir) error) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(do(d), d.Close())
}

// Make opens a directory, and makes it and those above it that are
// missing, durably.
func Make(dir string) (Dir, error) {
	d, err := Open(dir)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Clean(dir) == "." {
		return d, err
	}
	if target, err := os.Readlink(dir); err == nil {
		return nil, Refuse(dir, "make that directory, or remove the link",
			"is a link to %s, which does not exist", target)
	}
	above, err := Make(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return nil, err
	}
	d, err = MakeSub(above, filepath.Base(dir))
	return d, errors.Join(err, above.Close())
}

// MakeSub opens a directory in another, and makes it if need be, durably.
func MakeSub(d Dir, name string) (Dir, error) {
	if err := d.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := d.Sync(); err != nil {
		return nil, err
	}
	return d.Sub(name)
}

// full gives the error of an operation the path that the user knows.
func (d osDir) full(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: d.Path(p.Path), Err: p.Err}
	}
	return err
}

// own is full for an operation on the directory itself, whose handle has the
// path.
func (d osDir) own(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: d.Path("."), Err: p.Err}
	}
	return err
}

// fullLink is full for an operation on two paths.
func (d osDir) fullLink(err error) error {
	if p, ok := errors.AsType[*os.LinkError](err); ok {
		return &os.LinkError{Op: p.Op, Old: d.Path(p.Old), New: d.Path(p.New), Err: p.Err}
	}
	return err
}

func (d osDir) Path(name string) string { return filepath.Join(d.dir, name) }

// check returns an error unless a name is of that type: a regular file, or a
// directory.
func (d osDir) check(name string, want fs.FileMode) error {
	info, err := d.root.Lstat(name)
	if err == nil && info.Mode().Type() != want {
		noun := map[fs.FileMode]string{0: "a regular file", fs.ModeDir: "a directory"}
		err = Refuse(d.Path(name), "move it out of the directory",
			"is not %s (mode %s), and is not followed or opened", noun[want], info.Mode())
	}
	return d.full(err)
}

func (d osDir) Create(name string) (File, error) {
	if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666)
	return f, d.full(err)
}

func (d osDir) Open(name string) (File, error) {
	if err := d.check(name, 0); err != nil {
		return nil, err
	}
	f, err := d.root.Open(name)
	return f, d.full(err)
}

var (
	// ErrLocked refuses a directory that another process writes to.
	ErrLocked = errors.New("another process is writing here")

	// ErrNoLocks tells that a file system does not have locks.
	ErrNoLocks = errors.New("this file system does not lock files")
)

// A process that asks whether a lock is held (see Held) shares the lock for a
// moment, so Lock fails only after several attempts.
const (
	lockAttempts = 5
	lockPause    = 20 * time.Millisecond
)

func (d osDir) Lock(name string) (File, error) {
	for range lockAttempts {
		if err := d.check(name, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		f, err := d.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
		if err != nil {
			return nil, d.full(err)
		}
		if err := d.checkLinks(f, name); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		err = flock(f, true)
		if err == nil && d.isNamed(f, name) {
			var whole *os.File
			whole, err = d.lockDirectory()
			if err == nil {
				return &lockedFile{f, whole}, nil
			}
		}
		if errors.Is(err, ErrNoLocks) {
			return f, fmt.Errorf("%s: %w", d.Path(name), err)
		}
		if err != nil && err != ErrLocked {
			err = &fs.PathError{Op: "lock", Path: d.Path(name), Err: err}
			return nil, errors.Join(err, f.Close())
		}
		f.Close()
		time.Sleep(lockPause)
	}
	return nil, ErrLocked
}

// A lockedFile is open, and its directory is locked until it is closed.
type lockedFile struct {
	*os.File
	directory *os.File // nil where directories cannot be locked
}

func (f *lockedFile) Close() error {
	err := f.File.Close()
	if f.directory != nil {
		err = errors.Join(err, f.directory.Close())
	}
	return err
}

// lockDirectory locks the directory itself. It returns no file where that does
// not work, as on NFS and Windows.
func (d osDir) lockDirectory() (*os.File, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, d.full(err)
	}
	err = flock(f, true)
	if err == nil {
		return f, nil
	}
	f.Close()
	if err == ErrLocked {
		return nil, err
	}
	return nil, nil
}

// checkLinks refuses a file that has several names: what is written under one
// would be changed under all of them.
func (d osDir) checkLinks(f *os.File, name string) error {
	info, err := f.Stat()
	if err != nil {
		return d.full(err)
	}
	links := linksOf(info)
	if links <= 1 {
		return nil
	}
	return Refuse(d.Path(name), "copy it, and give the copy this name",
		"has %d names (hard links): writing to one would change all", links)
}

// isNamed reports whether a file still has its name: the process that held the
// lock before may have put another file or a link there.
func (d osDir) isNamed(f *os.File, name string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := d.root.Lstat(name)
	return err == nil && os.SameFile(ours, named)
}

func (d osDir) Held(name string) error {
	f, err := d.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return ErrNoLocks
	case err != nil:
		return err
	}
	defer f.Close()
	err = flock(f.(*os.File), false)
	if err != nil && err != ErrLocked {
		return ErrNoLocks
	}
	return err
}

func (d osDir) List() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, d.full(err)
	}
	names, err := f.Readdirnames(-1)
	return names, errors.Join(d.own(err), f.Close())
}

func (d osDir) Mkdir(name string) error { return d.full(d.root.Mkdir(name, 0o777)) }

func (d osDir) Remove(name string) error { return d.full(d.root.Remove(name)) }

func (d osDir) Close() error { return d.root.Close() }

// Windows does not rename a file that a process has open: Rename tries for a
// second.
const (
	renameAttempts = 100
	renamePause    = 10 * time.Millisecond
)

func (d osDir) Rename(from, to string) error {
	for attempt := 0; ; attempt++ {
		err := d.root.Rename(from, to)
		isOpen := runtime.GOOS == "windows" && errors.Is(err, fs.ErrPermission)
		if !isOpen || attempt == renameAttempts {
			return d.fullLink(err)
		}
		time.Sleep(renamePause)
	}
}

// Sync ignores that a file system cannot sync directories, which it tells by
// EINVAL or "not supported", or that Windows denies it.
func (d osDir) Sync() error {
	f, err := d.root.Open(".")
	if err != nil {
		return d.full(err)
	}
	err = f.Sync()
	isUnsupported := errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
	if isUnsupported || runtime.GOOS == "windows" {
		err = nil
	}
	return errors.Join(d.own(err), f.Close())
}

func (d osDir) Sub(name string) (Dir, error) {
	if err := d.check(name, fs.ModeDir); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	return osDir{root, d.Path(name)}, d.full(err)
}

func (d osDir) Moved(f File, name string) error {
	ours, err := d.root.Stat(".")
	if err != nil {
		return d.full(err)
	}
	named, err := os.Stat(d.dir)
	if err == nil && !os.SameFile(ours, named) {
		return d.replaced(".", "another directory has taken its place")
	}
	if err != nil {
		return err
	}
	open := f.(interface{ Stat() (fs.FileInfo, error) })
	ours, err = open.Stat()
	if err != nil {
		return d.full(err)
	}
	named, err = d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.replaced(name, "the file was removed or renamed")
	case err == nil && !os.SameFile(ours, named):
		return d.replaced(name, "another file has taken its place")
	}
	return d.full(err)
}

// ErrReplaced tells that a file or directory is no longer the one that was
// opened.
var ErrReplaced = errors.New("while it was written")

// replaced returns the error of who cannot write any longer.
func (d osDir) replaced(name, how string) error {
	err := fmt.Errorf("%s %w", how, ErrReplaced)
	return &fs.PathError{Op: "write", Path: d.Path(name), Err: err}
}

// Same reports whether two paths lead to the same directory.
func Same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
