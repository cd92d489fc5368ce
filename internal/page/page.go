package page

import (
	"bufio"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"sweep/analysis"
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

//go:embed page.html style.css script.js
var files embed.FS

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"table":   newTable,
	"cells":   cells,
	"breaks":  breaks,
	"verdict": func(text string) bool { return slices.Contains(judged, analysis.Verdict(text)) },
}).ParseFS(files, "page.html"))

// breaks lets long names be broken after underscores.
func breaks(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "_", "_<wbr>"))
}

// A table is a report.Table as the page shows it.
type table struct {
	*report.Table
	ID      string
	Sorted  bool // it can be
	Axes    int  // its first columns, by which it can be filtered
	Columns []report.Column
	Rows    [][]string
	More    int // rows that are not shown
	Groups  []group
	Links   []string // of the rows, to places on the page; may be nil
}

// A group heads neighbouring columns; without a name it is nothing.
type group struct {
	Name string
	Span int
}

// newTable returns a table of which at most so many rows are shown (0: all).
func newTable(t *report.Table, id string, sorted bool, limit int) *table {
	s := &table{Table: t, ID: id, Sorted: sorted}
	s.Columns, s.Rows, s.More = t.Shown(limit)
	for k, c := range s.Columns {
		if k == 0 || c.Group == "" || c.Group != s.Columns[k-1].Group {
			s.Groups = append(s.Groups, group{Name: c.Group})
		}
		s.Groups[len(s.Groups)-1].Span++
	}
	if !slices.ContainsFunc(s.Groups, func(g group) bool { return g.Name != "" }) {
		s.Groups = nil
	}
	return s
}

// cells returns the table with a row for each cell of a sweep, so many
// cells of a table in all.
func cells(s *Sweep, room int) *table {
	columns, _, _ := s.Cells.Shown(1)
	t := newTable(s.Cells, s.ID+"-table", true, max(1, room/len(columns)))
	t.Axes = s.Axes
	return t
}

// HTML writes the report as a page that needs nothing else. Figures of the
// papers come first; those for which there is no room are named. Errors are
// those of w.
func (r *Report) HTML(w io.Writer) error {
	var all []*Figure
	for i, s := range r.Sweeps {
		s.ID = fmt.Sprintf("s%d", i+1)
		for k, c := range s.Claims {
			c.ID = fmt.Sprintf("%s-claim%d", s.ID, k+1)
		}
		for k, f := range s.Figures {
			f.ID = fmt.Sprintf("%s-figure%d", s.ID, k+1)
		}
		all = append(all, s.Figures...)
	}
	slices.SortStableFunc(all, func(a, b *Figure) int { return a.rank() - b.rank() })
	p := &painter{classes: map[string]string{}, room: figureBytes}
	for _, f := range all {
		if err := p.draw(f); err != nil {
			return err
		}
	}
	index := newTable(r.index(), "index", true, 0)
	for _, s := range r.Sweeps {
		index.Links = append(index.Links, s.ID)
	}
	style, script := text("style.css"), text("script.js")
	b := bufio.NewWriter(w)
	err := layout.Execute(b, map[string]any{
		"Report": r, "Style": template.CSS(style + strings.Join(p.styles, "\n")), "Script": template.JS(script),
		"Index": index, "Totals": newTable(r.totals(), "totals", false, 0), "Far": newTable(far(r.Sweeps), "far", false, 0),
		"Rows": tableCells / len(r.Sweeps),
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

func text(file string) string {
	content, err := files.ReadFile(file)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(content)
}

// index has a row for each sweep.
func (r *Report) index() *report.Table {
	t := &report.Table{Title: "sweeps", Columns: []report.Column{{Name: "sweep", Left: true},
		{Name: "runs"}, {Name: "failed"}, {Name: "missing"}, {Name: "computing time"}}}
	t.Columns = append(t.Columns, verdictColumns()...)
	for _, s := range r.Sweeps {
		sum := &tally{}
		for _, c := range s.Claims {
			sum.add(c)
		}
		d := s.Digest
		t.Rows = append(t.Rows, append([]any{s.Name, s.Runs, d.Failed, s.Runs - d.OK - d.Failed, s.Human()}, sum.cells()...))
	}
	return t
}

// Markdown writes the report without cells, provenance and whatever else
// depends on the machine. Of the papers' figures it asks write to write those
// to which claims point, and where they are.
func (r *Report) Markdown(w io.Writer, write func(s *Sweep, p *plots.Page) (path string, err error)) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Reproduction\n\nWritten by `%s`; not to be edited.\n\n", r.Command)
	b.WriteString(strings.TrimSpace(introduction) + "\n\n## Totals\n\n")
	put := func(t *report.Table) { // bufio keeps the first error
		t.Title = ""
		_ = report.Write(b, report.Markdown, t)
	}
	put(r.totals())
	if z := far(r.Sweeps); z.Rows != nil {
		fmt.Fprintf(b, "\n## Held, and more than two of the paper's standard deviations away\n\n")
		put(z)
	}
	for _, s := range r.Sweeps {
		fmt.Fprintf(b, "\n## %s\n\n%s, in %s.\n\n", s.Name, s.Experiment.Title, report.Count(s.Digest.OK, "run"))
		paths := map[*Figure]string{}
		for _, f := range s.Figures {
			if f.Source == "" || !f.Claimed() {
				continue
			}
			for i := range f.Pages {
				path, err := write(s, &f.Pages[i])
				if err != nil {
					return err
				}
				fmt.Fprintf(b, "![%s](%s)\n\n", f.Pages[i].Title, path)
				paths[f] = fmt.Sprintf("[%s](%s)", f.Name, path)
			}
		}
		t := &report.Table{}
		for _, name := range []string{"verdict", "claim", "source", "number", "of", "figure"} {
			t.Columns = append(t.Columns, report.Column{Name: name, Left: true})
		}
		for _, c := range s.Claims {
			verdict, number := string(c.Verdict), c.Number
			if c.Calibrated {
				verdict += ", calibrated"
			}
			if c.Where != "" {
				number += ": " + c.Where
			}
			if c.Paper != "" {
				number += "; paper " + c.Paper
			}
			t.Rows = append(t.Rows, []any{verdict, c.Text, c.Source, number, c.Wanted, paths[c.Figure]})
		}
		put(t)
		for _, d := range s.Doubts {
			fmt.Fprintf(b, "\n> %s\n", report.Plain(d))
		}
	}
	if r.Untested != nil {
		t := &report.Table{}
		for _, name := range []string{"verdict", "claim", "source", "why"} {
			t.Columns = append(t.Columns, report.Column{Name: name, Left: true})
		}
		for _, c := range r.Untested {
			t.Rows = append(t.Rows, []any{string(c.Verdict), c.Text, c.Source, c.Untested})
		}
		b.WriteString("\n## Not tested\n\n")
		put(t)
	}
	return b.Flush()
}

const introduction = `
Each claim stands in the spec of a sweep, with its source, and is judged by the
95 % confidence limits of what was measured: it holds if they lie within what is
wanted, fails if they lie outside, and is undecided if they straddle it. Of several
cases the number is that of the one which comes nearest to the limit, or is
farthest outside. What is calibrated was fitted, and is no prediction: it is
counted apart. z is the distance from the paper's number in units of the standard
deviation that the paper printed.
`
