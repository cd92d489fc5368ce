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

// A Report is a page about sweeps.
type Report struct {
	Program  string // that writes it, with its version
	Command  string // by which that is called
	Sweeps   []*Sweep
	Untested []*analysis.Claim // what nothing tests
	Live     bool              // it is served while the sweep runs
}

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

// A table is a report.Table as the page shows it.
type table struct {
	*report.Table
	ID      string
	Axes    int // its first columns, by which it can be filtered; negative: nor can it be sorted
	Columns []report.Column
	Rows    [][]string
	More    int               // rows that are not shown
	Groups  [][]report.Column // nil if none has a name
	Links   []string          // of the rows, to places on the page; may be nil
}

// newTable returns a table of which about so many cells are shown at most
// (0: all).
func newTable(t *report.Table, id string, axes, room int) *table {
	s := &table{Table: t, ID: id, Axes: axes}
	columns, _, _ := t.Shown(1)
	s.Columns, s.Rows, s.More = t.Shown(max(min(room, 1), room/max(1, len(columns))))
	if slices.ContainsFunc(s.Columns, func(c report.Column) bool { return c.Group != "" }) {
		s.Groups = report.Groups(s.Columns)
	}
	return s
}

// HTML writes the report as a page that needs nothing else. Figures of the
// papers come first; those for which there is no room are named. Errors are
// those of w.
func (r *Report) HTML(w io.Writer) error {
	var all []*Figure
	for i, s := range r.Sweeps {
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
	index := newTable(r.index(), "index", 0, 0)
	index.Links = lists.Map(r.Sweeps, func(s *Sweep) string { return s.ID })
	return layout.Execute(w, map[string]any{
		"Report": r, "Style": template.CSS(style + classes), "Script": template.JS(script),
		"Index": index, "Totals": newTable(r.totals(), "totals", -1, 0), "Far": newTable(far(r.Sweeps), "far", -1, 0),
		"Room": tableCells / len(r.Sweeps),
	})
}

// index has a row for each sweep.
func (r *Report) index() *report.Table {
	columns := append(report.Texts("sweep"), report.Column{Name: "runs"}, report.Column{Name: "failed"}, report.Column{Name: "missing"}, report.Column{Name: "computing time"})
	rows := lists.Map(r.Sweeps, func(s *Sweep) []any {
		return count([]any{s.Name, s.Assigned(), s.Failed(), s.Missing(), s.Took}, tested, s.Claims)
	})
	return &report.Table{Title: "sweeps", Columns: append(columns, tested...), Rows: rows}
}

// Markdown writes the report without cells, provenance and whatever else
// depends on the machine. Of the papers' figures it asks write to write those
// to which claims point, and where they are.
func (r *Report) Markdown(w io.Writer, write func(s *Sweep, p *plots.Page) (path string, err error)) error {
	for _, s := range r.Sweeps {
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
	return document.Execute(w, map[string]any{"Report": r, "Totals": r.totals(), "Far": far(r.Sweeps)})
}
