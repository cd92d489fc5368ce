package command

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// A run tells what its program used, also if it failed. Of one that had no more
// memory than this process, the system does not tell how much.
func TestUsage(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector takes memory of its own")
	}
	fill(64 << 20)
	own := thisProcess().peak()
	size := int(own+own/8) + 64<<20
	for _, c := range []struct {
		program, argument string
		fails             bool
		least, most       int64
	}{
		{"fill", fmt.Sprint(size), false, int64(size), int64(size) + 64<<20},
		{"fill", "1", false, 0, 0},
		{"fail", "", true, 0, 0},
	} {
		spec := parse(t, "", "[command]\nrun = [%q, %q, '{text}']\nversion = '1'\nmetrics = ['x']\n[grid]\ntext = %q\n",
			self, c.program, c.argument)
		begun := time.Now()
		out, _, err := perform(t, t.Context(), spec, 0)
		used := out.Usage
		if (err != nil) != c.fails || used.PeakMemory < c.least || used.PeakMemory > c.most || !(used.CPUSeconds > 0) ||
			used.CPUSeconds > 600 || used.Started.Before(begun) || used.Started.After(time.Now()) {
			t.Errorf("%s %s: %+v and error %v, want %d to %d bytes", c.program, c.argument, used, err, c.least, c.most)
		}
	}
	spec := parse(t, "", "[command]\nrun = ['/no/such/program']\nversion = '1'\nmetrics = ['x']\n")
	if out, _, err := perform(t, t.Context(), spec, 0); err == nil || out.Usage != (experiment.Usage{}) {
		t.Errorf("a program that is not there: %+v, error %v", out.Usage, err)
	}
}

// Each run of a persistent program has its own peak and processor time.
func TestPersistentUsage(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector takes memory of its own")
	}
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skip("this system does not forget the peak of a process")
	}
	spec := persistent(t, "", "quiet", "spike", "die")
	dir := t.TempDir()
	spent := 0.0
	for i, act := range []int64{0, 1, 0, 2} {
		p, large := spec.Plan().Point(act), act == 1
		var out experiment.Result
		err := p.Experiment.Run(experiment.WithDirectory(t.Context(), dir+"/run"), p, &out)
		used := out.Usage
		switch {
		case i == 3:
			if err == nil || !math.IsNaN(used.CPUSeconds) || used.PeakMemory != 0 || used.Started.IsZero() {
				t.Errorf("of a program that died: %+v, error %v", used, err)
			}
			continue
		case large:
			spent = used.CPUSeconds
		case used.CPUSeconds >= spent && i > 1:
			t.Errorf("run %d, which does nothing, took %v s of processor, the one before %v", i, used.CPUSeconds, spent)
		}
		testutil.NoError(err)
		if (used.PeakMemory > 64<<20) != large || used.PeakMemory < 1<<20 || !(used.CPUSeconds >= 0) || used.CPUSeconds > 600 {
			t.Errorf("run %d: %+v, want over 64 MiB: %v", i, used, large)
		}
	}
}
