package results

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

// A disk is a directory, and all that the package does to the file system
// there. Names are those of its entries. The program has one, osDisk;
// tests put others in its place, which fail or lose power at any operation.
//
// The package relies on this much of a file system: content is durable
// once it was synced, and the names in a directory once the directory was.
// Before that a power cut may undo any of the changes and keep any other.
// A rename happens wholly or not at all.
type disk interface {
	create(name string) (file, error) // empty, in place of a file that has the name
	open(name string) (file, error)   // for reading
	list() ([]string, error)          // the names
	mkdir(name string) error
	rename(from, to string) error
	remove(name string) error // a file, or an empty directory
	sync() error              // makes the names durable

	// lock opens a file for reading and appending, makes it if need be, and
	// locks it until it is closed. The error is ErrLocked if a process has it
	// locked. Where locks do not work it is errNoLocks, and the file is open.
	lock(name string) (file, error)

	// held returns ErrLocked if a process has the file locked.
	held(name string) error

	// sub returns the disk of a directory in this one.
	sub(name string) (disk, error)

	// moved returns an error if another directory, or none, has the path by
	// which this one was opened.
	moved() error

	path(name string) string // for messages
	close() error
}

// A file is open for reading, and for writing if it was opened so, as an
// *os.File is.
type file interface {
	io.ReaderAt
	io.Writer // at the end
	io.Seeker // tells the size
	io.Closer
	Sync() error
	Truncate(size int64) error
}

func sizeOf(f file) (int64, error) { return f.Seek(0, io.SeekEnd) }

// osDisk is a directory of the operating system, by its handle: what is put
// in the place of the directory later, or of one above it, is not touched.
// No link is followed, and nothing but a regular file is opened: a
// directory may come from somebody else.
type osDisk struct {
	root *os.Root
	dir  string
}

// openDisk opens a directory.
func openDisk(dir string) (disk, error) {
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
	return osDisk{root, dir}, nil
}

// within opens a directory for a while.
func within(dir string, do func(d disk) error) error {
	d, err := openDisk(dir)
	if err != nil {
		return err
	}
	return errors.Join(do(d), d.close())
}

// makeDisk opens a directory, and makes it and those above it that are
// missing, durably.
func makeDisk(dir string) (disk, error) {
	d, err := openDisk(dir)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Clean(dir) == "." {
		return d, err
	}
	above, err := makeDisk(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return nil, err
	}
	d, err = makeSub(above, filepath.Base(dir))
	return d, errors.Join(err, above.close())
}

// makeSub opens a directory in another, and makes it if need be, durably.
func makeSub(d disk, name string) (disk, error) {
	if err := d.mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := d.sync(); err != nil {
		return nil, err
	}
	return d.sub(name)
}

// full gives the error of an operation the path that the user knows.
func (d osDisk) full(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: d.path(p.Path), Err: p.Err}
	}
	return err
}

func (d osDisk) path(name string) string { return filepath.Join(d.dir, name) }

// lstat returns what a name is, and an error unless it is of that type: a
// regular file, or a directory.
func (d osDisk) lstat(name string, want fs.FileMode) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err == nil && info.Mode().Type() != want {
		noun := map[fs.FileMode]string{0: "a regular file", fs.ModeDir: "a directory"}
		err = refuse(d.path(name), "move it out of the directory",
			"is not %s (mode %s), and is not followed or opened", noun[want], info.Mode())
	}
	return info, d.full(err)
}

func (d osDisk) create(name string) (file, error) {
	if err := d.remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666)
	return f, d.full(err)
}

func (d osDisk) open(name string) (file, error) {
	if _, err := d.lstat(name, 0); err != nil {
		return nil, err
	}
	f, err := d.root.Open(name)
	return f, d.full(err)
}

var (
	// ErrLocked refuses a directory that another process writes to.
	ErrLocked = errors.New("another process is writing here")

	// errNoLocks tells of a file system that does not have locks.
	errNoLocks = errors.New("this file system does not lock files")
)

// Whoever asks who holds a lock (see held) has a share in it for a moment,
// so a lock is refused only after that many attempts.
const (
	lockAttempts = 5
	lockPause    = 20 * time.Millisecond
)

func (d osDisk) lock(name string) (file, error) {
	for range lockAttempts {
		if _, err := d.lstat(name, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
		case errors.Is(err, errNoLocks):
			return f, fmt.Errorf("%s: %w", d.path(name), err)
		case err != ErrLocked:
			return nil, errors.Join(&fs.PathError{Op: "lock", Path: d.path(name), Err: err}, f.Close())
		}
		f.Close()
		time.Sleep(lockPause)
	}
	return nil, ErrLocked
}

func (d osDisk) held(name string) error {
	f, err := d.open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err = flock(f.(*os.File), false); err != ErrLocked {
		return nil // who cannot ask does not know
	}
	return err
}

func (d osDisk) list() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, d.full(err)
	}
	names, err := f.Readdirnames(-1)
	return names, errors.Join(d.full(err), f.Close())
}

func (d osDisk) mkdir(name string) error  { return d.full(d.root.Mkdir(name, 0o777)) }
func (d osDisk) remove(name string) error { return d.full(d.root.Remove(name)) }
func (d osDisk) close() error             { return d.root.Close() }

// rename waits up to a second for whoever has the file open, which only Windows
// minds.
func (d osDisk) rename(from, to string) error {
	for attempt := 0; ; attempt++ {
		err := d.root.Rename(from, to)
		if attempt == 100 || runtime.GOOS != "windows" || !errors.Is(err, fs.ErrPermission) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// sync takes it for no fault that a file system cannot sync directories, and
// says EINVAL or "not supported", or that Windows denies it.
func (d osDisk) sync() error {
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

func (d osDisk) sub(name string) (disk, error) {
	if _, err := d.lstat(name, fs.ModeDir); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	return osDisk{root, d.path(name)}, d.full(err)
}

func (d osDisk) moved() error {
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

// isOne reports whether two paths lead to the same directory.
func isOne(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// The files that are written whole have a temporary name until then, so
// that a file with its proper name is always whole. Libraries for this
// take paths; ours are relative to a directory's handle.

func temporary(name string) string { return "." + name + ".tmp" }

// writeFile writes a whole small file atomically and durably.
func writeFile(d disk, name string, content []byte) error {
	f, err := d.create(temporary(name))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return publish(d, f, name, err)
}

// publish gives a file that was written under its temporary name the proper
// one, durably, unless err says that writing has failed.
func publish(d disk, f file, name string, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := d.rename(temporary(name), name); err != nil {
		return err
	}
	return d.sync()
}

// smallFile bounds the files that are read whole: specs and manifests.
const smallFile = 2 << 20

// readFile reads a whole small file.
func readFile(d disk, name string) ([]byte, error) {
	f, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, 0, smallFile+1))
	if len(text) > smallFile {
		err = refuse(d.path(name), "", "has more than the %d bytes that are read", smallFile)
	}
	return text, err
}
