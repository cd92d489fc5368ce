package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDisk: a sweep that finds the disk full or read-only ends with 74 wherever
// that happens, and goes on when there is room. What is finished can be asked for.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	mount := func(flags uintptr, bytes int) error {
		return syscall.Mount("tmpfs", disk, "tmpfs", flags, fmt.Sprintf("size=%d", bytes))
	}
	if err := mount(0, 1<<12); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	remount := func(flags uintptr, bytes int) {
		t.Helper()
		if err := mount(syscall.MS_REMOUNT|flags, bytes); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "spec.toml"), fmt.Sprintf(killSpec, 600))
	write(t, filepath.Join(dir, "more.toml"), fmt.Sprintf(killSpec, 610))
	runs := func(spec, out string, want int, says string) {
		t.Helper()
		_, stderr, code := sweep(t, dir, "run", spec, "-o", out, "--quiet")
		if code != want || !strings.Contains(stderr, says) || says == "" && stderr != "" {
			t.Fatalf("%s: code %d, want %d; stderr %q, want %q", spec, code, want, stderr, says)
		}
	}
	runs("spec.toml", "whole", 0, "")
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
	runs("spec.toml", "disk/out", 0, "")
	runs("more.toml", "disk/out", exitIO, "read-only file system")
	remount(0, 4*size)
	runs("more.toml", "disk/out", 0, "")
}
