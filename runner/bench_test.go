package runner_test

import (
	"fmt"
	"testing"

	"sweep/experiments"
	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// BenchmarkTable2 is a whole sweep, from the spec to the final files: both
// fleets of Table 2 with 20 seeds each, and the world built once.
func BenchmarkTable2(b *testing.B) {
	const source = "experiment = 'foraging'\nseeds = 20\n[grid]\nalgorithm = ['RL', 'WL']"
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("runs=40/workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				experiments := experiments.Experiments(nil)
				spec, err := grid.Parse("table2.toml", []byte(source), experiments)
				if err != nil {
					b.Fatal(err)
				}
				store, err := results.Open(b.TempDir(), spec, nil)
				if err != nil {
					b.Fatal(err)
				}
				report, err := runner.Sweep(b.Context(), store, runner.Options{Workers: workers})
				if err != nil || report.OK != 40 {
					b.Fatal(report, err)
				}
				if err := store.Export(); err != nil {
					b.Fatal(err)
				}
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/40, "ms/run")
		})
	}
}
