package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweep/internal/testutil"
)

// A process that leaves the group of its run ends soon after the run: however
// it left, and however the run ended. What the run under way has started stays,
// and so does nothing that hides its worker number when the sweep is over.
func TestNothingOutlivesItsRun(t *testing.T) {
	delayLeftovers := func(d time.Duration) {
		programs.Lock()
		defer programs.Unlock()
		leftoverDelay = d
	}
	defer delayLeftovers(leftoverDelay)
	delayLeftovers(100 * time.Millisecond)
	at := filepath.Join(t.TempDir(), "pid")
	started := func(name, command string) string {
		path := at + "." + name
		const daemon = `%s sh -c 'trap "" TERM; echo $$ >%s.new; mv %[2]s.new %[2]s; ` +
			`while :; do sleep 0.05; done' >/dev/null 2>&1 & until test -e %[2]s; do sleep 0.01; done; `
		return fmt.Sprintf(daemon, command, path)
	}
	gone := func(name string) string {
		const wait = "while kill -0 $(cat %s.%s) 2>/dev/null; do sleep 0.02; done; "
		return fmt.Sprintf(wait, at, name)
	}
	const answer = `echo '{"x": 1}'; `
	spec := scripts(t, "timeout = '30s'",
		started("session", "setsid")+answer,
		gone("session")+answer,
		started("forked", "setsid setsid -f")+"exit 3",
		started("helper", "setsid")+gone("forked")+
			fmt.Sprintf("kill -0 $(cat %s.helper) && ", at)+answer,
		started("hidden", "env -i PATH=$PATH setsid")+answer,
	)
	_, outcomes := inTurn(t, t.Context(), spec)
	want := []string{"[1]", "[1]", "exit status 3", "[1]", "[1]"}
	for i, outcome := range outcomes {
		if !strings.HasPrefix(outcome, want[i]) {
			t.Errorf("run %d: %s, want %s", i, outcome, want[i])
		}
	}
	EndWorkers()
	for _, name := range []string{"session", "forked", "helper", "hidden"} {
		pid := testutil.Must(strconv.Atoi(strings.TrimSpace(
			string(testutil.Must(os.ReadFile(at + "." + name))))))
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("%s is still there when the sweep is over", name)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
