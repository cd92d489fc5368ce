package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"sweep/experiment"
	"sweep/internal/command"
	"sweep/internal/testutil"
	"sweep/sweeps"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata")

// atOnce is the number of tests of this package that run at the same time. Those
// that may run beside others mostly wait for a program that sleeps.
const atOnce = "16"

// TestMain makes the program itself, with toy experiments, available to
// the tests as the command sweep.
func TestMain(m *testing.M) {
	testutil.NoError(flag.Set("test.parallel", atOnce))
	testscript.Main(m, map[string]func(){
		"sweep":         func() { run(toys()) },
		"sweep-reading": func() { run(readingToys()) },
		"sweep-changed": func() { run(changedToys()) },
		"sweep-newer":   func() { run(newerToys()) },
		"sweep-own":     func() { run(declaringToys(1)) },
		"sweep-own2":    func() { run(declaringToys(2)) },
		"sweep-invalid": func() { run([]*experiment.Experiment{{Name: "no results"}}) },
		"sweep-twice":   func() { run(append(toys(), toys()[1])) },
		"sweep-taken":   func() { run([]*experiment.Experiment{command.Experiment()}) },
		"sweep-broken":  func() { run([]*experiment.Experiment{nil}) },
		"sweep-impatient": func() {
			closing = 100 * time.Millisecond
			run(toys())
		},
	})
}

// program returns the program under test over experiments.
func program(experiments []*experiment.Experiment) *Program {
	return &Program{Name: "sweep", Experiments: experiments, Sweeps: sweeps.FS}
}

// printed returns what a command prints in this process; a claim may not hold.
func printed(t *testing.T, p *Program, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := p.execute(args, &out, &errs); code != 0 && (code != exitFailedRuns || args[0] != "check") {
		t.Fatalf("sweep %s: %d, %s", strings.Join(args, " "), code, &errs)
	}
	return out.String()
}

// run is a process of the program over experiments.
func run(experiments []*experiment.Experiment) {
	os.Exit(program(experiments).execute(os.Args[1:], os.Stdout, os.Stderr))
}

// The scripts in testdata are what people type and see. Those in
// testdata/thorough take long, or wait.
func TestScripts(t *testing.T) {
	t.Parallel() // some scripts mostly wait
	scripts := testutil.Must(filepath.Glob("testdata/*.txt"))
	if testutil.Thorough() {
		scripts = append(scripts, testutil.Must(filepath.Glob("testdata/thorough/*.txt"))...)
	}
	testscript.Run(t, testscript.Params{
		Files:         scripts,
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOGC", "400") // hundreds of short processes collect less often
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    exitsWith,
			"records": areRecords,
		},
	})
}

// exitsWith is the script command "code N PROGRAM ARGS": the program must
// end with exit code N.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// areRecords is the script command "records FILE": every line must be a
// JSON object with the attributes of all records.
func areRecords(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: records FILE")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			ts.Fatalf("%s: %v", line, err)
		}
		for _, key := range []string{"time", "level", "msg", "sweep", "sweep_id"} {
			if record[key] == nil {
				ts.Fatalf("%s has no %q", line, key)
			}
		}
	}
}

// Help teaches by example, so every command has examples, which must be commands
// that exist, with flags that exist.
func TestExamplesAreValid(t *testing.T) {
	root := program(toys()).Command()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue // cobra's
		}
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%q lacks its short text or examples", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			example, _, _ := strings.Cut(strings.TrimSpace(line), "  ") // the rest explains
			command, _, _ := strings.Cut(strings.TrimPrefix(example, "sweep "), " >")
			named, rest, err := program(toys()).Command().Find(strings.Fields(command)) // anew: flags keep their values
			if err == nil {
				err = named.ParseFlags(rest)
			}
			if err == nil {
				err = named.ValidateArgs(named.Flags().Args())
			}
			if err != nil || named.HasSubCommands() {
				t.Errorf("%q: example %q: %v", cmd.CommandPath(), line, err)
			}
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if n := len([]rune(line)); n > 81 {
				t.Errorf("%q: a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	}
}

// sweep runs the program in dir.
func sweep(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("sweep", args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ends runs the program in dir, which must end with a code and say something on
// stderr: nothing if it is to be quiet and succeeds.
func ends(t *testing.T, dir string, want int, says string, args ...string) (stdout string) {
	t.Helper()
	stdout, stderr, code := sweep(t, dir, args...)
	silent := code == 0 && slices.Contains(args, "--quiet")
	if code != want || !strings.Contains(stderr, says) || silent && stderr != "" {
		t.Fatalf("%s: code %d, want %d; want %q on stderr:\n%s", args, code, want, says, stderr)
	}
	return stdout
}

func write(path, text string) { testutil.NoError(os.WriteFile(path, []byte(text), 0o666)) }

func read(path string) []byte { return testutil.Must(os.ReadFile(path)) }

// sameFiles compares the exported files of two directories.
func sameFiles(t *testing.T, dir, whole string) {
	t.Helper()
	for _, name := range []string{"runs.parquet", "series.parquet", "summary.parquet"} {
		if !bytes.Equal(read(filepath.Join(dir, name)), read(filepath.Join(whole, name))) {
			t.Errorf("%s/%s differs from that of an undisturbed sweep", dir, name)
		}
	}
}

// The library for commands keeps every tree that has completions, so that only
// a tree that a shell asks has them.
func TestOnlyShellsRegisterCompletions(t *testing.T) {
	for _, complete := range []bool{false, true} {
		table, _, err := program(toys()).tree(complete).Find([]string{"table"})
		testutil.NoError(err)
		for _, flag := range []string{"format", "metric"} {
			if _, registered := table.GetFlagCompletionFunc(flag); registered != complete {
				t.Errorf("with %t, the completion of --%s is registered: %t", complete, flag, registered)
			}
		}
	}
	for line, want := range map[string]bool{"": false, "run": false, "__complete": true, "__completeNoDesc": true} {
		if got := isCompletion(strings.Fields(line)); got != want {
			t.Errorf("%q asks for completions: %t, want %t", line, got, want)
		}
	}
}
