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

// maxOutput bounds what a program may write to stdout and stderr together, in
// bytes.
var maxOutput int64 = 256 << 20 // tests change it

// maxTail bounds what of each of them is in the row of a failed run, in bytes.
const maxTail = 4 << 10

// pollPeriod is how often the size of what a program writes is looked at.
const pollPeriod = 100 * time.Millisecond

// execute starts the program in a directory of its own and reads its answer.
// The directory stays if the run fails. It is removed if the run succeeds,
// unless the spec says to keep it, and if the run was given up.
func (p *program) execute(
	ctx context.Context, point experiment.Point, out *experiment.Result,
) error {
	if isKept, err := p.readAgain(ctx, point, out); isKept {
		return err
	}
	if p.persistent {
		return p.executePersistent(ctx, point, out)
	}
	dir, remove, err := runDirectory(ctx)
	if err != nil {
		return err
	}
	defer remove()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	want := point.Value(programParam).Text()
	if err := p.unchanged(want); err != nil {
		return err
	}
	state, err := p.makeState(ctx, dir)
	if err != nil {
		return err
	}
	err = p.start(ctx, point, dir, state, out)
	if err == nil {
		err = p.measure(dir, point.Experiment, out)
	}
	if errors.Is(err, context.Canceled) {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		return withOutput(err, dir)
	}
	if err := p.unchanged(want); err != nil {
		return err
	}
	if err := dropState(state); err != nil {
		return err
	}
	if p.keep {
		return markKept(dir)
	}
	return os.RemoveAll(dir)
}

// measure reads the answer from the directory of a run that has ended.
func (p *program) measure(
	dir string, e *experiment.Experiment, out *experiment.Result,
) error {
	stdout, err := tailOf(filepath.Join(dir, outputFile), maxAnswer)
	if err != nil {
		return err
	}
	return p.answer(dir, stdout, e, out)
}

// start runs the program to its end.
func (p *program) start(
	ctx context.Context, point experiment.Point, dir, state string, out *experiment.Result,
) error {
	input, err := inputOf(point)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, inputFile), input, 0o666); err != nil {
		return err
	}
	run, end := context.WithCancelCause(ctx)
	defer end(nil)
	run, stop := context.WithTimeoutCause(run, p.timeout,
		fmt.Errorf("took longer than %v, its timeout", p.timeout))
	defer stop()
	args := p.arguments(point, state)
	cmd := exec.CommandContext(run, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = environment(ctx, point, dir, state)
	stdin, err := os.Open(filepath.Join(dir, inputFile))
	if err != nil {
		return err
	}
	defer stdin.Close() // the program has descriptors of its own
	stdout, err := create(dir, outputFile)
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := create(dir, errorFile)
	if err != nil {
		return err
	}
	defer stderr.Close()
	cmd.Stdin = stdin
	cmd.Stdout = stdout
	cmd.Stderr = stderr
	written := []*os.File{stdout, stderr}
	var watch sync.WaitGroup
	watch.Go(func() {
		poll := time.NewTicker(pollPeriod)
		defer poll.Stop()
		for {
			select {
			case <-run.Done():
				return
			case <-poll.C:
				if sizeOf(written) > maxOutput {
					end(errTooMuch)
				}
			}
		}
	})
	started := time.Now()
	err = runGroup(cmd)
	out.Usage = usageOf(cmd, started)
	cause := context.Cause(ctx)
	ended := context.Cause(run)
	stop()
	watch.Wait()
	switch {
	case err == nil && sizeOf(written) > maxOutput:
		return errTooMuch
	case err == nil:
		return nil
	case cause != nil:
		return whyEnded(ctx, cause)
	case ended != nil:
		return ended
	}
	return byMemory(explain(cmd, err))
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

// create opens a file for what the program writes.
func create(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE, 0o666)
}

var errTooMuch = errors.New("wrote more than 256 MB to stdout and stderr")

// sizeOf returns how many bytes files hold together.
func sizeOf(files []*os.File) (size int64) {
	for _, f := range files {
		if info, err := f.Stat(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// withOutput adds the end of what the program wrote to an error.
func withOutput(err error, dir string) error {
	text := describeTail(dir, errorFile, "stderr") + describeTail(dir, outputFile, "stdout")
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
