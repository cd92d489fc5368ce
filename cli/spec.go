package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/internal/suggest"
)

// suffix is what the names of spec files end in.
const suffix = ".toml"

// sweeps returns the names of the specs that come with the program, sorted.
func (p *Program) sweeps() []string {
	names, _ := fs.Glob(p.Sweeps, "*"+suffix) // the pattern is one
	return lists.Map(names, func(name string) string { return strings.TrimSuffix(name, suffix) })
}

// shipped reads a file that comes with the program. It returns also how
// messages name it.
func (p *Program) shipped(name string) (file string, source []byte, err error) {
	source, err = fs.ReadFile(p.Sweeps, name)
	return path.Join("sweeps", name), source, err
}

// sweepList names the sweeps that come with the program for help texts.
func (p *Program) sweepList() string {
	if len(p.sweeps()) == 0 {
		return "No sweeps come with this program."
	}
	lines := report.Wrap(strings.Join(p.sweeps(), ", "), 78)
	return "Sweeps that come with the program:\n  " + strings.Join(lines, "\n  ")
}

// loadSpec reads, changes and checks the spec that a command line names, with
// its claims.
func (p *Program) loadSpec(name, seeds string, sets ...string) (spec *grid.Spec, err error) {
	file, source, err := p.findSpec(name)
	if err != nil {
		return nil, err
	}
	changed := seeds != "" || sets != nil
	if changed {
		source, err = grid.Changed(file, source, seeds, sets, p.Experiments)
	}
	if err == nil {
		spec, err = grid.Parse(file, source, p.Experiments)
	}
	if err == nil {
		err = analysis.CheckClaims(spec)
	}
	if _, absent := os.Stat(name + suffix); absent == nil && err == nil && slices.Contains(p.sweeps(), name) {
		spec.Warnings = append(spec.Warnings, &grid.Error{File: file, Line: 1, Column: 1,
			Message: fmt.Sprintf("comes with the program; to name the file here, write ./%s", name+suffix)})
	}
	if err != nil && changed {
		err = fmt.Errorf("as changed by --seeds or --set: %w", err)
	}
	return spec, err
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
	if err == nil {
		defer f.Close()                                    // nothing was written
		source, err = io.ReadAll(io.LimitReader(f, 2<<20)) // package grid refuses a longer one
	}
	if !isPath(name) && errors.Is(err, fs.ErrNotExist) {
		message := fmt.Sprintf("there is no sweep %q, and no file %s", name, file)
		if len(p.sweeps()) > 0 {
			message += "; known are: " + strings.Join(p.sweeps(), ", ")
		}
		near, _ := filepath.Glob("*" + suffix) // the pattern is one
		hint := cmp.Or(suggest.Hint(name, p.sweeps()), suggest.Hint(file, near))
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			hint = name + " is a directory, and a SPEC is a file"
		} else if err == nil {
			hint = "to name the file, write ./" + name
		}
		return "", nil, usage(hint, "%s", message)
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading the spec: %w", err)
	}
	return file, bytes.TrimPrefix(source, []byte("\ufeff")), nil // some editors for Windows begin so
}

func isPath(name string) bool {
	return strings.HasSuffix(name, suffix) || strings.ContainsAny(name, `/`+string(os.PathSeparator))
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// completeSpec completes a SPEC argument in the shell: the names of what
// comes with the program, and files.
func (p *Program) completeSpec(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.sweeps(), cobra.ShellCompDirectiveDefault
}

func (p *Program) experimentNames() []string {
	return lists.Map(p.Experiments, func(e *experiment.Experiment) string { return e.Name })
}

// schemaLine lets editors find the schema.
const schemaLine = "#:schema sweep.schema.json\n"

// init defines "sweep init".
func (p *Program) init(cmd *cobra.Command) {
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		at, err := choose("sweep or experiment", args, append(p.sweeps(), p.experimentNames()...))
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if i := at[0] - len(p.sweeps()); i < 0 {
			_, source, readErr := p.shipped(args[0] + suffix)
			text.Write(source)
			err = readErr
		} else if e := p.Experiments[i]; e.Declare != nil {
			text.WriteString(command.Template)
		} else {
			err = blank.Execute(&text, e)
		}
		if err == nil {
			_, err = fmt.Fprint(cmd.OutOrStdout(), schemaLine, text.String())
		}
		return err
	}
}

// blank is a spec in which everything of an experiment can be filled in.
var blank = template.Must(template.New("blank.toml").Funcs(template.FuncMap{
	"join": strings.Join,
	"value": func(p experiment.Param) string {
		if p.Kind == experiment.String {
			return strconv.Quote(p.Default.Text())
		}
		return p.Default.String()
	},
}).ParseFS(help, "help/blank.toml"))

// params defines "sweep params".
func (p *Program) params(cmd *cobra.Command) {
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		words := args[min(len(args), 1):]
		chosen, err := choose("experiment", args[:len(args)-len(words)], p.experimentNames())
		if err != nil {
			return err
		}
		var tables []*report.Table
		for _, i := range chosen {
			list := declared(p.Experiments[i], words)
			if len(words) > 0 && len(list) == 1 {
				return unknown("parameter, metric or group", strings.Join(words, " "), p.Experiments[i].ParamNames())
			}
			tables = append(tables, list...)
		}
		return report.Write(cmd.OutOrStdout(), *format, tables...)
	}
}

// declared returns tables of what an experiment declares and one of the words
// names, by its group or a part of its name; without words, of all. On a
// terminal all that is said of a thing stands together in one column; programs
// get the same columns of everything.
func declared(e *experiment.Experiment, words []string) []*report.Table {
	tables := []*report.Table{{
		Title: fmt.Sprintf("%s (model version %d)", e.Name, e.Version),
		Notes: append(report.Wrap(e.Title, 80), report.Wrap("source: "+e.Source, 80)...),
	}}
	texts := func(formats []string, names ...string) []report.Column {
		return lists.Map(names, func(name string) report.Column { return report.Column{Name: name, Left: true, In: formats} })
	}
	terminal, documents := []string{report.Text}, []string{report.Markdown, report.LaTeX}
	forPrograms := report.Data("experiment", "what", "name", "symbol", "kind", "unit", "default", "accepts", "used_by",
		"group", "meaning", "source")
	add := func(title, name, group string, forPeople []report.Column, row ...any) {
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return w == group || strings.Contains(name, w) }) {
			return
		}
		if tables[len(tables)-1].Title != title {
			tables = append(tables, &report.Table{Title: title, Width: 80, Columns: slices.Concat(forPeople, forPrograms)})
		}
		t := tables[len(tables)-1]
		t.Rows = append(t.Rows, row)
	}
	columns := slices.Concat(texts(report.People, "name", "default"),
		texts(documents, "accepts", "used by", "meaning", "source"), texts(terminal, "meaning"))
	for _, p := range e.Params {
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
		add(strings.TrimSuffix("parameters: "+p.Group, ": "), p.Name, p.Group, columns,
			name, byDefault, p.Accepts(), users, p.Meaning, p.Source, all+"; source: "+p.Source, e.Name, "parameter",
			p.Name, p.Symbol, p.Kind.String(), p.Unit, p.Default, p.Accepts(), users, p.Group, p.Meaning, p.Source)
	}
	columns = slices.Concat(texts(report.People, "name", "kind"), texts(documents, "meaning", "source"), texts(terminal, "meaning"))
	metrics := func(title, what string, list []experiment.Metric) {
		for _, m := range list {
			kind, all := m.Kind.String(), m.Meaning
			if m.Source != "" {
				all += "; source: " + m.Source
			}
			add(title, m.Name, "", columns,
				m.Name, strings.TrimSuffix(kind+", "+m.Unit, ", "), m.Meaning, m.Source, all, e.Name, what,
				m.Name, "", kind, m.Unit, nil, "", "", "", m.Meaning, m.Source)
		}
	}
	metrics("metrics: one number per run", "metric", e.Metrics)
	metrics("series: rows over time per run", "series", e.Series)
	for _, t := range e.Tables {
		add("tables of the papers", t.Name, "", texts(report.People, "name", "title"),
			t.Name, t.Title+"; source: "+t.Source, e.Name, "table",
			t.Name, "", "", "", nil, "", "", "", t.Title, t.Source)
	}
	return tables
}

// schema defines "sweep schema".
func (p *Program) schema(cmd *cobra.Command) {
	cmd.RunE = func(*cobra.Command, []string) error {
		return report.WriteJSON(cmd.OutOrStdout(), grid.Schema(p.Experiments))
	}
}
