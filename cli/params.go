package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/internal/report"
)

// newParams returns "sweep params".
func newParams(experiments []*experiment.Experiment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "params [EXPERIMENT [NAME...]]",
		Short: "List what a spec may vary and what a run measures",
		Long: `List the parameters of an experiment (or of all), with default, accepted
values, the algorithms that use them, meaning and source; then its metrics,
its series over time, and the tables of the papers that it knows. A NAME picks
one of these, a group of parameters, or all whose name contains it.`,
		Example: `  sweep params                              all experiments
  sweep params foraging                     one of them
  sweep params foraging alpha beta          two of its parameters
  sweep params foraging fleet               a group of them
  sweep params foraging --format markdown   for a document
  sweep params foraging --format json       for a program`,
		Args:              arguments(0, math.MaxInt),
		ValidArgsFunction: cobra.FixedCompletions(names(experiments), cobra.ShellCompDirectiveNoFileComp),
	}
	format := choiceFlag(cmd, "format", "how to print", "text", "markdown", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		chosen := experiments
		if len(args) > 0 {
			e := find(experiments, args[0])
			if e == nil {
				return unknown("experiment", args[0], names(experiments), cmd)
			}
			chosen = []*experiment.Experiment{e}
		}
		lists := make([]*declarations, len(chosen))
		for i, e := range chosen {
			lists[i] = declared(e)
			if len(args) > 1 && !lists[i].keep(args[1:]) {
				return unknownName("parameter, metric or group", strings.Join(args[1:], " "), e, append(paramNames(e), groups(e)...))
			}
		}
		if format.value == "json" {
			return report.WriteJSON(cmd.OutOrStdout(), lists)
		}
		var tables []*report.Table
		for _, l := range lists {
			tables = append(tables, l.tables()...)
		}
		return report.Write(cmd.OutOrStdout(), report.Format(format.value), tables...)
	}
	return cmd
}

func names(experiments []*experiment.Experiment) []string {
	var n []string
	for _, e := range experiments {
		n = append(n, e.Name)
	}
	return n
}

func find(experiments []*experiment.Experiment, name string) *experiment.Experiment {
	for _, e := range experiments {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// groups returns the names of an experiment's parameter groups, in order
// of first use.
func groups(e *experiment.Experiment) []string {
	var order []string
	seen := map[string]bool{}
	for i := range e.Params {
		if g := e.Params[i].Group; !seen[g] {
			seen[g] = true
			order = append(order, g)
		}
	}
	return order
}

// Declarations are what an experiment declares, as a JSON document. Its
// field names are part of the interface: programs depend on them.
type declarations struct {
	Name       string        `json:"name"`
	Version    int           `json:"version"`
	Title      string        `json:"title"`
	Source     string        `json:"source"`
	Parameters *report.Table `json:"parameters"`
	Metrics    *report.Table `json:"metrics"`
	Series     *report.Table `json:"series"` // the axis first; empty if there is none
	Tables     []string      `json:"tables"`

	papers *report.Table
}

// Columns of the tables below. For a terminal what is said of a parameter
// stands together in one column.
var (
	forData = []report.Format{report.JSON}
	forPage = []report.Format{report.Markdown, report.JSON}
	forTerm = []report.Format{report.Text}

	paramColumns = []report.Column{
		{Name: "name", Left: true}, {Name: "symbol", In: forData}, {Name: "kind", In: forData}, {Name: "unit", In: forData},
		{Name: "default", Left: true}, {Name: "accepts", Left: true, In: forPage}, {Name: "choices", In: forData},
		{Name: "used by", Key: "used_by", Left: true, In: forPage}, {Name: "group", In: forData},
		{Name: "meaning", Left: true, In: forPage}, {Name: "source", Left: true, In: forPage}, {Name: "meaning", Left: true, In: forTerm},
	}
	metricColumns = []report.Column{
		{Name: "name", Left: true}, {Name: "kind", Left: true}, {Name: "unit", In: forData},
		{Name: "meaning", Left: true, In: forPage}, {Name: "source", Left: true, In: forPage}, {Name: "meaning", Left: true, In: forTerm},
	}
	paperColumns = []report.Column{{Name: "name", Left: true}, {Name: "title", Left: true}}
)

// declared lists all that an experiment declares.
func declared(e *experiment.Experiment) *declarations {
	d := &declarations{
		Name: e.Name, Version: e.Version, Title: e.Title, Source: e.Source, Tables: []string{},
		Parameters: &report.Table{Columns: paramColumns}, Metrics: metricTable("metrics: one number per run", e.Metrics),
		Series: metricTable("series: rows over time per run", nil),
		papers: &report.Table{Title: "tables of the papers", Columns: paperColumns},
	}
	for i := range e.Params {
		d.Parameters.Rows = append(d.Parameters.Rows, paramRow(&e.Params[i]))
	}
	if len(e.Series.Columns) > 0 {
		d.Series = metricTable(d.Series.Title, append([]experiment.Metric{e.Series.Axis}, e.Series.Columns...))
	}
	for _, t := range e.Tables {
		d.Tables = append(d.Tables, t.Name)
		d.papers.Rows = append(d.papers.Rows, []any{t.Name, t.Title + "; source: " + t.Source})
	}
	return d
}

func paramRow(p *experiment.Param) []any {
	name, byDefault, users := p.Name, `""`, ""
	if p.Symbol != "" && p.Symbol != p.Name {
		name += " (" + p.Symbol + ")"
	}
	if !p.Default.IsNull() {
		byDefault = strings.TrimSpace(p.Default.String() + " " + p.Unit)
	}
	about := p.Meaning + "; " + p.Accepts()
	if p.UsedBy != nil {
		users = strings.Join(p.UsedBy, ", ")
		about += "; used by " + users
	}
	return []any{report.Cell{Value: p.Name, Text: name}, p.Symbol, p.Kind.String(), p.Unit, report.Cell{Value: p.Default, Text: byDefault},
		p.Accepts(), p.Choices, report.Cell{Value: p.UsedBy, Text: users}, p.Group, p.Meaning, p.Source, about + "; source: " + p.Source}
}

func metricTable(title string, list []experiment.Metric) *report.Table {
	t := &report.Table{Title: title, Columns: metricColumns}
	for _, m := range list {
		kind, about := m.Kind.String(), m.Meaning
		if m.Unit != "" {
			kind += ", " + m.Unit
		}
		if m.Source != "" {
			about += "; source: " + m.Source
		}
		t.Rows = append(t.Rows, []any{m.Name, report.Cell{Value: m.Kind.String(), Text: kind}, m.Unit, m.Meaning, m.Source, about})
	}
	return t
}

// Indices into the rows of paramColumns.
const (
	nameColumn  = 0
	groupColumn = 8
)

// keep drops what none of the words names: its name or group is one of
// them, or else its name contains one. It reports whether anything is left.
func (d *declarations) keep(words []string) bool {
	lists := []*report.Table{d.Parameters, d.Metrics, d.Series, d.papers}
	for _, fits := range []func(name, word string) bool{func(a, b string) bool { return a == b }, strings.Contains} {
		found := false
		kept := make([][][]any, len(lists))
		for i, t := range lists {
			for _, row := range t.Rows {
				if slices.ContainsFunc(words, func(w string) bool {
					return fits(nameOf(row), w) || i == 0 && row[groupColumn] == w
				}) {
					kept[i], found = append(kept[i], row), true
				}
			}
		}
		if found {
			for i, t := range lists {
				t.Rows = kept[i]
			}
			d.Tables = []string{}
			for _, row := range d.papers.Rows {
				d.Tables = append(d.Tables, nameOf(row))
			}
			return true
		}
	}
	return false
}

// nameOf returns what a row is about.
func nameOf(row []any) string {
	if c, ok := row[nameColumn].(report.Cell); ok {
		return c.Value.(string)
	}
	return row[nameColumn].(string)
}

// tables returns the list for people, a table for each group of parameters.
func (d *declarations) tables() []*report.Table {
	list := []*report.Table{{
		Title: fmt.Sprintf("%s (model version %d)", d.Name, d.Version),
		Notes: append(report.Wrap(d.Title, 80), report.Wrap("source: "+d.Source, 80)...),
	}}
	var groups []*report.Table
	byName := map[string]*report.Table{}
	for _, row := range d.Parameters.Rows {
		g := row[groupColumn].(string)
		if byName[g] == nil {
			byName[g] = &report.Table{Title: strings.TrimSuffix("parameters: "+g, ": "), Columns: paramColumns}
			groups = append(groups, byName[g])
		}
		byName[g].Rows = append(byName[g].Rows, row)
	}
	for _, t := range append(groups, d.Metrics, d.Series, d.papers) {
		if len(t.Rows) > 0 {
			t.Width = 80
			list = append(list, t)
		}
	}
	return list
}
