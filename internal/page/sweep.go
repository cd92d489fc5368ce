// Package page writes the results of sweeps for people: as one HTML page that
// needs nothing else, no network and no file, or as Markdown with its figures
// beside it. A sweep that runs can be watched on the same page (live.go).
//
// sweep.go gathers what there is to say of one directory, claims.go what of its
// claims, page.go writes. How the page looks is in page.html and style.css;
// script.js sorts and filters its tables, and brings a page that is watched up
// to date.
package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sweep/analysis"
	"sweep/internal/lists"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/plots"
	"sweep/results"
)

// A Sweep is what a page says of the directory of one sweep.
type Sweep struct {
	*results.Reader
	ID       string // on the page
	Dir      string // as commands name it
	Took     string // how long its runs, together
	Claims   []*Claim
	Warnings []string
	Paper    []*report.Table // the paper's, with our numbers beside; nil if none fits
	Cells    *report.Table   // nil before the first run
	Axes     int             // leading columns of Cells
	Failures *report.Table
	Columns  *report.Table // what they mean
	Commands *report.Table // that ran it
	Figures  []*Figure     // those that fit
}

// A Figure is one of a sweep.
type Figure struct {
	plots.Figure
	ID    string
	Pages []plots.Page
	Drawn []template.HTML // of Pages; nil if there was no room on the page
	Paths []string        // of Pages, if they are files
}

// mostFailures is how many failed runs are listed.
const mostFailures = 50

// Read gathers what there is to say of a directory, of a finished or an
// unfinished sweep. Errors are the reader's.
func Read(dir string, r *results.Reader) (*Sweep, error) {
	s := &Sweep{Reader: r, Dir: dir}
	s.Warnings = lists.Map(r.Damage, func(d *results.DataError) string { return "corrupt: " + d.Error() })
	for _, w := range r.Spec.Warnings {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s:%d: %s", filepath.Base(w.File), w.Line, w.Message))
	}
	for _, read := range []func() error{s.readRuns, s.readCommands, s.readTables, s.readFigures} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	claims, err := analysis.Judge(r)
	if err != nil {
		return nil, err
	}
	s.Claims = lists.Map(claims, s.claim)
	return s, nil
}

// readRuns adds up how long runs took, and lists those that failed.
func (s *Sweep) readRuns() error {
	seconds := 0.0
	s.Failures = &report.Table{Title: "failed runs", Columns: report.Texts("run", "error")}
	for row, err := range s.Runs(false) {
		if err != nil {
			return err
		}
		seconds += row.Seconds
		if row.Status == results.Failed && len(s.Failures.Rows) < mostFailures {
			s.Failures.Rows = append(s.Failures.Rows, []any{s.Plan.Describe(row.Point), row.Error})
		}
	}
	s.Took = progress.Human(time.Duration(seconds * float64(time.Second)))
	if more := s.Failed() - int64(len(s.Failures.Rows)); more > 0 {
		s.Failures.Notes = []string{report.Count(more, "more run") + " failed, see the column error in runs.parquet"}
	}
	return nil
}

// readCommands tells which commands ran the sweep. It leaves out the names of
// machines: pages are sent to others.
func (s *Sweep) readCommands() error {
	manifests, err := results.Manifests(s.Dir)
	s.Commands = &report.Table{Title: "the last command, of each shard", Columns: slices.Concat(report.Texts("shard", "start, UTC"),
		[]report.Column{{Name: "took"}, {Name: "runs"}, {Name: "workers"}, {Name: "processors"}}, report.Texts("program", "Go", "platform"))}
	for _, m := range manifests {
		s.Commands.Rows = append(s.Commands.Rows, []any{cmp.Or(m.Shard, "all"), m.Start.UTC().Format(time.DateTime), progress.Human(m.Updated.Sub(m.Start)),
			m.Executed, m.Workers, m.CPUs, m.ToolVersion, m.GoVersion, m.OS + "/" + m.Arch})
	}
	return err
}

// readTables makes the tables of the results, and of what their columns mean.
func (s *Sweep) readTables() error {
	e := s.Spec.Experiment
	s.Columns = &report.Table{Title: "what the columns mean", Columns: report.Texts("name", "symbol", "unit", "meaning", "source")}
	for _, i := range s.Plan.Varying {
		p := &e.Params[i]
		s.Columns.Rows = append(s.Columns.Rows, []any{p.Name, p.Symbol, p.Unit, p.Meaning, p.Source})
	}
	for _, m := range e.Metrics {
		s.Columns.Rows = append(s.Columns.Rows, []any{m.Name, "", m.Unit, m.Meaning, m.Source})
	}
	if s.OK()+s.Failed() == 0 {
		return nil
	}
	summary, err := s.Summary()
	if err != nil {
		return err
	}
	cells, err := analysis.NewTable(summary, analysis.Limits, nil, 0)
	if err != nil {
		return err
	}
	s.Cells, s.Axes = cells.Tables()[0], len(summary.Axes)
	s.Cells.Title, s.Cells.Warnings, s.Warnings = "each cell of the grid", nil, append(s.Warnings, s.Cells.Warnings...)
	if paper, err := analysis.NewTable(summary, analysis.Paper, nil, 0); err == nil { // else it does not fit
		s.Paper = paper.Tables()
		s.Paper[len(s.Paper)-1].Warnings = nil // the same
	}
	return nil
}

// readFigures lists the figures that fit.
func (s *Sweep) readFigures() error {
	if s.OK() == 0 {
		return nil
	}
	data, err := plots.Read(s.Reader, nil, nil)
	if err != nil {
		return err
	}
	for _, f := range data.Figures() {
		if f.Why == "" {
			s.Figures = append(s.Figures, &Figure{Figure: f, Pages: f.Pages()})
		}
	}
	slices.SortStableFunc(s.Figures, func(a, b *Figure) int { return a.rank() - b.rank() })
	return nil
}

// rank orders figures: those of papers first.
func (f *Figure) rank() int {
	if f.Source != "" {
		return 0
	}
	return 1
}

var (
	svgSpace  = regexp.MustCompile(`\sxmlns(:xlink)?="[^"]*"`)
	svgSize   = regexp.MustCompile(`width="([\d.]+)pt" height="[\d.]+pt"`)
	svgStyle  = regexp.MustCompile(`style="([^"]*)"`)
	svgPath   = regexp.MustCompile(` d="[^"]*"`)
	svgNumber = regexp.MustCompile(`(\d\.\d)\d+`)
)

// draw draws those of the figures for which there is room. It returns the style
// sheet of the classes v0, v1, … that stand in them for the styles that they repeat.
func draw(figures []*Figure) (css string, err error) {
	room, styles := figureBytes, []string(nil)
	class := func(found string) string {
		style := svgStyle.FindStringSubmatch(found)[1]
		i := slices.Index(styles, style)
		if i < 0 {
			i, styles = len(styles), append(styles, style)
			css += fmt.Sprintf(".v%d{%s}\n", i, style)
		}
		return fmt.Sprintf("class=v%d", i)
	}
	for _, f := range figures {
		var drawn []template.HTML
		size := 0
		for i := range f.Pages {
			var b bytes.Buffer
			if err := f.Pages[i].Write(&b, plots.SVG); err != nil {
				return "", err
			}
			text := inline(b.String(), f.Pages[i].Name, fmt.Sprintf("%s-%d", f.ID, i+1), class)
			drawn, size = append(drawn, template.HTML(text)), size+len(text)
		}
		if size <= room {
			f.Drawn, room = drawn, room-size
		}
	}
	return css, nil
}

// inline makes an SVG, which is written as XML and has names in it that another
// on the page may have as well, part of a page: as wide as 1.3 times its width on
// paper, with paths in tenths of a point, and with classes for styles.
func inline(svg, name, id string, class func(style string) string) string {
	head, body, _ := strings.Cut(svg[strings.Index(svg, "<svg"):], "\n<g ")
	head = svgSpace.ReplaceAllString(head, "") // HTML knows
	wide := svgSize.FindStringSubmatch(head)
	head = strings.NewReplacer(`"`+template.HTMLEscapeString(name)+"-", `"`+id+"-", " "+template.HTMLEscapeString(name)+`-desc"`, " "+id+`-desc"`,
		wide[0], fmt.Sprintf(`style="width:calc(%spt*1.3)"`, wide[1])).Replace(head)
	body = svgStyle.ReplaceAllStringFunc(body, class)
	return head + "\n<g " + svgPath.ReplaceAllStringFunc(body, func(d string) string { return svgNumber.ReplaceAllString(d, "$1") })
}
