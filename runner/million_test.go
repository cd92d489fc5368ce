package runner_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/results"
	"sweep/runner"
)

// BenchmarkMillion sweeps over 10⁶ runs that do nothing, few cells with many
// seeds and the other way round, with two workers, and opens the finished
// directory once more. It reports
//
//   - runs/s: from the opening of the empty directory to the final files
//   - finish-s: of that, the last export
//   - resume-s: how long it takes to learn that nothing is left to do
//   - peak-MB: the most memory that the process had, wherever that is known
func BenchmarkMillion(b *testing.B) {
	trivial := &experiment.Experiment{
		Name: "probe", Version: 1, Title: "a benchmark", Source: "none",
		Params:  []experiment.Param{{Name: "x", Kind: experiment.Int, Default: experiment.IntValue(1), Min: 0, Max: 1e6, Meaning: "x", Source: "none"}},
		Metrics: []experiment.Metric{{Name: "y", Kind: experiment.Float, Meaning: "y"}},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			out.Metrics = []float64{float64(p.Seed) / float64(p.Value("x").Int())}
			return nil
		},
	}
	for _, shape := range []struct{ cells, seeds int }{{100, 10_000}, {100_000, 10}} {
		b.Run(fmt.Sprintf("cells=%d/seeds=%d", shape.cells, shape.seeds), func(b *testing.B) {
			benchmarkMillion(b, trivial, fmt.Sprintf("seeds = %d\n[grid]\nx = { from = 1, to = %d, step = 1 }", shape.seeds, shape.cells))
		})
	}
}

func benchmarkMillion(b *testing.B, e *experiment.Experiment, source string) {
	const runs = 1_000_000
	var whole, finish, resume time.Duration
	for b.Loop() {
		dir := b.TempDir()
		begin := time.Now()
		spec := parse(b, e, source)
		store, err := results.Open(dir, spec, nil)
		if err != nil {
			b.Fatal(err)
		}
		if report, err := runner.Sweep(b.Context(), store, runner.Options{Workers: 2}); err != nil || report.OK != runs {
			b.Fatal(report, err)
		}
		computed := time.Now()
		if err := store.Export(); err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		finished := time.Now()
		if store, err = results.Open(dir, spec, nil); err != nil {
			b.Fatal(err)
		}
		if store.OK() != runs {
			b.Fatalf("%d runs are there", store.OK())
		}
		resume += time.Since(finished)
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		whole, finish = whole+finished.Sub(begin), finish+finished.Sub(computed)
	}
	b.ReportMetric(runs*float64(b.N)/whole.Seconds(), "runs/s")
	b.ReportMetric(finish.Seconds()/float64(b.N), "finish-s")
	b.ReportMetric(resume.Seconds()/float64(b.N), "resume-s")
	if peak := peakMemory(); peak > 0 {
		b.ReportMetric(peak, "peak-MB")
	}
}

// peakMemory returns the process's greatest resident memory in MB, 0 if
// the system does not tell as Linux does.
func peakMemory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	if _, err := fmt.Sscan(line, &kilobytes); err != nil {
		return 0
	}
	return kilobytes / 1024
}
