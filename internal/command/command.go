// Package command is the experiment that runs any program: a spec says how to
// start it, what it measures, and which parameters vary. Its runs are then
// identified, repeated, tabulated and compared like those of other experiments.
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
//
// command.go declares the experiment from the spec's tables, which table.go,
// params.go and metrics.go read. ready.go looks whether the program is there.
// Then run.go executes a run: files.go names the program's files, state.go is
// what survives its attempts, workspace.go is where it works, input.go is what
// the program is told, group.go starts it in a process group, usage.go measures
// what it uses, printed.go holds what it prints, and answer.go reads what it
// measured, with sheet.go for tables that it wrote and pattern.go for text.
// number.go reads numbers. Runs of a persistent program are in
// persistent.go; pool.go has the workers, worker.go talks to one. kept.go reads
// answers again that were kept. family_linux.go and cgroup_linux.go end what
// has left its group, and memory.go says which run was killed for lack of
// memory. mixup.go has what a program and sweep misunderstand of each other,
// unnamed.go what is in answers and in no metric, and quotes.go finds
// placeholders in quotation marks.
package command

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"sweep/experiment"
	"sweep/internal/document"
)

// Template is a spec to begin with.
//
//go:embed template.toml
var Template string

// schema has the JSON Schemas of the tables [command] and [parameters].
//
//go:embed schema.json
var schema []byte

// Name is the name of the experiment, and of its table in a spec.
const Name = "command"

// Two parameters that every run has after those of the spec. If one of them
// changes, the runs are other runs.
const (
	templateParam = "command" // how the program is started, as JSON
	programParam  = "program" // its version, or the content of its files
)

// Experiment returns the experiment, which declares itself from a spec.
func Experiment() *experiment.Experiment {
	return &experiment.Experiment{
		Name:    Name,
		Version: 1,
		Title:   "any program, started by the spec's table [command]",
		Source:  "docs/commands.md",
		Declare: declare,
		Schema:  schema,
	}
}

// A program says how to execute runs, as a spec's [command] has it.
type program struct {
	run     []string // with {name} in place of parameters
	shell   bool     // run is one text for sh
	watch   []string // files or patterns, relative to dir
	dir     string   // where relative paths begin, absolute
	timeout time.Duration
	keep    bool     // keep the directories of runs that succeeded, too
	state   bool     // each run has a directory that survives its attempts
	env     []string // NAME=text, sorted
	file    string   // of the answer or the sheet, in the run's directory; empty: stdout

	patterns    map[string]*regexp.Regexp // of metrics, by name
	refuseExtra bool                      // answers have nothing that the spec does not name

	persistent   bool  // one process answers many runs:
	restartAfter int64 // at most this number; 0: no limit
	restartAbove int64 // until it has more bytes of memory; 0: no limit

	counted bool // the series has no axis of its own: its rows are counted

	// found holds, by directory, the names that were in it when the first run
	// began; some may be of runs that were kept.
	found sync.Map

	// hashes of files by path, size and time, so that the program's files can
	// be compared cheaply before and after each run.
	hashes sync.Map
}

// declare declares the experiment of a spec.
func declare(r *experiment.Request) (e *experiment.Experiment, err error) {
	defer document.Catch[*experiment.Fault](&err)
	t := table{r.Table}
	if r.Table == nil {
		t.fail("", "", "the experiment %q needs a table [command] "+
			"with the keys run, metrics, and watch or version", Name)
	}
	t.only("", commandKeys)
	p := t.program()
	p.dir = p.directory(r.File)
	e = Experiment()
	e.Declare = nil
	e.Run = p.execute
	e.Ready = func(seeds int64) ([]*experiment.Fault, error) {
		return p.ready(t, r, e, seeds)
	}
	e.Title = short(strings.Join(p.run, " "))
	e.Metrics = t.metrics("metrics")
	if len(e.Metrics) == 0 {
		t.fail("metrics", "",
			`want the names of what the program measures, such as metrics = ["infected"]`)
	}
	e.Series = t.seriesOf()
	p.readPatterns(t, e.Metrics)
	p.checkFile(t, e)
	p.setPlaces(e)
	identity, err := p.identity(t, r)
	if err != nil {
		return nil, err
	}
	for _, g := range r.Grid {
		if e.Metric(g.Name) >= 0 {
			table{g.At}.fail("", "", "%s is a metric, too: want another name", g.Name)
		}
	}
	e.Params = append(params(r), identity...)
	p.readState(t, e)
	p.checkPlaceholders(t, e)
	return e, nil
}

// program reads how runs are executed, but for the directory.
func (t table) program() *program {
	p := &program{
		shell:   t.bool("shell"),
		watch:   t.texts("watch"),
		timeout: t.duration("timeout"),
		keep:    t.bool("keep"),
		file:    t.text("file"),
		counted: t.text("axis") == "",
	}
	if p.timeout == 0 {
		p.timeout = math.MaxInt64
	}
	p.run = t.run(p.shell)
	p.readPersistence(t)
	p.refuseExtra = t.extra()
	p.env = t.env()
	if p.file != "" && !filepath.IsLocal(p.file) {
		t.fail("file", "", "%q is no path within the run's directory", p.file)
	}
	return p
}

// identity returns the parameters that make runs of another command line, or
// of another program, other runs.
func (p *program) identity(t table, r *experiment.Request) ([]experiment.Param, error) {
	template, err := json.Marshal(p.run)
	if err != nil {
		panic("command: " + err.Error()) // strings only: cannot fail
	}
	if p.answersInFile() {
		template = append(template, " > "+p.file...)
	}
	if len(p.env) > 0 {
		template = append(template, " with "+strings.Join(p.env, " ")...)
	}
	version := t.text("version")
	if (version == "") == (len(p.watch) == 0) {
		t.fail("", "", `want either watch = ["sim.py"], files whose content makes other runs, `+
			`or version = "1", to be raised with every change of the program`)
	}
	if version == "" {
		version, err = p.watchedFiles(t, r)
		if err != nil {
			return nil, err
		}
	}
	return []experiment.Param{
		constant(templateParam, short(string(template)), "how the program is started"),
		constant(programParam, short(version), "the program's version, or the content of its files"),
	}, nil
}

// watchedFiles returns what stands for the content of the watched files.
func (p *program) watchedFiles(t table, r *experiment.Request) (string, error) {
	input := &experiment.Input{
		Accepts: `a file, or a pattern such as "*.py"`,
		Read: func(pattern string, _ map[string]string) (experiment.Value, error) {
			return p.read(pattern)
		},
	}
	var holds []string
	for _, name := range p.watch {
		held, err := r.Read(t.Entry("watch"), name, input)
		if err != nil {
			return "", err
		}
		holds = append(holds, held.Text())
	}
	return strings.Join(holds, " "), nil
}

// constant returns a parameter that has the same value in all runs.
func constant(name, value, meaning string) experiment.Param {
	return experiment.Param{
		Name:     name,
		Kind:     experiment.String,
		Default:  experiment.StringValue(value),
		Choices:  []string{value},
		Identity: true,
		Meaning:  meaning,
		Source:   "the spec's [command]",
	}
}

// short returns a text or, of a long one, its beginning and its hash.
func short(text string) string {
	const maxLen = 200 // bytes
	if len(text) <= maxLen {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToValidUTF8(text[:maxLen/2], "") + "…@sha256:" + hex.EncodeToString(sum[:8])
}
