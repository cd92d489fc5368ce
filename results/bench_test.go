package results

import (
	"os"
	"testing"
)

// BenchmarkStore appends the runs of a sweep, exports them, opens the
// directory again, and reads it: time per run.
func BenchmarkStore(b *testing.B) {
	const runs = 100_000
	spec := parse(b, "experiment = 'toy'\nseeds = 25000\n[grid]\nalgorithm = ['RL', 'WL']\nk = [10, 20]")
	rows := make([]*Row, runs)
	for i := range rows {
		rows[i] = toyRow(spec.Plan(), int64(i))
	}
	root, dir := b.TempDir(), ""
	perRun := func(name string, do func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				do(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/runs, "ns/run")
		})
	}
	perRun("append", func(b *testing.B) {
		var err error
		dir, err = os.MkdirTemp(root, "")
		must(b, err)
		s := mustOpen(b, dir, spec)
		for _, row := range rows {
			must(b, s.Append(row))
		}
		must(b, s.Close())
	})
	perRun("open", func(b *testing.B) { must(b, mustOpen(b, dir, spec).Close()) })
	perRun("export", func(b *testing.B) {
		s := mustOpen(b, dir, spec)
		s.current = false
		must(b, s.Finish())
		must(b, s.Close())
	})
	perRun("read", func(b *testing.B) {
		if sum, err := loadSummary(dir); err != nil || sum.OK+sum.Failed != runs {
			b.Fatal(sum, err)
		}
	})
}
