package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/report"
)

// suffix is what the names of spec files end in.
const suffix = ".toml"

// sweeps returns the names of the specs that come with the program, sorted.
func (p *Program) sweeps() []string {
	if p.Sweeps == nil {
		return nil
	}
	names, _ := fs.Glob(p.Sweeps, "*"+suffix) // the pattern is one
	return namesOf(names, func(name string) string { return strings.TrimSuffix(name, suffix) })
}

// shipped reads a file that comes with the program. It returns also how
// messages name it.
func (p *Program) shipped(name string) (file string, source []byte, err error) {
	if p.Sweeps == nil {
		return name, nil, fs.ErrNotExist
	}
	source, err = fs.ReadFile(p.Sweeps, name)
	return path.Join("sweeps", name), source, err
}

// sweepList names the sweeps that come with the program for help texts.
func (p *Program) sweepList() string {
	if p.Sweeps == nil {
		return "No sweeps come with this program."
	}
	lines := report.Wrap(strings.Join(p.sweeps(), ", "), 78)
	return "Sweeps that come with the program:\n  " + strings.Join(lines, "\n  ")
}

// loadSpec reads, changes and checks the spec that a command line names, with
// its claims.
func (p *Program) loadSpec(name string, c *changes) (*grid.Spec, error) {
	file, source, err := p.findSpec(name)
	if err != nil {
		return nil, err
	}
	if c.seeds != "" || c.values != nil {
		if source, err = grid.Changed(file, source, c.seeds, c.values); err != nil {
			return nil, err
		}
	}
	spec, err := grid.Parse(file, source, p.Experiments)
	if err != nil {
		return nil, err
	}
	return spec, analysis.CheckClaims(spec)
}

// findSpec reads the text of a spec, and returns how messages name it.
func (p *Program) findSpec(name string) (file string, source []byte, err error) {
	if slices.Contains(p.sweeps(), name) {
		return p.shipped(name + suffix)
	}
	file = name
	if _, err := os.Stat(name); !isPath(name) || err != nil && !strings.HasSuffix(name, suffix) {
		file += suffix
	}
	f, err := os.Open(file)
	switch {
	case !isPath(name) && errors.Is(err, fs.ErrNotExist):
		return "", nil, p.unknownSpec(name)
	case err == nil:
		defer f.Close()                                    // nothing was written
		source, err = io.ReadAll(io.LimitReader(f, 2<<20)) // package grid refuses a longer one
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading the spec: %w", err)
	}
	return file, source, nil
}

func isPath(name string) bool {
	return strings.HasSuffix(name, suffix) || strings.ContainsAny(name, `/`+string(os.PathSeparator))
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (p *Program) unknownSpec(name string) error {
	hint, message := didYouMean(name, p.sweeps()), fmt.Sprintf("there is no sweep %q, and no file %s", name, name+suffix)
	if p.Sweeps != nil {
		message += "; known are: " + strings.Join(p.sweeps(), ", ")
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		hint = "to name the file, write ./" + name
	}
	return usage(hint, "%s", message)
}

// completeSpec completes a SPEC argument in the shell: the names of what
// comes with the program, and files.
func (p *Program) completeSpec(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.sweeps(), cobra.ShellCompDirectiveDefault
}

// printWarnings tells what is doubtful about a spec.
func printWarnings(w io.Writer, spec *grid.Spec) {
	for _, warning := range spec.Warnings() {
		say(w, "warning: %v", warning)
	}
}

func (p *Program) experimentNames() []string {
	return namesOf(p.Experiments, func(e *experiment.Experiment) string { return e.Name })
}

// schemaLine lets editors find the schema.
const schemaLine = "#:schema sweep.schema.json\n"

// init defines "sweep init".
func (p *Program) init(cmd *cobra.Command) action {
	return func(args []string) error {
		at, err := choose("sweep or experiment", args, append(p.sweeps(), p.experimentNames()...))
		if err != nil {
			return err
		}
		var text []byte
		if i := at[0] - len(p.sweeps()); i >= 0 {
			text = []byte(template(p.Experiments[i]))
		} else if _, text, err = p.shipped(args[0] + suffix); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s%s", schemaLine, text)
		return err
	}
}

// template returns a spec in which everything can be filled in.
func template(e *experiment.Experiment) string {
	if e.Declare != nil {
		return command.Template
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# %s

experiment = %q
seeds      = 10

# What is commented has the value that stands there. A list is an axis, and so is
# a range: { from = 1, to = 9, step = 2 }, { from = 1, to = 100, count = 3, scale = "log" }.
[grid]
`, e.Title, e.Name)
	group := ""
	for i := range e.Params {
		p := &e.Params[i]
		if p.Group != group {
			group = p.Group
			fmt.Fprintf(&b, "\n# %s\n", group)
		}
		value, about := p.Default.String(), p.Meaning
		if p.Kind == experiment.String {
			value = strconv.Quote(p.Default.Text())
		}
		if p.Unit != "" {
			about += ", in " + p.Unit
		}
		if about += "; " + p.Accepts(); p.UsedBy != nil {
			about += "; of " + strings.Join(p.UsedBy, ", ")
		}
		fmt.Fprintf(&b, "#%s = %s # %s\n", p.Name, value, about)
	}
	return b.String()
}

// params defines "sweep params".
func (p *Program) params(cmd *cobra.Command) action {
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	return func(args []string) error {
		words := args[min(len(args), 1):]
		chosen, err := choose("experiment", args[:len(args)-len(words)], p.experimentNames())
		if err != nil {
			return err
		}
		var tables []*report.Table
		for _, i := range chosen {
			list := declared(p.Experiments[i], words)
			if len(words) > 0 && len(list) == 1 {
				return unknown("parameter, metric or group", strings.Join(words, " "), paramNames(p.Experiments[i]))
			}
			tables = append(tables, list...)
		}
		return report.Write(cmd.OutOrStdout(), *format, tables...)
	}
}

// declared returns tables of what an experiment declares and one of the words
// names, by its group or a part of its name; without words, of all. On a
// terminal what is said of a parameter stands together in one column.
func declared(e *experiment.Experiment, words []string) []*report.Table {
	list := []*report.Table{{
		Title: fmt.Sprintf("%s (model version %d)", e.Name, e.Version),
		Notes: append(report.Wrap(e.Title, 80), report.Wrap("source: "+e.Source, 80)...),
	}}
	text, others := []report.Format{report.Text}, []report.Format{report.Markdown, report.CSV, report.LaTeX, report.JSON}
	about := report.Texts("accepts", "used by", "meaning", "source", "meaning")
	for i := range about {
		if about[i].In = others; i == 4 {
			about[i].In = text
		}
	}
	add := func(title string, columns []report.Column, name, group string, row ...any) {
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return w == group || strings.Contains(name, w) }) {
			return
		}
		if list[len(list)-1].Title != title {
			list = append(list, &report.Table{Title: title, Columns: columns, Width: 80})
		}
		t := list[len(list)-1]
		t.Rows = append(t.Rows, row)
	}
	for i := range e.Params {
		p := &e.Params[i]
		name, byDefault, all, users := p.Name, `""`, p.Meaning+"; "+p.Accepts(), strings.Join(p.UsedBy, ", ")
		if p.Symbol != "" && p.Symbol != p.Name {
			name += " (" + p.Symbol + ")"
		}
		if !p.Default.IsNull() {
			byDefault = strings.TrimSpace(p.Default.String() + " " + p.Unit)
		}
		if p.UsedBy != nil {
			all += "; used by " + users
		}
		add(strings.TrimSuffix("parameters: "+p.Group, ": "), append(report.Texts("name", "default"), about...), p.Name, p.Group,
			name, byDefault, p.Accepts(), users, p.Meaning, p.Source, all+"; source: "+p.Source)
	}
	metric := func(title string, m experiment.Metric) {
		kind, all := m.Kind.String(), m.Meaning
		if m.Unit != "" {
			kind += ", " + m.Unit
		}
		if m.Source != "" {
			all += "; source: " + m.Source
		}
		add(title, append(report.Texts("name", "kind"), about[2:]...), m.Name, "", m.Name, kind, m.Meaning, m.Source, all)
	}
	for _, m := range e.Metrics {
		metric("metrics: one number per run", m)
	}
	for _, m := range append([]experiment.Metric{e.Series.Axis}, e.Series.Columns...) {
		if m.Name != "" {
			metric("series: rows over time per run", m)
		}
	}
	for _, t := range e.Tables {
		add("tables of the papers", report.Texts("name", "title"), t.Name, "", t.Name, t.Title+"; source: "+t.Source)
	}
	return list
}

// schema defines "sweep schema".
func (p *Program) schema(cmd *cobra.Command) action {
	return func([]string) error { return report.WriteJSON(cmd.OutOrStdout(), grid.Schema(p.Experiments)) }
}
