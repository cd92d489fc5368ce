package cli

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"sweep/internal/table"
	"sweep/plots"
	"sweep/results"
)

// figuresDir is where "sweep plot" draws figures, in a sweep's directory.
const figuresDir = "figures"

// plot defines "sweep plot".
func (p *Program) plot(cmd *cobra.Command) {
	f := cmd.Flags()
	var dir string // empty: DIR/figures
	outputFlag(cmd, &dir, "write into `DIR` (default the sweep's DIR/figures)")
	names := f.StringSlice("figure", nil, "draw only these `FIGURES`")
	onlyList := f.Bool("list", false, "list the figures instead of drawing them")
	metrics := metricsFlag(cmd) // or columns of the series
	over := overFlag(cmd)
	format := choiceFlag(cmd, "format", "write them as `FORMAT`", plots.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		reader, err := p.open(cmd, args[0])
		if err != nil {
			return err
		}
		figures, err := figuresOf(cmd, reader, *metrics, *over)
		if err != nil {
			return err
		}
		if *onlyList {
			return table.Write(cmd.OutOrStdout(), table.Text, listOf(figures))
		}
		if len(*names) == 0 {
			tellUnfit(cmd, figures)
		}
		figures, err = chooseFigures(figures, *names)
		if err != nil {
			return err
		}
		if len(figures) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no figure fits these results; --list says why")
		}
		if dir == "" {
			dir = filepath.Join(reader.Dir, figuresDir)
		}
		for _, figure := range figures {
			if err := drawFigure(cmd, dir, *format, figure); err != nil {
				return err
			}
		}
		return nil
	}
}

// figuresOf returns the figures of a sweep, those that do not fit it included.
// It says how many runs they leave out.
func figuresOf(
	cmd *cobra.Command, reader *results.Reader, metrics, over []string,
) ([]plots.Figure, error) {
	if reader.OK() == 0 {
		return nil, reader.NoRuns()
	}
	if reader.OK() < reader.Assigned() {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d runs are shown: %d failed, %d are missing\n",
			reader.OK(), reader.Assigned(), reader.Failed(), reader.Missing())
	}
	e := reader.Plan.Experiment()
	columns := append(e.MetricNames(), e.ColumnNames()...)
	if _, err := choose("metric", metrics, columns); err != nil {
		return nil, err
	}
	params, err := meansOver(cmd, over, reader)
	if err != nil {
		return nil, err
	}
	data, err := plots.Read(reader, metrics, e.NamesOf(params))
	if err != nil {
		return nil, err
	}
	return data.Figures(), nil
}

// tellUnfit tells which figures of the spec do not fit its results: they were
// asked for.
func tellUnfit(cmd *cobra.Command, figures []plots.Figure) {
	for i := range figures {
		f := &figures[i]
		if f.OfSpec && f.Why != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is not drawn: %s\n", f.Name, f.Why)
		}
	}
}

// listOf lists figures, and says why some do not fit.
func listOf(figures []plots.Figure) *table.Table {
	list := &table.Table{}
	for _, figure := range figures {
		text := figure.Title
		if figure.Why != "" {
			text = "not for these results: " + figure.Why
		}
		list.Add([]table.Cell{table.Left("name", figure.Name), table.Left("figure", text)})
	}
	return list
}

// chooseFigures returns the named figures, all of which must fit the results;
// without names, all that do.
func chooseFigures(figures []plots.Figure, names []string) (chosen []plots.Figure, err error) {
	var known []string
	for _, figure := range figures {
		known = append(known, figure.Name)
	}
	indices, err := choose("figure", names, known)
	if err != nil {
		return nil, err
	}
	for _, i := range indices {
		figure := figures[i]
		if figure.Why == "" {
			chosen = append(chosen, figure)
		} else if len(names) > 0 {
			return nil, usage("--list shows what does",
				"%s does not fit these results: %s", figure.Name, figure.Why)
		}
	}
	return chosen, nil
}

// drawFigure draws the pages of a figure into a directory and prints their
// paths.
func drawFigure(cmd *cobra.Command, dir, format string, figure plots.Figure) error {
	for _, page := range figure.Pages() {
		path := filepath.Join(dir, page.Name+"."+format)
		if err := drawPage(path, format, &page); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
			return err
		}
	}
	return nil
}

// drawPage draws a page of a figure into a file.
func drawPage(path, format string, page *plots.Page) error {
	var content bytes.Buffer
	if err := page.Write(&content, format); err != nil {
		return err
	}
	return replaceFile(path, content.Bytes(), 0o666)
}
