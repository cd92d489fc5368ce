package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"
	"sweep/grid"
	"sweep/internal/progress"
	"sweep/results"
	"sweep/runner"
)

// The kinds of events before and after those of package runner.
const (
	opened     = "opened"     // the directory was
	signalled  = "signalled"  // at any time
	unanswered = "unanswered" // the directory does not answer; the program ends
	over       = "over"       // nothing but this is left to say
)

// addConsole adds the sink for a person.
func (j *job) addConsole(w io.Writer) {
	m := progress.NewMeter(w, j.quiet)
	j.addSink(func(e runner.Event) {
		switch e.Kind {
		case opened:
			printFindings(w, j.store)
			if j.url != "" {
				say(w, "watch it at %s", j.url)
			}
		case runner.Started:
			if e.OK > 0 && !j.quiet {
				say(w, "%d of %d runs are there already", e.OK, e.Assigned)
			}
		case runner.RunEnded, runner.Committed:
			m.Show(j.state)
		case runner.Ended:
			m.End(j.state)
		case signalled:
			m.Note(fmt.Sprintf("interrupted: the runs under way have %v to end; a second signal stops at once", j.Grace))
		case unanswered:
			m.Note(j.dir + " does not answer: giving up, the same command goes on from what is there")
		case over:
			printFailures(w, j.spec.Plan(), j.report)
		}
	})
}

// printFindings says what was wrong with the directory when it was opened.
func printFindings(w io.Writer, store *results.Store) {
	sayEach(w, "warning", store.Warnings)
	sayEach(w, "corrupt", store.Damage)
}

// printFailures lists the first failed runs, each with the parameters that
// set it apart, and the stack of the first that panicked. It comes below the
// table, where it is seen.
func printFailures(w io.Writer, plan *grid.Plan, report runner.Report) {
	var stack []byte
	for i, f := range report.Failures {
		text := fmt.Sprintf("failed: %s: %s", plan.Describe(f.Row.Point), f.Row.Error)
		if i > 0 {
			text, _, _ = strings.Cut(text, "\n") // what a program printed is shown once
		}
		for line := range strings.SplitSeq(text, "\n") { // a run may tell more than a line
			say(w, "%s", line)
		}
		if stack == nil {
			stack = f.Stack
		}
	}
	if more := report.Failed - int64(len(report.Failures)); more > 0 {
		say(w, "failed: %d more, see \"error\" in runs.jsonl", more)
	}
	if stack != nil {
		fmt.Fprintf(w, "\nthe first panic's stack:\n%s\n", stack)
	}
	if report.GivenUp > 0 {
		say(w, "given up: %d, which were under way and did not end in time", report.GivenUp)
	}
}

// maxNamed bounds how many runs a log names that failed in the same way.
const maxNamed = 10

// addLog adds a sink for programs: records of one line each, as logfmt
// or JSON, with the time in UTC and the sweep's name and id. Programs depend
// on its messages and keys. A log is bounded: progress is told at growing
// intervals, and of failed runs only the first of each kind are named.
func (j *job) addLog(w io.Writer, quiet bool) {
	options := &slog.HandlerOptions{ReplaceAttr: replaceAttr}
	if quiet {
		options.Level = slog.LevelWarn
	}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if j.logFormat == logJSON {
		handler = slog.NewJSONHandler(w, options)
	}
	log := slog.New(handler).With("sweep", j.spec.Name, "sweep_id", j.spec.SHA256()[:16])
	due := progress.Pace()
	named := map[string]int{} // how many runs failed so; "" counts retries
	j.addSink(func(e runner.Event) {
		switch e.Kind {
		case opened:
			for _, w := range j.store.Warnings {
				log.Warn("warning", "warning", w)
			}
			for _, d := range j.store.Damage {
				log.Warn("corrupt", "file", d.Path, "error", d.Message)
			}
			if j.url != "" {
				log.Info("serve", "url", j.url)
			}
		case runner.Started:
			log.Info("begin", "dir", j.store.Dir, "pid", os.Getpid(), "workers", j.Workers, "runs", e.Assigned,
				"ok", e.OK, "failed", e.Failed, "todo", e.Left, "shard", j.shard.String(), "deadline", j.Deadline)
		case runner.RunEnded, runner.Committed:
			if s := j.state; due(s) {
				var left any
				if d, ok := s.Left(); ok {
					left = d
				}
				log.Info("progress", "done", s.Done, "failed", s.Failed, "todo", s.Todo,
					"runs_per_s", s.PerSecond(), "left_s", left)
			}
			if o := e.Outcome; o != nil && (o.Fault != "" || o.Attempts > 1) {
				named[o.Fault]++
				logFailure(log, j.spec.Plan(), o, named[o.Fault])
			}
		case runner.Extended:
			if e.Left > 0 {
				log.Info("more runs are needed", "runs", e.Assigned, "todo", e.Left)
			}
		case signalled:
			log.Warn("interrupted", "signal", signalName(j.signal), "grace_s", j.Grace)
		case unanswered:
			log.Error("the directory does not answer", "exit", exitInterrupted, "dir", j.dir)
		case over:
			level, text := slog.LevelInfo, ""
			if j.end != nil {
				level, text = slog.LevelError, clip(j.end.Error())
			}
			log := log.With("exit", exitCode(j.end), "executed", j.report.OK+j.report.Failed,
				"given_up", j.report.GivenUp, "hung", j.report.Hung, "elapsed_s", j.state.Elapsed)
			if j.store != nil {
				log = log.With("ok", e.OK, "failed", e.Failed, "missing", e.Assigned-e.OK-e.Failed)
			}
			log.Log(context.Background(), level, "end", "error", text, "hint", hint(j.end))
		}
	})
}

// replaceAttr leaves out what is empty, and writes times in UTC and
// durations in seconds.
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

// logFailure records a run that failed, or that did so at first, the nth in that
// way.
func logFailure(log *slog.Logger, plan *grid.Plan, o *runner.Outcome, n int) {
	if n > maxNamed {
		if n == maxNamed+1 {
			log.Warn("further runs of this kind are not named", "fault", o.Fault)
		}
		return
	}
	level, message, stack := slog.LevelWarn, "run failed", ""
	if n == 1 {
		stack = string(o.Stack)
	}
	if o.Fault == "" {
		level, message = slog.LevelInfo, "run succeeded at last"
	}
	log.Log(context.Background(), level, message, "run", o.Row.Index, "run_id", o.Row.ID.String(),
		"point", plan.Describe(o.Row.Point), "attempts", o.Attempts, "hung", o.Hung,
		"fault", o.Fault, "error", clip(o.Row.Error), "stack", stack)
}

// clip cuts a long text.
func clip(text string) string {
	const most = 500
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// addMetrics adds a sink that keeps a file as node_exporter's textfile collector
// reads it: whole at any time, and without time stamps. The last success is when a
// command last ended with 0: that of the file until there is a later one; 0 if there
// was none.
func (j *job) addMetrics() error {
	path := j.metricsFile
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	}
	labels, last := fmt.Sprintf("{sweep=%q}", j.spec.Name), int64(0)
	if j.shard != nil {
		labels = fmt.Sprintf("{sweep=%q,shard=%q}", j.spec.Name, j.shard)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fmt.Sscan(string(old[bytes.LastIndexByte(old, ' ')+1:]), &last)
	j.addSink(func(e runner.Event) {
		if e.Kind == over && j.end == nil {
			last = time.Now().Unix()
		}
		if e.Kind == opened || e.Kind == runner.Committed || e.Kind == over && j.store != nil {
			text := ""
			for i, name := range []string{"runs", "runs_done", "runs_failed", "last_success_timestamp_seconds"} {
				value := []int64{e.Assigned, e.OK, e.Failed, last}[i]
				text += fmt.Sprintf("# TYPE sweep_%[1]s gauge\nsweep_%[1]s%[2]s %[3]d\n", name, labels, value)
			}
			_ = maybe.WriteFile(path, []byte(text), 0o644) // no result depends on it
		}
	})
	return nil
}

// begin writes the manifest of a command that has so many runs of a store left to
// do. It is nil if nothing is left to do: then it stays that of the command that
// did the work.
func begin(store *results.Store, workers int, todo int64) (*results.Manifest, error) {
	e, hash := store.Spec.Experiment, store.Spec.SHA256()
	if old := store.Manifest; old.Complete && old.SpecSHA256 == hash && todo == 0 {
		return nil, nil
	}
	host, _ := os.Hostname() // some machines have no name
	m := &results.Manifest{
		ToolVersion: version(), GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Hostname: host, PID: os.Getpid(), CPUs: runtime.NumCPU(), Workers: workers,
		Spec: store.Spec.Name, SpecSHA256: hash, Shard: store.Shard.String(),
		Experiment: e.Name, ModelVersion: e.Version,
		Start: time.Now(), Reused: store.OK(),
	}
	return m, writeManifest(store, m, countsOf(store))
}

// finish exports the runs of a store unless an error has ended the work on it, and
// writes into the manifest what became of it.
func finish(ctx context.Context, store *results.Store, m *results.Manifest, complete bool, err error) error {
	if err == nil {
		err = store.Export(ctx)
	}
	if m != nil {
		m.End, m.Complete = time.Now(), complete && err == nil
		err = cmp.Or(err, writeManifest(store, m, countsOf(store)))
	}
	return err
}

func writeManifest(store *results.Store, m *results.Manifest, c runner.Event) error {
	m.Updated, m.Runs, m.OK, m.Failed, m.Missing = time.Now(), c.Assigned, c.OK, c.Failed, c.Assigned-c.OK-c.Failed
	return store.WriteManifest(*m)
}

func countsOf(store *results.Store) runner.Event {
	return runner.Event{Assigned: store.Assigned(), OK: store.OK(), Failed: store.Failed()}
}
