//go:build unix

package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// A program that the system has killed for lack of memory is known from one
// that somebody has killed by the system's counter, of which each kill counts
// for one run.
func TestKilledForLackOfMemory(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "memory.events")
	count := func(n int) {
		testutil.NoError(os.WriteFile(counter, fmt.Appendf(nil, "low 0\noom 9\noom_kill %d\n", n), 0o666))
	}
	kills.begin()
	before := kills.path
	kills.path = counter
	kills.claimed = 1
	defer func() {
		kills.path = before
		kills.known = false
	}()
	for _, c := range []struct {
		script  string
		counted int
		want    string
		memory  bool
	}{
		{"kill -9 $$", 1, "signal: killed", false},
		{"kill -9 $$", 3, "signal: killed, for lack of memory", true},
		{"kill -9 $$", 3, "signal: killed, for lack of memory", true},
		{"kill -9 $$", 3, "signal: killed", false},
		{"kill -15 $$", 4, "signal: terminated", false},
		{"exit 137", 3, "exit status 137, as of what is killed for lack of memory", true},
		{"exit 9", 4, "exit status 9", false},
		{`echo '{"sweep": 1}'; read x; kill -9 $$`, 4, "the program ended without an answer: signal: killed, for lack of memory", true},
	} {
		count(c.counted)
		spec := parse(t, "", "[command]\nrun = ['sh', '-c', %q]\nversion = '1'\nmetrics = ['x']\npersistent = %v\n",
			c.script, c.script[0] == 'e' && c.script[1] == 'c')
		_, _, err := perform(t, t.Context(), spec, 0)
		if err == nil || err.Error() != c.want || errors.Is(err, experiment.ErrOutOfMemory) != c.memory {
			t.Errorf("%s: %v, want %s", c.script, err, c.want)
		}
	}
}
