package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/internal/lists"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/internal/suggest"
	"sweep/plots"
	"sweep/results"
	"sweep/runner"
)

// This file has the commands that read directories of sweeps and change nothing
// there.

// read opens directories of sweeps for reading, and warns of what is corrupt
// there.
func (p *Program) read(cmd *cobra.Command, dirs []string) (views []*results.Reader, err error) {
	for _, dir := range dirs {
		view, err := results.OpenReader(dir, p.Experiments)
		if err != nil {
			return nil, err
		}
		sayEach(cmd.ErrOrStderr(), "warning", view.Damage)
		views = append(views, view)
	}
	return views, nil
}

// reading defines a command that prints something of the metrics of a sweep.
func (p *Program) reading(cmd *cobra.Command, do func(view *results.Reader, metrics []int, format string) error) {
	names := metricsFlag(cmd)
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		views, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		metrics, err := choose("metric", *names, views[0].Plan.Experiment().MetricNames())
		if err != nil {
			return err
		}
		return do(views[0], metrics, *format)
	}
}

// table defines "sweep table".
func (p *Program) table(cmd *cobra.Command) {
	layout := choiceFlag(cmd, "layout", "print in this `LAYOUT`", analysis.Layouts()...)
	p.reading(cmd, func(view *results.Reader, metrics []int, format string) error {
		return printTable(cmd.OutOrStdout(), view, metrics, *layout, format)
	})
}

// printTable prints the table of a sweep.
func printTable(w io.Writer, view *results.Reader, metrics []int, layout string, format string) error {
	summary, err := view.Summary()
	if err != nil {
		return err
	}
	t, err := analysis.NewTable(summary, layout, metrics, rowLimit(w))
	if err != nil {
		return err
	}
	return t.Write(w, format)
}

// rowLimit returns how many rows of a table people get: on a terminal so
// many, in files all (0).
func rowLimit(w io.Writer) int {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return 200
	}
	return 0
}

// compare defines "sweep compare".
func (p *Program) compare(cmd *cobra.Command) {
	f := cmd.Flags()
	by := f.String("by", experiment.Algorithm, "the `PARAMETER` whose values are compared")
	baseline := f.String("baseline", "", "the `VALUE` to compare with (required)")
	over := f.StringSlice("over", nil, "average over the values of these `PARAMETERS`")
	p.reading(cmd, func(view *results.Reader, metrics []int, format string) error {
		e := view.Plan.Experiment()
		params, err := choose("parameter", append([]string{*by}, *over...), e.ParamNames())
		if err != nil {
			return err
		}
		param := &e.Params[params[0]]
		base, err := param.Parse(*baseline)
		if err != nil {
			return usage(suggest.Hint(*baseline, param.Choices), "--baseline: %v", err)
		}
		tables, err := analysis.Compare(view, analysis.Question{By: params[0], Baseline: base, Metrics: metrics, Over: params[1:]}, format)
		if err != nil {
			return err
		}
		return report.Write(cmd.OutOrStdout(), format, tables...)
	})
}

// sensitivity defines "sweep sensitivity".
func (p *Program) sensitivity(cmd *cobra.Command) {
	p.reading(cmd, func(view *results.Reader, metrics []int, format string) error {
		t, err := analysis.Sensitivity(view, metrics)
		if errors.Is(err, analysis.ErrNoBlocks) {
			return usage(`"sweep plot" draws how a full grid depends on its parameters`, "%v", err)
		} else if err != nil {
			return err
		}
		return report.Write(cmd.OutOrStdout(), format, t)
	})
}

// collect defines "sweep collect".
func (p *Program) collect(cmd *cobra.Command) {
	file := cmd.Flags().StringP("output", "o", "", "write the `FILE`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *file == "" {
			return usage("for example -o all.parquet", "--output is missing: the file to write")
		}
		sweeps, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		found := int64(0)
		for i, view := range sweeps {
			if missing := view.Missing(); missing > 0 {
				say(cmd.ErrOrStderr(), "warning: %s: %s missing", args[i], report.Count(missing, "run"))
			}
			found += view.OK() + view.Failed()
		}
		runs, err := results.Collect(*file, sweeps)
		if err != nil {
			return err
		}
		say(cmd.ErrOrStderr(), "%s: %s of %s; %d were in several", *file, report.Count(runs, "run"), report.Count(int64(len(sweeps)), "sweep"), found-runs)
		return nil
	}
}

// plot defines "sweep plot".
func (p *Program) plot(cmd *cobra.Command) {
	f := cmd.Flags()
	var dir string // empty: DIR/figures
	outputFlag(cmd, &dir, "write into `DIR` (default the sweep's DIR/figures)")
	names := f.StringSlice("figure", nil, "draw only these `FIGURES`")
	onlyList := f.Bool("list", false, "list the figures instead of drawing them")
	metrics := metricsFlag(cmd) // or columns of the series
	over := f.StringSlice("over", nil, "take means over the values of these `AXES`, with limits over them, such as world_seed")
	format := choiceFlag(cmd, "format", "write them as `FORMAT`", plots.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		views, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		view := views[0]
		if view.OK() == 0 {
			return &results.DataError{Path: args[0], Message: "no run has succeeded yet"}
		}
		if runs := view.Assigned(); view.OK() < runs {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d runs are shown: %d failed, %d are missing\n",
				view.OK(), runs, view.Failed(), view.Missing())
		}
		e := view.Plan.Experiment()
		_, metricErr := choose("metric", *metrics, slices.Concat(e.MetricNames(), e.ColumnNames()))
		_, axisErr := choose("axis", *over, axisNames(view.Plan))
		if err := cmp.Or(metricErr, axisErr); err != nil {
			return err
		}
		data, err := plots.Read(view, *metrics, *over)
		if err != nil {
			return err
		}
		figures := data.Figures()
		if *onlyList {
			list := &report.Table{Columns: report.Texts("name", "figure")}
			for _, f := range figures {
				what := f.Title
				if f.Why != "" {
					what = "not for these results: " + f.Why
				}
				list.Rows = append(list.Rows, []any{f.Name, what})
			}
			return report.Write(cmd.OutOrStdout(), report.Text, list)
		}
		chosen, err := choose("figure", *names, lists.Map(figures, func(f plots.Figure) string { return f.Name }))
		if err != nil {
			return err
		}
		drawn := 0
		for _, i := range chosen {
			f := figures[i]
			if f.Why != "" && *names != nil {
				return usage("--list shows what does", "%s does not fit these results: %s", f.Name, f.Why)
			} else if f.Why != "" {
				continue
			}
			drawn++
			for _, page := range f.Pages() {
				path := filepath.Join(cmp.Or(dir, filepath.Join(args[0], "figures")), page.Name+"."+*format)
				if err := drawPage(path, *format, &page); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
					return err
				}
			}
		}
		if drawn == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no figure fits these results; --list says why")
		}
		return nil
	}
}

// drawPage writes a page of a figure.
func drawPage(path, format string, p *plots.Page) error {
	var content bytes.Buffer
	if err := p.Write(&content, format); err != nil {
		return err
	}
	return replaceFile(path, content.Bytes(), 0o666)
}

// diff defines "sweep diff".
func (p *Program) diff(cmd *cobra.Command) {
	var sample func(n int64) int64
	var workers int
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Text, report.JSON)
	f := cmd.Flags()
	f.Func("rerun", "execute `N or P%` of the runs of one DIR again", share(&sample))
	workersFlag(cmd, &workers)
	quiet := f.Bool("quiet", false, "with --rerun: print nothing if all is well")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if (sample != nil) == (len(args) == 2) {
			return usage(helpHint(cmd), "want two directories, or one and --rerun")
		}
		views, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		if sample != nil {
			runs := min(sample(views[0].OK()), views[0].OK())
			return executeAgain(cmd, args[0], views[0], runs, workers, *quiet, *format)
		}
		d, err := analysis.NewDiff(views[0], views[1], [2]string(args))
		if err != nil {
			return err
		}
		if err := d.Write(cmd.OutOrStdout(), *format); err != nil || d.Same() {
			return err
		}
		return &failure{code: exitFailedRuns, message: fmt.Sprintf("%s and %s differ", args[0], args[1])}
	}
}

// executeAgain executes a sample of runs, while it shows progress and heeds
// signals, and compares what they yield with what is stored, bit for bit.
func executeAgain(cmd *cobra.Command, dir string, view *results.Reader, sample int64, workers int, quiet bool, format string) error {
	if err := view.Spec.ReadInputs(); err != nil {
		return err
	}
	m := progress.NewMeter(cmd.ErrOrStderr(), quiet)
	state, began := progress.State{Runs: sample, Todo: sample}, time.Now()
	ctx, stop := interruptible(cmd.Context(), func(syscall.Signal) {
		m.Note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	d := &analysis.Diff{Dirs: [2]string{dir, "new runs"}}
	err := runner.Rerun(ctx, view, workers, sample, func(stored, now *results.Row) {
		state.Done++
		if !d.Compare(view.Plan, stored, now) {
			state.Failed++
		}
		state.Elapsed = time.Since(began)
		m.Show(state)
	})
	m.End(state)
	switch w := cmd.OutOrStdout(); {
	case d.Differing > 0:
		return errors.Join(err, d.Write(w, format), &failure{code: exitData, message: "not what is stored: " + report.Count(int64(d.Differing), "run")})
	case err == nil && !quiet:
		_, err = fmt.Fprintf(w, "%s: %d of %d runs executed again, all the same bit for bit\n", dir, d.Identical, view.OK())
	}
	return err
}
