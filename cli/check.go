package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/page"
	"sweep/internal/report"
	"sweep/plots"
	"sweep/results"
)

// check defines "sweep check".
func (p *Program) check(cmd *cobra.Command) {
	c := p.checker(cmd, "check every sweep that comes with the program, in DIR/<name> each")
	outputFlag(cmd, &c.flags.dir, "run a SPEC into `DIR` (default out/<name of the sweep>)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		switch {
		case c.every == (len(args) == 1):
			return usage(helpHint(cmd), "want either a DIR or SPEC, or --all")
		case c.every:
			err = c.all()
		case !isDirectory(args[0]) || !isPath(args[0]) && slices.Contains(p.sweeps(), args[0]):
			err = c.spec(args[0], false)
		case c.flags.dir != "":
			return usage(helpHint(cmd), "-o is for what a SPEC runs; a DIR is only read")
		default:
			err = c.dir(args[0])
		}
		if err != nil {
			return err
		}
		if err := report.Write(cmd.OutOrStdout(), *format, analysis.Tables(c.checks, *format)...); err != nil {
			return err
		}
		return c.verdict()
	}
}

// A checker gathers the claims that it judges.
type checker struct {
	cmd      *cobra.Command
	flags    *runFlags
	every    bool // sweep that comes with the program
	prog     *Program
	checks   []*analysis.Check
	dirs     []string          // that were judged
	untested []*analysis.Claim // by any sweep
	blemish  error             // of runs that came to their end: some failed, or were recomputed
}

// checker defines the flags of what checks claims; all says what --all does.
func (p *Program) checker(cmd *cobra.Command, all string) *checker {
	c := &checker{cmd: cmd, flags: newRunFlags(), prog: p}
	c.flags.noTable = true
	cmd.Flags().BoolVar(&c.every, "all", false, all)
	workersFlag(cmd, &c.flags.Workers)
	cmd.Flags().BoolVar(&c.flags.quiet, "quiet", false, "print no progress")
	return c
}

// dir judges the claims of the spec in a directory.
func (c *checker) dir(dir string) error {
	view, err := c.prog.read(c.cmd, dir)
	if err != nil {
		return err
	}
	if len(view.Spec.Claims) == 0 {
		return noClaims(view.Spec)
	}
	check, err := analysis.Judge(view)
	c.checks, c.dirs = append(c.checks, check), append(c.dirs, dir)
	return err
}

func noClaims(spec *grid.Spec) error {
	return &results.DataError{Path: spec.File, Message: "the spec makes no claims", Hint: `"sweep check --help" shows one`}
}

// spec carries a spec out, as far as that is left to do, and judges its
// claims. One of many may have none, and has a directory of its own.
func (c *checker) spec(name string, many bool) error {
	spec, err := c.prog.loadSpec(name, "")
	if err != nil {
		return err
	}
	flags := *c.flags
	flags.dir = outputDir(flags.dir, spec)
	switch {
	case len(spec.Claims) == 0 && many:
		return nil
	case len(spec.Claims) == 0:
		return noClaims(spec)
	case many:
		flags.dir = filepath.Join(cmp.Or(c.flags.dir, defaultOutput), name)
		if !flags.quiet {
			say(c.cmd.ErrOrStderr(), "%s:", name)
		}
	}
	err = runSweep(c.cmd, spec, &flags)
	if end, ok := errors.AsType[*failure](err); ok && (end.code == exitFailedRuns || end.code == exitData) {
		c.blemish = err // no run is missing
	} else if err != nil {
		return err
	}
	return c.dir(flags.dir)
}

// all checks the sweeps that come with the program, and lists the claims
// that none of them tests.
func (c *checker) all() error {
	for _, name := range c.prog.sweeps() {
		if err := c.spec(name, true); err != nil {
			return err
		}
	}
	file, source, err := c.prog.shipped("claims/untested.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	untested, err := grid.ParseClaims(file, source)
	list := analysis.ListClaims("not simulated", untested)
	c.checks, c.untested = append(c.checks, list), list.Claims
	return err
}

// verdict returns an error unless all that was tested holds.
func (c *checker) verdict() error {
	failing, undecided := 0, 0
	for _, check := range c.checks {
		failing += check.Count(analysis.Fails)
		undecided += check.Count(analysis.Undecided)
	}
	if failing+undecided > 0 {
		return &failure{code: exitFailedRuns, message: fmt.Sprintf("not every claim holds: %d failing, %d undecided", failing, undecided)}
	}
	return c.blemish
}

// report defines "sweep report".
func (p *Program) report(cmd *cobra.Command) {
	c := p.checker(cmd, "report on every sweep that comes with the program")
	var out string
	cmd.Flags().StringVarP(&out, "output", "o", "", "write into `FILE` (default report.html, or report.md)")
	format := choiceFlag(cmd, "format", "write it as `FORMAT`", "html", "markdown")
	cmd.RunE = func(_ *cobra.Command, dirs []string) error {
		switch {
		case c.every && len(dirs) > 1:
			return usage(helpHint(cmd), "--all wants one DIR at most")
		case c.every:
			c.flags.dir = strings.Join(dirs, "")
			if err := c.all(); err != nil {
				return err
			}
			dirs = c.dirs
		case len(dirs) == 0:
			return usage(helpHint(cmd), "want a DIR, or --all")
		}
		r := &page.Report{Program: p.about(), Command: p.Name + " report --all --format markdown", Untested: c.untested}
		views, err := p.readAll(cmd, dirs)
		if err != nil {
			return err
		}
		for i, view := range views {
			sweep, err := page.Read(dirs[i], view)
			if err != nil {
				return err
			}
			r.Sweeps = append(r.Sweeps, sweep)
		}
		var b bytes.Buffer
		if *format == "html" {
			out, err = cmp.Or(out, "report.html"), r.HTML(&b)
		} else {
			out = cmp.Or(out, "report.md")
			err = r.Markdown(&b, func(s *page.Sweep, p *plots.Page) (string, error) {
				dir := strings.TrimSuffix(out, filepath.Ext(out))                // of the figures
				name := strings.ReplaceAll(s.Name+"-"+p.Name, "_", "-") + ".svg" // an underscore means something in Markdown
				return filepath.Base(dir) + "/" + name, drawPage(filepath.Join(dir, name), plots.SVG, p)
			})
		}
		if err == nil {
			err = maybe.WriteFile(out, b.Bytes(), 0o666)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), out); err != nil {
			return err
		}
		return c.blemish
	}
}
