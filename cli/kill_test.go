package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweep/internal/testutil"
	"sweep/runner"
)

const killSpec = `
name = "killed"
experiment = "toy"
seeds = %d
[grid]
algorithm = ["sum", "product"]
x = [1, 2, 3, 4, 5]
`

// TestKill kills processes at random moments, until a sweep is finished all
// the same; then it is extended and finished likewise, and begins anew in
// another directory. What was committed is never computed again, and the
// files are always those of an undisturbed sweep.
func TestKill(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)) // other moments every time
	var took [2]time.Duration
	for part, seeds := range testutil.IfThorough([]int{300, 600}, []int{100, 200}) {
		name := fmt.Sprintf("part%d.toml", part)
		write(filepath.Join(dir, name), fmt.Sprintf(killSpec, seeds))
		begin := time.Now()
		ends(t, dir, 0, "", "run", name, "-o", fmt.Sprint("whole", part), "--quiet")
		took[part] = time.Since(begin)
	}
	kills, killed := testutil.IfThorough(300, 4), 0
	for round := 0; killed < kills; round++ {
		out := fmt.Sprint("out", round)
		for part := range took {
			for committed := int64(0); ; killed++ {
				cmd := exec.Command("sweep", "run", fmt.Sprintf("part%d.toml", part), "-o", out)
				var stderr bytes.Buffer
				cmd.Dir, cmd.Stderr = dir, &stderr
				testutil.NoError(cmd.Start())
				after := time.Hour
				if killed < kills {
					after = time.Duration(rng.Int64N(int64(took[part])))
				}
				timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				timer.Stop()
				if committed > 0 && stderr.Len() > 0 && !strings.Contains(stderr.String(), fmt.Sprintf("%d of ", committed)) {
					t.Fatalf("%d runs were committed, and the next process says:\n%s", committed, &stderr)
				}
				if cmd.ProcessState.Success() {
					break
				}
				if code := cmd.ProcessState.ExitCode(); code >= 0 {
					t.Fatalf("the process ended with %d instead of being killed; stderr:\n%s", code, &stderr)
				}
				if _, err := os.Stat(filepath.Join(dir, out, "spec.toml")); err == nil {
					view := testutil.Must(runner.ReadStatus(filepath.Join(dir, out), toys(), false))
					if committed = view.Done; view.State == runner.Running {
						t.Fatal("what was killed is said to be running")
					}
				}
			}
			sameFiles(t, filepath.Join(dir, out), filepath.Join(dir, fmt.Sprint("whole", part)))
			entries, err := os.ReadDir(filepath.Join(dir, out))
			if err != nil || len(entries) != 7 {
				t.Errorf("in the end %s holds %v, error %v; want seven files", out, entries, err)
			}
		}
	}
	t.Logf("%d processes killed", killed)
}

const searchSpec = `
name = "search"
experiment = "toy"
seeds = "1..20"
[grid]
algorithm = ["sum", "product"]
[search]
rounds = 4
points = 20
[search.free]
x = { from = 0.1, to = 10, start = 0.5 }
N = { from = 1, to = 20, start = 9 }
[search.sealed]
seeds = "31..40"
[[search.target]]
expect = "total[product] within 5% of 40"
[[search.target]]
expect = "total[sum] within 5% of 20"
`

// TestKilledSearch kills a search at random moments: in the end its files are
// those of an undisturbed one, the record of its rounds too.
func TestKilledSearch(t *testing.T) {
	testutil.NeedsThorough(t, "a search is killed again and again")
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) // other moments every time
	write(filepath.Join(dir, "search.toml"), searchSpec)
	begin := time.Now()
	ends(t, dir, 0, "", "run", "search.toml", "-o", "whole", "--quiet")
	took := time.Since(begin)
	for killed := 100; ; killed-- {
		cmd := exec.Command("sweep", "run", "search.toml", "-o", "out", "--quiet")
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stderr = dir, &stderr
		testutil.NoError(cmd.Start())
		after := time.Hour
		if killed > 0 {
			after = time.Duration(rng.Int64N(int64(took)))
		}
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if cmd.ProcessState.Success() {
			break
		}
		if code := cmd.ProcessState.ExitCode(); code >= 0 {
			t.Fatalf("the process ended with %d instead of being killed; stderr:\n%s", code, &stderr)
		}
	}
	sameFiles(t, filepath.Join(dir, "out"), filepath.Join(dir, "whole"))
	spec := string(testutil.Must(os.ReadFile(filepath.Join(dir, "out", "spec.toml"))))
	if spec != string(testutil.Must(os.ReadFile(filepath.Join(dir, "whole", "spec.toml")))) {
		t.Errorf("the search has had other rounds:\n%s", spec)
	}
}
