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
func newParams(prog *Program) *cobra.Command {
	names := prog.experimentNames()
	cmd := &cobra.Command{
		Use:   "params [EXPERIMENT [NAME...]]",
		Short: "List what a spec may vary and what a run measures",
		Long: `List the parameters of an experiment (or of all), with default, accepted
values, the algorithms that use them, meaning and source; then its metrics,
its series over time, and the tables of the papers that it knows. A NAME picks
a group of parameters, or all whose name contains it.`,
		Example: `  sweep params                              all experiments
  sweep params foraging                     one of them
  sweep params foraging alpha beta          two of its parameters
  sweep params foraging fleet               a group of them
  sweep params foraging --format markdown   for a document
  sweep params foraging --format json       for a program`,
		Args:              arguments(0, math.MaxInt),
		ValidArgsFunction: cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp),
	}
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Text, report.Markdown, report.JSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words := args[min(len(args), 1):]
		chosen, err := choose("experiment", args[:len(args)-len(words)], names)
		if err != nil {
			return err
		}
		var lists []*declarations
		var tables []*report.Table
		for _, i := range chosen {
			d := declared(prog.Experiments[i], words)
			if len(words) > 0 && len(d.Parameters.Rows)+len(d.Metrics.Rows)+len(d.Series.Rows)+len(d.Tables) == 0 {
				return unknown("parameter, metric or group", strings.Join(words, " "), paramNames(prog.Experiments[i]))
			}
			lists, tables = append(lists, d), append(tables, d.tables()...)
		}
		if *format == report.JSON {
			return report.WriteJSON(cmd.OutOrStdout(), lists)
		}
		return report.Write(cmd.OutOrStdout(), *format, tables...)
	}
	return cmd
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
	forDocs = []report.Format{report.Markdown}
	forTerm = []report.Format{report.Text}

	paramColumns = []report.Column{
		{Name: "name", In: forData}, {Name: "name", Left: true, In: report.People},
		{Name: "symbol", In: forData}, {Name: "kind", In: forData}, {Name: "unit", In: forData},
		{Name: "default", In: forData}, {Name: "default", Left: true, In: report.People},
		{Name: "accepts", Left: true, In: forPage}, {Name: "choices", In: forData},
		{Name: "used_by", In: forData}, {Name: "used by", Left: true, In: forDocs}, {Name: "group", In: forData},
		{Name: "meaning", Left: true, In: forPage}, {Name: "source", Left: true, In: forPage}, {Name: "meaning", Left: true, In: forTerm},
	}
	metricColumns = []report.Column{
		{Name: "name", Left: true}, {Name: "kind", In: forData}, {Name: "kind", Left: true, In: report.People}, {Name: "unit", In: forData},
		{Name: "meaning", Left: true, In: forPage}, {Name: "source", Left: true, In: forPage}, {Name: "meaning", Left: true, In: forTerm},
	}
	paperColumns = report.Texts("name", "title")
)

// declared lists what an experiment declares and one of the words names, by its
// group or a part of its name; without words, that is all.
func declared(e *experiment.Experiment, words []string) *declarations {
	named := func(name, group string) bool {
		return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return w == group || strings.Contains(name, w) })
	}
	d := &declarations{
		Name: e.Name, Version: e.Version, Title: e.Title, Source: e.Source, Tables: []string{},
		Parameters: &report.Table{Columns: paramColumns},
		Metrics:    &report.Table{Title: "metrics: one number per run", Columns: metricColumns},
		Series:     &report.Table{Title: "series: rows over time per run", Columns: metricColumns},
		papers:     &report.Table{Title: "tables of the papers", Columns: paperColumns},
	}
	for i := range e.Params {
		if p := &e.Params[i]; named(p.Name, p.Group) {
			d.Parameters.Rows = append(d.Parameters.Rows, paramRow(p))
		}
	}
	for _, m := range e.Metrics {
		if named(m.Name, "") {
			d.Metrics.Rows = append(d.Metrics.Rows, metricRow(m))
		}
	}
	for _, m := range append([]experiment.Metric{e.Series.Axis}, e.Series.Columns...) {
		if m.Name != "" && named(m.Name, "") {
			d.Series.Rows = append(d.Series.Rows, metricRow(m))
		}
	}
	for _, t := range e.Tables {
		if named(t.Name, "") {
			d.Tables = append(d.Tables, t.Name)
			d.papers.Rows = append(d.papers.Rows, []any{t.Name, t.Title + "; source: " + t.Source})
		}
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
	return []any{p.Name, name, p.Symbol, p.Kind.String(), p.Unit, p.Default, byDefault,
		p.Accepts(), p.Choices, p.UsedBy, users, p.Group, p.Meaning, p.Source, about + "; source: " + p.Source}
}

func metricRow(m experiment.Metric) []any {
	kind, about := m.Kind.String(), m.Meaning
	if m.Unit != "" {
		kind += ", " + m.Unit
	}
	if m.Source != "" {
		about += "; source: " + m.Source
	}
	return []any{m.Name, m.Kind.String(), kind, m.Unit, m.Meaning, m.Source, about}
}

// groupColumn is the place of the group in paramColumns.
const groupColumn = 11

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
