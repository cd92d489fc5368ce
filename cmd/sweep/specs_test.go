package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/experiments"
	"sweep/grid"
	"sweep/internal/command"
	"sweep/internal/testutil"
	"sweep/sweeps"
)

var watch = regexp.MustCompile(`watch *= *\["([^"]*)"\]`)

// The specs in the pages must be accepted. The README's Python is run by
// .ci/run.
func TestSpecsOfPages(t *testing.T) {
	experiments := append(experiments.Experiments(nil), command.Experiment())
	specs, replays := 0, 0
	for _, path := range append(testutil.Must(filepath.Glob("../../docs/*.md")), "../../README.md") {
		for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(read(path), -1) {
			specs++
			// The paths that a spec names are as if it stood beside the README, or
			// beside the program that it watches.
			file := "../../README.toml"
			if watched := watch.FindStringSubmatch(m[1]); watched != nil {
				dir := t.TempDir()
				file = dir + "/README.toml"
				testutil.NoError(os.WriteFile(dir+"/"+watched[1], nil, 0o666))
			}
			spec, err := grid.Parse(file, []byte(m[1]), experiments)
			if err != nil {
				t.Errorf("%s: %v in\n%s", path, err, m[1])
				continue
			}
			if !strings.Contains(m[1], "history") {
				continue
			}
			replays++ // small enough to be run
			for i := range spec.Plan().Runs() {
				p := spec.Plan().Point(i)
				if err := p.Experiment.Run(t.Context(), p, new(experiment.Result)); err != nil {
					t.Errorf("%s: run %d: %v of\n%s", path, i, err, m[1])
				}
			}
		}
	}
	if specs < 5 || replays == 0 {
		t.Errorf("%d specs, %d of them replays; want at least the five examples, one of them a replay", specs, replays)
	}
}

// Every embedded spec must be accepted.
func TestSweeps(t *testing.T) {
	experiments := experiments.Experiments(sweeps.File)
	for _, name := range testutil.Must(fs.Glob(sweeps.FS, "*.toml")) {
		spec, err := grid.Parse("sweeps/"+name, testutil.Must(sweeps.FS.ReadFile(name)), experiments)
		if err != nil {
			t.Error(err)
		} else if err := analysis.CheckClaims(spec); err != nil || spec.Name+".toml" != name {
			t.Errorf("sweeps/%s is named %q, error %v", name, spec.Name, err)
		}
	}
	const untested = "claims/untested.toml"
	source := testutil.Must(sweeps.FS.ReadFile(untested))
	if claims, err := grid.ParseClaims(untested, source); err != nil || len(claims) == 0 {
		t.Errorf("%d untested claims, %v", len(claims), err)
	}
}
