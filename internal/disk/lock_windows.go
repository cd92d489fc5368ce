package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// flock locks a file until it is closed, exclusively or with others that only
// ask. It does not wait. The lock is on a byte far behind the end of the file,
// because locked bytes cannot be read.
func flock(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	const bytes = 1
	farBehind := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, bytes, 0, farBehind)
	if err == windows.ERROR_LOCK_VIOLATION {
		return ErrLocked
	}
	return err
}

// linksOf returns 1: Windows does not tell how many names a file has when it
// is asked for the file's state.
func linksOf(os.FileInfo) uint64 { return 1 }
