package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/report"
	"sweep/results"
)

// specHelp explains the SPEC argument in help texts.
const specHelp = `SPEC is a TOML file, whose ending .toml may be left out, or the name of a sweep
that comes with the program.`

// suffix is what the names of spec files end in.
const suffix = ".toml"

// sweeps returns the names of the specs that come with the program, sorted.
func (p *Program) sweeps() []string {
	if p.Sweeps == nil {
		return nil
	}
	names, _ := fs.Glob(p.Sweeps, "*"+suffix) // the pattern is one
	return namesOf(names, func(name string) string { return strings.TrimSuffix(name, suffix) })
}

// shipped reads a file that comes with the program. It returns also how
// messages name it.
func (p *Program) shipped(name string) (file string, source []byte, err error) {
	if p.Sweeps == nil {
		return name, nil, fs.ErrNotExist
	}
	source, err = fs.ReadFile(p.Sweeps, name)
	return path.Join("sweeps", name), source, err
}

// sweepList names the sweeps that come with the program for help texts.
func (p *Program) sweepList() string {
	names := p.sweeps()
	if names == nil {
		return "No sweeps come with this program."
	}
	lines := report.Wrap(strings.Join(names, ", "), 78)
	return "Sweeps that come with the program:\n  " + strings.Join(lines, "\n  ")
}

// loadSpec reads and checks the spec that a command line names, with its
// claims.
func loadSpec(name string, prog *Program) (*grid.Spec, error) {
	return new(changes).load(name, prog)
}

// findSpec reads the text of a spec, and returns how messages name it.
func (p *Program) findSpec(name string) (file string, source []byte, err error) {
	if slices.Contains(p.sweeps(), name) {
		return p.shipped(name + suffix)
	}
	file = name
	if !strings.HasSuffix(name, suffix) && (!isPath(name) || !exists(name)) {
		file += suffix
	}
	if !isPath(name) && !exists(file) {
		return "", nil, p.unknownSpec(name)
	}
	if source, err = readSpec(file); err != nil {
		return "", nil, fmt.Errorf("reading the spec: %w", err)
	}
	return file, source, nil
}

// readSpec reads so much of a file that package grid refuses a longer one.
func readSpec(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	return io.ReadAll(io.LimitReader(f, 2<<20))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func isPath(name string) bool {
	return strings.HasSuffix(name, suffix) || strings.ContainsAny(name, `/`+string(os.PathSeparator))
}

func (p *Program) unknownSpec(name string) error {
	known, hint := p.sweeps(), ""
	message := fmt.Sprintf("there is no sweep %q, and no file %s", name, name+suffix)
	if known != nil {
		message += "; known are: " + strings.Join(known, ", ")
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		hint = "to name the file, write ./" + name
	}
	return usage(didYouMean(name, known, hint), "%s", message)
}

// completeSpec completes a SPEC argument in the shell: the names of what
// comes with the program, and files.
func (p *Program) completeSpec(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.sweeps(), cobra.ShellCompDirectiveDefault
}

// completeDirs completes arguments that are directories in the shell.
func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// printWarnings tells what is doubtful about a spec.
func printWarnings(w io.Writer, spec *grid.Spec) {
	for _, warning := range spec.Warnings() {
		say(w, "warning: %v", warning)
	}
}

// read opens the directory of a sweep for reading, and warns of what is
// corrupt there.
func (p *Program) read(cmd *cobra.Command, dir string) (*results.Reader, error) {
	view, err := results.OpenReader(dir, p.Experiments)
	if err != nil {
		return nil, err
	}
	for _, d := range view.Damage {
		say(cmd.ErrOrStderr(), "warning: %s", d)
	}
	return view, nil
}
