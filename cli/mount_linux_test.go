package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDiskFillsUp: a sweep that finds the disk full ends with 74 wherever
// that happens, and goes on when there is room.
func TestDiskFillsUp(t *testing.T) {
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	mount := func(flags uintptr, bytes int) error { // a file system in memory, if this process may
		return syscall.Mount("tmpfs", disk, "tmpfs", flags, fmt.Sprintf("size=%d", bytes))
	}
	if err := mount(0, 1<<12); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	write(t, filepath.Join(dir, "spec.toml"), fmt.Sprintf(killSpec, 600))
	if _, stderr, code := sweep(t, dir, "run", "spec.toml", "-o", "whole", "--quiet"); code != 0 {
		t.Fatalf("undisturbed: code %d, stderr:\n%s", code, stderr)
	}
	full := 0
	for size := 1 << 12; ; size += 1 << 14 {
		if err := mount(syscall.MS_REMOUNT, size); err != nil {
			t.Fatal(err)
		}
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
}
