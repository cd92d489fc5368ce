package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/internal/report"
	"sweep/plots"
	"sweep/results"
)

// newPlot returns "sweep plot".
func newPlot(prog *Program) *cobra.Command {
	var (
		dir     string // empty: DIR/figures
		figures []string
		options plots.Options
	)
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
	outputFlag(cmd, &dir, "write into `DIR` (default the sweep's DIR/figures)")
	f.StringArrayVar(&figures, "figure", nil, "draw only the figure `NAME`; may be repeated")
	onlyList := f.Bool("list", false, "list the figures instead of drawing them")
	f.StringArrayVarP(&options.Metrics, "metric", "m", nil, "draw only the metric or column of the series `NAME`; may be repeated")
	f.StringArrayVar(&options.Over, "over", nil, "take means over the values of the axis `NAME`, with limits over them, such as world_seed; may be repeated")
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
		e := view.Plan.Experiment()
		var columns, axes []string
		for _, m := range slices.Concat(e.Metrics, e.Series.Columns) {
			columns = append(columns, m.Name)
		}
		for _, p := range view.Plan.Varying() {
			axes = append(axes, e.Params[p].Name)
		}
		err = cmp.Or(checkNames(cmd, "metric", options.Metrics, columns), checkNames(cmd, "axis", options.Over, axes))
		if err != nil {
			return err
		}
		data, err := plots.Read(view, options)
		if err != nil {
			return err
		}
		if *onlyList {
			return listFigures(cmd.OutOrStdout(), data.Figures())
		}
		chosen, err := chooseFigures(cmd, figures, data.Figures())
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no figure fits these results; --list says why")
			return nil
		}
		return drawFigures(cmd.OutOrStdout(), cmp.Or(dir, filepath.Join(args[0], "figures")), *format, chosen)
	}
	return cmd
}

// checkNames finds a name that is not known.
func checkNames(cmd *cobra.Command, what string, names, known []string) error {
	slices.Sort(known)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return unknown(what, name, slices.Compact(known), cmd)
		}
	}
	return nil
}

// listFigures prints which figures fit the results, and why others do not.
func listFigures(w io.Writer, figures []plots.Figure) error {
	list := &report.Table{Title: "figures", Columns: []report.Column{{Name: "name", Left: true}, {Name: "title", Left: true}}}
	others := &report.Table{Title: "not for these results", Columns: []report.Column{{Name: "name", Left: true}, {Name: "why", Left: true}}}
	for _, f := range figures {
		if f.Why == "" {
			list.Rows = append(list.Rows, []any{f.Name, f.Title})
		} else {
			others.Rows = append(others.Rows, []any{f.Name, f.Why})
		}
	}
	tables := slices.DeleteFunc([]*report.Table{list, others}, func(t *report.Table) bool { return t.Rows == nil })
	return report.Write(w, report.Text, tables...)
}

// chooseFigures returns the figures of the given names, or all that fit.
func chooseFigures(cmd *cobra.Command, names []string, figures []plots.Figure) (chosen []plots.Figure, err error) {
	var known []string
	for _, f := range figures {
		known = append(known, f.Name)
		switch asked := slices.Contains(names, f.Name); {
		case asked && f.Why != "":
			return nil, usage("--list shows what does", "%s does not fit these results: %s", f.Name, f.Why)
		case asked || len(names) == 0 && f.Why == "":
			chosen = append(chosen, f)
		}
	}
	return chosen, checkNames(cmd, "figure", names, known)
}

// drawFigures writes figures into a directory, each of them whole or not at
// all, and prints their paths.
func drawFigures(w io.Writer, dir string, format plots.Format, figures []plots.Figure) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range figures {
		for _, p := range f.Pages() {
			var content bytes.Buffer
			if err := p.Write(&content, format); err != nil {
				return err
			}
			path := filepath.Join(dir, p.Name+"."+string(format))
			if err := maybe.WriteFile(path, content.Bytes(), 0o666); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, path); err != nil {
				return err
			}
		}
	}
	return nil
}
