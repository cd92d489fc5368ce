package runner_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/experiments"
	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// BenchmarkSweep carries out whole sweeps, from the spec to the final files, and
// opens the finished directory once more: both fleets of Table 2 with 20 seeds
// each and the world built once, and 10⁶ runs that do nothing, few cells with
// many seeds and the other way round. It reports
//
//   - runs/s: from the spec to the final files
//   - finish-s: of that, the last export
//   - resume-s: how long it takes to learn that nothing is left to do
func BenchmarkSweep(b *testing.B) {
	trivial := &experiment.Experiment{
		Name: "probe", Version: 1, Title: "a benchmark", Source: "none",
		Params:  []experiment.Param{{Name: "x", Kind: experiment.Int, Default: experiment.IntValue(1), Min: 0, Max: 1e6, Meaning: "x", Source: "none"}},
		Metrics: []experiment.Metric{{Name: "y", Kind: experiment.Float, Meaning: "y"}},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			out.Metrics = []float64{float64(p.Seed) / float64(p.Value("x").Int())}
			return nil
		},
	}
	for _, c := range []struct {
		name, source string
		workers      int
		runs         int64
	}{
		{"table2/workers=1", "experiment = 'foraging'\nseeds = 20\n[grid]\nalgorithm = ['RL', 'WL']", 1, 40},
		{"table2/workers=2", "experiment = 'foraging'\nseeds = 20\n[grid]\nalgorithm = ['RL', 'WL']", 2, 40},
		{"cells=100/seeds=10000", "experiment = 'probe'\nseeds = 10000\n[grid]\nx = { from = 1, to = 100, step = 1 }", 2, 1e6},
		{"cells=100000/seeds=10", "experiment = 'probe'\nseeds = 10\n[grid]\nx = { from = 1, to = 100000, step = 1 }", 2, 1e6},
	} {
		b.Run(c.name, func(b *testing.B) {
			var whole, finish, resume time.Duration
			for b.Loop() {
				dir, begin := b.TempDir(), time.Now()
				list := append(experiments.Experiments(nil), trivial)
				spec, err := grid.Parse("bench.toml", []byte(c.source), list)
				if err != nil {
					b.Fatal(err)
				}
				store, err := results.Open(dir, spec, nil)
				if err != nil {
					b.Fatal(err)
				}
				if report, err := runner.Sweep(b.Context(), store, runner.Options{Workers: c.workers}); err != nil || report.OK != c.runs {
					b.Fatal(report, err)
				}
				computed := time.Now()
				if err := errors.Join(store.Export(), store.Close()); err != nil {
					b.Fatal(err)
				}
				finished := time.Now()
				if store, err = results.Open(dir, spec, nil); err != nil || store.OK() != c.runs {
					b.Fatal(err)
				}
				resume += time.Since(finished)
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
				whole, finish = whole+finished.Sub(begin), finish+finished.Sub(computed)
			}
			b.ReportMetric(float64(c.runs)*float64(b.N)/whole.Seconds(), "runs/s")
			b.ReportMetric(finish.Seconds()/float64(b.N), "finish-s")
			b.ReportMetric(resume.Seconds()/float64(b.N), "resume-s")
		})
	}
}
