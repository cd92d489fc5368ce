package cli

import (
	"strings"
	"testing"

	"sweep/experiments"
	"sweep/grid"
	"sweep/internal/batch"
	"sweep/internal/testutil"
	"sweep/results"
)

// The figures of a proposal are its factors.
func TestProposals(t *testing.T) {
	text := []byte("experiment = 'point_location'\nseeds = 100\n[grid]\nsteps = [2, 3]")
	spec := testutil.Must(grid.Parse("mine.toml", text, experiments.Experiments(nil)))
	measured := &results.Effort{Runs: 10, Seconds: 6000, Longest: 900, PeakMemory: 3 << 30}
	for _, c := range []struct {
		job          batch.Job
		time, memory string
	}{
		{batch.Job{Shards: 8, Workers: 4}, // 1.5 (7 · 10 + 15) and 1.5 · 4 · 3 + .25
			"--time 128m, 1.5 × (25 runs of a shard, 4 at once, 10 min 00 s each, and the longest, 15 min 00 s)",
			"18 GiB of memory for a shard, 1.5 × 4 at once × 3.0 GiB at most, and 256 MiB for sweep"},
		{batch.Job{Shards: 200}, "--time 38m, 1.5 × (1 run of a shard, 1 at once, 10 min 00 s each,", "4.8 GiB of memory"},
		{batch.Job{Shards: 32, Nodes: 4, Workers: 50}, "--time 38m, 1.5 × (50 runs of a node, 50 at once,", "225 GiB of memory"},
	} {
		s := &submission{spec: spec, job: c.job}
		if got := s.proposedTime(measured); !strings.HasPrefix(got, "proposed: "+c.time) {
			t.Errorf("got %s, want %s", got, c.time)
		}
		if got := s.proposedMemory(measured); !strings.HasPrefix(got, "proposed: "+c.memory) {
			t.Errorf("got %s, want %s", got, c.memory)
		}
	}
}
