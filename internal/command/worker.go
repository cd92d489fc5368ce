package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// protocol is the version of the protocol of persistent programs, which
// docs/commands.md describes.
const protocol = 1

// greetingTimeout is how long a program may take to start. Large libraries
// take a minute to load from a busy network file system.
const greetingTimeout = 5 * time.Minute

// A worker is a persistent program at work. It was started once and answers
// one run after another: requests are lines on its stdin, answers are lines on
// its stdout. It works in a directory of its own, which is empty when a run
// begins.
type worker struct {
	number  int    // 0 … one less than there are workers
	gpus    string // that it may use; empty: as sweep itself
	dir     string
	made    fs.FileInfo // of dir, lest the program has put another there
	stdin   *os.File
	stdout  *os.File
	lines   *bufio.Reader // of stdout
	stderr  *os.File      // a file, emptied before each run
	process *os.Process
	meter   meter
	answers int64  // that it has given
	last    string // the run that it answered last; empty: none

	life context.Context // ends when the program is to end; its cause says why
	kill context.CancelCauseFunc

	ended chan struct{} // closed when the program has ended
	exit  error         // how; valid after ended is closed
	watch sync.WaitGroup
}

// startWorker starts a program in a directory that it makes, and waits for its
// greeting. ctx bounds the start alone.
func startWorker(ctx context.Context, args, env []string, dir string) (*worker, error) {
	w := &worker{dir: filepath.Join(dir, "run"), ended: make(chan struct{})}
	if err := os.MkdirAll(w.dir, 0o777); err != nil {
		return nil, err
	}
	var err error
	w.made, err = os.Lstat(w.dir)
	if err != nil {
		return nil, err
	}
	w.life, w.kill = context.WithCancelCause(context.Background())
	cmd := exec.CommandContext(w.life, args[0], args[1:]...)
	cmd.Dir = w.dir
	cmd.Env = env
	if err := w.start(cmd, filepath.Join(dir, errorFile)); err != nil {
		w.close()
		return nil, explain(cmd, err)
	}
	limit := fmt.Errorf("did not greet within %v", greetingTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, greetingTimeout, limit)
	defer cancel()
	if err := w.greeting(ctx); err != nil {
		return w, err
	}
	return w, nil
}

// start opens the pipes and starts the program.
func (w *worker) start(cmd *exec.Cmd, errors string) error {
	stdin, requests, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close() // the program has a descriptor of its own
	w.stdin = requests
	answers, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdout.Close() // as above
	w.stdout = answers
	w.lines = bufio.NewReader(answers)
	w.stderr, err = os.OpenFile(errors, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	cmd.Stdin = stdin
	cmd.Stdout = stdout
	cmd.Stderr = w.stderr
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the system kills a program when the thread that started it ends
		defer runtime.UnlockOSThread()
		err := startGroup(cmd)
		started <- err
		if err == nil {
			w.exit = waitGroup(cmd)
			close(w.ended)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	w.process = cmd.Process
	w.meter.process = openProcess(w.process.Pid)
	w.watch.Go(w.watchOutput)
	return nil
}

// pollPeriod is how often the size of what a program writes is looked at.
const pollPeriod = 100 * time.Millisecond

// watchOutput ends a program that writes too much to stderr.
func (w *worker) watchOutput() {
	poll := time.NewTicker(pollPeriod)
	defer poll.Stop()
	for {
		select {
		case <-w.ended:
			return
		case <-poll.C:
			if sizeOf(w.stderr) > maxOutput {
				w.kill(errTooMuch)
			}
		}
	}
}

// greeting reads the program's first line, which names the protocol.
func (w *worker) greeting(ctx context.Context) error {
	line, err := w.ask(ctx, nil)
	if err != nil {
		return err
	}
	var greeting struct {
		Sweep int `json:"sweep"`
	}
	if json.Unmarshal(line, &greeting) != nil || greeting.Sweep != protocol {
		const fault = `a persistent program's first line must be {"sweep": %d}, found %.80q`
		return fmt.Errorf(fault, protocol, line)
	}
	return nil
}

// ask sends a request, if there is one, and returns the line that answers it.
// When ctx ends, so does the program. After an error nobody knows the
// program's state: the worker must be ended.
func (w *worker) ask(ctx context.Context, request []byte) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { w.kill(context.Cause(ctx)) })
	defer stop()
	if _, err := w.stdin.Write(request); err != nil {
		return nil, w.lost("closed its stdin")
	}
	line, err := w.line()
	if err != nil {
		return nil, err
	}
	if err := context.Cause(w.life); err != nil {
		return nil, err
	}
	if w.lines.Buffered() > 0 {
		more, _ := w.lines.Peek(min(w.lines.Buffered(), 40)) // cannot fail: they are there
		const fault = "wrote more than one line: after the answer comes %q"
		return nil, talkError{fmt.Errorf(fault, more)}
	}
	return line, nil
}

// line reads one line of at most maxAnswer bytes.
func (w *worker) line() ([]byte, error) {
	var line []byte
	for {
		part, err := w.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSpace(line), nil
		case len(line) > maxAnswer:
			return nil, fmt.Errorf("the answer has more than %d MB", maxAnswer>>20)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, w.lost("closed its stdout")
		}
	}
}

// lost returns why a program stopped to talk: it was told to end, it ended, or
// it did only what is said here. On a busy machine, the end may be seen late.
func (w *worker) lost(doing string) error {
	var closed error = talkError{errors.New(doing + " while a run was under way")}
	select {
	case <-w.ended:
	case <-time.After(termGrace):
		w.kill(closed)
		<-w.ended
	}
	exit, failed := errors.AsType[*exec.ExitError](w.exit)
	exited := failed && exit.Exited() // by itself, not by a signal
	cause := context.Cause(w.life)
	switch {
	case cause != nil && cause != closed, cause == closed && !exited:
		return cause
	case w.exit == nil:
		return talkError{errors.New("the program ended without an answer")}
	}
	return talkError{byMemory(fmt.Errorf("the program ended without an answer: %w", w.exit))}
}

// end ends the program: its stdin is closed, and it has a moment to heed that.
func (w *worker) end() {
	w.stdin.Close()
	select {
	case <-w.ended:
	case <-time.After(termGrace):
		w.kill(context.Canceled)
		<-w.ended
	}
	w.close()
}

// close gives back what the worker holds of the system.
func (w *worker) close() {
	w.kill(context.Canceled)
	w.watch.Wait()
	for _, file := range []*os.File{w.stdin, w.stdout, w.stderr} {
		if file != nil {
			file.Close() // nothing of ours is lost
		}
	}
	w.meter.process.close()
	_ = os.RemoveAll(filepath.Dir(w.dir)) // at the worst a file is left
}

// reset empties the worker's directory and its stderr for the next run.
func (w *worker) reset() error {
	if err := empty(w.dir, w.made); err != nil {
		return err
	}
	if sizeOf(w.stderr) == 0 {
		return nil
	}
	return w.stderr.Truncate(0)
}

// save moves what the program wrote during a run into the run's directory,
// with the request, the answer and stderr beside it.
func (w *worker) save(dir string, c conversation) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		from := filepath.Join(w.dir, file.Name())
		if err := os.Rename(from, filepath.Join(dir, file.Name())); err != nil {
			return err
		}
	}
	size := min(sizeOf(w.stderr), maxOutput)
	return errors.Join(
		writeNew(filepath.Join(dir, errorFile), io.NewSectionReader(w.stderr, 0, size)),
		writeNew(filepath.Join(dir, inputFile), bytes.NewReader(c.request)),
		writeNew(filepath.Join(dir, outputFile), bytes.NewReader(c.answer)))
}

// sizeOf returns how many bytes a file holds.
func sizeOf(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// memory returns how many bytes of memory the program has, 0 if that is not
// known.
func (w *worker) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", w.process.Pid))
	if err != nil {
		return 0 // not Linux
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
