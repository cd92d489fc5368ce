package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"sweep/results"
)

// newTable returns "sweep table".
func newTable(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table DIR",
		Short: "Print the table of a sweep",
		Long: `Print the results in DIR, of a finished or an interrupted sweep: in the layout
of the paper's table, with the paper's numbers and the ratios beside ours, if
the spec names that table; otherwise one row per cell of the grid.`,
		Example: `  sweep table out/table2
  sweep table out/table2 --format latex > table2.tex
  sweep table out/table2 --format csv      full precision, for a program
  sweep table out/table2 --layout cells    one row per cell, without the paper`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
	}
	format := choiceFlag(cmd, "format", "how to print", words(results.Formats())...)
	layout := choiceFlag(cmd, "layout", "what to print", words(results.Layouts())...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return printTable(cmd.OutOrStdout(), args[0], results.Format(format.value), results.Layout(layout.value), prog)
	}
	return cmd
}

// printTable prints the table of the sweep in dir.
func printTable(w io.Writer, dir string, format results.Format, layout results.Layout, prog *Program) error {
	set, err := results.LoadSummary(dir, prog.Experiments)
	if err != nil {
		return err
	}
	return set.Table(w, format, layout)
}

func words[S ~string](list []S) []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, s := range list {
			if !yield(string(s)) {
				return
			}
		}
	})
}
