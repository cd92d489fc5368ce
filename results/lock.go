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
	for attempt := 1; ; {
		f, err := d.lockable()
		if err != nil {
			return nil, err
		}
		err = flock(f, syscall.LOCK_EX)
		switch {
		case err == nil:
		case lacksLocks(err):
			err = fmt.Errorf("%w: %w", errNoLocks, err)
			return nil, &fs.PathError{Op: "lock", Path: d.path(lockFile), Err: errors.Join(err, f.Close(), d.remove(lockFile))}
		case !errors.Is(err, syscall.EWOULDBLOCK):
			f.Close()
			return nil, &fs.PathError{Op: "lock", Path: d.path(lockFile), Err: err}
		default:
			f.Close()
			if attempt == lockAttempts {
				return nil, &LockedError{Dir: d.dir, Owner: d.readOwner()}
			}
			attempt++
			time.Sleep(lockPause)
			continue
		}
		// The process that had the lock until now may have removed the file.
		if same, err := d.bears(f); err != nil || !same {
			f.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		release = func() error {
			err := d.remove(lockFile)
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return errors.Join(err, f.Close())
		}
		if err := writeOwner(f); err != nil {
			return nil, errors.Join(err, release())
		}
		return release, nil
	}
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

// bears reports whether the locked file still bears its name.
func (d osDisk) bears(lock *os.File) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	named, err := d.root.Lstat(lockFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), d.full(err)
}

// lacksLocks reports whether an attempt to lock a file failed because of
// the file system it is on. NFS without a lock daemon says ENOLCK, Lustre
// mounted without the option flock ENOSYS.
func lacksLocks(err error) bool {
	for _, e := range []error{syscall.ENOLCK, syscall.EINVAL, errors.ErrUnsupported} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// writeOwner writes into the locked file: the lock belongs to it and not to
// its name.
func writeOwner(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	text, err := json.Marshal(LockOwner{
		Host: host, PID: os.Getpid(), Since: time.Now().UTC().Truncate(time.Second),
		Command: strings.Join(os.Args, " "),
	})
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return err
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
