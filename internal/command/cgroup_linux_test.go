package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// envKilled names the file in which TestKillNine's program writes its number.
const envKilled = "SWEEP_TEST_KILLED"

// After kill -9 nothing is left of what a run has started, a daemon included,
// where this user may make a cgroup.
func TestKillNine(t *testing.T) {
	path := os.Getenv(envKilled)
	if path != "" {
		startDaemon(t, path)
		return
	}
	if openCgroup() == nil {
		t.Skip("needs a cgroup of version 2 in which this user may make another")
	}
	path = filepath.Join(t.TempDir(), "pid")
	killed := exec.Command(os.Args[0], "-test.run", "^TestKillNine$")
	killed.Env = append(os.Environ(), envKilled+"="+path)
	testutil.NoError(killed.Start())
	t.Cleanup(func() { _ = killed.Process.Kill() })
	var daemon int
	until(t, "the daemon has begun", func() bool {
		text, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		daemon = testutil.Must(strconv.Atoi(strings.TrimSpace(string(text))))
		return true
	})
	group := testutil.Must(cgroupOf(strconv.Itoa(daemon)))
	testutil.NoError(killed.Process.Kill())
	_ = killed.Wait() // killed
	until(t, "the daemon is gone", func() bool { return syscall.Kill(daemon, 0) != nil })
	until(t, "its cgroup is gone", func() bool {
		_, err := os.Stat(group)
		return err != nil
	})
}

// startDaemon executes a run that starts a daemon and does not end.
func startDaemon(t *testing.T, path string) {
	const text = `setsid sh -c 'echo $$ >%[1]s.new; mv %[1]s.new %[1]s; ` +
		`while :; do sleep 0.05; done' & sleep 60`
	spec := scripts(t, "timeout = '60s'", strings.ReplaceAll(text, "%[1]s", path))
	point := spec.Plan().Point(0)
	ctx := experiment.WithDirectory(t.Context(), path+".run")
	var out experiment.Result
	t.Log(point.Experiment.Run(ctx, point, &out)) // this process is killed before
}

// until waits for what must become true.
func until(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !isTrue(); {
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s: not yet: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
