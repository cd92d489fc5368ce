package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// lockFile is locked by whoever writes to the directory, and says who that
// is. The lock is the kernel's, so it ends with the process, however that
// ends; the file alone, which a killed process leaves behind, says nothing.
const lockFile = ".lock"

// A LockOwner is a process that writes to a directory.
type LockOwner struct {
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"` // UTC, whole seconds
	Command string    `json:"command"`
}

// A LockedError refuses a directory that another process writes to.
type LockedError struct {
	Dir   string
	Owner *LockOwner // nil if the lock does not say
}

// Error names the directory and the other process. What a file says is
// quoted as far as a terminal could take it for a command.
func (e *LockedError) Error() string {
	text := e.Dir + ": another process is writing here"
	if o := e.Owner; o != nil {
		text += fmt.Sprintf(": process %d on %s, since %s: %s", o.PID, printable(o.Host), o.Since.Format(time.RFC3339), printable(o.Command))
	}
	return text
}

// printable returns a text without control characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text)
}

// errNoLocks tells of a file system that does not have locks.
var errNoLocks = errors.New("this file system does not lock files")

// Whoever asks who holds a lock (see held) has a share in it for a moment,
// so a lock is refused only after that many attempts.
const (
	lockAttempts = 5
	lockPause    = 20 * time.Millisecond
)

func (d osDisk) lock() (release func() error, err error) {
	for attempt := 1; ; attempt++ {
		f, err := d.lockable()
		if err != nil {
			return nil, err
		}
		err = flock(f, syscall.LOCK_EX)
		if err == nil && d.bears(f) {
			release = func() error { return errors.Join(d.unlink(), f.Close()) }
			if err := writeOwner(f); err != nil {
				return nil, errors.Join(err, release())
			}
			return release, nil
		}
		f.Close()
		switch {
		case lacksLocks(err):
			return nil, errors.Join(fmt.Errorf("%s: %w: %w", d.path(lockFile), errNoLocks, err), d.unlink())
		case err != nil && !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, &fs.PathError{Op: "lock", Path: d.path(lockFile), Err: err}
		case attempt == lockAttempts:
			return nil, &LockedError{Dir: d.dir, Owner: d.readOwner()}
		}
		time.Sleep(lockPause)
	}
}

// unlink removes the lock's file, if it is there.
func (d osDisk) unlink() error {
	err := d.remove(lockFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lockable opens the lock's file, and makes it if need be. Over NFS, only a
// file that is open for writing can be locked.
func (d osDisk) lockable() (*os.File, error) {
	for {
		f, err := d.appendTo(lockFile)
		if err == nil {
			return f.(osFile).File, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		made, err := d.root.OpenFile(lockFile, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return made, d.full(err)
		}
	}
}

func (d osDisk) held() error {
	f, err := d.open(lockFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	err = flock(f.(osFile).File, syscall.LOCK_SH)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return &LockedError{Dir: d.dir, Owner: d.readOwner()}
	}
	if err != nil && !lacksLocks(err) {
		return &fs.PathError{Op: "lock", Path: d.path(lockFile), Err: err}
	}
	return nil
}

// flock takes a lock of a file, or says EWOULDBLOCK; it does not wait.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}

// bears reports whether a locked file still bears its name: the process that
// had the lock until now may have removed it.
func (d osDisk) bears(lock *os.File) bool {
	locked, err1 := lock.Stat()
	named, err2 := d.root.Lstat(lockFile)
	return err1 == nil && err2 == nil && os.SameFile(locked, named)
}

// lacksLocks reports whether an attempt to lock a file failed because of
// the file system it is on. NFS without a lock daemon says ENOLCK, Lustre
// mounted without the option flock ENOSYS.
func lacksLocks(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// writeOwner writes into the locked file: the lock belongs to it and not to
// its name.
func writeOwner(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	owner := LockOwner{host, os.Getpid(), time.Now().UTC().Truncate(time.Second), strings.Join(os.Args, " ")}
	if err := f.Truncate(0); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(owner)
}

// readOwner returns nil if the file does not say, as in the moment before
// its owner has written it.
func (d osDisk) readOwner() *LockOwner {
	var o LockOwner
	text, err := readFile(d, lockFile)
	if err != nil || json.Unmarshal(text, &o) != nil {
		return nil
	}
	return &o
}
