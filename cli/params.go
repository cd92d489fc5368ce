package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/internal/table"
)

// params defines "sweep params".
func (p *Program) params(cmd *cobra.Command) {
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var names, words []string
		if len(args) > 0 {
			names = args[:1]
			words = args[1:]
		}
		chosen, err := choose("experiment", names, p.experimentNames())
		if err != nil {
			return err
		}
		var tables []*table.Table
		for _, i := range chosen {
			l := &listing{experiment: p.Experiments[i], words: words}
			l.addAll()
			if len(words) > 0 && len(l.tables) == 0 {
				return unknown("parameter, metric or group",
					strings.Join(words, " "), l.experiment.ParamNames())
			}
			tables = append(tables, l.head())
			tables = append(tables, l.tables...)
		}
		return table.Write(cmd.OutOrStdout(), *format, tables...)
	}
}

// A listing collects tables of what an experiment declares, each of one kind
// of declaration or of one group of parameters.
//
// In text, everything about a declaration stands together in one column;
// documents have a column for each thing, and programs get the same columns of
// everything.
type listing struct {
	experiment *experiment.Experiment
	words      []string // choose by group or by part of a name; none: all
	tables     []*table.Table
}

// A declaration is what programs are told about one parameter, metric or
// other thing.
type declaration struct {
	what    string // "parameter", "metric", …
	name    string
	symbol  string
	kind    string
	unit    string
	initial any // the default; nil: none
	accepts string
	usedBy  string
	group   string
	meaning string
	source  string
}

// head introduces the experiment.
func (l *listing) head() *table.Table {
	const width = 80 // of a line, in columns
	e := l.experiment
	return &table.Table{
		Title: fmt.Sprintf("%s (model version %d)", e.Name, e.Version),
		Notes: append(table.Wrap(e.Title, width), table.Wrap("source: "+e.Source, width)...),
	}
}

// addAll adds what the experiment declares.
func (l *listing) addAll() {
	for i := range l.experiment.Params {
		l.addParam(&l.experiment.Params[i])
	}
	for _, m := range l.experiment.Metrics {
		l.addMetric("metrics: one number per run", "metric", m)
	}
	for _, m := range l.experiment.Series {
		l.addMetric("series: rows over time per run", "series", m)
	}
	for _, t := range l.experiment.Tables {
		l.add("tables of the papers", declaration{
			what:    "table",
			name:    t.Name,
			meaning: t.Title,
			source:  t.Source,
		}, []table.Cell{
			inFormats(table.People, "name", t.Name),
			inFormats(table.People, "title", withSource(t.Title, t.Source)),
		})
	}
}

func (l *listing) addParam(p *experiment.Param) {
	d := declaration{
		what:    "parameter",
		name:    p.Name,
		symbol:  p.Symbol,
		kind:    p.Kind.String(),
		unit:    p.Unit,
		initial: p.Default,
		accepts: p.Accepts(),
		usedBy:  strings.Join(p.UsedBy, ", "),
		group:   p.Group,
		meaning: p.Meaning,
		source:  p.Source,
	}
	name := p.Name
	if p.Symbol != "" && p.Symbol != p.Name {
		name += " (" + p.Symbol + ")"
	}
	initial := `""`
	if !p.Default.IsNull() {
		initial = strings.TrimSpace(p.Default.String() + " " + p.Unit)
	}
	all := p.Meaning + "; " + d.accepts
	if p.UsedBy != nil {
		all += "; used by " + d.usedBy
	}
	title := "parameters"
	if p.Group != "" {
		title += ": " + p.Group
	}
	l.add(title, d, []table.Cell{
		inFormats(table.People, "name", name),
		inFormats(table.People, "default", initial),
		inFormats(documents, "accepts", d.accepts),
		inFormats(documents, "used by", d.usedBy),
		inFormats(documents, "meaning", p.Meaning),
		inFormats(documents, "source", p.Source),
		inFormats(textOnly, "meaning", withSource(all, p.Source)),
	})
}

func (l *listing) addMetric(title, what string, m experiment.Metric) {
	kind := m.Kind.String()
	d := declaration{
		what:    what,
		name:    m.Name,
		kind:    kind,
		unit:    m.Unit,
		meaning: m.Meaning,
		source:  m.Source,
	}
	if m.Unit != "" {
		kind += ", " + m.Unit
	}
	all := m.Meaning
	if m.Source != "" {
		all = withSource(m.Meaning, m.Source)
	}
	l.add(title, d, []table.Cell{
		inFormats(table.People, "name", m.Name),
		inFormats(table.People, "kind", kind),
		inFormats(documents, "meaning", m.Meaning),
		inFormats(documents, "source", m.Source),
		inFormats(textOnly, "meaning", all),
	})
}

func withSource(text, source string) string { return text + "; source: " + source }

// The formats for people differ in what they have room for.
var (
	textOnly  = []string{table.Text}
	documents = []string{table.Markdown, table.LaTeX}
)

// inFormats returns a cell with text that some formats have.
func inFormats(formats []string, name, text string) table.Cell {
	return table.Cell{Name: name, Left: true, In: formats, Value: text}
}

// add adds a declaration to the table with a title, unless the words leave it
// out. People see the cells.
func (l *listing) add(title string, d declaration, cells []table.Cell) {
	if !l.chosen(d) {
		return
	}
	last := len(l.tables) - 1
	if last < 0 || l.tables[last].Title != title {
		l.tables = append(l.tables, &table.Table{Title: title, Width: 80})
		last++
	}
	l.tables[last].Add(slices.Concat(cells, d.cells(l.experiment.Name)))
}

// cells returns what programs get of a declaration.
func (d *declaration) cells(experiment string) []table.Cell {
	return []table.Cell{
		table.ForPrograms("experiment", experiment),
		table.ForPrograms("what", d.what),
		table.ForPrograms("name", d.name),
		table.ForPrograms("symbol", d.symbol),
		table.ForPrograms("kind", d.kind),
		table.ForPrograms("unit", d.unit),
		table.ForPrograms("default", d.initial),
		table.ForPrograms("accepts", d.accepts),
		table.ForPrograms("used_by", d.usedBy),
		table.ForPrograms("group", d.group),
		table.ForPrograms("meaning", d.meaning),
		table.ForPrograms("source", d.source),
	}
}

// chosen reports whether one of the words is the group of a declaration or a
// part of its name.
func (l *listing) chosen(d declaration) bool {
	for _, word := range l.words {
		if word == d.group || strings.Contains(d.name, word) {
			return true
		}
	}
	return len(l.words) == 0
}
