package runner_test

import (
	"errors"
	"testing"
	"time"

	"sweep/experiments"
	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/runner"
)

// BenchmarkSweep carries out whole sweeps, from the spec to the final files,
// and opens the finished directory once more: both fleets of Table 2 with 20
// seeds each and the world built once, 10⁶ runs of two steps of a search, and
// 10⁶ that do nothing, few cells with many seeds and the other way round. It
// reports
//
//   - runs/s: from the spec to the final files
//   - finish-s: of that, the last export
//   - resume-s: how long it takes to learn that nothing is left to do
func BenchmarkSweep(b *testing.B) {
	for _, c := range []struct {
		name, source string
		workers      int
		runs         int64
	}{
		{"table2/workers=1", "experiment = 'foraging'\nseeds = 20\n[grid]\nalgorithm = ['RL', 'WL']", 1, 40},
		{"table2/workers=2", "experiment = 'foraging'\nseeds = 20\n[grid]\nalgorithm = ['RL', 'WL']", 2, 40},
		{"point_location/cells=100/seeds=10000", "experiment = 'point_location'\nseeds = 10000\n[grid]\nsteps = 2\ntruth = { from = 0.01, to = 1, step = 0.01 }", 2, 1e6},
		{"point_location/cells=1000000/seeds=1", "experiment = 'point_location'\n[grid]\nsteps = 2\ntruth = { from = 0.0000005, to = 0.5, step = 0.0000005 }", 2, 1e6},
		{"cells=100/seeds=10000", "experiment = 'probe'\nseeds = 10000\n[grid]\nx = { from = 1, to = 100, step = 1 }", 2, 1e6},
		{"cells=100000/seeds=10", "experiment = 'probe'\nseeds = 10\n[grid]\nx = { from = 1, to = 100000, step = 1 }", 2, 1e6},
	} {
		b.Run(c.name, func(b *testing.B) {
			var whole, finish, resume time.Duration
			for b.Loop() {
				dir, begin := b.TempDir(), time.Now()
				spec := testutil.Must(grid.Parse("bench.toml", []byte(c.source), append(experiments.Experiments(nil), probe(good))))
				store := open(b, dir, spec)
				if report, err := runner.Sweep(b.Context(), store.Store, runner.Options{Workers: c.workers}); err != nil || report.OK != c.runs {
					b.Fatal(report, err)
				}
				computed := time.Now()
				testutil.NoError(errors.Join(store.Export(b.Context()), store.Close()))
				finished := time.Now()
				if store = open(b, dir, spec); store.OK() != c.runs {
					b.Fatal(store.OK())
				}
				resume += time.Since(finished)
				testutil.NoError(store.Close())
				whole, finish = whole+finished.Sub(begin), finish+finished.Sub(computed)
			}
			b.ReportMetric(float64(c.runs)*float64(b.N)/whole.Seconds(), "runs/s")
			b.ReportMetric(finish.Seconds()/float64(b.N), "finish-s")
			b.ReportMetric(resume.Seconds()/float64(b.N), "resume-s")
		})
	}
}
