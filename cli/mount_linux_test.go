package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sweep/internal/testutil"
)

// TestDisk: a sweep that finds the disk full or read-only ends with 74 wherever
// that happens, and goes on when there is room. What is finished can be asked for.
func TestDisk(t *testing.T) {
	testutil.NeedsThorough(t, "a disk fills up again and again")
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	testutil.NoError(os.Mkdir(disk, 0o777))
	mount := func(flags uintptr, bytes int) error {
		return syscall.Mount("tmpfs", disk, "tmpfs", flags, fmt.Sprintf("size=%d", bytes))
	}
	if err := mount(0, 1<<12); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	remount := func(flags uintptr, bytes int) {
		t.Helper()
		testutil.NoError(mount(syscall.MS_REMOUNT|flags, bytes))
	}
	write(filepath.Join(dir, "spec.toml"), fmt.Sprintf(killSpec, 600))
	write(filepath.Join(dir, "more.toml"), fmt.Sprintf(killSpec, 610))
	ends(t, dir, 0, "", "run", "spec.toml", "-o", "whole", "--quiet")
	full, size := 0, 1<<12
	for ; ; size += 1 << 14 {
		remount(0, size)
		_, stderr, code := sweep(t, dir, "run", "spec.toml", "-o", "disk/out", "--quiet")
		if code == 0 {
			break
		}
		full++
		if code != exitIO || !strings.Contains(stderr, "no space left on device") {
			t.Fatalf("with %d bytes of disk: code %d, stderr:\n%s", size, code, stderr)
		}
	}
	if full < 5 {
		t.Errorf("the disk was full %d times, too few to tell", full)
	}
	sameFiles(t, filepath.Join(disk, "out"), filepath.Join(dir, "whole"))

	remount(syscall.MS_RDONLY, size)
	ends(t, dir, 0, "", "run", "spec.toml", "-o", "disk/out", "--quiet")
	ends(t, dir, exitIO, "read-only file system", "run", "more.toml", "-o", "disk/out", "--quiet")
	remount(0, 4*size)
	ends(t, dir, 0, "", "run", "more.toml", "-o", "disk/out", "--quiet")
}
