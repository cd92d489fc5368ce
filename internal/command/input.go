package command

import (
	"context"
	"encoding/json"
	"os"
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

// checkPlaceholders refuses arguments with names that are no parameters.
func (p *program) checkPlaceholders(t table, e *experiment.Experiment) {
	for _, arg := range p.run {
		for _, found := range placeholder.FindAllString(arg, -1) {
			name := strings.Trim(found, "{}")
			if p.persistent && name != "" && name != "dir" {
				hint := "a persistent program reads parameters and seeds from stdin, " +
					"see docs/commands.md"
				t.fail("run", hint,
					"%s cannot be an argument: the program starts once for many runs", found)
			}
			if slices.Contains([]string{"", "seed", "dir"}, name) {
				continue
			}
			if param, _ := e.Param(name); param != nil || name == stateName {
				continue
			}
			hint := document.DidYouMean(name, e.ParamNames())
			if hint == "" {
				hint = "parameters are {seed}, {dir} for the spec's directory, " +
					"{state} for one that survives attempts, and the names in [grid]; " +
					"{{" + name + "}} stands for itself"
			}
			t.fail("run", hint, "%s is no parameter of the spec", found)
		}
	}
}

// shell executes a text.
const shell = "/bin/sh"

// arguments returns the command line of a run that has a state.
func (p *program) arguments(point experiment.Point, state string) []string {
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
				return p.word(state)
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

// environment returns the environment of a run: that of this process, with
// the parameters in place of variables that begin with SWEEP_ there.
func environment(
	ctx context.Context, point experiment.Point, dir, state string,
) []string {
	list := environmentIn(ctx, dir)
	if state != "" {
		list = append(list, prefix+"STATE="+state)
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
// with SWEEP_, for a program that works in a directory, and the GPUs that it
// may use if it has some to itself.
func environmentIn(ctx context.Context, dir string) []string {
	list := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, prefix) || strings.HasPrefix(v, "PWD=")
	})
	list = append(list, "PWD="+dir)
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
