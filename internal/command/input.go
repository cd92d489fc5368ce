package command

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// A program is told its parameters three times: in its arguments, in its
// environment, and as JSON on stdin.

// placeholder is a parameter in an argument; doubled braces stand for single
// ones.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*\}`)

// workerName is the placeholder of the number of the worker that executes a
// run: 0 … one less than there are workers. A parameter of that name hides it.
const workerName = "worker"

// A setup is what a run is told besides its parameters.
type setup struct {
	run     string // its name, which identifies it
	attempt int
	worker  int
	dir     string // where it works
	state   string // empty if it has none
}

// setupOf returns the setup of a run in a directory.
func setupOf(ctx context.Context, dir, state string, worker int) setup {
	s := setup{filepath.Base(dir), 1, worker, dir, state}
	if a := experiment.AttemptOf(ctx); a.Number > 0 {
		s.run = a.RunID
		s.attempt = a.Number
	}
	return s
}

// checkPlaceholders refuses arguments with names that are no parameters.
func (p *program) checkPlaceholders(t table, e *experiment.Experiment) {
	for _, arg := range p.run {
		for _, found := range placeholder.FindAllString(arg, -1) {
			name := strings.Trim(found, "{}")
			param, _ := e.Param(name)
			if name == workerName && param == nil {
				continue
			}
			if p.persistent && name != "" && name != "dir" {
				hint := "a persistent program reads parameters and seeds from stdin, " +
					"see docs/commands.md"
				t.fail("run", hint,
					"%s cannot be an argument: the program starts once for many runs", found)
			}
			if slices.Contains([]string{"", "seed", "dir"}, name) {
				continue
			}
			if param != nil || name == stateName {
				continue
			}
			hint := document.DidYouMean(name, e.ParamNames())
			if hint == "" {
				hint = "parameters are {seed}, {dir} for the spec's directory, " +
					"{state} for one that survives attempts, {worker} for the number of the " +
					"worker, and the names in [grid]; " +
					"{{" + name + "}} stands for itself"
			}
			t.fail("run", hint, "%s is no parameter of the spec", found)
		}
	}
}

// shell executes a text.
const shell = "/bin/sh"

// arguments returns the command line of a run.
func (p *program) arguments(point experiment.Point, s setup) []string {
	args := make([]string, len(p.run))
	for i, arg := range p.run {
		args[i] = placeholder.ReplaceAllStringFunc(arg, func(found string) string {
			switch name := strings.Trim(found, "{}"); {
			case name == "":
				return found[:1]
			case name == "dir":
				return p.word(p.dir)
			case name == "seed":
				return strconv.FormatInt(point.Seed, 10)
			case name == stateName && p.state:
				return p.word(s.state)
			case name == workerName && !has(point, name):
				return strconv.Itoa(s.worker)
			default:
				return p.word(point.Value(name).String())
			}
		})
		if p.watched(arg) || i == 0 && p.startsFile() {
			args[i] = p.beside(args[i])
		}
	}
	if p.shell {
		return []string{shell, "-c", args[0]}
	}
	return args
}

// startsFile reports whether the program is named by a path, and not found in
// PATH or by a shell.
func (p *program) startsFile() bool {
	return !p.shell && strings.ContainsRune(p.run[0], '/')
}

// word returns a value as an argument. For a shell it is quoted in any case: a
// digit before > would have a meaning.
func (p *program) word(text string) string {
	if !p.shell {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// prefix begins the names of environment variables.
const prefix = "SWEEP_"

// has reports whether a spec names a parameter.
func has(point experiment.Point, name string) bool {
	param, _ := point.Experiment.Param(name)
	return param != nil
}

// environment returns the environment of a run: that of any program, with the
// parameters. A parameter hides another variable of its name.
func (p *program) environment(
	ctx context.Context, point experiment.Point, s setup,
) []string {
	list := p.environmentIn(ctx, s.dir, s.worker)
	list = append(list, prefix+"RUN_ID="+s.run, prefix+"ATTEMPT="+strconv.Itoa(s.attempt))
	if s.state != "" {
		list = append(list, prefix+"STATE="+s.state)
	}
	for i, p := range ownParams(point) {
		list = append(list, variable(p.Name)+"="+point.Values[i].String())
	}
	return append(list, prefix+"SEED="+strconv.FormatInt(point.Seed, 10))
}

// variable returns the name of the environment variable that has the value of a
// parameter: SWEEP_MODEL_LR for "model.lr".
func variable(name string) string {
	return prefix + strings.ToUpper(experiment.Identifier(name))
}

// environmentIn returns the environment of this process, without what begins
// with SWEEP_, with the variables of the spec, for a program of a worker in a
// directory, and the GPUs that it may use if it has some to itself.
func (p *program) environmentIn(ctx context.Context, dir string, worker int) []string {
	list := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, prefix) || strings.HasPrefix(v, "PWD=")
	})
	list = append(list, p.env...)
	list = append(list, "PWD="+dir, prefix+"WORKER="+strconv.Itoa(worker))
	if gpus := experiment.GPUs(ctx); gpus != "" {
		list = append(list, "CUDA_VISIBLE_DEVICES="+gpus, prefix+"GPUS="+gpus)
	}
	return list
}

// parameters returns the values of the parameters that the spec names.
func parameters(point experiment.Point) map[string]any {
	values := map[string]any{}
	for i, p := range ownParams(point) {
		values[p.Name] = point.Values[i]
	}
	return values
}

// inputOf returns the parameters and the seed as a JSON object.
func inputOf(point experiment.Point) ([]byte, error) {
	values := parameters(point)
	values["seed"] = point.Seed
	text, err := json.Marshal(values)
	return append(text, '\n'), err
}

// ownParams returns the parameters that the spec names: all but the last two,
// which identity adds.
func ownParams(point experiment.Point) []experiment.Param {
	return point.Experiment.Params[:len(point.Values)-2]
}
