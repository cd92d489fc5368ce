package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// scripts returns a spec whose runs are texts for a shell.
func scripts(t *testing.T, keys string, texts ...string) *grid.Spec {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	t.Cleanup(func() { EndWorkers() })
	for i := range texts {
		texts[i] = fmt.Sprintf(": %d; %s", i, texts[i]) // each once
	}
	if !strings.Contains(keys, "timeout") {
		keys += "\ntimeout = '20s'"
	}
	return parse(t, "", "[command]\nrun = ['sh', '-c', '{text}']\nversion = '1'\nmetrics = ['x']\n%s\n"+
		"[grid]\ntext = [%s]\n", keys, quoted(texts))
}

// inTurn executes the runs of a spec one after another in the directory of a
// sweep, and returns it with what became of them.
func inTurn(t *testing.T, ctx context.Context, spec *grid.Spec) (dir string, outcomes []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "runs")
	for i := range spec.Plan().Runs() {
		point := spec.Plan().Point(i)
		own := experiment.WithDirectory(ctx, filepath.Join(dir, fmt.Sprint(i)))
		var out experiment.Result
		err := point.Experiment.Run(own, point, &out)
		outcomes = append(outcomes, fmt.Sprint(out.Metrics))
		if err != nil {
			outcomes[i] = err.Error()
		}
	}
	return dir, outcomes
}

// Every run begins in an empty directory that has its own path, whatever the
// run before it has done to its own; and what links lead to stays.
func TestWorkspace(t *testing.T) {
	victim := t.TempDir()
	precious := filepath.Join(victim, "precious")
	testutil.NoError(os.WriteFile(precious, []byte("mine"), 0o666))
	const count = `; echo "{\"x\": $(ls -A | wc -l)}"`
	const name = `echo "{\"x\": $(basename "$(pwd -P)")}"`
	spec := scripts(t, "",
		"true"+count,
		"mkdir -p a/b && touch .hidden a/b/c; echo '{\"x\": 1}'",
		"true"+count,
		name,
		"rm -r \"$PWD\"; echo '{\"x\": 1}'",
		name,
		"mv \"$PWD\" ../moved; echo '{\"x\": 1}'",
		name,
		"d=$(pwd -P); cd ..; rmdir $d; ln -s "+victim+" $d; echo '{\"x\": 1}'",
		name,
		"ln -s "+precious+" stdout.txt; ln -s "+precious+" stderr.txt; ln -s "+precious+" stdin.json; echo no",
		name,
		"true"+count,
	)
	dir, outcomes := inTurn(t, t.Context(), spec)
	want := []string{"[0]", "[1]", "[0]", "[3]", "[1]", "[5]", "[1]", "[7]", "[1]", "[9]",
		"the last line of stdout is no JSON object: it begins \"no\"\nstdout: no", "[11]", "[0]"}
	if fmt.Sprint(outcomes) != fmt.Sprint(want) {
		t.Errorf("got\n%s, want\n%s", strings.Join(outcomes, "\n"), strings.Join(want, "\n"))
	}
	text, err := os.ReadFile(precious)
	if err != nil || string(text) != "mine" {
		t.Errorf("what a link led to is %q, %v", text, err)
	}
	EndWorkers()
	left := testutil.Must(filepath.Glob(dir + "/*"))
	if want := []string{dir + "/10", dir + "/moved"}; fmt.Sprint(left) != fmt.Sprint(want) {
		t.Errorf("left are %v, want the failed run and what was moved, %v", left, want)
	}
}

// A process that has left the group of its run holds that run's output open,
// and writes to it when another run has the directory. It hides its mark, so that
// it is not ended before.
func TestDaemon(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("setsid is not everywhere")
	}
	defer func(d time.Duration) { streamGrace = d }(streamGrace)
	streamGrace = 2 * time.Second // for a machine that is busy
	at := filepath.Join(t.TempDir(), "at")
	const wait = "until test -e %[1]s.%[2]s; do sleep 0.02; done; "
	daemon := "trap \"\" PIPE; touch %[1]s.away; " + fmt.Sprintf(wait, at, "second") + "echo stray; echo stray >&2; touch %[1]s.written"
	spec := scripts(t, "keep = true",
		fmt.Sprintf("env -u PROGRAM_OF_SWEEP setsid sh -c '"+daemon+"' & ", at)+fmt.Sprintf(wait, at, "away")+`echo '{"x": 1}'`,
		"touch "+at+".second; "+fmt.Sprintf(wait, at, "written")+`echo '{"x": 2}'`,
	)
	dir, outcomes := inTurn(t, t.Context(), spec)
	if want := "[[1] [2]]"; fmt.Sprint(outcomes) != want {
		t.Errorf("got %v, want %s", outcomes, want)
	}
	for _, name := range []string{outputFile, errorFile} {
		text := testutil.Must(os.ReadFile(filepath.Join(dir, "1", name)))
		if strings.Contains(string(text), "stray") {
			t.Errorf("%s of the second run has what the first one's child wrote: %s", name, text)
		}
	}
}

// What a long run prints can be read while it runs, and is not there
// afterwards.
func TestShownWhileItRuns(t *testing.T) {
	defer func(d time.Duration) { showAfter = d }(showAfter)
	showAfter = 100 * time.Millisecond
	spec := scripts(t, "", "echo begun; until grep -q begun stdout.txt; do sleep 0.02; done; cat stdin.json; ls; echo '{\"x\": 1}'")
	dir, outcomes := inTurn(t, t.Context(), spec)
	if want := "[[1]]"; fmt.Sprint(outcomes) != want {
		t.Errorf("got %v, want %s", outcomes, want)
	}
	EndWorkers()
	if left := testutil.Must(os.ReadDir(dir)); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// Output that is too long for memory, and input that is too long for a pipe,
// are whole.
func TestLongOutput(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 8<<10)
	spec := scripts(t, "keep = true\nfile = 'answer'", "head -c 300000 /dev/zero | tr '\\0' y; printf z >&2; echo '{\"x\": 1}' >answer",
		"cat; echo '{\"x\": 1}' >answer # "+long[:100<<10])
	dir, outcomes := inTurn(t, t.Context(), spec)
	if want := "[[1] [1]]"; fmt.Sprint(outcomes) != want {
		t.Fatalf("got %v, want %s", outcomes, want)
	}
	text := testutil.Must(os.ReadFile(filepath.Join(dir, "0", outputFile)))
	if string(text) != strings.Repeat("y", 300000) {
		t.Errorf("stdout has %d bytes, want 300000", len(text))
	}
	input := testutil.Must(os.ReadFile(filepath.Join(dir, "1", inputFile)))
	text = testutil.Must(os.ReadFile(filepath.Join(dir, "1", outputFile)))
	if string(text) != string(input) || len(input) < 100<<10 {
		t.Errorf("the program read %d bytes, want %d", len(text), len(input))
	}
}
