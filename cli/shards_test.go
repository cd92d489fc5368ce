package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/results"
	"sweep/runner"
)

const dividedSpec = `
name = "divided"
experiment = "toy"
seeds = 12
`

// A shard at which another process works is passed over, and computed by the
// next command.
func TestShardOfAnotherProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	write("divided.toml", dividedSpec)
	p := program(toys())
	spec := testutil.Must(grid.Parse("divided.toml", []byte(dividedSpec), toys()))
	shard := spec.Plan().Shard(1, 3)
	other := testutil.Must(results.Open("out", spec, &shard))
	run := func(code int, said string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		got := p.execute([]string{"run", "divided.toml", "-o", "out", "--shard", "0,1,2/3"}, &stdout, &stderr)
		if got != code || !bytes.Contains(stderr.Bytes(), []byte(said)) {
			t.Fatalf("code %d, want %d; want %q on stderr:\n%s", got, code, said, &stderr)
		}
	}
	run(exitInterrupted, "shard 1/3 is passed over: out/shards/1-of-3: another process is writing here")
	testutil.NoError(other.Close())
	run(exitComplete, "8 + 4 of 12 runs in ")
}

// A job that is interrupted between two shards says so, although the shards
// that have begun are complete.
func TestInterruptedBetweenShards(t *testing.T) {
	t.Chdir(t.TempDir())
	write("divided.toml", dividedSpec)
	printed(t, program(toys()), "run", "divided.toml", "-o", "out", "--shard", "0/2", "--quiet")
	j := newJob(&cobra.Command{})
	j.spec = testutil.Must(grid.Parse("divided.toml", []byte(dividedSpec), toys()))
	j.dir = "out"
	j.quiet = true
	j.Workers = 1
	j.indexes = []int64{0, 1}
	j.count = 2
	interrupted := errors.New("interrupted")
	ctx, stop := context.WithCancelCause(t.Context())
	j.addSink(func(runner.Event) { stop(interrupted) }) // when the first is opened
	if err := j.fillShards(ctx); !errors.Is(err, interrupted) {
		t.Errorf("got %v, want %v", err, interrupted)
	}
}
