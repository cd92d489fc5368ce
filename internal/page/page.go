package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	texts "text/template"

	"sweep/analysis"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/plots"
)

// A page is to have at most 2 MB: so many bytes of figures, and so many cells
// of the tables with a row for each cell of a grid.
const (
	figureBytes = 1_200_000
	tableCells  = 8_000
)

//go:embed page.html page.md
var files embed.FS

//go:embed style.css
var style string

//go:embed script.js
var script string

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"table":  newTable,
	"breaks": breaks,
	"verdict": func(text string) bool {
		return slices.ContainsFunc(kinds, func(k report.Column) bool { return k.Key == text })
	},
}).ParseFS(files, "page.html"))

var document = texts.Must(texts.New("page.md").Funcs(texts.FuncMap{
	"count":  report.Count,
	"escape": report.EscapeMarkdown,
	"plain":  report.Plain,
	"table": func(t *report.Table) (string, error) {
		var b strings.Builder
		t.Title = ""
		err := report.Write(&b, report.Markdown, t)
		return b.String(), err
	},
}).ParseFS(files, "page.md"))

// breaks lets long names be broken after underscores.
func breaks(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "_", "_<wbr>"))
}

// newTable returns what the page shows of a table, of which about so many cells
// at most (0: all): under its id, with so many columns at first by which it can be
// filtered (negative: nor can it be sorted), and with links from its rows to places
// on the page, which may be nil.
func newTable(t *report.Table, id string, axes, room int, links ...string) map[string]any {
	columns, _, _ := t.Shown(1)
	columns, rows, more := t.Shown(max(min(room, 1), room/max(1, len(columns))))
	groups := report.Groups(columns)
	if !slices.ContainsFunc(columns, func(c report.Column) bool { return c.Group != "" }) {
		groups = nil
	}
	return map[string]any{"Table": t, "ID": id, "Axes": axes, "Columns": columns, "Rows": rows, "More": more, "Groups": groups, "Links": links}
}

// HTML writes a report on sweeps as a page that needs nothing else, but for a live
// one, which is served while the sweep runs. It names the program that writes it,
// and the claims that no sweep tests. Figures of the papers come first; those for
// which there is no room are named. Errors are those of w.
func HTML(w io.Writer, program string, live bool, sweeps []*Sweep, untested []*analysis.Claim) error {
	var all []*Figure
	for i, s := range sweeps {
		s.ID = fmt.Sprintf("s%d", i+1)
		for k, f := range s.Figures {
			f.ID = fmt.Sprintf("%s-figure%d", s.ID, k+1)
		}
		all = append(all, s.Figures...)
	}
	slices.SortStableFunc(all, func(a, b *Figure) int { return a.rank() - b.rank() })
	classes, err := draw(all)
	if err != nil {
		return err
	}
	links := lists.Map(sweeps, func(s *Sweep) string { return s.ID })
	return layout.Execute(w, map[string]any{
		"Program": program, "Live": live, "Sweeps": sweeps, "Untested": untested,
		"Style": template.CSS(style + classes), "Script": template.JS(script),
		"Index":  newTable(index(sweeps), "index", 0, 0, links...),
		"Totals": newTable(totals(sweeps, untested), "totals", -1, 0), "Far": newTable(far(sweeps), "far", -1, 0),
		"Room": tableCells / len(sweeps),
	})
}

// index has a row for each sweep.
func index(sweeps []*Sweep) *report.Table {
	columns := append(report.Texts("sweep"), report.Column{Name: "runs"}, report.Column{Name: "failed"}, report.Column{Name: "missing"}, report.Column{Name: "computing time"})
	rows := lists.Map(sweeps, func(s *Sweep) []any {
		return count([]any{s.Name, s.Assigned(), s.Failed(), s.Missing(), s.Took}, tested, s.Claims)
	})
	return &report.Table{Title: "sweeps", Columns: append(columns, tested...), Rows: rows}
}

// Markdown writes a report on sweeps and on the claims that none tests, without
// cells, provenance and whatever else depends on the machine. It names the command
// by which that is written. Of the papers' figures it asks write to write those to
// which claims point, and where they are.
func Markdown(w io.Writer, command string, sweeps []*Sweep, untested []*analysis.Claim,
	write func(s *Sweep, p *plots.Page) (path string, err error)) error {
	for _, s := range sweeps {
		for _, f := range s.Figures {
			if f.Source == "" || !slices.ContainsFunc(s.Claims, func(c *Claim) bool { return c.Figure == f }) {
				continue
			}
			for i := range f.Pages {
				path, err := write(s, &f.Pages[i])
				if err != nil {
					return err
				}
				f.Paths = append(f.Paths, path)
			}
		}
	}
	return document.Execute(w, map[string]any{"Command": command, "Sweeps": sweeps, "Untested": untested,
		"Totals": totals(sweeps, untested), "Far": far(sweeps)})
}
