// Package command is the experiment that is any program: a spec says how it
// is started, what it measures, and which parameters vary. Its runs are then
// identified, repeated, tabulated and compared as those of other experiments.
//
//	experiment = "command"
//
//	[command]
//	run     = ["python3", "sir.py", "--beta", "{beta}", "--seed", "{seed}"]
//	watch   = ["sir.py"]
//	metrics = ["infected", "peak"]
//
//	[grid]
//	beta = [0.1, 0.2]
//
// docs/commands.md describes the table and what a program may rely on.
package command

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/suggest"
)

// Template is a spec to begin with.
//
//go:embed template.toml
var Template string

// Name is the name of the experiment, and of its table in a spec.
const Name = "command"

// Two parameters that every run of a program has beside those of the spec:
// what makes it another run.
const (
	templateParam = "command" // how the program is started, as JSON
	programParam  = "program" // its version, or the content of its files
)

// Experiment returns the experiment, which declares itself from a spec.
func Experiment() *experiment.Experiment {
	return &experiment.Experiment{
		Name: Name, Version: 1, Title: "any program, started by the spec's table [command]",
		Source: "docs/commands.md", Declare: declare,
	}
}

// A program is how runs are made, as a spec's [command] says it.
type program struct {
	run     []string // with {name} in place of parameters
	shell   bool     // run is one text for sh
	watch   []string // files or patterns, relative to dir
	dir     string   // where relative paths begin, absolute
	timeout time.Duration
	keep    bool   // the directories of runs that succeeded too
	file    string // of the answer, in the run's directory; empty: stdout

	counted bool // the series has no axis of its own: its rows are counted

	// hashes of files by their path, size and time, so that what the program is can
	// be compared before and after each run.
	hashes sync.Map
}

func declare(r *experiment.Request) (e *experiment.Experiment, err error) {
	defer document.Catch[*document.Fault](&err) // but not what the caller's Read panics with
	t := table{r.Table}
	if r.Table == nil {
		t.fail("", "", "the experiment %q needs a table [command] with the keys run, metrics, and watch or version", Name)
	}
	t.only("", "run", "shell", "watch", "version", "metrics", "series", "axis", "timeout", "keep", "file")
	p := &program{
		shell: t.bool("shell"), watch: t.texts("watch"), keep: t.bool("keep"), file: t.text("file"),
		timeout: cmp.Or(t.duration("timeout"), math.MaxInt64), counted: t.text("axis") == "",
	}
	p.run = t.run(p.shell)
	if p.file != "" && !filepath.IsLocal(p.file) {
		t.fail("file", "", "%q is no path within the run's directory", p.file)
	}
	e = Experiment()
	e.Declare, e.Run, e.Title = nil, p.execute, short(strings.Join(p.run, " "))
	if e.Metrics = t.metrics("metrics"); len(e.Metrics) == 0 {
		t.fail("metrics", "", "want the names of what the program measures, such as metrics = [\"infected\"]")
	}
	e.Series = t.seriesOf()
	p.dir = p.directory(r.File)
	e.Params = append(params(r), p.identity(t, r)...)
	p.placeholders(t, e)
	return e, nil
}

// identity returns the parameters by which runs of another command line, or
// of another program, are other runs.
func (p *program) identity(t table, r *experiment.Request) []experiment.Param {
	template, err := json.Marshal(p.run)
	if err != nil {
		panic("command: " + err.Error()) // strings only: cannot fail
	}
	if p.file != "" {
		template = append(template, " > "+p.file...)
	}
	version := t.text("version")
	if (version == "") == (len(p.watch) == 0) {
		t.fail("", "", "want either watch = [\"sim.py\"], files whose content makes other runs, or version = \"1\", to be raised with every change of the program")
	}
	if version == "" {
		var holds []string
		for _, name := range p.watch {
			holds = append(holds, r.Read(t.Entry("watch"), name, &experiment.Input{Accepts: "a file, or a pattern such as \"*.py\"", Read: p.read}).Text())
		}
		version = strings.Join(holds, " ")
	}
	constant := func(name, value, meaning string) experiment.Param {
		return experiment.Param{Name: name, Kind: experiment.String, Default: experiment.StringValue(value),
			Choices: []string{value}, Meaning: meaning, Source: "the spec's [command]"}
	}
	return []experiment.Param{
		constant(templateParam, short(string(template)), "how the program is started"),
		constant(programParam, short(version), "the program's version, or the content of its files"),
	}
}

// short returns a text, of a long one its beginning and its hash.
func short(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToValidUTF8(text[:most/2], "") + "…@sha256:" + hex.EncodeToString(sum[:8])
}

// params returns the parameters that the spec names.
func params(r *experiment.Request) []experiment.Param {
	var list []experiment.Param
	described := table{r.Parameters}
	add := func(p experiment.Param, at *experiment.Setting, everywhere bool) {
		inGrid := table{at}
		inGrid.must(experiment.CheckName("parameter", p.Name))
		if slices.Contains([]string{templateParam, programParam, "dir"}, p.Name) {
			inGrid.fail("", "", "%q says where the program is or how it was started, want another name", p.Name)
		}
		own := described.below(p.Name, "unit", "meaning", "source", "symbol", "kind", "min", "max", "default")
		if own.describe(&p); p.Kind == experiment.Null {
			inGrid.fail("", "", "%s has no value, want finite numbers or quoted texts in [grid], or a default in [parameters]", p.Name)
		}
		table{cmp.Or(own.Entry("default"), at)}.must(p.Check(p.Default))
		if !everywhere && own.Entry("default") == nil {
			near := suggest.Hint(p.Name, (&experiment.Experiment{Params: list}).ParamNames())
			inGrid.fail("", near, "%s is not in every [[grid]] and include: give it there, or a default in [parameters]", p.Name)
		}
		list = append(list, p)
	}
	for _, p := range r.Grid {
		at, everywhere := r.Place(p.Name)
		add(p, at, everywhere)
	}
	for _, s := range cmp.Or(r.Parameters, new(experiment.Setting)).Entries {
		if !slices.ContainsFunc(list, func(p experiment.Param) bool { return p.Name == s.Key }) {
			add(experiment.Param{Name: s.Key}, s, true)
		}
	}
	return list
}

// describe reads what [parameters] says of a parameter.
func (t table) describe(p *experiment.Param) {
	p.Unit, p.Symbol = t.text("unit"), t.text("symbol")
	p.Meaning, p.Source = cmp.Or(t.text("meaning"), "a parameter of the program"), cmp.Or(t.text("source"), "the spec")
	if v := t.value("default"); !v.IsNull() {
		if p.Default = v; p.Kind == experiment.Null || p.Kind == experiment.Int && v.Kind() == experiment.Float {
			p.Kind = v.Kind()
		}
		if text := v.Text(); v.Kind() == experiment.String && !slices.Contains(p.Choices, text) {
			p.Choices = append(p.Choices, text)
		}
	}
	p.Kind = t.kind(p.Kind)
	switch f := p.Default.Float(); {
	case p.Kind == experiment.Float && p.Default.Kind() == experiment.Int:
		p.Default = experiment.FloatValue(f)
	case p.Kind == experiment.Int && p.Default.Kind() == experiment.Float && f == math.Trunc(f):
		p.Default = experiment.IntValue(int64(f))
	}
	p.Min, p.Max = math.Inf(-1), math.Inf(1)
	if v := t.value("min"); !v.IsNull() {
		p.Min = v.Float()
	}
	if v := t.value("max"); !v.IsNull() {
		p.Max = v.Float()
	}
}

// metrics reads a list of names, or a table that describes them.
func (t table) metrics(key string) []experiment.Metric {
	var list []experiment.Metric
	add := func(name string, own table) {
		if key == "metrics" { // a series has a file of its own
			table{t.Entry(key)}.must(experiment.CheckName("metric", name))
		}
		list = append(list, experiment.Metric{Name: name, Kind: own.kind(experiment.Float), Unit: own.text("unit"),
			Meaning: cmp.Or(own.text("meaning"), "as the program tells it"), Source: "the program's answer"})
	}
	if s := t.Entry(key); s != nil && s.Kind == document.Table {
		for _, e := range s.Entries {
			add(e.Key, table{s}.below(e.Key, "unit", "meaning", "kind"))
		}
		return list
	}
	for _, name := range t.texts(key) {
		add(name, table{})
	}
	return list
}

// seriesOf reads the series; without an axis its rows are counted.
func (t table) seriesOf() []experiment.Metric {
	columns, axis := t.metrics("series"), t.text("axis")
	if columns == nil {
		return nil
	}
	if axis == "" {
		return append([]experiment.Metric{{Name: "step", Kind: experiment.Int, Meaning: "number of the row, from 1"}}, columns...)
	}
	i := slices.IndexFunc(columns, func(m experiment.Metric) bool { return m.Name == axis })
	if i < 0 || len(columns) == 1 {
		t.fail("axis", "", "%q, want one of several names in series", axis)
	}
	return append([]experiment.Metric{columns[i]}, slices.Delete(slices.Clone(columns), i, i+1)...)
}

// placeholder is a parameter in an argument; doubled braces stand for
// themselves.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[A-Za-z_][A-Za-z0-9_]*\}`)

// placeholders refuses arguments with names that are no parameters.
func (p *program) placeholders(t table, e *experiment.Experiment) {
	for _, arg := range p.run {
		for _, found := range placeholder.FindAllString(arg, -1) {
			name := strings.Trim(found, "{}")
			if q, _ := e.Param(name); q == nil && name != "" && name != "seed" && name != "dir" {
				hint := "parameters are {seed}, {dir} for the spec's directory, and the names in [grid]; " +
					"{{" + name + "}} stands for itself"
				t.fail("run", cmp.Or(suggest.Hint(name, e.ParamNames()), hint), "%s is no parameter of the spec", found)
			}
		}
	}
}

// directory returns where relative paths begin: beside the spec or, if what
// the spec names is not there, as beside the copy in a sweep's directory, where
// sweep was called.
func (p *program) directory(spec string) string {
	dir := filepath.Dir(spec)
	named := slices.Clone(p.watch)
	for i, arg := range p.run {
		path, is := strings.CutPrefix(arg, "{dir}/")
		if is || i == 0 && !p.shell && strings.ContainsRune(arg, '/') {
			named = append(named, path)
		}
	}
	for _, name := range named {
		if placeholder.MatchString(name) || filepath.IsAbs(name) {
			continue
		}
		if found, err := filepath.Glob(filepath.Join(dir, name)); err != nil || found == nil {
			dir = "."
			break
		}
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return dir // the working directory is gone
	}
	return absolute
}
