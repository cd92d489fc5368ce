package cli

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"sweep/runner"
)

// The formats of a log. Text is for people and no log of records.
const (
	logText   = "text"
	logLogfmt = "logfmt"
	logJSON   = "json"
)

// maxNamed bounds how many runs a log names that failed in the same way.
const maxNamed = 10

// maxLogged bounds the length of an error in a log, in bytes.
const maxLogged = 500

// A logger writes what happens to a job for programs, which depend on its
// messages and keys: records of one line each with the time in UTC and the
// sweep's name and id. Its length is bounded: it tells progress at growing
// intervals, and names only the first runs that failed in one way.
type logger struct {
	*slog.Logger
	job   *job
	due   func(runner.Progress) bool // whether to tell progress
	named map[string]int             // runs by fault; "" counts retried ones that succeeded
}

// addLog adds the sink that writes a log, as JSON or else as logfmt. A quiet
// one has only warnings and errors.
func (j *job) addLog(w io.Writer, quiet bool) *logger {
	options := &slog.HandlerOptions{ReplaceAttr: replaceAttr}
	if quiet {
		options.Level = slog.LevelWarn
	}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if j.logFormat == logJSON {
		handler = slog.NewJSONHandler(w, options)
	}
	log := &logger{
		Logger: slog.New(handler).With("sweep", j.spec.Name, "sweep_id", j.spec.SHA256()[:16]),
		job:    j,
		due:    newPace(),
		named:  map[string]int{},
	}
	j.addSink(log.tell)
	return log
}

// tell is the sink.
func (l *logger) tell(e runner.Event) {
	j := l.job
	switch e.Kind {
	case opened:
		l.opened()
	case runner.Started:
		l.With("dir", j.store.Dir, "pid", os.Getpid(), "workers", j.Workers).
			With("runs", e.Assigned, "ok", e.OK, "failed", e.Failed).
			Info("begin", "todo", e.Left, "shard", j.shardText(), "deadline", j.Deadline)
	case runner.RunEnded, runner.Committed:
		l.progress()
		if e.Outcome != nil {
			l.outcome(e.Outcome)
		}
	case runner.Extended:
		if e.Left > 0 {
			l.Info("more runs are needed", "runs", e.Assigned, "todo", e.Left)
		}
	case signalled:
		l.Warn("interrupted", "signal", signalName(j.signal), "grace_s", j.Grace)
	case unanswered:
		l.Error("the directory does not answer", "exit", exitInterrupted, "dir", j.dir)
	case over:
		l.over(e)
	}
}

// opened records what was wrong with the directory, and the page's address.
func (l *logger) opened() {
	for _, w := range l.job.store.Warnings {
		l.Warn("warning", "warning", w)
	}
	for _, d := range l.job.store.Damage {
		l.Warn("corrupt", "file", d.Path, "error", d.Message)
	}
	if l.job.url != "" {
		l.Info("serve", "url", l.job.url)
	}
}

// progress records now and then how far the job is.
func (l *logger) progress() {
	s := l.job.state
	if !l.due(s) {
		return
	}
	var left any
	if d, ok := s.Left(); ok {
		left = d
	}
	l.With("done", s.Done, "failed", s.Failed, "todo", s.Todo).
		Info("progress", "runs_per_s", s.PerSecond(), "left_s", left)
}

// outcome records a run that failed, or that succeeded only when it was tried
// again.
func (l *logger) outcome(o *runner.Outcome) {
	if o.Fault == "" && o.Attempts == 1 {
		return
	}
	l.named[o.Fault]++
	n := l.named[o.Fault]
	if n > maxNamed {
		if n == maxNamed+1 {
			l.Warn("further runs of this kind are not named", "fault", o.Fault)
		}
		return
	}
	level := slog.LevelWarn
	message := "run failed"
	if o.Fault == "" {
		level = slog.LevelInfo
		message = "run succeeded at last"
	}
	stack := ""
	if n == 1 {
		stack = string(o.Stack)
	}
	point := l.job.spec.Plan().Describe(o.Row.Point)
	l.With("run", o.Row.Index, "run_id", o.Row.ID.String(), "point", point).
		With("attempts", o.Attempts, "hung", o.Hung, "fault", o.Fault).
		Log(context.Background(), level, message, "error", clip(o.Row.Error), "stack", stack)
}

// over records how the job ended.
func (l *logger) over(e runner.Event) {
	j := l.job
	level := slog.LevelInfo
	text := ""
	if j.end != nil {
		level = slog.LevelError
		text = clip(j.end.Error())
	}
	executed := j.report.OK + j.report.Failed
	record := l.With("exit", exitCode(j.end), "executed", executed, "given_up", j.report.GivenUp).
		With("hung", j.report.Hung, "elapsed_s", j.state.Elapsed)
	if j.store != nil {
		missing := e.Assigned - e.OK - e.Failed
		record = record.With("ok", e.OK, "failed", e.Failed, "missing", missing)
	}
	record.Log(context.Background(), level, "end", "error", text, "hint", hint(j.end))
}

// replaceAttr leaves out what is empty, and writes times in UTC and durations
// in seconds.
func replaceAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case time.Time:
		if !v.IsZero() {
			return slog.Time(a.Key, v.UTC())
		}
	case time.Duration:
		return slog.Float64(a.Key, float64(v.Milliseconds())/1000)
	default:
		if v != nil && v != "" {
			return a
		}
	}
	return slog.Attr{}
}

// clip cuts a long text.
func clip(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return strings.ToValidUTF8(text[:maxLogged], "") + " …"
}
