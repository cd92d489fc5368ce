package grid

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// wide is foraging with more parameters, n in all.
func wide(n int) []*experiment.Experiment {
	e := foraging()
	for k := len(e.Params); k < n; k++ {
		e.Params = append(e.Params, experiment.Param{Name: "site_parameter_" + strconv.Itoa(k*37%100),
			Kind: experiment.Float, Default: experiment.FloatValue(float64(k) / 8), Max: 100})
	}
	return []*experiment.Experiment{e}
}

func TestLargePlans(t *testing.T) {
	const cells = "experiment = 'foraging'\n[[grid]]\nalgorithm = 'FPA'\nN = '1..100'\nf = { from = 0, to = 0.9, step = 0.1 }\n"
	const more = "seeds = 10\n" + cells + "x = { from = 1, to = 10, step = 1 }\ny = { from = 1, to = 10, step = 1 }\n"
	points, blocks := "", ""
	for i := range 5000 {
		points += fmt.Sprintf("{ x = %d, y = %d },\n", i/50, i%50*2+1)
	}
	for i := range maxBlocks {
		blocks += fmt.Sprintf("[[grid]]\nx = { from = %d, to = %d, step = 1 }\n", i, i+10)
	}
	for _, c := range []struct {
		name, text  string
		cells, runs int64
		bytes       uint64        // that parsing may allocate
		time        time.Duration // of the processor: far more than it takes
	}{
		// A list of the seeds would have 8 MB.
		{"many seeds", "seeds = 1000000\n" + cells, 1000, 1e9, 4 << 20, 100 * time.Millisecond},
		{"many cells", more, 1e5, 1e6, 32 << 20, 2 * time.Second},
		{"axes that only some use do not multiply", "experiment = 'foraging'\n[grid]\nalgorithm = ['RL', 'FPA', 'WL']\nalpha = { from = 0, to = 1, step = 1e-4 }\n" +
			"N = '1..1000'\nf = { from = 0, to = 1, count = 101 }\nbeta = { from = 0, to = 1, step = 1e-4 }", 121_002, 121_002, 32 << 20, 2 * time.Second},
		{"many cells, some repeated", more + "[[grid]]\nalgorithm = ['FPA', 'CGLA']\nx = 3\ny = 4\n", 1e5 + 1, 1e6 + 10, 64 << 20, 4 * time.Second},
		{"many patterns", head + "[grid]\nx = { from = 0, to = 99, step = 1 }\ny = { from = 1, to = 100, step = 1 }\n" +
			"exclude = [" + points + "]\ninclude = [" + points + "]", 10000, 10000, 1 << 30, 10 * time.Second},
		{"many blocks", head + blocks, maxBlocks + 10, maxBlocks + 10, 1 << 30, 10 * time.Second},
	} {
		if c.time > time.Second && !testutil.Thorough() {
			continue
		}
		var before, after runtime.MemStats
		e := wide(60)
		runtime.ReadMemStats(&before)
		start := testutil.ProcessorTime()
		s := testutil.Must(Parse("t.toml", []byte(c.text), e))
		took := testutil.ProcessorTime() - start
		runtime.ReadMemStats(&after)
		if p := s.Plan(); p.Cells() != c.cells || p.Runs() != c.runs {
			t.Errorf("%s: %d cells, %d runs, want %d and %d", c.name, p.Cells(), p.Runs(), c.cells, c.runs)
		}
		if took > c.time && testutil.Thorough() {
			t.Errorf("%s: parsing took %v of the processor", c.name, took)
		}
		if b := after.TotalAlloc - before.TotalAlloc; b > c.bytes {
			t.Errorf("%s: parsing allocates %d bytes", c.name, b)
		}
		checkPlan(t, s)
	}
}
