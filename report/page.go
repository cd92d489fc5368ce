package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
	texts "github.com/DataDog/datadog-agent/pkg/template/text"

	"sweep/analysis"
	"sweep/internal/table"
	"sweep/plots"
)

// A page is to have at most 2 MB. These are the shares of its two large parts.
const (
	maxFigureBytes = 1_200_000
	maxTableCells  = 8_000 // of the tables with a row for each cell of a grid
)

//go:embed page.html page.md
var files embed.FS

//go:embed style.css
var style string

//go:embed script.js
var script string

// layout and document are parsed when the first page is written: every command
// would wait for them otherwise. They are templates as in the standard library,
// so that layout escapes each value as its place demands, be it text, an
// attribute or an address. But they can call functions only, no methods:
// package archtest says why.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.html").Funcs(template.FuncMap{
		"about":         (*Sweep).About,
		"assigned":      (*Sweep).Assigned,
		"breaks":        breaks,
		"digest":        (*Sweep).Digest,
		"failed":        (*Sweep).Failed,
		"heading":       heading,
		"ok":            (*Sweep).OK,
		"peakMemory":    (*Sweep).PeakMemory,
		"processorTime": (*Sweep).ProcessorTime,
		"table":         newTable,
		"tallies":       (*Sweep).Tallies,
		"verdict":       isVerdict,
	}).ParseFS(files, "page.html"))
})

var document = sync.OnceValue(func() *texts.Template {
	return texts.Must(texts.New("page.md").Funcs(texts.FuncMap{
		"about":   (*Sweep).About,
		"count":   table.Count,
		"escape":  table.EscapeMarkdown,
		"heading": heading,
		"ok":      (*Sweep).OK,
		"table":   markdownTable,
	}).ParseFS(files, "page.md"))
})

func heading(s *Sweep) string { return s.Spec.Heading() }

// breaks lets long names be broken after underscores.
func breaks(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "_", "_<wbr>"))
}

func isVerdict(text string) bool {
	for _, k := range kinds {
		if k.Key == text {
			return true
		}
	}
	return false
}

// markdownTable writes a table without its title.
func markdownTable(t *table.Table) (string, error) {
	untitled := *t
	untitled.Title = ""
	var b strings.Builder
	err := table.Write(&b, table.Markdown, &untitled)
	return b.String(), err
}

// A pageTable is a table as the page shows it.
type pageTable struct {
	*table.Table
	ID      string
	Axes    int // number of leading columns that filter it; negative: it cannot be sorted either
	Columns []table.Cell
	Groups  [][]table.Cell // nil if no column has one
	Rows    [][]string
	More    int      // rows that are not shown
	Links   []string // of the rows, to ids on the page; or nil
}

// newTable returns a table as the page shows it. It has about room cells at
// most (0: all).
func newTable(t *table.Table, id string, axes, room int) *pageTable {
	p := &pageTable{Table: t, ID: id, Axes: axes}
	columns, _, _ := t.Shown(1)
	limit := max(min(room, 1), room/max(1, len(columns)))
	p.Columns, p.Rows, p.More = t.Shown(limit)
	for _, c := range p.Columns {
		if c.Group != "" {
			p.Groups = table.Groups(p.Columns)
		}
	}
	return p
}

// HTML writes a report on sweeps as a page that needs nothing else, except that
// a live page is served while the sweep runs. It names the program that writes
// it, and the claims that no sweep tests. The papers' figures come first; the
// page names the figures for which there is no room. Errors are those of w.
func HTML(
	w io.Writer, program string, live bool, sweeps []*Sweep, untested []*analysis.Claim) error {
	var figures []*Figure
	overview := newTable(index(sweeps), "index", 0, 0)
	for i, s := range sweeps {
		s.ID = fmt.Sprintf("s%d", i+1)
		for k, f := range s.Figures {
			f.ID = fmt.Sprintf("%s-figure%d", s.ID, k+1)
		}
		figures = append(figures, s.Figures...)
		overview.Links = append(overview.Links, s.ID)
	}
	slices.SortStableFunc(figures, byRank)
	styles, err := draw(figures)
	if err != nil {
		return err
	}
	return layout().Execute(w, map[string]any{
		"Program":  program,
		"Live":     live,
		"Sweeps":   sweeps,
		"Untested": untested,
		"Style":    template.CSS(style + styles.String()),
		"Script":   template.JS(script),
		"Hash":     hashOf(script), // the browser executes no other script
		"Index":    overview,
		"Totals":   newTable(totals(sweeps, untested), "totals", -1, 0),
		"Far":      newTable(far(sweeps), "far", -1, 0),
		"Room":     maxTableCells / len(sweeps),
	})
}

// hashOf returns how a Content-Security-Policy names a script.
func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Markdown writes a report on sweeps and on the claims that none tests. It has
// nothing that depends on the machine, no cells, and no provenance. It has a
// title, and names the command that writes it. It calls write for the figures
// of the specs and the papers' figures that claims refer to; write returns
// links to them.
func Markdown(w io.Writer, title, command string, sweeps []*Sweep, untested []*analysis.Claim,
	write func(s *Sweep, p *plots.Page) (path string, err error)) error {
	for _, s := range sweeps {
		for _, f := range s.Figures {
			shownByClaims := f.Source != "" && s.refersTo(f)
			if !f.OfSpec && !shownByClaims {
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
	return document().Execute(w, map[string]any{
		"Title":    title,
		"Command":  command,
		"Sweeps":   sweeps,
		"Untested": untested,
		"Totals":   totals(sweeps, untested),
		"Far":      far(sweeps),
		"Prices":   prices(sweeps),
	})
}

// refersTo reports whether a claim refers to a figure.
func (s *Sweep) refersTo(f *Figure) bool {
	for _, c := range s.Claims {
		if c.Figure == f {
			return true
		}
	}
	return false
}
