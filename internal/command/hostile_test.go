package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweep/internal/testutil"
)

// A program that misbehaves fails its run, with one clear text, and leaves
// nothing running; the run after it is not touched.
func TestHostilePrograms(t *testing.T) {
	defer func(n int64) { maxOutput = n }(maxOutput)
	maxOutput = 1 << 20
	path := filepath.Join(t.TempDir(), "lock")
	child := fmt.Sprintf("%q child %q", self, path)
	for _, c := range []struct{ name, text, want string }{
		{"floods stdout", "yes", "wrote more than 256 MB to stdout and stderr\nstdout: y\ny"},
		{"floods stderr", "yes >&2", "wrote more than 256 MB to stdout and stderr\nstderr: y\ny"},
		{"floods both and ignores SIGTERM", "trap '' TERM; yes >&2 & yes; wait", "wrote more than 256 MB to stdout and stderr\nstd"},
		{"closes its pipes", "exec <&- >&- 2>&-; " + child, "took longer than 1s, its timeout"},
		{"ignores SIGTERM", "trap '' TERM; while :; do sleep 0.1; done", "took longer than 1s, its timeout"},
		{"starts what outlives it", child + " & until test -e " + path + ".held; do sleep 0.02; done; exit 4", "exit status 4"},
		{"is killed", "kill -9 $$", "signal: killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := "20s"
			if strings.Contains(c.want, "timeout") {
				limit = "1s"
			}
			spec := scripts(t, "timeout = '"+limit+"'", c.text, `echo '{"x": 2}'`)
			_, outcomes := inTurn(t, t.Context(), spec)
			if !strings.HasPrefix(outcomes[0], c.want) || len(outcomes[0]) > 2*maxTail+100 {
				t.Errorf("got %.200s, want %s", outcomes[0], c.want)
			}
			if outcomes[1] != "[2]" {
				t.Errorf("the run after it: %s", outcomes[1])
			}
			if l, err := lock(path); err != nil {
				t.Errorf("what it has started is alive: %v", err)
			} else {
				testutil.NoError(l.Close())
			}
		})
	}
}

// However much a program prints, little of it is in memory.
func TestOutputIsNotInMemory(t *testing.T) {
	s := stream{path: filepath.Join(t.TempDir(), outputFile)}
	part := make([]byte, 10_000)
	for range 100 {
		s.add(part)
		if cap(s.text) > 2*maxHeld {
			t.Fatalf("%d bytes are held in memory", cap(s.text))
		}
	}
	if n := sizeOf(s.file); n != 1_000_000 || s.err != nil {
		t.Errorf("the file has %d bytes, %v, want 1000000", n, s.err)
	}
	testutil.NoError(s.file.Close())
}

// An interrupted run leaves nothing, though its program ignores that.
func TestInterruptedHostileProgram(t *testing.T) {
	at := filepath.Join(t.TempDir(), "at")
	spec := scripts(t, "", "trap '' TERM; touch "+at+".held; while :; do sleep 0.1; done")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		held(at)
		cancel(errors.New("interrupted"))
	}()
	dir, outcomes := inTurn(t, ctx, spec)
	if outcomes[0] != context.Canceled.Error() {
		t.Errorf("got %s, want %v", outcomes[0], context.Canceled)
	}
	EndWorkers()
	if left := testutil.Must(os.ReadDir(dir)); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
