package cli

import (
	"bytes"
	"testing"

	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/results"
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
