package results

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A disk is all that the package does to a file system. The program has
// one, osDisk; tests put others in its place, which fail or lose power at
// any operation.
//
// The package relies on this much of a file system: content is durable
// once it was synced, and the names in a directory once the directory was.
// Before that a power cut may undo any of the changes and keep any other.
// A rename happens wholly or not at all.
type disk interface {
	// create makes an empty file, in place of one that has the name.
	create(path string) (output, error)

	// open opens a file for reading.
	open(path string) (input, error)

	// list returns the names in a directory.
	list(dir string) ([]string, error)

	mkdir(path string) error
	rename(from, to string) error

	// remove removes a file or an empty directory.
	remove(path string) error

	// syncDir makes the names in a directory durable.
	syncDir(path string) error

	// lock takes the lock of a directory or returns a *LockedError. The
	// lock ends with release or with the process. Where locks do not work
	// the error is errNoLocks, wrapping the system's.
	lock(dir string) (release func() error, err error)
}

// An output is a file that is being written.
type output interface {
	io.WriteCloser
	Sync() error
}

// An input is a file that is being read.
type input interface {
	io.ReaderAt
	io.Closer
	Size() (int64, error)
}

// osDisk is the file system of the operating system.
type osDisk struct{}

func (osDisk) create(path string) (output, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) open(path string) (input, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return osInput{f}, nil
}

type osInput struct{ *os.File }

func (i osInput) Size() (int64, error) {
	info, err := i.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (osDisk) list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func (osDisk) mkdir(path string) error      { return os.Mkdir(path, 0o777) }
func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(path string) error     { return os.Remove(path) }

// syncDir syncs a directory. File systems that cannot do so say EINVAL or
// "not supported", which is no fault of ours.
func (osDisk) syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

func (osDisk) lock(dir string) (func() error, error) { return lockDir(dir) }

// mkdirAll makes a directory and those above it that are missing, durably.
func mkdirAll(d disk, path string) error {
	err := d.mkdir(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := mkdirAll(d, filepath.Dir(path)); err != nil {
			return err
		}
		err = d.mkdir(path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.syncDir(filepath.Dir(path))
}

// remove removes a file that may be absent.
func remove(d disk, path string) error {
	if err := d.remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeDir removes a directory of files; it may be absent.
func removeDir(d disk, dir string) error {
	names, err := d.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := remove(d, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return remove(d, dir)
}

// readFile reads a whole small file.
func readFile(d disk, path string) ([]byte, error) {
	f, err := d.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, size))
}
