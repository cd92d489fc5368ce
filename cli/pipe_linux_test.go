package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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

// Who prints for a reader that has gone ends as if SIGPIPE had ended it, and
// silently. Nothing is lost.
func TestNobodyReads(t *testing.T) {
	dir := t.TempDir()
	write(filepath.Join(dir, "toy.toml"), "experiment = 'toy'\nseeds = 6\n"+
		"[[claim]]\ntext = 'x'\nsource = 'y'\nexpect = 'total > 0'\n")
	for _, command := range []string{
		"run toy.toml --log-file log", "run toy.toml --log-format json", "check toy.toml", "table out/toy", "plan toy.toml",
	} {
		reader, writer, err := os.Pipe()
		testutil.NoError(err)
		testutil.NoError(reader.Close())
		cmd := exec.Command("sweep", strings.Fields(command)...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, writer, &stderr
		_ = cmd.Run() // it fails
		testutil.NoError(writer.Close())
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if status.Signal() != syscall.SIGPIPE && status.ExitStatus() != exitUnread || strings.Contains(stderr.String(), "sweep: ") {
			t.Errorf("%s: %v\n%s", command, cmd.ProcessState, &stderr)
		}
	}
	if !strings.Contains(string(read(filepath.Join(dir, "log"))), "exit=141") {
		t.Error("the log does not tell the end")
	}
	ends(t, dir, 0, "6 of 6 runs are there already", "run", "toy.toml")
}

// A terminal that can only print gets lines, as a file does.
func TestDumbTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("opening a terminal: %v", err)
	}
	defer terminal.Close()
	for name, draws := range map[string]bool{"dumb": false, "xterm": true, "": true} {
		t.Setenv("TERM", name)
		if m := newMeter(terminal, false); (m.bar != nil) != draws {
			t.Errorf("TERM=%s: a bar: %v, want %v", name, m.bar != nil, draws)
		}
	}
}
