package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"sweep/experiment"
)

// readPersistence reads whether, and for how long, processes of the program
// answer run after run.
func (p *program) readPersistence(t table) {
	p.persistent = t.bool("persistent")
	for _, key := range []string{"restart_after", "restart_above"} {
		if t.Entry(key) != nil && !p.persistent {
			const fault = "a program that is not persistent starts for every run: " +
				"add persistent = true"
			t.fail(key, "", fault)
		}
	}
	p.restartAfter = get[int64](t, "restart_after", "a number of runs such as 100")
	if t.Entry("restart_after") != nil && p.restartAfter < 1 {
		t.fail("restart_after", "", "%d, want a number of runs of at least 1", p.restartAfter)
	}
	text := get[string](t, "restart_above", `a text such as "2G"`)
	if t.Entry("restart_above") == nil {
		return
	}
	bytes, err := humanize.ParseBytes(text)
	if err != nil || bytes < 1 || bytes > math.MaxInt64 {
		t.fail("restart_above", "", "%q is no amount of memory, want for example \"2G\"", text)
	}
	p.restartAbove = int64(bytes)
}

// A request is what a persistent program reads for a run. The run stands
// first, where a program without a JSON library finds it.
type request struct {
	Run        string         `json:"run"`
	Seed       int64          `json:"seed"`
	Parameters map[string]any `json:"parameters"`
	Directory  string         `json:"directory"`
	Attempt    int            `json:"attempt"`
	State      string         `json:"state,omitempty"`
}

// A reportedError is a failure that the program itself has reported. It is
// ready for another run.
type reportedError string

func (e reportedError) Error() string { return string(e) }

// freshKey is the key of Fresh in a context.
type freshKey struct{}

// Fresh returns a context in which each run of a persistent program has a
// process of its own. A run that then gives other numbers depends on those
// that came before it.
func Fresh(ctx context.Context) context.Context {
	return context.WithValue(ctx, freshKey{}, true)
}

func isFresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }

// executePersistent has a worker answer a run. What the program wrote stays in
// the run's directory if the run fails, or if the spec says to keep it.
func (p *program) executePersistent(
	ctx context.Context, point experiment.Point, out *experiment.Result,
) error {
	dir, remove, err := runDirectory(ctx)
	if err != nil {
		return err
	}
	defer remove()
	if err := os.RemoveAll(dir); err != nil { // an earlier attempt left it
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
	w, c, err := p.ask(ctx, point, dir, state, out)
	if w == nil {
		return err
	}
	if err == nil {
		err = p.unchanged(want)
	}
	ready := isReady(err)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		err = errors.Join(err, w.save(dir, c))
		err = withOutput(err, dir)
	case p.keep:
		err = w.save(dir, c)
		if err == nil {
			err = markKept(dir)
		}
	}
	p.returnWorker(ctx, w, ready)
	return err
}

// isReady reports whether a program is ready for another run.
func isReady(err error) bool { return err == nil || errors.As(err, new(reportedError)) }

// ask has a worker answer a run, and returns both. If that goes wrong and an
// earlier run of the process may be the cause, a new process has the last word.
func (p *program) ask(
	ctx context.Context, point experiment.Point, dir, state string, out *experiment.Result,
) (w *worker, c conversation, err error) {
	w, err = p.takeWorker(ctx, point, dir)
	if err != nil {
		return w, c, err
	}
	after := w.last
	c, err = p.converse(ctx, w, point, setupOf(ctx, dir, state, w.number), out)
	if after == "" || !isTalk(err) {
		return w, c, err
	}
	p.returnWorker(ctx, w, false)
	doubtful := err
	w, err = p.takeWorker(Fresh(ctx), point, dir)
	if err != nil {
		return w, c, err
	}
	c, err = p.converse(ctx, w, point, setupOf(ctx, dir, state, w.number), out)
	if isReady(err) {
		addMixup(after, doubtful)
	}
	return w, c, err
}

// runDirectory returns the path of a run's directory, and what removes it if
// sweep gave the run none.
func runDirectory(ctx context.Context) (dir string, remove func(), err error) {
	dir = experiment.Directory(ctx)
	if dir != "" {
		return dir, func() {}, nil
	}
	scratch, err := os.MkdirTemp("", "sweep-")
	return filepath.Join(scratch, "run"), func() { os.RemoveAll(scratch) }, err
}

// A conversation is a request and the line that answers it.
type conversation struct{ request, answer []byte }

// converse sends a run to a worker and reads the answer.
func (p *program) converse(
	ctx context.Context, w *worker, point experiment.Point, s setup, out *experiment.Result,
) (c conversation, err error) {
	c.request, err = json.Marshal(request{
		Run:        s.run,
		Seed:       point.Seed,
		Parameters: parameters(point),
		Directory:  w.dir,
		Attempt:    s.attempt,
		State:      s.state,
	})
	if err != nil {
		return c, err
	}
	c.request = append(c.request, '\n')
	timeout := fmt.Errorf("took longer than %v, its timeout", p.timeout)
	limited, cancel := context.WithTimeoutCause(ctx, p.timeout, timeout)
	defer cancel()
	w.meter.begin()
	c.answer, err = w.ask(limited, c.request)
	out.Usage = w.meter.end()
	if err != nil {
		return c, whyEnded(ctx, err)
	}
	w.answers++
	w.last = s.run
	answered.Add(1)
	return c, p.judge(w, s.run, c.answer, point.Experiment, out)
}

// whyEnded returns context.Canceled if the sweep ends, and else the error.
func whyEnded(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return context.Canceled
	}
	return err
}

// errorKey is the key of an answer with which a persistent program reports, by
// a text, that a run failed. Anything else there is a value as others are.
const errorKey = "error"

// judge reads the answer to a run: {"run": …, "infected": 812}, or
// {"run": …, "error": "…"}.
func (p *program) judge(
	w *worker, run string, line []byte, e *experiment.Experiment, out *experiment.Result,
) error {
	a := new(answer)
	if err := a.read("the answer", line); err != nil {
		return talkError{err}
	}
	var answered string
	if json.Unmarshal(a.take(runKey), &answered) != nil || answered != run {
		const fault = "answered run %q while it was to answer run %q"
		return talkError{fmt.Errorf(fault, answered, run)}
	}
	if sizeOf(w.stderr) > maxOutput {
		return errTooMuch
	}
	var failure *string // nil: none is reported, or null
	err := json.Unmarshal(a.values[errorKey], &failure)
	if err == nil && failure != nil {
		return reportedError(printable([]byte(*failure)))
	}
	if !p.answersInFile() {
		return p.result(a, w.dir, nil, e, out)
	}
	return p.answer(w.dir, nil, e, out)
}
