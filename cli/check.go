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
		views, err := p.read(cmd, dirs)
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
		claims = append(claims, analysis.ListClaims("not simulated", untested)...)
		if err := report.Write(cmd.OutOrStdout(), *format, analysis.Tables(claims, *format)...); err != nil {
			return err
		}
		failing, undecided := analysis.Count(claims, analysis.Fails), analysis.Count(claims, analysis.Undecided)
		if failing+undecided > 0 {
			return &failure{code: exitFailedRuns, message: fmt.Sprintf("not every claim holds: %d failing, %d undecided", failing, undecided)}
		}
		return j.err
	}
}

// claimless refuses a spec that makes no claims.
func claimless(spec *grid.Spec) error {
	if len(spec.Claims) > 0 {
		return nil
	}
	return &results.DataError{Path: spec.File, Message: "the spec makes no claims", Hint: `"sweep check --help" shows one`}
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
// of j. Where runs failed or were recomputed, and none is missing, j.err says so:
// with it the command is to end.
func (j *job) complete(spec *grid.Spec, dir string) error {
	if err := claimless(spec); err != nil {
		return err
	}
	one := newJob(j.cmd)
	one.dir, one.Workers, one.quiet, one.noTable = dir, j.Workers, j.quiet, true
	err := one.run(spec)
	if end, ok := errors.AsType[*failure](err); ok && (end.code == exitFailedRuns || end.code == exitData) {
		j.err, err = end, nil
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
	if errors.Is(err, fs.ErrNotExist) {
		return dirs, nil, nil
	}
	if err == nil {
		untested, err = grid.ParseClaims(file, source)
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
		views, err := p.read(cmd, dirs)
		if err != nil {
			return err
		}
		var sweeps []*page.Sweep
		for i, view := range views {
			sweep, err := page.Read(dirs[i], view)
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
			err = page.Markdown(&b, p.Name+" report --all --format markdown", sweeps, others, func(s *page.Sweep, p *plots.Page) (string, error) {
				dir := strings.TrimSuffix(out, filepath.Ext(out))                // of the figures
				name := strings.ReplaceAll(s.Name+"-"+p.Name, "_", "-") + ".svg" // an underscore means something in Markdown
				return filepath.Base(dir) + "/" + name, drawPage(filepath.Join(dir, name), plots.SVG, p)
			})
		}
		if err == nil {
			err = maybe.WriteFile(out, b.Bytes(), 0o666)
		}
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
		}
		return cmp.Or(err, j.err)
	}
}
