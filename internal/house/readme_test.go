package house

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sweep/grid"
	"sweep/internal/schema"
	"sweep/simulation"
	"sweep/sweeps"
)

// The README's specs must be accepted, and what it points to must exist.
// Its Python is run by .ci/run.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	experiments := simulation.Experiments(simulation.Options{})

	specs := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(specs) < 2 {
		t.Errorf("%d specs, want the two examples", len(specs))
	}
	for _, spec := range specs {
		parsed, err := grid.Parse(root+"/README.toml", spec[1], experiments)
		if err != nil {
			t.Errorf("%v in\n%s", err, spec[1])
			continue
		}
		if strings.Contains(string(spec[1]), "history") { // small enough to be run
			for i := range parsed.Plan().Runs() {
				p := parsed.Plan().Point(i)
				if err := p.Experiment.Run(t.Context(), p, new(schema.Result)); err != nil {
					t.Errorf("run %d: %v of\n%s", i, err, spec[1])
				}
			}
		}
	}

	// places: links, and the first column of the table of the house
	for _, m := range regexp.MustCompile(`(?m)\]\(([a-zA-Z0-9/.]+)\)|^\| .([a-z./]+/[a-z./]+|grid|runner|results|plots|simulation|sweeps). \|`).FindAllStringSubmatch(string(text), -1) {
		place := m[1] + m[2]
		if strings.HasSuffix(place, ".parquet") {
			continue
		}
		if _, err := os.Stat(root + "/" + place); err != nil {
			t.Errorf("the README speaks of %s: %v", place, err)
		}
	}
}

// Every embedded spec must be accepted.
func TestSweeps(t *testing.T) {
	entries, err := os.ReadDir(root + "/sweeps")
	if err != nil {
		t.Fatal(err)
	}
	experiments := simulation.Experiments(simulation.Options{})
	specs := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		specs++
		source, err := os.ReadFile(root + "/sweeps/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		spec, err := grid.Parse("sweeps/"+e.Name(), source, experiments)
		if err != nil {
			t.Error(err)
			continue
		}
		if spec.Name+".toml" != e.Name() {
			t.Errorf("sweeps/%s is named %q", e.Name(), spec.Name)
		}
	}
	if specs == 0 {
		t.Error("no specs")
	}
	if claims, err := grid.ParseUntested(sweeps.Untested()); err != nil || len(claims) == 0 {
		t.Errorf("%d untested claims, %v", len(claims), err)
	}
}
