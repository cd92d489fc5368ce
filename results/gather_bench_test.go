package results

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/grid"
)

// BenchmarkGather merges the shards of a sweep of runs that do nothing, and
// computes the digest of the result: what a run costs, and the memory.
func BenchmarkGather(b *testing.B) {
	e := &experiment.Experiment{
		Name: "trivial", Version: 1,
		Params:  []experiment.Param{{Name: "x", Kind: experiment.Int, Default: experiment.IntValue(0), Max: 1e9, Meaning: "x", Source: "none"}},
		Metrics: []experiment.Metric{{Name: "y", Kind: experiment.Float, Meaning: "y"}},
		Run:     func(context.Context, experiment.Point, *experiment.Result) error { return nil },
	}
	for _, c := range []struct{ runs, shards int64 }{{1e5, 8}, {1e5, 64}, {1e6, 8}, {1e6, 64}} {
		b.Run(fmt.Sprintf("runs=%d/shards=%d", c.runs, c.shards), func(b *testing.B) {
			text := fmt.Sprintf("experiment = \"trivial\"\nseeds = 10\n[grid]\nx = { from = 1, to = %d, step = 1 }\n", c.runs/10)
			spec, err := grid.Parse("trivial.toml", []byte(text), []*experiment.Experiment{e})
			must(b, err)
			dir := b.TempDir()
			fillShards(b, dir, spec, c.shards)
			for b.Loop() {
				peak, start := watchMemory(), time.Now()
				to := b.TempDir()
				g, err := Gather(to, []string{dir}, []*experiment.Experiment{e})
				must(b, err)
				s, err := g.Open()
				must(b, err)
				must(b, errors.Join(s.Finish(), s.Close(), g.Close()))
				merged := time.Now()
				b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
				v, err := OpenReader(to, []*experiment.Experiment{e})
				must(b, err)
				_, err = v.Digest()
				must(b, err)
				perRun := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(c.runs) }
				b.ReportMetric(perRun(merged.Sub(start)), "merge-µs/run")
				b.ReportMetric(perRun(time.Since(merged)), "digest-µs/run")
			}
		})
	}
}

func fillShards(b *testing.B, dir string, spec *grid.Spec, count int64) {
	b.Helper()
	plan := spec.Plan()
	row := Row{Status: OK}
	row.Result.Metrics = []float64{0}
	for index := range count {
		shard := plan.Shard(index, count)
		s, err := OpenShard(dir, shard, spec, plan)
		must(b, err)
		for k := range shard.Runs() {
			row.Index = shard.Run(k)
			row.Point = plan.Point(row.Index)
			row.ID = grid.Identify(row.Point)
			row.Result.Metrics[0] = float64(row.Index) / 3
			must(b, s.Append(&row))
		}
		must(b, errors.Join(s.Finish(), s.Close()))
	}
}
