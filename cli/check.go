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
	outputFlag(cmd, &c.output, "run a SPEC into `DIR` (default out/<name of the sweep>)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(_ *cobra.Command, dirs []string) (err error) {
		switch {
		case c.every == (len(dirs) == 1):
			return usage(helpHint(cmd), "want either a DIR or SPEC, or --all")
		case c.every:
			dirs, err = c.all()
		case !isDirectory(dirs[0]) || !isPath(dirs[0]) && slices.Contains(p.sweeps(), dirs[0]):
			var spec *grid.Spec
			if spec, err = p.loadSpec(dirs[0], ""); err == nil {
				dirs[0], err = c.carryOut(spec, c.output)
			}
		case c.output != "":
			return usage(helpHint(cmd), "-o is for what a SPEC runs; a DIR is only read")
		}
		if err != nil {
			return err
		}
		views, err := p.readAll(cmd, dirs)
		if err != nil {
			return err
		}
		var claims []*analysis.Claim
		for _, view := range views {
			if err := claimless(view.Spec); err != nil {
				return err
			}
			judged, err := analysis.Judge(view)
			if err != nil {
				return err
			}
			claims = append(claims, judged...)
		}
		claims = append(claims, analysis.ListClaims("not simulated", c.untested)...)
		if err := report.Write(cmd.OutOrStdout(), *format, analysis.Tables(claims, *format)...); err != nil {
			return err
		}
		failing, undecided := analysis.Count(claims, analysis.Fails), analysis.Count(claims, analysis.Undecided)
		if failing+undecided > 0 {
			return &failure{code: exitFailedRuns, message: fmt.Sprintf("not every claim holds: %d failing, %d undecided", failing, undecided)}
		}
		return c.blemish
	}
}

// claimless refuses a spec that makes no claims.
func claimless(spec *grid.Spec) error {
	if len(spec.Claims) > 0 {
		return nil
	}
	return &results.DataError{Path: spec.File, Message: "the spec makes no claims", Hint: `"sweep check --help" shows one`}
}

// A checker carries out sweeps whose claims are to be judged.
type checker struct {
	*Program
	cmd      *cobra.Command
	every    bool   // sweep that comes with the program
	output   string // as of "sweep run"; of every sweep, the directory of theirs
	workers  int
	quiet    bool
	untested []grid.Claim // by any sweep
	blemish  error        // of runs that came to their end: some failed, or were recomputed
}

// checker defines the flags of what checks claims; all says what --all does.
func (p *Program) checker(cmd *cobra.Command, all string) *checker {
	c := &checker{Program: p, cmd: cmd}
	cmd.Flags().BoolVar(&c.every, "all", false, all)
	workersFlag(cmd, &c.workers)
	cmd.Flags().BoolVar(&c.quiet, "quiet", false, "print no progress")
	return c
}

// carryOut carries a spec out that makes claims, as far as that is left to do, and
// returns its directory.
func (c *checker) carryOut(spec *grid.Spec, dir string) (string, error) {
	if err := claimless(spec); err != nil {
		return "", err
	}
	j := newJob(c.cmd)
	j.dir, j.Workers, j.quiet, j.noTable = dir, c.workers, c.quiet, true
	err := j.run(spec)
	if end, ok := errors.AsType[*failure](err); ok && (end.code == exitFailedRuns || end.code == exitData) {
		c.blemish, err = err, nil // no run is missing
	}
	return j.dir, err
}

// all carries out the sweeps that come with the program and make claims, and
// returns their directories. It reads the claims that none of them tests.
func (c *checker) all() (dirs []string, err error) {
	for _, name := range c.sweeps() {
		spec, err := c.loadSpec(name, "")
		if err != nil {
			return nil, err
		}
		if len(spec.Claims) == 0 {
			continue
		}
		if !c.quiet {
			say(c.cmd.ErrOrStderr(), "%s:", name)
		}
		dir, err := c.carryOut(spec, filepath.Join(cmp.Or(c.output, defaultOutput), name))
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	file, source, err := c.shipped("claims/untested.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return dirs, nil
	} else if err == nil {
		c.untested, err = grid.ParseClaims(file, source)
	}
	return dirs, err
}

// report defines "sweep report".
func (p *Program) report(cmd *cobra.Command) {
	c := p.checker(cmd, "report on every sweep that comes with the program")
	var out string
	cmd.Flags().StringVarP(&out, "output", "o", "", "write into `FILE` (default report.html, or report.md)")
	format := choiceFlag(cmd, "format", "write it as `FORMAT`", "html", "markdown")
	cmd.RunE = func(_ *cobra.Command, dirs []string) (err error) {
		switch {
		case c.every && len(dirs) > 1:
			return usage(helpHint(cmd), "--all wants one DIR at most")
		case c.every:
			c.output = strings.Join(dirs, "")
			if dirs, err = c.all(); err != nil {
				return err
			}
		case len(dirs) == 0:
			return usage(helpHint(cmd), "want a DIR, or --all")
		}
		r := &page.Report{Program: p.about(), Command: p.Name + " report --all --format markdown",
			Untested: analysis.ListClaims("", c.untested)}
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
