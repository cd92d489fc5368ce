package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// persist is a persistent program. It does what the parameter "act" of each run
// says, and counts its runs.
func persist() {
	fmt.Println(`{"sweep": 1}`)
	runs := 0
	late := ""
	var kept []byte
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r struct {
			Run        string
			Seed       int64
			Parameters struct{ Act, Lock string }
			Directory  string
			Attempt    int
		}
		testutil.NoError(json.Unmarshal(lines.Bytes(), &r))
		runs++
		fmt.Print(late)
		late = ""
		if r.Parameters.Act != "quiet" {
			fmt.Fprintln(os.Stderr, "act", r.Parameters.Act)
		}
		if value, is := strings.CutPrefix(r.Parameters.Act, "error "); is {
			fmt.Printf("{\"run\": %q, \"x\": 1, \"error\": %s}\n", r.Run, value)
			continue
		}
		switch r.Parameters.Act {
		case "setup": // attempt, variable, and twice the worker
			fmt.Printf("{\"run\": %q, \"x\": %d%s%s%s}\n",
				r.Run, r.Attempt, os.Getenv("OMP_NUM_THREADS"), os.Getenv("SWEEP_WORKER"), os.Args[2])
			continue
		case "die":
			os.Exit(3)
		case "report":
			fmt.Printf("{\"run\": %q, \"error\": \"it diverged\"}\n", r.Run)
			continue
		case "twice":
			fmt.Printf("{\"run\": %q, \"x\": 1}\n{\"run\": %q, \"x\": 1}\n", r.Run, r.Run)
			continue
		case "other":
			r.Run = "another"
		case "nonsense":
			fmt.Println("hello")
			continue
		case "endless":
			for {
				fmt.Print(strings.Repeat("x", 1<<20))
			}
		case "close":
			testutil.NoError(os.Stdout.Close())
			time.Sleep(time.Hour)
		case "hang":
			signal.Ignore(syscall.SIGTERM)
			time.Sleep(time.Hour)
		case "flood":
			for {
				fmt.Fprintln(os.Stderr, "x")
			}
		case "grow":
			kept = append(kept, make([]byte, 64<<20)...)
			for i := range kept {
				kept[i] = 1 // so that the memory is really taken
			}
		case "spike":
			fill(64 << 20)
			debug.FreeOSMemory()
		case "parent": // leaves a child behind that holds a lock
			testutil.NoError(exec.Command(os.Args[0], "child", r.Parameters.Lock).Start())
		case "late": // a second answer comes after the next request
			late = fmt.Sprintf("{\"run\": %q, \"x\": %d}\n", r.Run, runs)
		case "leave":
			fmt.Printf("{\"run\": %q, \"x\": %d}\n", r.Run, runs)
			os.Exit(4)
		case "deaf":
			testutil.NoError(os.Stdin.Close())
		case "write":
			testutil.NoError(os.WriteFile("own.txt", []byte("mine"), 0o666))
		}
		fmt.Printf("{\"run\": %q, \"x\": %d}\n", r.Run, runs)
	}
}

// persistent returns a spec of the program persist with the values of act.
func persistent(t *testing.T, keys string, acts ...string) *grid.Spec {
	t.Helper()
	t.Cleanup(func() { EndWorkers() })
	return parse(t, "", "[command]\nrun = [%q, 'persist']\nversion = '1'\nmetrics = ['x']\n"+
		"persistent = true\n%s\n[grid]\nact = [%s]\n", self, keys, quoted(acts))
}

func quoted(texts []string) string {
	var list []string
	for _, text := range texts {
		list = append(list, strconv.Quote(text))
	}
	return strings.Join(list, ", ")
}

// What goes wrong fails its run alone, with what the program said. A program
// that reports a failure goes on; otherwise the next run has a new process.
func TestPersistentFaults(t *testing.T) {
	for _, c := range []struct {
		act, want string
		next      float64 // number of the next run in its process
	}{
		{"report", "it diverged\nstderr: act report", 3},
		{"die", "the program ended without an answer: exit status 3\nstderr: act die", 1},
		{"twice", `wrote more than one line: after the answer comes "{\"run\": \"run\", \"x\": 1}\n"`, 1},
		{"other", `answered run "another" while it was to answer run "run"`, 1},
		{"nonsense", `the answer is no JSON object: it begins "hello"`, 1},
		{"endless", "the answer has more than 32 MB", 1},
		{"close", "closed its stdout while a run was under way", 1},
		{"flood", "wrote more than 256 MB to stdout and stderr\nstderr: x\nx", 1},
	} {
		t.Run(c.act, func(t *testing.T) {
			if c.act == "flood" || c.act == "endless" {
				testutil.NeedsThorough(t, "megabytes are written")
			}
			if c.act == "flood" {
				defer func(n int64) {
					EndWorkers() // which look at it
					maxOutput = n
				}(maxOutput)
				maxOutput = 1 << 20
			}
			spec := persistent(t, "", "well", c.act, "write")
			out, _, err := perform(t, t.Context(), spec, 0)
			if err != nil || out.Metrics[0] != 1 {
				t.Fatalf("the first run: %v, %v", out.Metrics, err)
			}
			_, dir, err := perform(t, t.Context(), spec, 1)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if c.act == "report" && err != nil && strings.Count(err.Error(), "diverged") != 1 {
				t.Errorf("what the program reports is told several times: %v", err)
			}
			if request, _ := os.ReadFile(filepath.Join(dir, inputFile)); !strings.Contains(string(request), c.act) {
				t.Errorf("the request in the run's directory: %q", request)
			}
			out, dir, err = perform(t, t.Context(), spec, 2)
			if err != nil || out.Metrics[0] != c.next {
				t.Errorf("the run after it: %v, %v, want number %v in its process", out.Metrics, err, c.next)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("the directory of a run that succeeded is still there")
			}
		})
	}
}

// A text called error is a failure that the program reports; anything else of
// that name is a value, as it is in the answer of a program that starts for
// every run.
func TestValueCalledError(t *testing.T) {
	for _, c := range []struct{ keys, value, want string }{
		{"", `"it diverged"`, "it diverged"},
		{"", "3", "[1] []"},
		{"", "null", "[1] []"},
		{"extra = 'refuse'", "3", `the answer: unknown "error"`},
		{"series = ['error']", "[5, 7]", "[1] [1 5 2 7]"},
	} {
		spec := persistent(t, c.keys, "error "+c.value)
		out, _, err := perform(t, t.Context(), spec, 0)
		got := fmt.Sprint(out.Metrics, out.Series)
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != c.want {
			t.Errorf("%s, an error of %s: %s, want %s", c.keys, c.value, got, c.want)
		}
	}
}

// What a program does after its answer fails no other run: that has a new
// process. What becomes of the run itself depends on the moment.
func TestFaultsAfterTheAnswer(t *testing.T) {
	for _, act := range []string{"late", "leave", "deaf"} {
		spec := persistent(t, "", act, "well")
		before, _ := Mixups()
		mixups.count = 0
		_, outcomes := inTurn(t, t.Context(), spec)
		count, first := Mixups()
		mixups.count += before
		if got := fmt.Sprint(outcomes); got != "[[1] [1]]" {
			t.Errorf("%s: got %s, want [[1] [1]], the second in a new process", act, got)
		}
		if count != 1 || !strings.HasPrefix(first, "after run 0, ") {
			t.Errorf("%s: %d runs had another process: %s", act, count, first)
		}
		EndWorkers()
	}
}

// A program that does not answer in time is ended, though it ignores SIGTERM.
func TestPersistentTimeout(t *testing.T) {
	spec := persistent(t, "timeout = '500ms'", "hang")
	_, _, err := perform(t, t.Context(), spec, 0)
	if want := "took longer than 500ms, its timeout"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A program restarts after a number of runs, or when it has much memory.
func TestPersistentRestarts(t *testing.T) {
	cases := []struct{ keys, act, want string }{
		{"restart_after = 2", "well", "1 2 1 2 1"},
		{"restart_above = '48 MiB'", "grow", "1 1 1 1 1"},
		{"restart_above = '1 TiB'", "well", "1 2 3 4 5"},
		{"", "well", "1 2 3 4 5"},
	}
	for _, c := range cases[:testutil.IfThorough(4, 2)] {
		spec := persistent(t, c.keys, c.act)
		var numbers []string
		for range 5 {
			out, _, err := perform(t, t.Context(), spec, 0)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, fmt.Sprint(out.Metrics[0]))
		}
		if got := strings.Join(numbers, " "); got != c.want {
			t.Errorf("%s: the numbers of runs in their processes are %s, want %s", c.keys, got, c.want)
		}
	}
}

// A program that counts its runs gives other numbers in processes of their own.
func TestFreshProcesses(t *testing.T) {
	spec := persistent(t, "", "well")
	for i := range 3 {
		out, _, err := perform(t, Fresh(t.Context()), spec, 0)
		if err != nil || out.Metrics[0] != 1 {
			t.Errorf("run %d: %v, %v, want the first of its process", i, out.Metrics, err)
		}
	}
}

// A run that sweep gave no directory has a worker of its own.
func TestPersistentWithoutDirectory(t *testing.T) {
	spec := persistent(t, "", "write")
	point := spec.Plan().Point(0)
	for i := range 2 {
		var out experiment.Result
		err := point.Experiment.Run(t.Context(), point, &out)
		if err != nil || out.Metrics[0] != 1 {
			t.Errorf("run %d: %v, %v, want the first of its process", i, out.Metrics, err)
		}
	}
}

// What is kept of a run is what it wrote, with its request and its answer.
func TestPersistentKeepsFiles(t *testing.T) {
	spec := persistent(t, "keep = true", "write", "well")
	for i, own := range []bool{true, false} {
		_, dir, err := perform(t, t.Context(), spec, int64(i))
		if err != nil {
			t.Fatal(err)
		}
		answer := testutil.Must(os.ReadFile(filepath.Join(dir, outputFile)))
		if want := fmt.Sprintf(`{"run": "run", "x": %d}`, i+1); string(answer) != want {
			t.Errorf("run %d: kept the answer %s, want %s", i, answer, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "own.txt")); (err == nil) != own {
			t.Errorf("run %d: own.txt is there: %v, want %v", i, err == nil, own)
		}
	}
}

// A program must greet in the protocol's version.
func TestGreeting(t *testing.T) {
	for greeting, want := range map[string]string{
		`hello`:        `a persistent program's first line must be {"sweep": 1}, found "hello"`,
		`{"sweep": 2}`: `a persistent program's first line must be {"sweep": 1}, found "{\"sweep\": 2}"`,
		` `:            `a persistent program's first line must be {"sweep": 1}, found ""`,
	} {
		t.Cleanup(func() { EndWorkers() })
		spec := parse(t, "", "[command]\nrun = ['echo', %q]\nversion = '1'\nmetrics = ['x']\npersistent = true\n[grid]\na = 1\n", greeting)
		if _, _, err := perform(t, t.Context(), spec, 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("greeting %q: %v, want %s", greeting, err, want)
		}
	}
}

// At the end of the sweep's context the program ends, and the run was given up.
func TestPersistentIsInterrupted(t *testing.T) {
	spec := persistent(t, "", "hang")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, _, err := perform(t, ctx, spec, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// What a program has started ends with it.
func TestPersistentLeavesNothing(t *testing.T) {
	held := filepath.Join(t.TempDir(), "lock")
	spec := parse(t, "", "[command]\nrun = [%q, 'persist']\nversion = '1'\nmetrics = ['x']\npersistent = true\n"+
		"[grid]\nact = 'parent'\nlock = %q\n", self, held)
	if _, _, err := perform(t, t.Context(), spec, 0); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the child", func() bool { _, err := os.Stat(held + ".held"); return err == nil })
	EndWorkers()
	waitFor(t, "the child's end", func() bool {
		lock, err := lock(held)
		if err == nil {
			testutil.NoError(lock.Close())
		}
		return err == nil
	})
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("waited ten seconds in vain for " + what)
}
