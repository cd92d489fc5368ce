package command

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// A run of a program that does nothing, beside bare processes of it.
func BenchmarkCold(b *testing.B) {
	const text = "experiment = 'command'\n[command]\nrun = ['/bin/echo', '{{\"x\": 1}}']\nversion = '1'\nmetrics = ['x']\n"
	b.Run("program=run", func(b *testing.B) {
		spec := testutil.Must(grid.Parse("mine.toml", []byte(text), []*experiment.Experiment{Experiment()}))
		point := spec.Plan().Point(0)
		ctx := experiment.WithDirectory(b.Context(), b.TempDir()+"/run")
		defer EndWorkers()
		for b.Loop() {
			var out experiment.Result
			testutil.NoError(point.Experiment.Run(ctx, point, &out))
		}
	})
	b.Run("program=bare", func(b *testing.B) {
		for b.Loop() {
			testutil.Must(exec.Command("/bin/echo", `{"x": 1}`).Output())
		}
	})
}

// A run of a persistent program that does nothing, beside a bare exchange of
// lines with the same program: the difference is what a run costs.
func BenchmarkPersistent(b *testing.B) {
	text := fmt.Appendf(nil, "experiment = 'command'\n[command]\nrun = [%q, 'persist']\nversion = '1'\nmetrics = ['x']\n"+
		"persistent = true\n[grid]\nact = 'quiet'\n", self)
	b.Run("program=run", func(b *testing.B) {
		spec := testutil.Must(grid.Parse("mine.toml", text, []*experiment.Experiment{Experiment()}))
		point := spec.Plan().Point(0)
		ctx := experiment.WithDirectory(b.Context(), b.TempDir()+"/run")
		defer EndWorkers()
		for b.Loop() {
			var out experiment.Result
			testutil.NoError(point.Experiment.Run(ctx, point, &out))
		}
	})
	b.Run("program=bare", func(b *testing.B) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd := exec.Command(self, "persist")
		requests := testutil.Must(cmd.StdinPipe())
		answers := bufio.NewReader(testutil.Must(cmd.StdoutPipe()))
		cmd.Stderr = testutil.Must(os.Create(b.TempDir() + "/stderr"))
		testutil.NoError(cmd.Start())
		testutil.Must(answers.ReadString('\n'))
		for b.Loop() {
			testutil.Must(requests.Write([]byte(`{"run":"run","seed":1,"parameters":{"act":"quiet"},"directory":"/tmp"}` + "\n")))
			testutil.Must(answers.ReadString('\n'))
		}
		testutil.NoError(requests.Close())
		testutil.NoError(cmd.Wait())
	})
}
