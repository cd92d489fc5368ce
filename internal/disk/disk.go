// Package disk is a directory and what is done to its files: they are written whole
// and durably, locked, and no link leads out of it. Its errors have the paths that
// the user knows.
package disk

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// A Dir is a directory, and all that is done to the file system there. Names are
// those of its entries. [Open] returns one of the operating system; the tests of
// package results put others in its place, which fail or lose power at any
// operation.
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
	// locks it until it is closed. The error is ErrLocked if a process has it
	// locked. Where locks do not work it is ErrNoLocks, and the file is open.
	Lock(name string) (File, error)

	// Held returns ErrLocked if a process has the file locked, and ErrNoLocks if
	// that cannot be known.
	Held(name string) error

	// Sub opens a directory in this one.
	Sub(name string) (Dir, error)

	// Moved returns an error if another directory, or none, has the path by
	// which this one was opened.
	Moved() error

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

// Size returns how many bytes a file has.
func Size(f File) (int64, error) { return f.Seek(0, io.SeekEnd) }

// osDir is a directory of the operating system, by its handle: what is put
// in the place of the directory later, or of one above it, is not touched.
// No link is followed, and nothing but a regular file is opened: a
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

// Within opens a directory for a while.
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

	// ErrNoLocks tells of a file system that does not have locks.
	ErrNoLocks = errors.New("this file system does not lock files")
)

// Whoever asks who holds a lock (see held) has a share in it for a moment,
// so a lock is refused only after that many attempts.
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
		switch err = flock(f, true); {
		case err == nil:
			// Who had the lock until now may have put another file there, or a link.
			locked, err1 := f.Stat()
			named, err2 := d.root.Lstat(name)
			if err1 == nil && err2 == nil && os.SameFile(locked, named) {
				return f, nil
			}
		case errors.Is(err, ErrNoLocks):
			return f, fmt.Errorf("%s: %w", d.Path(name), err)
		case err != ErrLocked:
			return nil, errors.Join(&fs.PathError{Op: "lock", Path: d.Path(name), Err: err}, f.Close())
		}
		f.Close()
		time.Sleep(lockPause)
	}
	return nil, ErrLocked
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
	if err = flock(f.(*os.File), false); err != nil && err != ErrLocked {
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
	return names, errors.Join(d.full(err), f.Close())
}

func (d osDir) Mkdir(name string) error  { return d.full(d.root.Mkdir(name, 0o777)) }
func (d osDir) Remove(name string) error { return d.full(d.root.Remove(name)) }
func (d osDir) Close() error             { return d.root.Close() }

// Rename waits up to a second for whoever has the file open, which only Windows
// minds.
func (d osDir) Rename(from, to string) error {
	for attempt := 0; ; attempt++ {
		err := d.root.Rename(from, to)
		if attempt == 100 || runtime.GOOS != "windows" || !errors.Is(err, fs.ErrPermission) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Sync takes it for no fault that a file system cannot sync directories, and
// says EINVAL or "not supported", or that Windows denies it.
func (d osDir) Sync() error {
	f, err := d.root.Open(".")
	if err != nil {
		return d.full(err)
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || runtime.GOOS == "windows" {
		err = nil
	}
	return errors.Join(d.full(err), f.Close())
}

func (d osDir) Sub(name string) (Dir, error) {
	if err := d.check(name, fs.ModeDir); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	return osDir{root, d.Path(name)}, d.full(err)
}

func (d osDir) Moved() error {
	ours, err := d.root.Stat(".")
	if err != nil {
		return d.full(err)
	}
	named, err := os.Stat(d.dir)
	if err == nil && !os.SameFile(ours, named) {
		err = &fs.PathError{Op: "write", Path: d.dir, Err: errors.New("another directory has taken its place")}
	}
	return err
}

// Same reports whether two paths lead to the same directory.
func Same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// Temporary returns the name that a file has until it is written whole, so that one
// with its proper name is always whole. Libraries for this take paths; ours are
// relative to a directory's handle.
func Temporary(name string) string { return "." + name + ".tmp" }

// WriteFile writes a whole small file atomically and durably.
func WriteFile(d Dir, name string, content []byte) error {
	f, err := d.Create(Temporary(name))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return Publish(d, f, name, err)
}

// Publish gives a file that was written under its temporary name the proper
// one, durably, unless err says that writing has failed.
func Publish(d Dir, f File, name string, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := d.Rename(Temporary(name), name); err != nil {
		return err
	}
	return d.Sync()
}

// smallFile bounds the files that are read whole: specs and manifests.
const smallFile = 2 << 20

// ReadFile reads a whole small file.
func ReadFile(d Dir, name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, 0, smallFile+1))
	if len(text) > smallFile {
		err = Refuse(d.Path(name), "", "has more than the %d bytes that are read", smallFile)
	}
	return text, err
}

// A Sum tells a file from others.
type Sum struct {
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"` // hexadecimal
}

// Castagnoli is the table of the polynomial of CRC-32C.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOf reads a file to its end.
func SumOf(d Dir, name string) (sum Sum, err error) {
	f, err := d.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	crc := crc32.New(Castagnoli)
	sum.Bytes, err = io.Copy(crc, io.NewSectionReader(f, 0, math.MaxInt64))
	sum.CRC32C = fmt.Sprintf("%08x", crc.Sum32())
	return sum, err
}
