package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/internal/page"
	"sweep/plots"
)

// newReport returns "sweep report".
func newReport(prog *Program) *cobra.Command {
	flags := newRunFlags()
	flags.noTable = true
	var out string
	cmd := &cobra.Command{
		Use:   "report DIR… | report --all [DIR]",
		Short: "Write one page about sweeps, to read and to send",
		Long: `Write one page about the sweeps in the DIRs, finished or interrupted: what was
run, tables beside the papers', claims with their verdicts and the figures that
show them, the cells of the grid, to be sorted and filtered, failures, doubts.
HTML is a single file, which needs no network; Markdown has the claims alone,
and the papers' figures in a directory beside it.

With --all it is about every sweep that comes with the program and makes claims,
in DIR/<name> each (default out): what is missing is run, and the claims that
nothing tests are listed.`,
		Example: `  sweep report out/table2                       into report.html
  sweep report out/fig7.5 out/fig7.6 -o thesis.html
  sweep report --all                            every claim of the papers
  sweep report --all --format markdown -o docs/reproduction.md`,
		Args:              cobra.ArbitraryArgs, // judged below
		ValidArgsFunction: completeDirs,
	}
	f := cmd.Flags()
	all := f.Bool("all", false, "report on every sweep that comes with the program")
	f.StringVarP(&out, "output", "o", "", "write into `FILE` (default report.html, or report.md)")
	format := choiceFlag(cmd, "format", "write it as `FORMAT`", "html", "markdown")
	workersFlag(cmd, &flags.workers)
	f.BoolVar(&flags.quiet, "quiet", false, "print no progress")
	cmd.RunE = func(cmd *cobra.Command, dirs []string) error {
		r, c := newPage(prog.Name), checker{cmd: cmd, flags: *flags, prog: prog}
		switch {
		case *all && len(dirs) > 1:
			return usage(helpHint(cmd), "--all wants one DIR at most")
		case *all:
			c.flags.dir = strings.Join(dirs, "")
			if err := c.all(); err != nil {
				return err
			}
			dirs = c.dirs
		case len(dirs) == 0:
			return usage(helpHint(cmd), "want a DIR, or --all")
		}
		for _, check := range c.checks {
			for _, claim := range check.Claims {
				if check.Name == notSimulated {
					r.Untested = append(r.Untested, claim)
				}
			}
		}
		for _, dir := range dirs {
			view, err := prog.read(cmd, dir)
			if err != nil {
				return err
			}
			sweep, err := page.Read(dir, view)
			if err != nil {
				return err
			}
			r.Sweeps = append(r.Sweeps, sweep)
		}
		var b bytes.Buffer
		if *format == "html" {
			out = cmp.Or(out, "report.html")
			if err := r.HTML(&b); err != nil {
				return err
			}
		} else {
			out = cmp.Or(out, "report.md")
			if err := r.Markdown(&b, figuresBeside(out)); err != nil {
				return err
			}
		}
		if err := maybe.WriteFile(out, b.Bytes(), 0o666); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), out); err != nil {
			return err
		}
		return c.blemish
	}
	return cmd
}

// newPage returns a page without sweeps.
func newPage(program string) *page.Report {
	version, revision := thisBuild()
	if revision != "" {
		version += " (" + revision + ")"
	}
	return &page.Report{Program: fmt.Sprintf("%s %s, %s, %s/%s", program, version, runtime.Version(), runtime.GOOS, runtime.GOARCH),
		Command: program + " report --all --format markdown"}
}

// figuresBeside returns a function that writes figures into the directory
// beside a file that is named after it, and returns their paths from there.
func figuresBeside(file string) func(s *page.Sweep, p *plots.Page) (string, error) {
	dir := strings.TrimSuffix(file, filepath.Ext(file))
	return func(s *page.Sweep, p *plots.Page) (string, error) {
		var b bytes.Buffer
		if err := p.Write(&b, plots.SVG); err != nil {
			return "", err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
		name := strings.ReplaceAll(s.Name+"-"+p.Name, "_", "-") + ".svg" // an underscore means something in Markdown
		return filepath.Base(dir) + "/" + name, maybe.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666)
	}
}
