package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/internal/report"
)

// newParams returns "sweep params".
func newParams(prog *Program) *cobra.Command {
	experiments := prog.Experiments
	cmd := &cobra.Command{
		Use:   "params [EXPERIMENT]",
		Short: "List what a spec may vary and what a run measures",
		Long: `List the parameters of an experiment (or of all), with default, accepted
values, the algorithms that use them, meaning and source; then its metrics,
its series over time, and the tables of the papers that it knows.`,
		Example: `  sweep params                              all experiments
  sweep params foraging                     one of them
  sweep params foraging --format markdown   for a document
  sweep params foraging --format json       for a program`,
		Args:              arguments(0, 1),
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
		var text string
		switch format.value {
		case "text":
			text = paramsText(chosen)
		case "markdown":
			text = paramsMarkdown(chosen)
		case "json":
			return paramsJSON(cmd.OutOrStdout(), chosen)
		}
		_, err := io.WriteString(cmd.OutOrStdout(), text)
		return err
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

// title heads a group of parameters.
func title(group string) string {
	if group == "" {
		return "parameters"
	}
	return "parameters: " + group
}

func symbol(p *experiment.Param) string {
	if p.Symbol == "" || p.Symbol == p.Name {
		return ""
	}
	return " (" + p.Symbol + ")"
}

// defaultOf writes a parameter's default as a spec does.
func defaultOf(p *experiment.Param) string {
	if p.Default.IsNull() {
		return `""`
	}
	return withUnit(p.Default.String(), p.Unit)
}

func withUnit(text, unit string) string {
	if unit == "" {
		return text
	}
	return text + " " + unit
}

func kindAndUnit(m experiment.Metric) string {
	if m.Unit == "" {
		return m.Kind.String()
	}
	return m.Kind.String() + ", " + m.Unit
}

// paramsText lists experiments for a terminal of 80 columns.
func paramsText(experiments []*experiment.Experiment) string {
	var b strings.Builder
	for i, e := range experiments {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s (model version %d)\n", e.Name, e.Version)
		wrap(&b, 2, e.Title)
		wrap(&b, 2, "source: "+e.Source)
		for _, g := range groups(e) {
			fmt.Fprintf(&b, "\n%s\n", title(g))
			for j := range e.Params {
				if p := &e.Params[j]; p.Group == g {
					fmt.Fprintf(&b, "  %s%s = %s\n", p.Name, symbol(p), defaultOf(p))
					wrap(&b, 6, p.Meaning)
					wrap(&b, 6, p.Accepts()+usedBy(p, "; used by ")+"; source: "+p.Source)
				}
			}
		}
		metrics := func(heading string, list []experiment.Metric) {
			fmt.Fprintf(&b, "\n%s\n", heading)
			for _, m := range list {
				fmt.Fprintf(&b, "  %s (%s)\n", m.Name, kindAndUnit(m))
				wrap(&b, 6, m.Meaning)
				if m.Source != "" {
					wrap(&b, 6, "source: "+m.Source)
				}
			}
		}
		metrics("metrics: one number per run", e.Metrics)
		if len(e.Series.Columns) > 0 {
			metrics("series: rows over time per run", seriesColumns(e))
		}
		if len(e.Tables) > 0 {
			b.WriteString("\ntables of the papers\n")
			for _, t := range e.Tables {
				fmt.Fprintf(&b, "  %s\n", t.Name)
				wrap(&b, 6, t.Title+"; source: "+t.Source)
			}
		}
	}
	return b.String()
}

func usedBy(p *experiment.Param, prefix string) string {
	if p.UsedBy == nil {
		return ""
	}
	return prefix + strings.Join(p.UsedBy, ", ")
}

func seriesColumns(e *experiment.Experiment) []experiment.Metric {
	return append([]experiment.Metric{e.Series.Axis}, e.Series.Columns...)
}

// paramsMarkdown lists experiments as tables for a document.
func paramsMarkdown(experiments []*experiment.Experiment) string {
	var b strings.Builder
	table := func(head ...string) func(cells ...string) {
		row := func(cells ...string) {
			for _, c := range cells {
				b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
			}
			b.WriteString("|\n")
		}
		row(head...)
		b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
		return row
	}
	for i, e := range experiments {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "# %s\n\n%s (model version %d). Source: %s\n", e.Name, e.Title, e.Version, e.Source)
		for _, g := range groups(e) {
			fmt.Fprintf(&b, "\n## %s\n\n", capital(title(g)))
			row := table("name", "symbol", "default", "accepted", "used by", "meaning", "source")
			for j := range e.Params {
				if p := &e.Params[j]; p.Group == g {
					row("`"+p.Name+"`", p.Symbol, defaultOf(p), p.Accepts(),
						usedBy(p, ""), p.Meaning, p.Source)
				}
			}
		}
		metrics := func(heading string, list []experiment.Metric) {
			fmt.Fprintf(&b, "\n## %s\n\n", heading)
			row := table("name", "kind", "unit", "meaning", "source")
			for _, m := range list {
				row("`"+m.Name+"`", m.Kind.String(), m.Unit, m.Meaning, m.Source)
			}
		}
		metrics("Metrics", e.Metrics)
		if len(e.Series.Columns) > 0 {
			metrics("Series", seriesColumns(e))
		}
		if len(e.Tables) > 0 {
			b.WriteString("\n## Tables of the papers\n\n")
			row := table("name", "title", "source")
			for _, t := range e.Tables {
				row("`"+t.Name+"`", t.Title, t.Source)
			}
		}
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// The JSON forms. Their field names are part of the interface: programs
// depend on them.
type (
	jsonExperiment struct {
		Name       string       `json:"name"`
		Version    int          `json:"version"`
		Title      string       `json:"title"`
		Source     string       `json:"source"`
		Parameters []jsonParam  `json:"parameters"`
		Metrics    []jsonMetric `json:"metrics"`
		Series     []jsonMetric `json:"series"` // the axis first; empty if there is none
		Tables     []string     `json:"tables"`
	}
	jsonParam struct {
		Name    string   `json:"name"`
		Symbol  string   `json:"symbol"`
		Kind    string   `json:"kind"`
		Unit    string   `json:"unit"`
		Default any      `json:"default"`
		Accepts string   `json:"accepts"`
		Choices []string `json:"choices"` // null unless the kind is string
		UsedBy  []string `json:"used_by"` // null if all algorithms use it
		Group   string   `json:"group"`
		Meaning string   `json:"meaning"`
		Source  string   `json:"source"`
	}
	jsonMetric struct {
		Name    string `json:"name"`
		Kind    string `json:"kind"`
		Unit    string `json:"unit"`
		Meaning string `json:"meaning"`
		Source  string `json:"source"`
	}
)

// paramsJSON writes experiments as a JSON array.
func paramsJSON(w io.Writer, experiments []*experiment.Experiment) error {
	document := []jsonExperiment{}
	for _, e := range experiments {
		j := jsonExperiment{
			Name: e.Name, Version: e.Version, Title: e.Title, Source: e.Source,
			Parameters: []jsonParam{}, Metrics: jsonMetrics(e.Metrics), Series: []jsonMetric{}, Tables: []string{},
		}
		for i := range e.Params {
			p := &e.Params[i]
			j.Parameters = append(j.Parameters, jsonParam{
				Name: p.Name, Symbol: p.Symbol, Kind: p.Kind.String(), Unit: p.Unit,
				Default: p.Default, Accepts: p.Accepts(), Choices: p.Choices, UsedBy: p.UsedBy,
				Group: p.Group, Meaning: p.Meaning, Source: p.Source,
			})
		}
		if len(e.Series.Columns) > 0 {
			j.Series = jsonMetrics(seriesColumns(e))
		}
		for _, t := range e.Tables {
			j.Tables = append(j.Tables, t.Name)
		}
		document = append(document, j)
	}
	return report.WriteJSON(w, document)
}

func jsonMetrics(list []experiment.Metric) []jsonMetric {
	var j []jsonMetric
	for _, m := range list {
		j = append(j, jsonMetric{m.Name, m.Kind.String(), m.Unit, m.Meaning, m.Source})
	}
	return j
}
