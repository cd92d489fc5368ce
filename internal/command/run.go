package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// maxTail bounds what of each of them is in the row of a failed run, in bytes.
const maxTail = 4 << 10

// execute starts the program in a directory of its own and reads its answer.
// The directory stays if the run fails, or if the spec says to keep it.
func (p *program) execute(
	ctx context.Context, point experiment.Point, out *experiment.Result,
) error {
	if isKept, err := p.readAgain(ctx, point, out); isKept {
		return err
	}
	if p.persistent {
		return p.executePersistent(ctx, point, out)
	}
	want := point.Value(programParam).Text()
	if err := p.unchanged(want); err != nil {
		return err
	}
	dir, remove, err := runDirectory(ctx)
	if err != nil {
		return err
	}
	defer remove()
	state, err := p.makeState(ctx, dir)
	if err != nil {
		return err
	}
	dir, err = filepath.Abs(dir) // PWD is a path from the root
	if err != nil {
		return err
	}
	space, err := takeSpace(dir)
	if err != nil {
		return err
	}
	defer returnSpace(space)
	number := takeNumber()
	defer freeNumber(number)
	said, err := p.start(ctx, point, setupOf(ctx, dir, state, number), out)
	if said == nil {
		return errors.Join(err, space.leave(dir))
	}
	defer said.close()
	if err == nil {
		err = p.measure(dir, said, point.Experiment, out)
	}
	if err == nil {
		err = p.unchanged(want)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return errors.Join(err, space.leave(dir))
	case err != nil:
		err = errors.Join(err, said.save())
		return withOutput(err, dir)
	case p.keep:
		if err := said.save(); err != nil {
			return err
		}
		return markKept(dir)
	}
	return space.leave(dir)
}

// measure reads the answer of a run that has ended, and what it printed.
func (p *program) measure(
	dir string, said *printed, e *experiment.Experiment, out *experiment.Result,
) error {
	stdout, err := said.stdout.tail(maxAnswer)
	if err != nil {
		return err
	}
	return p.answer(dir, stdout, e, out)
}

// start runs the program to its end. What it returns is nil if there was no
// attempt to start it.
func (p *program) start(
	ctx context.Context, point experiment.Point, s setup, out *experiment.Result,
) (*printed, error) {
	input, err := inputOf(point)
	if err != nil {
		return nil, err
	}
	run, end := context.WithCancelCause(ctx)
	defer end(nil)
	run, stop := context.WithTimeoutCause(run, p.timeout,
		fmt.Errorf("took longer than %v, its timeout", p.timeout))
	defer stop()
	said, err := listen(s.dir, input, func() { end(errTooMuch) })
	if err != nil {
		return nil, err
	}
	args := p.arguments(point, s)
	cmd := exec.CommandContext(run, args[0], args[1:]...)
	cmd.Dir = s.dir
	cmd.Env = p.environment(ctx, point, s)
	cmd.Stdin = said.theirs[0]
	cmd.Stdout = said.theirs[1]
	cmd.Stderr = said.theirs[2]
	started := time.Now()
	err = runGroup(cmd)
	out.Usage = usageOf(cmd, started)
	cause := context.Cause(ctx)
	ended := context.Cause(run)
	limit := streamGrace
	if ended != nil {
		limit = termGrace
	}
	faulty := said.end(limit)
	ended = context.Cause(run)
	switch {
	case ended == errTooMuch:
		return said, errTooMuch
	case err == nil:
		return said, faulty
	case cause != nil:
		return said, whyEnded(ctx, cause)
	case ended != nil:
		return said, ended
	}
	return said, byMemory(explain(cmd, err))
}

// explain says what is missing if a program that exists cannot be started.
func explain(cmd *exec.Cmd, err error) error {
	_, missing := os.Stat(cmd.Path)
	if missing == nil && errors.Is(err, os.ErrNotExist) {
		const reason = "the interpreter of its first line is missing, or that line ends in CRLF"
		return fmt.Errorf("%w: %s", err, reason)
	}
	return err
}

var errTooMuch = errors.New("wrote more than 256 MB to stdout and stderr")

// withOutput adds the end of what the program wrote to an error. The answer by
// which a persistent program has reported the error would only repeat it.
func withOutput(err error, dir string) error {
	text := describeTail(dir, errorFile, "stderr")
	if !errors.As(err, new(reportedError)) {
		text += describeTail(dir, outputFile, "stdout")
	}
	return fmt.Errorf("%w%s", err, text)
}

// describeTail returns the end of a file, on a line of its own; nothing if it
// is empty or cannot be read.
func describeTail(dir, file, name string) string {
	tail, err := tailOf(filepath.Join(dir, file), maxTail)
	text := printable(tail)
	if err != nil || text == "" {
		return ""
	}
	return "\n" + name + ": " + text
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

// printable returns a text without what would command a terminal.
func printable(text []byte) string {
	valid := strings.ToValidUTF8(string(text), "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, valid))
}
