package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"sweep/experiment"
)

// Files in a run's directory.
const (
	inputFile  = "stdin.json"
	outputFile = "stdout.txt"
	errorFile  = "stderr.txt"
)

// maxOutput bounds what a program may write to stdout and stderr together.
var maxOutput int64 = 256 << 20 // tests change it

// maxTail bounds what of each of them is in the row of a failed run.
const maxTail = 4 << 10

// pollPeriod is how often the size of what a program writes is looked at.
const pollPeriod = 100 * time.Millisecond

// execute starts the program in a directory of its own and reads its answer.
// The directory stays if the run fails, and is removed if it succeeds, unless
// the spec says to keep it.
func (p *program) execute(ctx context.Context, point experiment.Point, out *experiment.Result) (err error) {
	dir, remove := experiment.Directory(ctx), !p.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "sweep-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	} else if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return err
	}
	want := point.Value(programParam).Text()
	if err := p.unchanged(want); err != nil {
		return err
	}
	if err = p.start(ctx, point, dir); err == nil {
		err = p.answer(dir, point.Experiment, out)
	}
	if err == nil {
		err = p.unchanged(want)
	} else if !errors.Is(err, context.Canceled) {
		err = withOutput(err, dir)
	}
	if err == nil && remove || errors.Is(err, context.Canceled) {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// start runs the program to its end.
func (p *program) start(ctx context.Context, point experiment.Point, dir string) error {
	args := p.arguments(point)
	input, err := inputOf(point)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, inputFile), input, 0o666)
	}
	if err != nil {
		return err
	}
	run, end := context.WithCancelCause(ctx)
	defer end(nil)
	run, stop := context.WithTimeoutCause(run, p.timeout, fmt.Errorf("took longer than %v, its timeout", p.timeout))
	defer stop()
	cmd := exec.CommandContext(run, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, environment(point, dir)
	files := make([]*os.File, 3)
	for i, name := range []string{inputFile, outputFile, errorFile} {
		flags := os.O_RDONLY
		if i > 0 {
			flags = os.O_WRONLY | os.O_CREATE
		}
		if files[i], err = os.OpenFile(filepath.Join(dir, name), flags, 0o666); err != nil {
			return err
		}
		defer files[i].Close() // the program has a descriptor of its own
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	var watch sync.WaitGroup
	watch.Go(func() {
		poll := time.NewTicker(pollPeriod)
		defer poll.Stop()
		for {
			select {
			case <-run.Done():
				return
			case <-poll.C:
				if sizeOf(files[1:]) > maxOutput {
					end(errTooMuch)
				}
			}
		}
	})
	err = runGroup(cmd)
	if _, missing := os.Stat(cmd.Path); missing == nil && errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: the interpreter of its first line is missing, or that line ends in CRLF", err)
	}
	cause, ended := context.Cause(ctx), context.Cause(run)
	stop()
	watch.Wait()
	switch {
	case err == nil && sizeOf(files[1:]) <= maxOutput:
		return nil
	case err == nil:
		return errTooMuch
	case cause != nil && !errors.Is(cause, context.DeadlineExceeded):
		return context.Canceled
	}
	return cmp.Or(cause, ended, err)
}

var errTooMuch = errors.New("wrote more than 256 MB to stdout and stderr")

func sizeOf(files []*os.File) (n int64) {
	for _, f := range files {
		if info, err := f.Stat(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// arguments returns the command line of a run.
func (p *program) arguments(point experiment.Point) []string {
	args := make([]string, len(p.run))
	for i, arg := range p.run {
		path := p.watched(arg) || i == 0 && !p.shell && strings.ContainsRune(arg, '/')
		args[i] = placeholder.ReplaceAllStringFunc(arg, func(found string) string {
			switch name := strings.Trim(found, "{}"); name {
			case "":
				return found[:1]
			case "dir":
				return p.word(p.dir)
			case "seed":
				return strconv.FormatInt(point.Seed, 10)
			default:
				return p.word(point.Value(name).String())
			}
		})
		if path {
			args[i] = p.beside(args[i])
		}
	}
	if p.shell {
		return []string{"/bin/sh", "-c", args[0]}
	}
	return args
}

// word returns a value as an argument: to a shell one word, whatever it
// holds.
func (p *program) word(text string) string {
	if !p.shell {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// prefix begins the names of environment variables.
const prefix = "SWEEP_"

// own returns the parameters that the spec names: all but the last two.
func own(point experiment.Point) []experiment.Param {
	return point.Experiment.Params[:len(point.Values)-2]
}

// environment returns the environment of a run: that of this process, with
// the parameters in place of what began with SWEEP_ there.
func environment(point experiment.Point, dir string) []string {
	list := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, prefix) || strings.HasPrefix(v, "PWD=")
	})
	for i, p := range own(point) {
		list = append(list, prefix+strings.ToUpper(p.Name)+"="+point.Values[i].String())
	}
	return append(list, prefix+"SEED="+strconv.FormatInt(point.Seed, 10), "PWD="+dir)
}

// inputOf returns the parameters as a JSON object.
func inputOf(point experiment.Point) ([]byte, error) {
	values := map[string]any{"seed": point.Seed}
	for i, p := range own(point) {
		values[p.Name] = point.Values[i]
	}
	text, err := json.Marshal(values)
	return append(text, '\n'), err
}

// withOutput adds the end of what the program wrote to an error.
func withOutput(err error, dir string) error {
	text := ""
	for _, f := range []struct{ what, name string }{{"stderr", errorFile}, {"stdout", outputFile}} {
		tail, tailErr := tailOf(filepath.Join(dir, f.name), maxTail)
		if words := printable(tail); tailErr == nil && words != "" {
			text += "\n" + f.what + ": " + words
		}
	}
	return fmt.Errorf("%w%s", err, text)
}

// tailOf returns at most the last n bytes of a file.
func tailOf(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := min(n, info.Size())
	return io.ReadAll(io.NewSectionReader(f, info.Size()-size, size))
}

// printable returns a text without what a terminal would obey.
func printable(text []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\r' || r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(text), "\uFFFD")))
}
