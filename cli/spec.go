package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/report"
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
	if p.Sweeps == nil {
		return "No sweeps come with this program."
	}
	lines := report.Wrap(strings.Join(p.sweeps(), ", "), 78)
	return "Sweeps that come with the program:\n  " + strings.Join(lines, "\n  ")
}

// loadSpec reads, changes and checks the spec that a command line names, with
// its claims.
func (p *Program) loadSpec(name string, c *changes) (*grid.Spec, error) {
	file, source, err := p.findSpec(name)
	if err != nil {
		return nil, err
	}
	if c.seeds != "" || c.values != nil {
		if source, err = grid.Changed(file, source, c.seeds, c.values); err != nil {
			return nil, err
		}
	}
	spec, err := grid.Parse(file, source, p.Experiments)
	if err != nil {
		return nil, err
	}
	return spec, analysis.CheckClaims(spec)
}

// findSpec reads the text of a spec, and returns how messages name it.
func (p *Program) findSpec(name string) (file string, source []byte, err error) {
	exists := func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	}
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
	f, err := os.Open(file)
	if err == nil {
		defer f.Close()                                    // nothing was written
		source, err = io.ReadAll(io.LimitReader(f, 2<<20)) // package grid refuses a longer one
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading the spec: %w", err)
	}
	return file, source, nil
}

func isPath(name string) bool {
	return strings.HasSuffix(name, suffix) || strings.ContainsAny(name, `/`+string(os.PathSeparator))
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (p *Program) unknownSpec(name string) error {
	hint, message := didYouMean(name, p.sweeps()), fmt.Sprintf("there is no sweep %q, and no file %s", name, name+suffix)
	if p.Sweeps != nil {
		message += "; known are: " + strings.Join(p.sweeps(), ", ")
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		hint = "to name the file, write ./" + name
	}
	return usage(hint, "%s", message)
}

// completeSpec completes a SPEC argument in the shell: the names of what
// comes with the program, and files.
func (p *Program) completeSpec(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.sweeps(), cobra.ShellCompDirectiveDefault
}

// printWarnings tells what is doubtful about a spec.
func printWarnings(w io.Writer, spec *grid.Spec) {
	for _, warning := range spec.Warnings() {
		say(w, "warning: %v", warning)
	}
}

func (p *Program) experimentNames() []string {
	return namesOf(p.Experiments, func(e *experiment.Experiment) string { return e.Name })
}

// schemaLine lets editors find the schema.
const schemaLine = "#:schema sweep.schema.json\n"

// newInit returns "sweep init".
func newInit(prog *Program) *cobra.Command {
	names := append(prog.sweeps(), prog.experimentNames()...)
	return &cobra.Command{
		Use:   "init NAME",
		Short: "Print a spec to begin with",
		Long: `Print a spec: one that comes with the program, by its name; one with all
parameters of an experiment, as comments; or, for "command", one that runs any
program. Its first line names the file that "sweep schema" prints, by which
editors (with Even Better TOML, or taplo) complete and check what is typed.`,
		Example: `  sweep init table2 > mine.toml      a spec of the papers
  sweep init foraging > mine.toml    all parameters of an experiment
  sweep init command > mine.toml     any program
  sweep schema > sweep.schema.json   what editors check it by`,
		Args:              arguments(1, 1),
		ValidArgsFunction: cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := choose("sweep or experiment", args, names)
			if err != nil {
				return err
			}
			var text []byte
			if i := at[0] - len(prog.sweeps()); i >= 0 {
				text = []byte(template(prog.Experiments[i]))
			} else if _, text, err = prog.shipped(args[0] + suffix); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s%s", schemaLine, text)
			return err
		},
	}
}

// template returns a spec in which everything can be filled in.
func template(e *experiment.Experiment) string {
	if e.Declare != nil {
		return command.Template
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# %s

experiment = %q
seeds      = 10

# What is commented has the value that stands there. A list is an axis, and so is
# a range: { from = 1, to = 9, step = 2 }, { from = 1, to = 100, count = 3, scale = "log" }.
[grid]
`, e.Title, e.Name)
	group := ""
	for i := range e.Params {
		p := &e.Params[i]
		if p.Group != group {
			group = p.Group
			fmt.Fprintf(&b, "\n# %s\n", group)
		}
		value, about := p.Default.String(), p.Meaning
		if p.Kind == experiment.String {
			value = strconv.Quote(p.Default.Text())
		}
		if p.Unit != "" {
			about += ", in " + p.Unit
		}
		if about += "; " + p.Accepts(); p.UsedBy != nil {
			about += "; of " + strings.Join(p.UsedBy, ", ")
		}
		fmt.Fprintf(&b, "#%s = %s # %s\n", p.Name, value, about)
	}
	return b.String()
}

// newSchema returns "sweep schema".
func newSchema(prog *Program) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs, for editors",
		Long: `Print a JSON Schema (draft 7) of the specs of this program's experiments.
Editors that know taplo check a spec by it whose first line is
"#:schema sweep.schema.json". It knows names, kinds and bounds, not how values
stand to each other: "sweep plan" says what else is wrong.`,
		Example: `  sweep schema > sweep.schema.json`,
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return report.WriteJSON(cmd.OutOrStdout(), grid.Schema(prog.Experiments))
		},
	}
}
