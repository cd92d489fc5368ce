package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"sweep/internal/report"
	"sweep/plots"
	"sweep/results"
)

// plotFlags are the flags of "sweep plot".
type plotFlags struct {
	dir     string // empty: DIR/figures
	figures []string
	list    bool
	options plots.Options
}

// newPlot returns "sweep plot".
func newPlot(prog *Program) *cobra.Command {
	var flags plotFlags
	cmd := &cobra.Command{
		Use:   "plot DIR",
		Short: "Draw the figures of a sweep",
		Long: `Draw the results in DIR, of a finished or an interrupted sweep, and print the
paths of the figures. What is drawn follows from what the sweep varies, and from
the papers that the results are for; a figure of many panels has several
numbered pages. Figures are 8.5 or 17.5 cm wide, for a column or a page.`,
		Example: `  sweep plot out/table2                             all into out/table2/figures
  sweep plot out/table2 --list                      which figures fit
  sweep plot out/table2 --figure figure2            one of them
  sweep plot out/beta -m relevant -m freshness      of two metrics
  sweep plot out/worlds --over world_seed           means over worlds
  sweep plot out/table2 --format pdf -o paper/fig`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
	}
	f := cmd.Flags()
	outputFlag(cmd, &flags.dir, "write into `DIR` (default the sweep's DIR/figures)")
	f.StringArrayVar(&flags.figures, "figure", nil, "draw only the figure `NAME`; may be repeated")
	f.BoolVar(&flags.list, "list", false, "list the figures instead of drawing them")
	f.StringArrayVarP(&flags.options.Metrics, "metric", "m", nil, "draw only the metric or column of the series `NAME`; may be repeated")
	f.StringArrayVar(&flags.options.Over, "over", nil, "take means over the values of the axis `NAME`, with limits over them, such as world_seed; may be repeated")
	format := choiceFlag(cmd, "format", "write them as `FORMAT`", plots.Formats()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		view, err := prog.read(cmd, args[0])
		if err != nil {
			return err
		}
		if view.OK() == 0 {
			return &results.DataError{Path: args[0], Message: "no run has succeeded yet"}
		}
		if runs := view.Assigned(); view.OK() < runs {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d runs are shown: %d failed, %d are missing\n",
				view.OK(), runs, view.Failed(), view.Missing())
		}
		data, err := plots.Read(view, flags.options)
		if unknownName := (*plots.UnknownError)(nil); errors.As(err, &unknownName) {
			return unknown(unknownName.What, unknownName.Name, unknownName.Known, cmd)
		}
		if err != nil {
			return err
		}
		fit, missing := data.Figures()
		if flags.list {
			return listFigures(cmd.OutOrStdout(), fit, missing)
		}
		chosen, err := chooseFigures(cmd, flags.figures, fit, missing)
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no figure fits these results; --list says why")
			return nil
		}
		dir := flags.dir
		if dir == "" {
			dir = filepath.Join(args[0], "figures")
		}
		return drawFigures(cmd.OutOrStdout(), dir, *format, chosen)
	}
	return cmd
}

// listFigures prints which figures fit the results, and why others do not.
func listFigures(w io.Writer, fit []plots.Figure, missing []plots.Missing) error {
	list := &report.Table{Title: "figures",
		Columns: []report.Column{{Name: "name", Left: true}, {Name: "title", Left: true}}}
	for _, f := range fit {
		list.Rows = append(list.Rows, []any{f.Name, f.Title})
	}
	others := &report.Table{Title: "not for these results",
		Columns: []report.Column{{Name: "name", Left: true}, {Name: "why", Left: true}}}
	for _, m := range missing {
		others.Rows = append(others.Rows, []any{m.Name, m.Why})
	}
	tables := slices.DeleteFunc([]*report.Table{list, others}, func(t *report.Table) bool { return t.Rows == nil })
	return report.Write(w, report.Text, tables...)
}

// chooseFigures returns the figures of the given names, or all. The name of
// one that has several pages stands for all of them.
func chooseFigures(cmd *cobra.Command, names []string, fit []plots.Figure, missing []plots.Missing) ([]plots.Figure, error) {
	if len(names) == 0 {
		return fit, nil
	}
	var known []string
	for _, f := range fit {
		known = append(known, f.Name)
	}
	var chosen []plots.Figure
	for _, name := range names {
		isNamed := func(n string) bool { return n == name }
		if !slices.Contains(known, name) {
			isNamed = func(n string) bool { return strings.HasPrefix(n, name+"-") }
		}
		before := len(chosen)
		for _, f := range fit {
			if isNamed(f.Name) {
				chosen = append(chosen, f)
			}
		}
		if len(chosen) > before {
			continue
		}
		for _, m := range missing {
			if m.Name == name {
				return nil, usage("--list shows what does", "%s does not fit these results: %s", name, m.Why)
			}
		}
		return nil, unknown("figure", name, known, cmd)
	}
	return chosen, nil
}

// drawFigures writes figures into a directory, each of them whole or not at
// all, and prints their paths.
func drawFigures(w io.Writer, dir string, format plots.Format, figures []plots.Figure) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range figures {
		var content bytes.Buffer
		if err := f.Write(&content, format); err != nil {
			return err
		}
		path := filepath.Join(dir, f.Name+"."+string(format))
		if err := renameio.WriteFile(path, content.Bytes(), 0o666); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, path); err != nil {
			return err
		}
	}
	return nil
}
