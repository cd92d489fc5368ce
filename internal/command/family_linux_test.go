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

// delayLeftovers changes, for a test, how long a process may outlive its run.
func delayLeftovers(t *testing.T, delay time.Duration) {
	t.Helper()
	set := func(d time.Duration) {
		programs.Lock()
		defer programs.Unlock()
		leftoverDelay = d
	}
	before := leftoverDelay
	t.Cleanup(func() { set(before) })
	set(delay)
}

// A process that leaves the group of its run ends soon after the run: however
// it left, and however the run ended. What the run under way has started stays,
// and so does nothing that hides its mark when the sweep is over.
func TestNothingOutlivesItsRun(t *testing.T) {
	delayLeftovers(t, 100*time.Millisecond)
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

// daemon is a script that starts a process in a session of its own, and ends when
// the process's number is in a file.
const daemon = `setsid -f sh -c 'echo $$ >%[1]s.new; mv %[1]s.new %[1]s; exec sleep 1000' ` +
	`>/dev/null 2>&1; until test -e %[1]s; do :; done; `

// A process that a run has left running is ended however soon the next run has
// begun: Linux says when a process began to a hundredth of a second only.
func TestNextRunBeginsAtOnce(t *testing.T) {
	delayLeftovers(t, 10*time.Millisecond)
	at := filepath.Join(t.TempDir(), "pid")
	const script = `while test -e %[1]s && kill -0 $(cat %[1]s) 2>/dev/null; do sleep 0.01; done; ` +
		`rm -f %[1]s; ` + daemon + `echo '{"x": 1}'`
	const runs = 10
	texts := make([]string, runs)
	for i := range texts {
		texts[i] = fmt.Sprintf(script, at)
	}
	_, outcomes := inTurn(t, t.Context(), scripts(t, "", texts...))
	for i, outcome := range outcomes {
		if outcome != "[1]" {
			t.Errorf("run %d: %s, want [1]", i, outcome)
		}
	}
}

// A process that has no environment yet when it is looked for is looked for
// again: Linux shows none while exec loads a program.
func TestEnvironmentComesLater(t *testing.T) {
	delayLeftovers(t, 10*time.Millisecond)
	at := filepath.Join(t.TempDir(), "pid")
	const late = `setsid -f env -i sh -c 'echo $$ >%[1]s.new; mv %[1]s.new %[1]s; sleep 0.3; ` +
		`export %[2]s='$%[2]s'; exec sleep 1000' >/dev/null 2>&1; ` +
		`until test -e %[1]s; do :; done; echo '{"x": 1}'`
	const next = `while kill -0 $(cat %s) 2>/dev/null; do sleep 0.01; done; echo '{"x": 1}'`
	_, outcomes := inTurn(t, t.Context(), scripts(t, "",
		fmt.Sprintf(late, at, markName), fmt.Sprintf(next, at)))
	if want := "[[1] [1]]"; fmt.Sprint(outcomes) != want {
		t.Errorf("the runs gave %s, want %s", outcomes, want)
	}
}

// What a run has started stays while the run does, also if a parameter has the
// name of the worker's variable.
func TestParameterNamedWorker(t *testing.T) {
	delayLeftovers(t, 10*time.Millisecond)
	at := filepath.Join(t.TempDir(), "pid")
	const script = daemon + `sleep 0.2; kill -0 $(cat %[1]s) && echo '{"x": 1}'`
	texts := []string{fmt.Sprintf(script, at+".1"), fmt.Sprintf(script, at+".2")}
	spec := parse(t, "", "[command]\nrun = ['sh', '-c', '{text}']\nversion = '1'\nmetrics = ['x']\n"+
		"[grid]\nworker = 7\ntext = [%s]\n", quoted(texts))
	_, outcomes := inTurn(t, t.Context(), spec)
	if want := "[[1] [1]]"; fmt.Sprint(outcomes) != want {
		t.Errorf("the runs gave %s, want %s", outcomes, want)
	}
}
