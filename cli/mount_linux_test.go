package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mount makes dir a file system in memory of so many bytes, if this
// process may.
func mount(t *testing.T, dir string, bytes int) (remount func(flags uintptr, bytes int)) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	do := func(flags uintptr, bytes int) error {
		return syscall.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprintf("size=%d", bytes))
	}
	if err := do(0, bytes); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	return func(flags uintptr, bytes int) {
		t.Helper()
		if err := do(syscall.MS_REMOUNT|flags, bytes); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiskFillsUp: a sweep that finds the disk full ends with 74 wherever
// that happens, and goes on when there is room.
func TestDiskFillsUp(t *testing.T) {
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	remount := mount(t, disk, 1<<12)
	write(t, filepath.Join(dir, "spec.toml"), fmt.Sprintf(killSpec, 600))
	if _, stderr, code := sweep(t, dir, "run", "spec.toml", "-o", "whole", "--quiet"); code != 0 {
		t.Fatalf("undisturbed: code %d, stderr:\n%s", code, stderr)
	}
	full := 0
	for size := 1 << 12; ; size += 1 << 14 {
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
}

// TestReadOnlyDisk: what is finished can be asked for, what is not ends
// with 74.
func TestReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	const size = 1 << 22
	remount := mount(t, filepath.Join(dir, "disk"), size)
	write(t, filepath.Join(dir, "spec.toml"), fmt.Sprintf(killSpec, 10))
	write(t, filepath.Join(dir, "more.toml"), fmt.Sprintf(killSpec, 20))
	run := func(spec string) (stdout, stderr string, code int) {
		return sweep(t, dir, "run", spec, "-o", "disk/out", "--quiet")
	}
	if _, stderr, code := run("spec.toml"); code != 0 {
		t.Fatalf("code %d, stderr:\n%s", code, stderr)
	}
	remount(syscall.MS_RDONLY, size)
	if _, stderr, code := run("spec.toml"); code != 0 || stderr != "" {
		t.Errorf("a finished sweep: code %d, stderr %q, want 0 and nothing", code, stderr)
	}
	if _, stderr, code := run("more.toml"); code != exitIO || !strings.Contains(stderr, "read-only file system") {
		t.Errorf("an unfinished sweep: code %d, stderr:\n%s\nwant %d", code, stderr, exitIO)
	}
	remount(0, size)
	if _, stderr, code := run("more.toml"); code != 0 {
		t.Errorf("when it can be written again: code %d, stderr:\n%s", code, stderr)
	}
}
