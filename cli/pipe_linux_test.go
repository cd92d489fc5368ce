package cli

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sweep/internal/testutil"
)

// A signal ends a sweep within the grace and a while, even if it waits for
// what never answers: here for a reader of the table that reads nothing.
func TestEndIsBounded(t *testing.T) {
	t.Parallel() // it mostly waits
	many := "x = { from = 0.01, to = 10, step = 0.01 }"
	spec := strings.Replace(slowSpec, "pause = 1000", many, 1)
	arguments := strings.Fields("run slow.toml -o out --seeds 1 --grace 100ms")
	cmd := exec.Command("sweep-impatient", arguments...)
	stdout := testutil.Must(cmd.StdoutPipe())
	const page = 4096 // the table has more bytes
	testutil.Must(unix.FcntlInt(stdout.(*os.File).Fd(), unix.F_SETPIPE_SZ, page))
	stderr := start(t, cmd, t.TempDir(), spec, "out/summary.parquet", "")
	testutil.Must(stdout.Read(make([]byte, 1)))
	ended(t, cmd, stderr, exitInterrupted, []string{"out does not answer"}, syscall.SIGTERM)
}
