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
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sweep/experiment"
)

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
		Name: Name, Version: 1, Title: "any program, started by the spec's table [command]", Source: "docs/commands.md",
		Declare: declare,
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
	files   *fileCache
}

func declare(r *experiment.Request) (*experiment.Experiment, error) {
	t := &table{path: []string{Name}, settings: r.Table}
	if r.Table == nil {
		t.fail("", "the experiment %q needs a table [command] with the keys run, metrics, and watch or version", Name)
		return nil, t.err
	}
	t.only("run", "shell", "watch", "version", "metrics", "series", "axis", "timeout", "keep", "file")
	p := &program{
		shell: t.bool("shell"), watch: t.texts("watch"), keep: t.bool("keep"), file: t.text("file"),
		timeout: t.duration("timeout"), files: newFileCache(),
	}
	p.run = t.run(p.shell)
	if p.file != "" && !filepath.IsLocal(p.file) {
		t.fail("file", "%q is no path within the run's directory", p.file)
	}
	e := Experiment()
	e.Declare, e.Run, e.Title = nil, p.execute, short(strings.Join(p.run, " "))
	e.Metrics = t.metrics("metrics", "the program's answer")
	e.Series = t.seriesOf()
	p.counted = t.text("axis") == ""
	p.dir = p.directory(r.File)
	identity := p.identity(t, r)
	e.Params = append(params(t, r), identity...)
	p.placeholders(t, e.Params)
	return e, t.err
}

// identity returns the parameters by which runs of another command line, or
// of another program, are other runs.
func (p *program) identity(t *table, r *experiment.Request) []experiment.Param {
	template, err := json.Marshal(p.run)
	if err != nil {
		panic("command: " + err.Error()) // strings only: cannot fail
	}
	if p.file != "" {
		template = append(template, " > "+p.file...)
	}
	version := t.text("version")
	if (version == "") == (len(p.watch) == 0) {
		t.fail("", "want either watch = [\"sim.py\"], files whose content makes other runs, or version = \"1\", to be raised with every change of the program")
	}
	if t.err == nil && version == "" {
		var holds []string
		for _, name := range p.watch {
			holds = append(holds, r.Read("watch", name, &experiment.Input{Accepts: "a file, or a pattern such as \"*.py\"", Read: p.files.read}).Text())
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
func params(t *table, r *experiment.Request) []experiment.Param {
	var list []experiment.Param
	for _, n := range r.Grid {
		list = append(list, experiment.Param{Name: n.Name, Kind: n.Kind, Default: n.First, Choices: n.Choices})
	}
	for _, s := range r.Parameters {
		if !slices.ContainsFunc(list, func(p experiment.Param) bool { return p.Name == s.Key }) {
			list = append(list, experiment.Param{Name: s.Key})
		}
	}
	for i := range list {
		p := &list[i]
		if slices.Contains([]string{templateParam, programParam}, p.Name) {
			t.failAt([]string{"grid", p.Name}, "%q is a column that says how the program was started, want another name", p.Name)
		}
		own := &table{path: []string{"parameters", p.Name}}
		if s := r.Parameters.Get(p.Name); s != nil {
			own.settings = t.table(s, own.path)
		}
		own.describe(p)
		n := slices.IndexFunc(r.Grid, func(n experiment.Named) bool { return n.Name == p.Name })
		if n >= 0 && !r.Grid[n].Everywhere && own.settings.Get("default") == nil {
			own.failAt([]string{"grid", p.Name}, "%s is not in every [[grid]]: give it there, or a default in [parameters]", p.Name)
		}
		t.take(own)
	}
	return list
}

// describe reads what [parameters] says of a parameter.
func (t *table) describe(p *experiment.Param) {
	t.only("unit", "meaning", "source", "symbol", "kind", "min", "max", "default")
	p.Unit, p.Symbol = t.text("unit"), t.text("symbol")
	p.Meaning, p.Source = or(t.text("meaning"), "a parameter of the program"), or(t.text("source"), "the spec")
	if v := t.value("default"); !v.IsNull() {
		if p.Default = v; p.Kind == experiment.Null || p.Kind == experiment.Int && v.Kind() == experiment.Float {
			p.Kind = v.Kind()
		}
		if text := v.Text(); v.Kind() == experiment.String && !slices.Contains(p.Choices, text) {
			p.Choices = append(p.Choices, text)
		}
	}
	switch kind := t.text("kind"); kind {
	case "":
	case "int":
		p.Kind = experiment.Int
	case "float":
		p.Kind = experiment.Float
	default:
		t.fail("kind", "%q is no kind, want \"int\" or \"float\"", kind)
	}
	if p.Kind == experiment.Null {
		t.fail("", "%s has no value, want a default here, or values in [grid]", p.Name)
	}
	switch f := p.Default.Float(); {
	case p.Kind == experiment.Float && p.Default.Kind() == experiment.Int:
		p.Default = experiment.FloatValue(f)
	case p.Kind == experiment.Int && p.Default.Kind() == experiment.Float && f == math.Trunc(f):
		p.Default = experiment.IntValue(int64(f))
	}
	p.Min, p.Max = -math.MaxFloat64, math.MaxFloat64
	if p.Kind == experiment.Int {
		p.Min, p.Max = math.MinInt64, math.MaxInt64
	}
	for key, to := range map[string]*float64{"min": &p.Min, "max": &p.Max} {
		if v := t.value(key); !v.IsNull() {
			*to = v.Float()
		}
	}
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// metrics reads a list of names, or a table that describes them.
func (t *table) metrics(key, source string) []experiment.Metric {
	var list []experiment.Metric
	switch s := t.settings.Get(key).(type) {
	case nil:
	case experiment.Settings:
		for _, e := range s {
			own := &table{path: []string{Name, key, e.Key}, settings: t.table(e.Value, []string{Name, key, e.Key})}
			own.only("unit", "meaning", "kind")
			m := experiment.Metric{Name: e.Key, Kind: experiment.Float, Unit: own.text("unit"),
				Meaning: or(own.text("meaning"), "as the program tells it"), Source: source}
			switch kind := own.text("kind"); kind {
			case "", "float":
			case "int":
				m.Kind = experiment.Int
			default:
				own.fail("kind", "%q is no kind, want \"int\" or \"float\"", kind)
			}
			t.take(own)
			list = append(list, m)
		}
	default:
		for _, name := range t.texts(key) {
			list = append(list, experiment.Metric{Name: name, Kind: experiment.Float, Meaning: "as the program tells it", Source: source})
		}
	}
	if key == "metrics" && len(list) == 0 {
		t.fail(key, "want the names of what the program measures, such as metrics = [\"infected\"]")
	}
	return list
}

// seriesOf reads the series; without an axis its rows are counted.
func (t *table) seriesOf() experiment.Series {
	columns := t.metrics("series", "the program's answer")
	if columns == nil {
		return experiment.Series{}
	}
	axis := t.text("axis")
	s := experiment.Series{}
	for _, c := range columns {
		if c.Name == axis {
			s.Axis = c
		} else {
			s.Columns = append(s.Columns, c)
		}
	}
	switch {
	case axis == "":
		s.Axis = experiment.Metric{Name: "step", Kind: experiment.Int, Meaning: "number of the row, from 1"}
	case s.Axis.Name == "":
		t.fail("axis", "%q is no column of the series", axis)
	case len(s.Columns) == 0:
		t.fail("series", "want a column beside the axis")
	}
	return s
}

// placeholder is a parameter in an argument; doubled braces stand for
// themselves.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[A-Za-z_][A-Za-z0-9_]*\}`)

// placeholders refuses arguments with names that are no parameters.
func (p *program) placeholders(t *table, params []experiment.Param) {
	for _, arg := range p.run {
		for _, found := range placeholder.FindAllString(arg, -1) {
			name := strings.Trim(found, "{}")
			known := name == "" || name == "seed" || name == "dir" ||
				slices.ContainsFunc(params, func(q experiment.Param) bool { return q.Name == name })
			if !known {
				t.fail("run", "%s is no parameter of the spec", found)
				t.hint("parameters are {seed}, {dir} for the spec's directory, and the names in [grid]; {{%s}} stands for itself", name)
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
		if found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(name))); err != nil || found == nil {
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
