package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// flock locks a byte far behind the end of a file, for what is locked cannot
// be read, for itself or with others that only ask, until the file is closed.
// It does not wait.
func flock(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if err == windows.ERROR_LOCK_VIOLATION {
		return ErrLocked
	}
	return err
}
