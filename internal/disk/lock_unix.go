//go:build !windows

package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// flock locks a file until it is closed, exclusively or with others that only
// ask. It does not wait. NFS without a lock daemon returns ENOLCK, Lustre
// mounted without the option flock ENOSYS.
func flock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return ErrLocked
		}
		if err == syscall.ENOLCK || err == syscall.EINVAL || errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("%w: %w", ErrNoLocks, err)
		}
		return err
	}
}

// linksOf returns how many names a file has.
func linksOf(info os.FileInfo) uint64 {
	system, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(system.Nlink)
}
