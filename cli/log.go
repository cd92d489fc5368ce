package cli

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sweep/internal/progress"
	"sweep/results"
	"sweep/runner"
)

// A logger is the narrator for programs: records of one line each, as
// logfmt or JSON, with the time in UTC and the sweep's name and id. What is
// printed here are messages and keys that programs depend on.
//
// A log is bounded: progress is told at intervals that grow with the time
// that has passed, and of failed runs only the first of each kind are named.
type logger struct {
	log   *slog.Logger
	job   *job
	meter *progress.Meter
	named map[runner.Fault]int // how many failed runs were named; "" counts retries
}

// maxNamed bounds how many runs a log names that failed in the same way.
const maxNamed = 10

// maxErrorText bounds the bytes of a run's error in a record.
const maxErrorText = 500

func newLogger(w io.Writer, j *job) *logger {
	options := &slog.HandlerOptions{ReplaceAttr: inUTC}
	if j.flags.quiet {
		options.Level = slog.LevelWarn
	}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if j.flags.log.value == logJSON {
		handler = slog.NewJSONHandler(w, options)
	}
	return &logger{
		log:   slog.New(handler).With("sweep", j.spec.Name, "sweep_id", sweepID(j.spec)),
		job:   j,
		named: map[runner.Fault]int{},
	}
}

// inUTC makes the time of a record and every other time UTC, in RFC 3339.
func inUTC(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindTime {
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	}
	return a
}

func (l *logger) found(store *results.Store) {
	for _, w := range store.Warnings() {
		l.log.Warn("warning", "warning", w)
	}
	for _, d := range store.Damage() {
		l.log.Warn("corrupt", "file", d.Path, "error", d.What)
	}
}

func (l *logger) begin() {
	j := l.job
	todo := j.todo()
	attributes := []any{
		"dir", j.store.Dir(), "pid", os.Getpid(), "workers", int(j.flags.workers),
		"runs", j.store.Assigned(), "ok", j.store.Finished(), "failed", j.store.Failed(), "todo", todo,
	}
	if j.shard != nil {
		attributes = append(attributes, "shard", j.shard.String())
	}
	if !j.deadline.IsZero() {
		attributes = append(attributes, "deadline", j.deadline)
	}
	l.log.Info("begin", attributes...)
	style := progress.Records
	if todo == 0 {
		style = progress.Silent
	}
	l.meter = progress.Start(io.Discard, progress.Options{Style: style, Total: todo, Record: l.progress})
}

func (l *logger) progress(s progress.State) {
	attributes := []any{"done", s.Done, "failed", s.Failed, "todo", s.Total, "runs_per_s", s.PerSecond}
	if s.Left >= 0 {
		attributes = append(attributes, "left_s", seconds(s.Left))
	}
	l.log.Info("progress", attributes...)
}

func (l *logger) observe(e runner.Event) {
	switch e.Kind {
	case runner.RunEnded:
		l.runEnded(e.Outcome)
	case runner.Extended:
		left := e.Counts.Left
		l.meter.Extend(e.Counts.Executed + left)
		if left > 0 {
			l.log.Info("more runs are needed", "runs", e.Counts.Assigned, "todo", left)
		}
	case runner.Ended:
		l.meter.Stop()
	}
}

func (l *logger) runEnded(o *runner.Outcome) {
	l.meter.Add(o.Fault != "")
	if o.Fault == "" && o.Attempts == 1 {
		return
	}
	l.named[o.Fault]++
	switch n := l.named[o.Fault]; {
	case n > maxNamed+1:
		return
	case n > maxNamed:
		l.log.Warn("further runs of this kind are not named", "fault", o.Fault)
		return
	}
	attributes := []any{
		"run", o.Row.Index, "run_id", o.Row.ID.String(), "point", l.job.plan.Describe(o.Row.Point),
		"attempts", o.Attempts, "hung", o.Hung,
	}
	if o.Fault == "" {
		l.log.Info("run succeeded at last", attributes...)
		return
	}
	attributes = append(attributes, "fault", o.Fault, "error", clip(o.Row.Error))
	if o.Stack != nil && l.named[o.Fault] == 1 {
		attributes = append(attributes, "stack", string(o.Stack))
	}
	l.log.Warn("run failed", attributes...)
}

func (l *logger) interrupted(s os.Signal) {
	l.log.Warn("interrupted", "signal", signalName(s), "grace_s", seconds(time.Duration(l.job.flags.grace)))
}

func (l *logger) end(report runner.Report, err error) error {
	j := l.job
	attributes := []any{
		"exit", exitCode(err), "executed", report.OK + report.Failed, "given_up", report.GivenUp,
		"hung", report.Hung, "elapsed_s", seconds(time.Since(j.began)),
	}
	if j.store != nil {
		ok, failed := j.store.Finished(), j.store.Failed()
		attributes = append(attributes, "ok", ok, "failed", failed, "missing", j.store.Assigned()-ok-failed)
	}
	if err == nil {
		l.log.Info("end", attributes...)
		return nil
	}
	attributes = append(attributes, "error", clip(err.Error()))
	if h := hint(err); h != "" {
		attributes = append(attributes, "hint", h)
	}
	l.log.Error("end", attributes...)
	return &loggedError{err}
}

// A loggedError is an error of which nothing is left to be printed.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// clip cuts a long text.
func clip(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + " …"
}

// seconds returns a duration in seconds with milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// signalName returns a signal's name as in manuals and scripts.
func signalName(s os.Signal) string {
	if n, ok := s.(syscall.Signal); ok {
		return unix.SignalName(n)
	}
	return s.String()
}
