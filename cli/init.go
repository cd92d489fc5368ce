package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/report"
)

// schemaLine lets editors find the schema.
const schemaLine = "#:schema sweep.schema.json\n"

// newInit returns "sweep init".
func newInit(prog *Program) *cobra.Command {
	names := prog.sweeps()
	for _, e := range prog.Experiments {
		names = append(names, e.Name)
	}
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
			out, name := cmd.OutOrStdout(), args[0]
			if slices.Contains(prog.sweeps(), name) {
				_, source, err := prog.shipped(name + suffix)
				if err == nil {
					_, err = fmt.Fprintf(out, "%s%s", schemaLine, source)
				}
				return err
			}
			i := slices.IndexFunc(prog.Experiments, func(e *experiment.Experiment) bool { return e.Name == name })
			if i < 0 {
				return unknown("sweep or experiment", name, names, cmd)
			}
			return printTemplate(out, prog.Experiments[i])
		},
	}
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

// printTemplate prints a spec in which everything can be filled in.
func printTemplate(w io.Writer, e *experiment.Experiment) error {
	if e.Declare != nil {
		_, err := io.WriteString(w, schemaLine+command.Template)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s\n\nexperiment = %q\nseeds      = 10\n\n# What is commented has the value that stands there. A list is an axis, and so is\n", schemaLine, e.Title, e.Name)
	b.WriteString("# a range: { from = 1, to = 9, step = 2 }, { from = 1, to = 100, count = 3, scale = \"log\" }.\n[grid]\n")
	group := ""
	for i := range e.Params {
		p := &e.Params[i]
		if p.Group != group {
			group = p.Group
			fmt.Fprintf(&b, "\n# %s\n", group)
		}
		value := p.Default.String()
		if p.Kind == experiment.String {
			value = strconv.Quote(p.Default.Text())
		}
		words := p.Meaning + "; " + p.Accepts()
		if p.Unit != "" {
			words = p.Meaning + ", in " + p.Unit + "; " + p.Accepts()
		}
		if p.UsedBy != nil {
			words += "; of " + strings.Join(p.UsedBy, ", ")
		}
		fmt.Fprintf(&b, "#%s = %s # %s\n", p.Name, value, words)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
