package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// The example programs speak the protocol, and all give the same numbers.
func TestExamplesAgree(t *testing.T) {
	testutil.NeedsThorough(t, "interpreters take long to start")
	dir := testutil.Must(filepath.Abs("../../examples/persistent"))
	source := string(testutil.Must(os.ReadFile(filepath.Join(dir, "draws.toml"))))
	t.Setenv("PYTHONPATH", testutil.Must(filepath.Abs("../../python")))
	compiled := filepath.Join(t.TempDir(), "draws")
	for _, c := range []struct{ program, run string }{
		{"python3", `["python3", "draws.py"]`},
		{"sh", `["sh", "{dir}/draws.sh"]`},
		{"Rscript", `["Rscript", "{dir}/draws.R"]`},
		{"cc", fmt.Sprintf("[%q]", compiled)},
	} {
		t.Run(c.program, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not installed; .ci/run runs this example", c.program)
			}
			if c.program == "cc" {
				text, err := exec.Command("cc", "-o", compiled, filepath.Join(dir, "draws.c")).CombinedOutput()
				if err != nil {
					t.Fatalf("cc: %v\n%s", err, text)
				}
			}
			defer EndWorkers()
			text := strings.Replace(source, `["python3", "draws.py"]`, c.run, 1)
			spec := testutil.Must(grid.Parse(filepath.Join(dir, "draws.toml"), []byte(text), []*experiment.Experiment{Experiment()}))
			var got []float64
			for i := range int64(4) {
				out, _, err := perform(t, t.Context(), spec, i)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, out.Metrics...)
			}
			// Computed apart, in exact integers: β = 0.1, 0.2 and 0.5 with seed
			// 1, and β = 0.1 with seed 2.
			if want := []float64{96, 193, 500, 109}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// A program in C that knows nothing of sweep: its table is the series, and what
// it prints is the metric.
func TestPreyIsRead(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("cc is not installed; .ci/run runs this example")
	}
	const from = "../../examples/prey"
	dir := t.TempDir()
	text, err := exec.Command("cc", "-o", filepath.Join(dir, "prey"), filepath.Join(from, "prey.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("cc: %v\n%s", err, text)
	}
	source := testutil.Must(os.ReadFile(filepath.Join(from, "prey.toml")))
	spec := testutil.Must(grid.Parse(filepath.Join(dir, "prey.toml"), source, []*experiment.Experiment{Experiment()}))
	out, _, err := perform(t, t.Context(), spec, 0)
	if err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for row := range slices.Chunk(out.Series, 3) {
		most = max(most, row[1])
	}
	if len(out.Series) != 60*3 || out.Series[3] != 2 || most != out.Metrics[0] || most < 50 {
		t.Errorf("read %v and %v", out.Metrics, out.Series)
	}
}
