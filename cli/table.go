package cli

import (
	"io"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/report"
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
  sweep table out/table2 -m sent,relevant  only these metrics
  sweep table out/table2 --layout cells    one row per cell, without the paper`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
	}
	metrics := cmd.Flags().StringSliceP("metric", "m", nil, "only these `METRICS` (default: all)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	layout := choiceFlag(cmd, "layout", "print in this `LAYOUT`", analysis.Layouts()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		view, err := prog.read(cmd, args[0])
		if err != nil {
			return err
		}
		set, err := view.Summary()
		if err != nil {
			return err
		}
		chosen, err := chosenMetrics(set.Experiment, *metrics)
		if err != nil {
			return err
		}
		return writeTable(cmd.OutOrStdout(), *format, set, *layout, chosen)
	}
	return cmd
}

// printTable prints the table of a sweep.
func printTable(w io.Writer, view *results.Reader) error {
	set, err := view.Summary()
	if err != nil {
		return err
	}
	return writeTable(w, report.Text, set, analysis.Auto, nil)
}

// rowLimit returns how many rows of a table people get: on a terminal so
// many, in files all (0).
func rowLimit(w io.Writer) int {
	if isTerminal(w) {
		return 200
	}
	return 0
}

// writeTable writes a summary, and cuts it if it is long and w a terminal.
func writeTable(w io.Writer, format report.Format, s *results.Summary, layout analysis.Layout, metrics []int) error {
	t, err := analysis.NewTable(s, layout, metrics, rowLimit(w))
	if err != nil {
		return err
	}
	return t.Write(w, format)
}
