package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"sweep/grid"
	"sweep/internal/engine"
	"sweep/internal/progress"
	"sweep/results"
)

// An event is something that happens to a sweep, and how far the sweep is.
type event struct {
	kind    eventKind
	state   progress.State
	outcome *engine.Outcome // of ran
	signal  os.Signal       // of interrupted
	report  engine.Report   // of ended
	err     error           // of ended
}

type eventKind int

// The kinds of events, in their order; interrupted comes at any time, and
// what is before ended only if the sweep comes that far.
const (
	opened      eventKind = iota // the directory was
	begun                        // runs are executed now
	ran                          // a run has ended
	extended                     // a stopping rule asks for more runs
	ticked                       // time has passed
	executed                     // no run follows
	finished                     // the final files are made, or cannot be
	ended                        // all is said but this
	interrupted                  // by a signal
)

// A sink is told of every event, one at a time: for people, in a log, or
// for the manifest.
type sink func(e event)

// A meter shows progress: by a bar on a terminal, else by lines, or not at
// all. Its methods may be called from any goroutine.
type meter struct {
	mu     sync.Mutex
	w      io.Writer
	bar    *progress.Bar // nil: lines
	pace   progress.Pace
	silent bool
}

func newMeter(w io.Writer, silent bool) *meter {
	m := &meter{w: w, silent: silent}
	if file, ok := w.(*os.File); ok && !silent && term.IsTerminal(int(file.Fd())) {
		m.bar = progress.NewBar(file, os.Getenv("NO_COLOR") == "")
	}
	return m
}

// show draws the bar, or writes a line if one is due.
func (m *meter) show(s progress.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.silent:
	case m.bar != nil:
		m.bar.Show(s)
	case m.pace.Due(s):
		fmt.Fprintln(m.w, s)
	}
}

// note writes a line, even if the meter is silent.
func (m *meter) note(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		m.bar.Clear()
	}
	fmt.Fprintln(m.w, text)
}

// end shows what was done in all.
func (m *meter) end(s progress.State) {
	if !m.silent {
		m.note(s.Summary())
	}
}

// console returns the sink for a person.
func console(w io.Writer, j *job) sink {
	m := newMeter(w, true)
	return func(e event) {
		switch e.kind {
		case opened:
			printFindings(w, j.store)
		case begun:
			if e.state.OK > 0 && !j.flags.quiet {
				fmt.Fprintf(w, "%d of %d runs are there already\n", e.state.OK, e.state.Runs)
			}
			m = newMeter(w, j.flags.quiet || e.state.Todo() == 0)
			m.show(e.state)
		case ran:
			if m.bar == nil { // which is drawn when time has passed
				m.show(e.state)
			}
		case ticked:
			m.show(e.state)
		case executed:
			m.end(e.state)
		case interrupted:
			m.note(fmt.Sprintf("interrupted: the runs under way have %v to end; a second signal stops at once", &j.flags.grace))
		case ended:
			printFailures(w, j.plan, e.report)
		}
	}
}

// printFindings says what was wrong with the directory when it was opened.
func printFindings(w io.Writer, store *results.Store) {
	for _, warning := range store.Warnings() {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	for _, d := range store.Damage() {
		fmt.Fprintf(w, "damaged: %s\n", d)
	}
}

// printFailures lists the first failed runs, each with the parameters that
// set it apart, and the stack of the first that panicked. It comes below the
// table, where it is seen.
func printFailures(w io.Writer, plan *grid.Plan, report engine.Report) {
	var stack []byte
	for _, f := range report.Failures {
		fmt.Fprintf(w, "failed: %s: %s\n", plan.Describe(f.Row.Point), f.Row.Error)
		if stack == nil {
			stack = f.Stack
		}
	}
	if more := report.Failed - int64(len(report.Failures)); more > 0 {
		fmt.Fprintf(w, "failed: %d more, see the column \"error\" in runs.parquet\n", more)
	}
	if stack != nil {
		fmt.Fprintf(w, "\nthe first panic's stack:\n%s\n", stack)
	}
	if report.GivenUp > 0 {
		fmt.Fprintf(w, "given up: %d, which were under way and did not end in time\n", report.GivenUp)
	}
}

// Bounds of a log: how many runs it names that failed in the same way, and
// the bytes of an error.
const (
	maxNamed     = 10
	maxErrorText = 500
)

// A recorder is the sink for programs: records of one line each, as logfmt
// or JSON, with the time in UTC and the sweep's name and id. Programs depend
// on its messages and keys. A log is bounded: progress is told at growing
// intervals, and of failed runs only the first of each kind are named.
type recorder struct {
	log   *slog.Logger
	job   *job
	pace  progress.Pace
	named map[engine.Fault]int // how many failed runs were named; "" counts retries
}

func newRecorder(w io.Writer, j *job) *recorder {
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindTime {
			a.Value = slog.TimeValue(a.Value.Time().UTC())
		}
		return a
	}}
	if j.flags.quiet {
		options.Level = slog.LevelWarn
	}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if j.flags.log.value == logJSON {
		handler = slog.NewJSONHandler(w, options)
	}
	log := slog.New(handler).With("sweep", j.spec.Name, "sweep_id", specHash(j.spec)[:16])
	return &recorder{log: log, job: j, named: map[engine.Fault]int{}}
}

func (r *recorder) tell(e event) {
	switch e.kind {
	case opened:
		for _, w := range r.job.store.Warnings() {
			r.log.Warn("warning", "warning", w)
		}
		for _, d := range r.job.store.Damage() {
			r.log.Warn("damaged", "file", d.Path, "aside", d.Aside, "error", d.Err.Error())
		}
	case begun:
		r.begin(e.state)
	case ran:
		r.progress(e.state)
		if e.outcome.Fault != "" || e.outcome.Attempts > 1 {
			r.failure(e.outcome)
		}
	case ticked:
		r.progress(e.state)
	case extended:
		if left := e.state.Todo() - e.state.Done; left > 0 {
			r.log.Info("more runs are needed", "runs", e.state.Runs, "todo", left)
		}
	case interrupted:
		r.log.Warn("interrupted", "signal", signalName(e.signal), "grace_s", seconds(time.Duration(r.job.flags.grace)))
	case ended:
		r.end(e)
	}
}

func (r *recorder) begin(s progress.State) {
	j := r.job
	attributes := []any{
		"dir", j.store.Dir(), "pid", os.Getpid(), "workers", int(j.flags.workers),
		"runs", s.Runs, "ok", s.OK, "failed", s.Failed, "todo", s.Todo(),
	}
	if j.shard != nil {
		attributes = append(attributes, "shard", j.shard.String())
	}
	if !j.deadline.IsZero() {
		attributes = append(attributes, "deadline", j.deadline)
	}
	r.log.Info("begin", attributes...)
}

func (r *recorder) progress(s progress.State) {
	if !r.pace.Due(s) {
		return
	}
	attributes := []any{"done", s.Done, "failed", s.Faults, "todo", s.Todo(), "runs_per_s", s.PerSecond()}
	if left, ok := s.Left(); ok {
		attributes = append(attributes, "left_s", seconds(left))
	}
	r.log.Info("progress", attributes...)
}

// failure records a run that failed, or that did so at first.
func (r *recorder) failure(o *engine.Outcome) {
	r.named[o.Fault]++
	switch n := r.named[o.Fault]; {
	case n > maxNamed+1:
		return
	case n > maxNamed:
		r.log.Warn("further runs of this kind are not named", "fault", o.Fault)
		return
	}
	attributes := []any{
		"run", o.Row.Index, "run_id", o.Row.ID.String(), "point", r.job.plan.Describe(o.Row.Point),
		"attempts", o.Attempts, "strays", o.Strays,
	}
	if o.Fault == "" {
		r.log.Info("run succeeded at last", attributes...)
		return
	}
	attributes = append(attributes, "fault", o.Fault, "error", clip(o.Row.Error))
	if o.Stack != nil && r.named[o.Fault] == 1 {
		attributes = append(attributes, "stack", string(o.Stack))
	}
	r.log.Warn("run failed", attributes...)
}

func (r *recorder) end(e event) {
	attributes := []any{
		"exit", exitCode(e.err), "executed", e.report.OK + e.report.Failed, "given_up", e.report.GivenUp,
		"strays", e.report.Strays, "elapsed_s", seconds(time.Since(r.job.began)),
	}
	if r.job.store != nil {
		s := e.state
		attributes = append(attributes, "ok", s.OK, "failed", s.Failed, "missing", s.Runs-s.OK-s.Failed)
	}
	if e.err == nil {
		r.log.Info("end", attributes...)
		return
	}
	attributes = append(attributes, "error", clip(e.err.Error()))
	if h := hint(e.err); h != "" {
		attributes = append(attributes, "hint", h)
	}
	r.log.Error("end", attributes...)
}

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

// heartbeat is how often a running sweep brings its manifest up to date,
// for "sweep status".
const heartbeat = time.Second

// A manifestWriter is the sink that keeps the manifest of a sweep while it
// runs.
type manifestWriter struct {
	dir      string
	mu       sync.Mutex // guards manifest
	manifest results.Manifest
}

// newManifest writes the manifest of a sweep that starts now. It is nil, and
// leaves the manifest of the command that did the work, if there is nothing
// left to do.
func newManifest(spec *grid.Spec, shard *grid.Shard, store *results.Store, workers int, s progress.State) (*manifestWriter, error) {
	hash := specHash(spec)
	old, err := results.ReadManifest(store.Dir())
	if err != nil {
		return nil, err
	}
	if old != nil && old.Complete && old.SpecSHA256 == hash && s.Todo() == 0 {
		return nil, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // some machines have no name
	}
	b := thisBuild()
	m := &manifestWriter{dir: store.Dir(), manifest: results.Manifest{
		ToolVersion: b.version, VCSRevision: b.revision, GoVersion: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Hostname: host, PID: os.Getpid(),
		CPUs: runtime.NumCPU(), Workers: workers,
		Spec: spec.Name, SpecSHA256: hash,
		Experiment: spec.Experiment.Name, ModelVersion: spec.Experiment.Version,
		Start: time.Now(), Reused: s.OK,
	}}
	if shard != nil {
		m.manifest.Shard = shard.String()
	}
	m.tell(event{state: s})
	return m, m.write()
}

func (m *manifestWriter) tell(e event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, to := e.state, &m.manifest
	to.Runs, to.OK, to.Failed, to.Missing = s.Runs, s.OK, s.Failed, s.Runs-s.OK-s.Failed
	to.Executed = s.Done
	to.Updated = to.Start.Add(s.Elapsed)
}

// close writes what has become of the sweep.
func (m *manifestWriter) close(complete bool) error {
	if m == nil {
		return nil
	}
	m.manifest.Updated = time.Now()
	m.manifest.End, m.manifest.Complete = m.manifest.Updated, complete
	return m.write()
}

func (m *manifestWriter) write() error {
	m.mu.Lock()
	manifest := m.manifest
	m.mu.Unlock()
	return results.WriteManifest(m.dir, manifest)
}

// specHash returns the SHA-256 of the spec's text, hexadecimal.
func specHash(spec *grid.Spec) string {
	hash := sha256.Sum256(spec.Source)
	return hex.EncodeToString(hash[:])
}
