package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// recorded returns an experiment with a parameter that names a file, whose
// content is the parameter's value.
func recorded() *experiment.Experiment {
	e := toys()[0]
	e.Params = append(e.Params, experiment.Param{
		Name: "record", Kind: experiment.String, Meaning: "a file", Source: "invented",
		Input: &experiment.Input{Accepts: "a file", Read: func(path string) (experiment.Value, error) {
			content, err := os.ReadFile(path)
			return experiment.StringValue(string(content)), err
		}},
	})
	return e
}

func parse(t *testing.T, path string) (*grid.Spec, error) {
	t.Helper()
	return grid.Parse(path, read(t, path), []*experiment.Experiment{recorded()})
}

// The files that a spec names must be beside its copy, and be those that
// were there when the job was written.
func TestInputsAreCopied(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "specs/data"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "specs/data/a.csv"), "first")
	write(t, filepath.Join(dir, "far.csv"), "far")
	write(t, filepath.Join(dir, "specs/s.toml"), `experiment = "toy"
[grid]
record = ["data/a.csv", "`+filepath.ToSlash(filepath.Join(dir, "far.csv"))+`"]
`)
	spec, err := parse(t, filepath.Join(dir, "specs/s.toml"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "copy")
	if err := copyInputs(copied, spec); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "specs/data/a.csv"), "second")
	write(t, filepath.Join(copied, "s.toml"), string(spec.Source))
	again, err := parse(t, filepath.Join(copied, "s.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.ReadInputs(); err != nil {
		t.Errorf("the copy of the spec lacks its files: %v", err)
	}
}

func TestInputsOutsideAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.csv"), "content")
	write(t, filepath.Join(dir, "specs/s.toml"), "experiment = \"toy\"\n[grid]\nrecord = \"../a.csv\"\n")
	spec, err := parse(t, filepath.Join(dir, "specs/s.toml"))
	if err != nil {
		t.Fatal(err)
	}
	err = copyInputs(filepath.Join(dir, "copy"), spec)
	if exitCode(err) != exitUsage || !strings.Contains(err.Error(), `names "../a.csv"`) {
		t.Errorf("error %v, want a fault of the command line that names the file", err)
	}
}

// A program that waiting tasks will run stays the file that it is unless it
// changes.
func TestReplaceFileLeavesWhatIsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	replaced := func(content string) os.FileInfo {
		t.Helper()
		if err := replaceFile(path, []byte(content), 0o777); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := replaced("one")
	if !os.SameFile(first, replaced("one")) {
		t.Error("a file with the same content was replaced")
	}
	if os.SameFile(first, replaced("two")) || string(read(t, path)) != "two" {
		t.Error("a file with other content was not replaced")
	}
}
