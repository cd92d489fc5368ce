package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/report"
	"sweep/sweeps"
)

// specHelp explains the SPEC argument in help texts.
const specHelp = `SPEC is the name of a sweep that comes with the program (see below), or the
path of a TOML file: whatever contains a path separator or ends in .toml.`

// sweepList names the embedded sweeps for help texts.
func sweepList() string {
	return "Sweeps that come with the program:\n  " + strings.Join(report.Wrap(strings.Join(sweeps.List(), ", "), 78), "\n  ")
}

// maxSpec bounds how much of a file is read; package grid refuses specs
// that long before it looks inside.
const maxSpec = 2 << 20

// loadSpec reads and checks the spec that a command line names, with its
// claims.
func loadSpec(name string, experiments []*experiment.Experiment) (*grid.Spec, error) {
	file, source, ok := sweeps.Read(name)
	if isPath(name) {
		var err error
		if source, err = readSpec(name); err != nil {
			return nil, fmt.Errorf("reading the spec: %w", err)
		}
		file = name
	} else if !ok {
		return nil, unknownSpec(name)
	}
	spec, err := grid.Parse(file, source, experiments)
	if err != nil {
		return nil, err
	}
	return spec, analysis.CheckClaims(spec)
}

// printWarnings tells what is doubtful about a spec.
func printWarnings(w io.Writer, spec *grid.Spec) {
	for _, warning := range spec.Warnings() {
		fmt.Fprintf(w, "warning: %v\n", warning)
	}
}

func isPath(name string) bool {
	return strings.HasSuffix(name, ".toml") || strings.ContainsFunc(name, func(r rune) bool {
		return r < 128 && os.IsPathSeparator(uint8(r))
	})
}

func readSpec(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	return io.ReadAll(io.LimitReader(f, maxSpec))
}

func unknownSpec(name string) error {
	hint := ""
	if _, err := os.Stat(name); err == nil {
		hint = "to name the file, write ./" + name
	}
	return &usageError{
		message: fmt.Sprintf("no sweep is named %q, known are: %s", name, strings.Join(sweeps.List(), ", ")),
		hint:    didYouMean(name, sweeps.List(), hint),
	}
}

// completeSpec completes a SPEC argument in the shell: the embedded names,
// and files.
func completeSpec(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return sweeps.List(), cobra.ShellCompDirectiveDefault
}
