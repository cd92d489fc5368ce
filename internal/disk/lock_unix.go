//go:build !windows

package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// flock locks a file, for itself or with others that only ask, until it is
// closed. It does not wait. NFS without a lock daemon says ENOLCK, Lustre
// mounted without the option flock ENOSYS.
func flock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EWOULDBLOCK:
			return ErrLocked
		case err == syscall.ENOLCK || err == syscall.EINVAL || errors.Is(err, errors.ErrUnsupported):
			return fmt.Errorf("%w: %w", ErrNoLocks, err)
		}
		return err
	}
}
