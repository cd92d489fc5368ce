package command

import (
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// A run knows its worker, its name, its attempt and the spec's variables. A
// parameter hides what has its name.
func TestSetup(t *testing.T) {
	t.Setenv("OMP_NUM_THREADS", "16")
	t.Cleanup(func() { EndWorkers() })
	number := takeNumber() // as if another run were under way
	defer freeNumber(number)
	const env = "env = { OMP_NUM_THREADS = '1', B = \"'\" }\n"
	for _, c := range []struct{ name, keys, text, grid, want string }{
		{"cold", env, "{worker}$SWEEP_WORKER$SWEEP_ATTEMPT$OMP_NUM_THREADS$SWEEP_RUN_ID", "a = 2", "[113177]"},
		{"without", "", "$OMP_NUM_THREADS", "a = 2", "[16]"},
		{"parameters", "", "{worker}$SWEEP_WORKER$SWEEP_ATTEMPT", "worker = 4\nattempt = 5", "[445]"},
	} {
		spec := parse(t, "", "[command]\nrun = %q\nshell = true\nversion = '1'\nmetrics = ['x']\n%s[grid]\n%s\n",
			`echo "{{\"x\": "`+c.text+`"}}"`, c.keys, c.grid)
		checkSetup(t, c.name, spec, c.want)
	}
	spec := parse(t, "", "[command]\nrun = [%q, 'persist', '{worker}']\nversion = '1'\nmetrics = ['x']\n"+
		"persistent = true\n%s\n[grid]\nact = 'setup'\n", self, env)
	checkSetup(t, "persistent", spec, "[3111]") // attempt, variable, and twice the worker
}

func checkSetup(t *testing.T, name string, spec *grid.Spec, want string) {
	t.Helper()
	ctx := experiment.WithAttempt(t.Context(), experiment.Attempt{RunID: "77", Number: 3})
	_, outcomes := inTurn(t, ctx, spec)
	if outcomes[0] != want {
		t.Errorf("%s: got %s, want %s", name, outcomes[0], want)
	}
}

// Variables are part of a run's identity when there are some, in any order.
func TestVariablesIdentify(t *testing.T) {
	id := func(keys string) string {
		spec := parse(t, "", "[command]\nrun = ['true']\nversion = '1'\nmetrics = ['x']\n%s\n[grid]\na = 1\n", keys)
		return spec.Plan().ID(0).String()
	}
	none := id("")
	if none != id("env = {}") {
		t.Error("no variables make another run")
	}
	one := id("env = { A = '1', B = '2' }")
	if one == none || one == id("env = { A = '1', B = '3' }") || one != id("env = { B = '2', A = '1' }") {
		t.Error("variables identify a run by their names and values, not by their order")
	}
}
