package cli

import (
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
	p.onMetrics(cmd, func(reader *results.Reader, metrics []int, format string) error {
		return printTable(cmd.OutOrStdout(), reader, metrics, *layout, format)
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

// printTable prints the table of a sweep.
func printTable(w io.Writer, reader *results.Reader, metrics []int, layout, format string) error {
	t, err := tableOf(reader, metrics, layout, maxRows(w))
	if err != nil {
		return err
	}
	return t.Write(w, format)
}

// tableOf lays out the results of a sweep; text shows at most limit rows (0:
// all).
func tableOf(
	reader *results.Reader, metrics []int, layout string, limit int,
) (*analysis.Table, error) {
	summary, err := reader.Summary()
	if err != nil {
		return nil, err
	}
	return analysis.NewTable(summary, layout, metrics, limit)
}

// maxRows returns how many rows of a table are written to w: a few screens to
// a terminal, and all (0) to anything else.
func maxRows(w io.Writer) int {
	file, ok := w.(*os.File)
	if ok && term.IsTerminal(int(file.Fd())) {
		return 200
	}
	return 0
}
