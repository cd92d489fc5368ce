package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// Only what a run wrote that succeeded is read again, and only if it is whole.
func TestKeptAnswers(t *testing.T) {
	const text = "[command]\nrun = ['sh', '-c', %q]\nversion = '1'\nkeep = true\nmetrics = [%s]\n"
	const well = `echo out >sub; mkdir d; echo 1 >d/e; echo '{"x": 1, "y": 2}'`
	for name, c := range map[string]struct {
		program string
		metrics string           // that the spec names later
		spoil   func(dir string) // what happens in between
		want    string           // the error; empty: the run is read again
		again   bool             // it is read again, with success or not
	}{
		"whole":    {well, "'x', 'y'", func(string) {}, "", true},
		"lacking":  {well, "'z'", func(string) {}, `read again from what was kept: the answer: no "z"; unknown "x"; unknown "y"`, true},
		"failed":   {well + "; exit 3", "'x'", func(string) {}, "exit status 3", false},
		"longer":   {well, "'x'", func(dir string) { testutil.NoError(os.WriteFile(filepath.Join(dir, "d", "e"), []byte("12345"), 0o666)) }, "", false},
		"shorter":  {well, "'x'", func(dir string) { testutil.NoError(os.Truncate(filepath.Join(dir, outputFile), 0)) }, "", false},
		"unmarked": {well, "'x'", func(dir string) { testutil.NoError(os.Remove(filepath.Join(dir, keptFile))) }, "", false},
		"cut off":  {well, "'x'", func(dir string) { testutil.NoError(os.Truncate(filepath.Join(dir, keptFile), 9)) }, "", false},
		"moved": {well, "'x'", func(dir string) {
			text := testutil.Must(os.ReadFile(filepath.Join(dir, keptFile)))
			text = []byte(strings.Replace(string(text), `"run":"`, `"run":"of-`, 1))
			testutil.NoError(os.WriteFile(filepath.Join(dir, keptFile), text, 0o666))
		}, "", false},
	} {
		dir := filepath.Join(t.TempDir(), "id")
		ctx := experiment.WithDirectory(t.Context(), dir)
		run := func(metrics string) (out experiment.Result, err error) {
			point := parse(t, "", text, c.program, metrics).Plan().Point(0)
			return out, point.Experiment.Run(ctx, point, &out)
		}
		_, _ = run("'x'") // judged below
		c.spoil(dir)
		before := ReadAgain()
		out, err := run(c.metrics)
		failed := ""
		if err != nil {
			failed, _, _ = strings.Cut(err.Error(), "\n")
		}
		if failed != c.want || c.want == "" && out.Metrics[0] != 1 {
			t.Errorf("%s: measured %v, error %q", name, out.Metrics, failed)
		}
		if again := ReadAgain() > before; again != c.again || isKept(dir) != (name != "failed") {
			t.Errorf("%s: read again: %v; then kept: %v", name, again, isKept(dir))
		}
	}
}
