package cli

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/plots"
	"sweep/report"
)

// report defines "sweep report".
func (p *Program) report(cmd *cobra.Command) {
	const outUsage = "write into `FILE` (default report.html, or report.md)"
	c := newClaimsRun(cmd, "report on every sweep that comes with the program")
	var out string
	cmd.Flags().StringVarP(&out, "output", "o", "", outUsage)
	format := choiceFlag(cmd, "format", "write it as `FORMAT`", "html", "markdown")
	cmd.RunE = func(_ *cobra.Command, dirs []string) (err error) {
		defer tuneCollector(whileReading)()
		if len(dirs) == 0 && !c.all {
			return usage(helpHint(cmd), "want a DIR, or --all")
		}
		if err := refuseResult("--output", out); err != nil {
			return err
		}
		var untested []grid.Claim
		if c.all {
			if len(dirs) > 1 {
				return usage(helpHint(cmd), "--all wants one DIR at most")
			}
			dirs, untested, err = p.runAllMissing(c, strings.Join(dirs, ""))
			if err != nil {
				return err
			}
		}
		sweeps, err := p.readSweeps(cmd, dirs)
		if err != nil {
			return err
		}
		var page bytes.Buffer
		others := analysis.ListClaims("", untested)
		if *format == "html" {
			if out == "" {
				out = "report.html"
			}
			err = report.HTML(&page, about(p.Name), false, sweeps, others)
		} else {
			if out == "" {
				out = "report.md"
			}
			title := "Report"
			command := p.Name + " report " + strings.Join(dirs, " ") + " --format markdown"
			if c.all {
				title = "Reproduction"
				command = p.Name + " report --all --format markdown"
			}
			err = report.Markdown(&page, title, command, sweeps, others, drawBeside(out))
		}
		if err != nil {
			return err
		}
		if err := replaceFile(out, page.Bytes(), 0o666); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), out); err != nil {
			return err
		}
		return c.left
	}
}

// readSweeps reads what a report says about the sweeps in directories.
func (p *Program) readSweeps(cmd *cobra.Command, dirs []string) ([]*report.Sweep, error) {
	readers, err := p.openAll(cmd, dirs)
	if err != nil {
		return nil, err
	}
	var sweeps []*report.Sweep
	for _, reader := range readers {
		sweep, err := report.Read(reader)
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, sweep)
	}
	return sweeps, nil
}

// drawBeside returns a function that draws figures into a directory beside a
// report: report.md has its figures in report. It returns their paths as links
// of the report. Figures whose names would be the same are numbered.
func drawBeside(out string) func(*report.Sweep, *plots.Page) (string, error) {
	dir := strings.TrimSuffix(out, filepath.Ext(out))
	drawn := map[string]bool{}
	return func(s *report.Sweep, p *plots.Page) (string, error) {
		// An underscore would mean something in Markdown.
		wanted := strings.ReplaceAll(s.Name+"-"+p.Name, "_", "-")
		name := wanted
		for n := 2; drawn[strings.ToLower(name)]; n++ { // some file systems ignore case
			name = fmt.Sprintf("%s-%d", wanted, n)
		}
		drawn[strings.ToLower(name)] = true
		name += ".svg"
		link := url.PathEscape(filepath.Base(dir)) + "/" + url.PathEscape(name)
		return link, drawPage(filepath.Join(dir, name), plots.SVG, p)
	}
}
