package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/lists"
	"sweep/internal/page"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/internal/suggest"
	"sweep/plots"
	"sweep/results"
	"sweep/runner"
)

// This file has the commands that look at directories of sweeps. Of these, check and
// report also carry sweeps out, and the others change nothing there.

// read opens directories of sweeps for reading, and warns of what is corrupt
// there.
func (p *Program) read(cmd *cobra.Command, dirs []string) (readers []*results.Reader, err error) {
	for _, dir := range dirs {
		reader, err := results.OpenReader(dir, p.Experiments)
		if err != nil {
			return nil, err
		}
		sayEach(cmd.ErrOrStderr(), "warning", reader.Damage)
		readers = append(readers, reader)
	}
	return readers, nil
}

// reading defines a command that prints something of the metrics of a sweep.
func (p *Program) reading(cmd *cobra.Command, do func(reader *results.Reader, metrics []int, format string) error) {
	names := metricsFlag(cmd)
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		readers, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		metrics, err := choose("metric", *names, readers[0].Plan.Experiment().MetricNames())
		if err != nil {
			return err
		}
		return do(readers[0], metrics, *format)
	}
}

// table defines "sweep table".
func (p *Program) table(cmd *cobra.Command) {
	layout := choiceFlag(cmd, "layout", "print in this `LAYOUT`", analysis.Layouts()...)
	p.reading(cmd, func(reader *results.Reader, metrics []int, format string) error {
		return printTable(cmd.OutOrStdout(), reader, metrics, *layout, format)
	})
}

// printTable prints the table of a sweep.
func printTable(w io.Writer, reader *results.Reader, metrics []int, layout string, format string) error {
	t, err := tableOf(reader, metrics, layout, rowLimit(w))
	if err == nil {
		err = t.Write(w, format)
	}
	return err
}

// tableOf lays out what is there of a sweep.
func tableOf(reader *results.Reader, metrics []int, layout string, limit int) (*analysis.Table, error) {
	summary, err := reader.Summary()
	if err != nil {
		return nil, err
	}
	return analysis.NewTable(summary, layout, metrics, limit)
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
	p.reading(cmd, func(reader *results.Reader, metrics []int, format string) error {
		e := reader.Plan.Experiment()
		params, err := choose("parameter", append([]string{*by}, *over...), e.ParamNames())
		if err != nil && !f.Changed("by") {
			return usage("--by names the parameter to compare by", "%v", err)
		} else if err != nil {
			return err
		}
		param := &e.Params[params[0]]
		base, err := param.Parse(*baseline)
		if err != nil {
			return usage(suggest.Hint(*baseline, param.Choices), "--baseline: %v", err)
		}
		question := analysis.Question{By: params[0], Baseline: base, Metrics: metrics, Over: params[1:]}
		tables, err := analysis.Compare(reader, question, format)
		if err != nil {
			return err
		}
		return report.Write(cmd.OutOrStdout(), format, tables...)
	})
}

// sensitivity defines "sweep sensitivity".
func (p *Program) sensitivity(cmd *cobra.Command) {
	p.reading(cmd, func(reader *results.Reader, metrics []int, format string) error {
		t, err := analysis.Sensitivity(reader, metrics)
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
		if filepath.Ext(*file) != ".parquet" || isDirectory(*file) {
			return usage("for example -o all.parquet", "--output is %q, want a file that ends in .parquet", *file)
		}
		sweeps, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		found := int64(0)
		for i, reader := range sweeps {
			if missing := reader.Missing(); missing > 0 {
				say(cmd.ErrOrStderr(), "warning: %s: %s missing", args[i], runs(missing))
			}
			found += reader.OK() + reader.Failed()
		}
		rows, err := results.Collect(*file, sweeps)
		if err != nil {
			return err
		}
		say(cmd.ErrOrStderr(), "%s: %s of %s; %d were in several",
			*file, runs(rows), report.Count(int64(len(sweeps)), "sweep"), found-rows)
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
	over := f.StringSlice("over", nil,
		"take means over the values of these `AXES`, with limits over them, such as world_seed")
	format := choiceFlag(cmd, "format", "write them as `FORMAT`", plots.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		readers, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		reader := readers[0]
		if reader.OK() == 0 {
			return &results.DataError{Path: args[0], Message: "no run has succeeded yet"}
		}
		if runs := reader.Assigned(); reader.OK() < runs {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d runs are shown: %d failed, %d are missing\n",
				reader.OK(), runs, reader.Failed(), reader.Missing())
		}
		e := reader.Plan.Experiment()
		_, metricErr := choose("metric", *metrics, append(e.MetricNames(), e.ColumnNames()...))
		_, axisErr := choose("axis", *over, axisNames(reader.Plan))
		if err := cmp.Or(metricErr, axisErr); err != nil {
			return err
		}
		data, err := plots.Read(reader, *metrics, *over)
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
		nameOf := func(f plots.Figure) string { return f.Name }
		chosen, err := choose("figure", *names, lists.Map(figures, nameOf))
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
		readers, err := p.read(cmd, args)
		if err != nil {
			return err
		}
		if sample != nil {
			runs := min(sample(readers[0].OK()), readers[0].OK())
			return executeAgain(cmd, args[0], readers[0], runs, workers, *quiet, *format)
		}
		d, err := analysis.NewDiff(readers[0], readers[1], [2]string(args))
		if err != nil {
			return err
		}
		if err := d.Write(cmd.OutOrStdout(), *format); err != nil || d.Same() {
			return err
		}
		return failed(exitFailedRuns, "%s and %s differ", args[0], args[1])
	}
}

// executeAgain executes a sample of runs, while it shows progress and heeds
// signals, and compares what they yield with what is stored, bit for bit.
func executeAgain(cmd *cobra.Command, dir string, reader *results.Reader, sample int64, workers int, quiet bool, format string) error {
	if err := reader.Spec.ReadInputs(); err != nil {
		return err
	}
	m := progress.NewMeter(cmd.ErrOrStderr(), quiet)
	state, began := progress.State{Runs: sample, Todo: sample}, time.Now()
	ctx, stop := interruptible(cmd.Context(), func(syscall.Signal) {
		m.Note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	d := &analysis.Diff{Dirs: [2]string{dir, "new runs"}}
	err := runner.Rerun(ctx, reader, workers, sample, func(stored, now *results.Row) {
		state.Done++
		if !d.Compare(reader.Plan, stored, now) {
			state.Failed++
		}
		state.Elapsed = time.Since(began)
		m.Show(state)
	})
	m.End(state)
	switch w := cmd.OutOrStdout(); {
	case d.Differing > 0:
		return errors.Join(err, d.Write(w, format), failed(exitData, "not what is stored: %s", runs(int64(d.Differing))))
	case err == nil && !quiet:
		_, err = fmt.Fprintf(w, "%s: %d of %d runs executed again, all the same bit for bit\n", dir, d.Identical, reader.OK())
	}
	return err
}

// check defines "sweep check".
func (p *Program) check(cmd *cobra.Command) {
	j, every := claimFlags(cmd, "check every sweep that comes with the program, in DIR/<name> each")
	outputFlag(cmd, &j.dir, "run a SPEC into `DIR` (default out/<name of the sweep>)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(_ *cobra.Command, dirs []string) (err error) {
		var untested []grid.Claim
		switch {
		case *every == (len(dirs) == 1):
			return usage(helpHint(cmd), "want either a DIR or SPEC, or --all")
		case *every:
			dirs, untested, err = p.checkAll(j, j.dir)
		case !isDirectory(dirs[0]) || !isPath(dirs[0]) && slices.Contains(p.sweeps(), dirs[0]): // a SPEC
			spec, fault := p.loadSpec(dirs[0], "")
			if fault != nil {
				return fault
			}
			dirs[0] = outputDir(j.dir, spec)
			err = j.complete(spec, dirs[0])
		case j.dir != "":
			return usage(helpHint(cmd), "-o is for what a SPEC runs; a DIR is only read")
		}
		if err != nil {
			return err
		}
		readers, err := p.read(cmd, dirs)
		if err != nil {
			return err
		}
		var claims []*analysis.Claim
		for _, reader := range readers {
			judged, err := analysis.Judge(reader)
			if err = cmp.Or(claimless(reader.Spec), err); err != nil {
				return err
			}
			claims = append(claims, judged...)
		}
		claims = append(claims, analysis.ListClaims("not simulated", untested)...)
		if err := report.Write(cmd.OutOrStdout(), *format, analysis.Tables(claims, *format)...); err != nil {
			return err
		}
		failing := analysis.Count(claims, analysis.Fails)
		if undecided := analysis.Count(claims, analysis.Undecided); failing+undecided > 0 {
			return failed(exitFailedRuns, "not every claim holds: %d failing, %d undecided", failing, undecided)
		}
		return j.left
	}
}

// claimless refuses a spec that makes no claims.
func claimless(spec *grid.Spec) error {
	if len(spec.Claims) > 0 {
		return nil
	}
	const hint = `"sweep check --help" shows one`
	return &results.DataError{Path: spec.File, Message: "the spec makes no claims", Hint: hint}
}

// claimFlags defines the flags of what carries sweeps out to judge their claims:
// options of a job for each, and whether every sweep of the program is meant.
func claimFlags(cmd *cobra.Command, all string) (options *job, every *bool) {
	options = newJob(cmd)
	workersFlag(cmd, &options.Workers)
	cmd.Flags().BoolVar(&options.quiet, "quiet", false, "print no progress")
	return options, cmd.Flags().Bool("all", false, all)
}

// complete carries out what is left of a spec that makes claims, with the options
// of j. Where runs failed or were recomputed, and none is missing, j.left says so:
// with it the command is to end.
func (j *job) complete(spec *grid.Spec, dir string) error {
	if err := claimless(spec); err != nil {
		return err
	}
	one := newJob(j.cmd)
	one.dir, one.Workers, one.quiet, one.noTable = dir, j.Workers, j.quiet, true
	err := one.run(spec)
	if end, ok := errors.AsType[*failure](err); ok && (end.code == exitFailedRuns || end.code == exitData) {
		j.left, err = end, nil
	}
	return err
}

// checkAll completes the sweeps that come with the program and make claims, each
// in a directory in base. It returns also the claims that none of them tests.
func (p *Program) checkAll(j *job, base string) (dirs []string, untested []grid.Claim, err error) {
	for _, name := range p.sweeps() {
		spec, err := p.loadSpec(name, "")
		if err != nil {
			return nil, nil, err
		}
		if len(spec.Claims) == 0 {
			continue
		}
		if !j.quiet {
			say(j.cmd.ErrOrStderr(), "%s:", name)
		}
		dirs = append(dirs, filepath.Join(cmp.Or(base, defaultOutput), name))
		if err := j.complete(spec, dirs[len(dirs)-1]); err != nil {
			return nil, nil, err
		}
	}
	if dirs == nil {
		return nil, nil, usage("", "no sweep that comes with this program makes claims")
	}
	file, source, err := p.shipped("claims/untested.toml")
	if err == nil {
		untested, err = grid.ParseClaims(file, source)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return dirs, untested, err
}

// report defines "sweep report".
func (p *Program) report(cmd *cobra.Command) {
	j, every := claimFlags(cmd, "report on every sweep that comes with the program")
	var out string
	cmd.Flags().StringVarP(&out, "output", "o", "", "write into `FILE` (default report.html, or report.md)")
	format := choiceFlag(cmd, "format", "write it as `FORMAT`", "html", "markdown")
	cmd.RunE = func(_ *cobra.Command, dirs []string) (err error) {
		var untested []grid.Claim
		switch {
		case *every && len(dirs) > 1:
			return usage(helpHint(cmd), "--all wants one DIR at most")
		case *every:
			if dirs, untested, err = p.checkAll(j, strings.Join(dirs, "")); err != nil {
				return err
			}
		case len(dirs) == 0:
			return usage(helpHint(cmd), "want a DIR, or --all")
		}
		readers, err := p.read(cmd, dirs)
		if err != nil {
			return err
		}
		var sweeps []*page.Sweep
		for i, reader := range readers {
			sweep, err := page.Read(dirs[i], reader)
			if err != nil {
				return err
			}
			sweeps = append(sweeps, sweep)
		}
		var b bytes.Buffer
		others := analysis.ListClaims("", untested)
		if *format == "html" {
			out, err = cmp.Or(out, "report.html"), page.HTML(&b, p.about(), false, sweeps, others)
		} else {
			out = cmp.Or(out, "report.md")
			dir := strings.TrimSuffix(out, filepath.Ext(out)) // of the figures
			draw := func(s *page.Sweep, p *plots.Page) (string, error) {
				name := strings.ReplaceAll(s.Name+"-"+p.Name, "_", "-") + ".svg" // "_" means something in Markdown
				return filepath.Base(dir) + "/" + name, drawPage(filepath.Join(dir, name), plots.SVG, p)
			}
			err = page.Markdown(&b, p.Name+" report --all --format markdown", sweeps, others, draw)
		}
		if err == nil {
			err = replaceFile(out, b.Bytes(), 0o666)
		}
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
		}
		return cmp.Or(err, j.left)
	}
}
