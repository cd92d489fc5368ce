package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sweep/analysis"
	"sweep/internal/table"
	"sweep/results"
)

// table defines "sweep table".
func (p *Program) table(cmd *cobra.Command) {
	layout := choiceFlag(cmd, "layout", "print in this `LAYOUT`", analysis.Layouts()...)
	names := overFlag(cmd)
	p.onMetrics(cmd, func(reader *results.Reader, metrics []int, format string) error {
		over, err := meansOver(cmd, *names, reader)
		if err != nil {
			return err
		}
		if reader.Plan.Search != nil && *layout == analysis.Auto {
			return printSearch(cmd.OutOrStdout(), reader, format)
		}
		byCell := *layout == analysis.Cells || *layout == analysis.Limits
		if byCell && !cmd.Flags().Changed("over") {
			over = nil
		}
		summary, err := reader.Summary(over)
		if err != nil {
			return err
		}
		w := cmd.OutOrStdout()
		t, err := analysis.NewTable(summary, *layout, metrics, maxRows(w))
		if err != nil {
			return err
		}
		return t.Write(w, format)
	})
}

// onMetrics makes a command print something about the metrics of the sweep in
// a directory. It defines the flags -m and --format, whose values do gets.
func (p *Program) onMetrics(
	cmd *cobra.Command, do func(reader *results.Reader, metrics []int, format string) error,
) {
	names := metricsFlag(cmd)
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		reader, err := p.open(cmd, args[0])
		if err != nil {
			return err
		}
		metrics, err := choose("metric", *names, reader.Plan.Experiment().MetricNames())
		if err != nil {
			return err
		}
		return do(reader, metrics, *format)
	}
}

// printTable prints the table of a sweep in the layout that suits it. It is cut
// wherever it goes, since nobody reads more in a log or in a mail of cron. That
// of a great many cells, which takes half a kilobyte for each, is not computed.
func printTable(w io.Writer, reader *results.Reader) error {
	if reader.Plan.Search != nil {
		return printSearch(w, reader, table.Text)
	}
	cells := reader.Plan.Cells()
	if cells > manyCells {
		_, err := fmt.Fprintf(w, "%s: %s are too many to print; "+
			"sweep table prints them, summary.parquet has them\n",
			reader.Name, table.Count(cells, "cell"))
		return err
	}
	summary, err := reader.Summary(reader.PaperOver())
	if err != nil {
		return err
	}
	t, err := analysis.NewTable(summary, analysis.Auto, nil, fewScreens)
	if err != nil {
		return err
	}
	return t.Write(w, table.Text)
}

// manyCells is the largest number of cells whose table is printed after a run.
const manyCells = 100_000

// fewScreens is the number of rows of a table that somebody reads.
const fewScreens = 200

// maxRows returns how many rows of a table are written to w: a few screens to
// a terminal, and all (0) to anything else.
func maxRows(w io.Writer) int {
	file, ok := w.(*os.File)
	if ok && term.IsTerminal(int(file.Fd())) {
		return fewScreens
	}
	return 0
}
