package results

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sweep/grid"
	"sweep/internal/schema"
)

// BenchmarkGather merges the shards of a sweep of runs that do nothing, and
// computes the digest of the result: what a run costs, and the memory.
func BenchmarkGather(b *testing.B) {
	e := &schema.Experiment{
		Name: "trivial", Version: 1,
		Params:  []schema.Param{{Name: "x", Kind: schema.Int, Default: schema.IntValue(0), Max: 1e9, Meaning: "x", Source: "none"}},
		Metrics: []schema.Metric{{Name: "y", Kind: schema.Float, Meaning: "y"}},
		Run:     func(context.Context, schema.Point, *schema.Result) error { return nil },
	}
	for _, c := range []struct{ runs, shards int64 }{{1e5, 8}, {1e5, 64}, {1e6, 8}, {1e6, 64}} {
		b.Run(fmt.Sprintf("runs=%d/shards=%d", c.runs, c.shards), func(b *testing.B) {
			text := fmt.Sprintf("experiment = \"trivial\"\nseeds = 10\n[grid]\nx = { from = 1, to = %d, step = 1 }\n", c.runs/10)
			spec, err := grid.Parse("trivial.toml", []byte(text), []*schema.Experiment{e})
			must(b, err)
			dir := b.TempDir()
			fillShards(b, dir, spec, c.shards)
			for b.Loop() {
				peak, start := watchMemory(), time.Now()
				to := b.TempDir()
				g, err := Gather(to, []string{dir}, []*schema.Experiment{e})
				must(b, err)
				s, err := g.Open()
				must(b, err)
				must(b, errors.Join(s.Finish(), s.Close(), g.Close()))
				merged := time.Now()
				b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
				v, err := OpenView(to, []*schema.Experiment{e})
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
