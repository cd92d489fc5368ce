package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockFile is locked by whoever writes to the directory, and says who that
// is. The lock is the kernel's, so it ends with the process, however that
// ends; the file alone, which a killed process leaves behind, says nothing.
const lockFile = ".lock"

// A Holder is a process that writes to a directory.
type Holder struct {
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"` // UTC, whole seconds
	Command string    `json:"command"`
}

// A LockedError refuses a directory that another process writes to.
type LockedError struct {
	Dir    string
	Holder *Holder // nil if the lock does not say
}

// Error names the directory and the other process.
func (e *LockedError) Error() string {
	text := e.Dir + ": another process is writing here"
	if h := e.Holder; h != nil {
		text += fmt.Sprintf(": process %d on %s, since %s: %s", h.PID, h.Host, h.Since.Format(time.RFC3339), h.Command)
	}
	return text
}

// errNoLocks tells of a file system that does not have locks.
var errNoLocks = errors.New("this file system does not lock files")

// Whoever asks who holds a lock (see heldBy) has a share in it for a moment,
// so a lock is refused only after that many attempts.
const (
	lockAttempts = 5
	lockPause    = 20 * time.Millisecond
)

// lockDir takes the lock of a directory; see disk.
func lockDir(dir string) (release func() error, err error) {
	path := filepath.Join(dir, lockFile)
	for attempt := 1; ; {
		// Over NFS, only a file that is open for writing can be locked.
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
		got, err := lock.TryLock()
		if err != nil {
			lock.Close()
			if lacksLocks(err) {
				err = errors.Join(fmt.Errorf("%w: %w", errNoLocks, err), os.Remove(path))
			}
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		if !got {
			lock.Close()
			if attempt == lockAttempts {
				return nil, &LockedError{Dir: dir, Holder: readHolder(path)}
			}
			attempt++
			time.Sleep(lockPause)
			continue
		}
		// The process that had the lock until now may have removed the file.
		if same, err := bears(lock, path); err != nil || !same {
			lock.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		release = func() error { return errors.Join(remove(osDisk{}, path), lock.Close()) }
		if err := writeHolder(path); err != nil {
			return nil, errors.Join(err, release())
		}
		return release, nil
	}
}

// lockInput takes the lock of a directory that is only to be read, to keep
// others from writing to it meanwhile. One that cannot be written to needs
// no lock, and one that cannot be locked earns a warning; unlock does
// nothing then.
func lockInput(d disk, dir string) (unlock func() error, warning string, err error) {
	unlock, err = d.lock(dir)
	switch {
	case err == nil:
		return unlock, "", nil
	case errors.Is(err, errNoLocks):
		warning = noLockWarning(err)
	case !unchangeable(err):
		return nil, "", err
	}
	return func() error { return nil }, warning, nil
}

// heldBy returns a *LockedError if a process holds the lock of a directory.
// It does not take it, and is in the way of others for a moment only.
func heldBy(dir string) error {
	path := filepath.Join(dir, lockFile)
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	got, err := lock.TryRLock()
	if errors.Is(err, fs.ErrNotExist) || lacksLocks(err) {
		return nil
	}
	if err == nil && !got {
		err = &LockedError{Dir: dir, Holder: readHolder(path)}
	}
	return err
}

// bears reports whether the locked file still bears its name.
func bears(lock *flock.Flock, path string) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), err
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

func writeHolder(path string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	text, err := json.Marshal(Holder{
		Host: host, PID: os.Getpid(), Since: time.Now().UTC().Truncate(time.Second),
		Command: strings.Join(os.Args, " "),
	})
	if err != nil {
		return err
	}
	// Not by renaming: the lock belongs to the file and not to the name.
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// readHolder returns nil if the file does not say, as in the moment before
// its owner has written it.
func readHolder(path string) *Holder {
	var h Holder
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &h) != nil {
		return nil
	}
	return &h
}
