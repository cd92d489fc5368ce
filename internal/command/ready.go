package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// ready reports whether runs can be executed here. It returns a fault if the
// program cannot be started, and warnings if it may not find its files, if
// several seeds seem to make no difference, and of what seems to be meant
// otherwise.
func (p *program) ready(
	t table, r *experiment.Request, e *experiment.Experiment, seeds int64,
) (warnings []*experiment.Fault, err error) {
	defer document.Catch[*experiment.Fault](&err)
	p.checkProgram(t)
	if !p.shell {
		args := t.Entry("run").List
		warnings = append(p.filesNotFound(args), p.nearPlaceholders(args, e)...)
	}
	warnings = append(warnings, p.misplaced(r)...)
	if p.hidesMetric(e) {
		at := table{t.Entry("metrics")}
		warnings = append(warnings, at.Errorf("metrics: %q in the answer of a persistent program "+
			"is the run that it answers, and no metric: want another name", runKey))
	}
	if axis := t.Entry("axis"); axis != nil && t.Entry("series") == nil {
		warnings = append(warnings, axis.Errorf("axis: there is no series that it could be of"))
	}
	if seeds > 1 && !p.readsSeed() {
		at := table{t.Entry("run")}
		warning := at.Errorf("run: {seed} is no argument, and no file that the spec names "+
			"mentions a seed: do the %d seeds of a cell make a difference? "+
			"(SWEEP_SEED and stdin have them, too)", seeds)
		warnings = append(warnings, warning)
	}
	return warnings, nil
}

// hidesMetric reports whether the name of a run in a persistent program's
// answer takes the place of a metric.
func (p *program) hidesMetric(e *experiment.Experiment) bool {
	return p.persistent && !p.answersInFile() &&
		slices.ContainsFunc(e.Metrics, func(m experiment.Metric) bool {
			return m.Name == runKey && m.From == ""
		})
}

// filesNotFound warns of arguments after the first that seem to be files which
// the program would not find.
func (p *program) filesNotFound(args []*experiment.Setting) (warnings []*experiment.Fault) {
	for i, arg := range p.run {
		name, inDir := strings.CutPrefix(arg, "{dir}/")
		if i == 0 || placeholder.MatchString(name) || p.watched(arg) {
			continue
		}
		info, err := os.Stat(p.beside(name))
		switch {
		case inDir && err != nil:
			warnings = append(warnings, args[i].Errorf(
				"run: found %q, but %s is neither beside the spec nor in the working directory",
				arg, name))
		case !inDir && err == nil && info.Mode().IsRegular() && !filepath.IsAbs(arg):
			warnings = append(warnings, args[i].Errorf(
				"run: found %q, which a run does not find in its own directory: "+
					"want it in watch, or \"{dir}/%s\"", arg, arg))
		}
	}
	return warnings
}

// nearPlaceholder is an argument, or what stands behind its =, that is a name
// with a brace too few, with blanks or with a format in its braces.
var nearPlaceholder = regexp.MustCompile(
	`^(?:[^{}\s]*=)?(?:\{\s*([A-Za-z_][\w.-]*)(?::[^{}\s]*)?\s*\}?|([A-Za-z_][\w.-]*)\s*\})$`)

// nearPlaceholders warns of arguments that seem to be meant as placeholders.
func (p *program) nearPlaceholders(
	args []*experiment.Setting, e *experiment.Experiment,
) (warnings []*experiment.Fault) {
	for i, arg := range p.run {
		found := nearPlaceholder.FindStringSubmatch(arg)
		if found == nil || p.persistent || placeholder.MatchString(arg) {
			continue
		}
		name := found[1] + found[2]
		param, _ := e.Param(name)
		if param != nil || name == "seed" {
			warnings = append(warnings, args[i].Errorf(
				"run: found %q, which is passed on as it is: want {%s} for the value", arg, name))
		}
	}
	return warnings
}

// misplaced warns of parameters that seem to be keys of another table: TOML
// has what is added at the end of a file in the last table. No parameter that
// has several values, is described or is a placeholder is meant.
func (p *program) misplaced(r *experiment.Request) (warnings []*experiment.Fault) {
	arguments := strings.Join(p.run, " ")
	described := table{r.Parameters}
	for _, g := range r.Grid {
		isAxis := g.At.List != nil || g.At.Table != nil
		isUsed := strings.Contains(arguments, "{"+g.Name+"}")
		if isAxis || isUsed || described.Entry(g.Name) != nil {
			continue
		}
		where := ""
		switch {
		case slices.Contains(specKeys, g.Name):
			where = "above all tables"
		case slices.Contains(commandKeys, g.Name):
			where = "below [command]"
		default:
			continue
		}
		warning := g.At.Errorf("%s is a parameter of the program here", g.Name)
		warning.Hint = "the key " + g.Name + " belongs " + where +
			"; a parameter of this name should be described below [parameters]"
		warnings = append(warnings, warning)
	}
	return warnings
}

// checkProgram refuses a program that is not found, or that cannot be
// executed. Of a shell's text it checks the shell alone.
func (p *program) checkProgram(t table) {
	if p.shell {
		if _, err := exec.LookPath(shell); err != nil {
			t.fail("shell", "", "found true, but %s is not there", shell)
		}
		return
	}
	name := strings.ReplaceAll(p.run[0], "{dir}", p.dir)
	if placeholder.MatchString(name) {
		return // each run may have another
	}
	path := name
	if p.startsFile() {
		path = p.beside(name)
	}
	_, err := exec.LookPath(path)
	if err == nil {
		return
	}
	at := table{t.Entry("run").List[0]}
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && filepath.IsAbs(p.run[0]):
		near := document.DidYouMean(filepath.Base(path), namesIn(filepath.Dir(path)))
		at.fail("", near, "run: found %q, want a program: there is no such file", name)
	case missing && p.startsFile():
		near := document.DidYouMean(filepath.Base(path), namesIn(filepath.Dir(path)))
		at.fail("", near, "run: found %q, want a program: "+
			"it is neither beside the spec nor in the working directory", p.run[0])
	case missing:
		near := document.DidYouMean(name, programsInPath())
		at.fail("", near, "run: found %q, want a program in PATH, "+
			"or a path such as ./model, which begins in the spec's directory", name)
	case errors.Is(err, exec.ErrDot):
		at.fail("", "write ./"+name, "run: found %q, want a program in PATH: "+
			"it is in the working directory", name)
	}
	hint := "chmod +x " + path + " makes a file executable"
	at.fail("", hint, "run: found %q, want a program: %s cannot be executed (%v)",
		name, path, errors.Unwrap(err))
}

// programsInPath returns the names of what is in the directories of PATH.
func programsInPath() (names []string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		names = append(names, namesIn(dir)...)
	}
	return names
}

// namesIn returns the names of what is in a directory, sorted; none if it
// cannot be read.
func namesIn(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// readsSeed reports whether the program may read the seed of a run: an
// argument holds it, or one of the files that the spec names has the word. A
// persistent program gets it with each run.
func (p *program) readsSeed() bool {
	if p.persistent {
		return true
	}
	for _, arg := range p.run {
		if mentionsSeed([]byte(arg)) {
			return true
		}
	}
	var files []string
	for _, name := range p.namedFiles() {
		found, _ := filepath.Glob(p.beside(name)) // none if it is no pattern
		files = append(files, found...)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || mentionsSeed(text)
	})
}

func mentionsSeed(text []byte) bool { return bytes.Contains(bytes.ToLower(text), []byte("seed")) }
