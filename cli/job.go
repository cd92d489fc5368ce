package cli

import (
	"context"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// A job is a sweep on its way into a directory: what the flags of "sweep run"
// say about it, and how far it is.
type job struct {
	runner.Options
	cmd        *cobra.Command
	dir        string  // empty: out/<name>
	indexes    []int64 // of the shards to execute; nil: the whole sweep
	count      int64   // of all shards
	reuse      []string
	timeLimit  time.Duration // negative: Slurm's; 0: none
	memoryStep int           // the value of memory to begin with

	serve       string // an address; empty: the sweep is not served
	quiet       bool
	noTable     bool // even if not quiet
	noNotes     bool // an earlier round has said what there is to say of the program
	logFormat   string
	logFile     string // appended to; empty: none
	metricsFile string // empty: none

	// unready is why runs cannot be executed on this machine; nil if they can.
	// A sweep that is complete needs nothing to be executed.
	unready error

	spec  *grid.Spec
	shard *grid.Shard // nil: the whole sweep, or several shards
	began time.Time
	store *results.Store // nil until it is open
	url   string         // of the page that shows the sweep; empty: none

	// Sinks are told of every event, one at a time: they tell people, write the
	// log and the manifest.
	sinks []func(e runner.Event)

	// Files beside the results, for which no sweep is ended.
	beside []*besideFile

	mu     sync.Mutex      // held while sinks are told; they may read what follows
	last   runner.Event    // the latest event
	state  runner.Progress // after the latest event
	signal syscall.Signal  // set with signalled
	report runner.Report   // set with over
	end    error           // set with over: nil if all went well
}

// The kinds of events before and after those of package runner.
const (
	opened     = "opened"     // the directory was opened
	signalled  = "signalled"  // a signal came, at any time
	unanswered = "unanswered" // the directory does not answer, and the program ends
	over       = "over"       // the job has ended; no event follows
)

// newJob returns the job of a command without flags.
func newJob(cmd *cobra.Command) *job {
	j := &job{cmd: cmd, timeLimit: -1, logFormat: logText}
	// The grace and closing fit into the 30 s that Slurm (KillWait) and
	// Kubernetes (terminationGracePeriodSeconds) leave between SIGTERM and
	// SIGKILL by default.
	j.Grace = 20 * time.Second
	return j
}

// closing is how long a sweep may take to close its directory after the runs
// under way have ended or were given up: what the grace leaves of the 30 s of
// schedulers. Tests shorten it.
var closing = 8 * time.Second

// run carries the spec out, tells the sinks, and returns an error that says
// how it ended.
func (j *job) run(spec *grid.Spec) (err error) {
	j.spec = spec
	j.dir = outputDir(j.dir, spec)
	if j.unready != nil && !isDirectory(j.dir) {
		return j.unready
	}
	j.began = time.Now()
	if len(j.indexes) == 1 {
		j.shard = new(spec.Plan().Shard(j.indexes[0], j.count))
	}
	stderr := j.cmd.ErrOrStderr()
	needed := spec.Resources
	if last := len(needed.Memory) - 1; last > 0 {
		needed.Memory = needed.Memory[min(j.memoryStep, last):]
	}
	said, err := makeRoom(needed, &j.Options)
	if err != nil {
		return err
	}
	if said != "" && !j.quiet && j.logFormat == logText {
		say(stderr, "%s", said)
	}
	warn := func(text string) { say(stderr, "warning: %s", text) }
	if j.logFormat == logText {
		j.addConsole(stderr)
	} else {
		log := j.addLog(stderr, j.quiet)
		warn = func(text string) { log.Warn("warning", "warning", text) }
	}
	defer j.tellUnwritten(warn)
	if err := refuseResult("--log-file", j.logFile); err != nil {
		return err
	}
	if j.logFile != "" {
		file, openErr := os.OpenFile(j.logFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if openErr != nil {
			return openErr
		}
		defer closeInto(file, &err)
		j.addLog(j.besideLog(file), false) // quiet or not
	}
	if j.metricsFile != "" {
		if err := j.addMetrics(); err != nil {
			return err
		}
	}
	defer func() {
		j.end = err
		j.emit(runner.Event{Kind: over})
	}()
	if err := j.setDeadline(); err != nil {
		return err
	}
	ctx, stop := interruptible(j.cmd.Context(), func(s syscall.Signal) {
		j.signal = s
		j.emit(runner.Event{Kind: signalled})
	})
	defer stop()
	defer j.boundEnd(ctx)()
	limitMemory()
	defer tuneCollector(whileRunning)()
	if len(j.indexes) > 1 {
		return j.fillShards(ctx)
	}
	return j.fill(ctx)
}

// setDeadline sets the earlier of two ends: that of the time limit, counted
// from the beginning of the command, and the one that Slurm gives the job. By
// default only Slurm's counts, and with a time limit of 0 neither does.
func (j *job) setDeadline() error {
	const slurmEnd = "SLURM_JOB_END_TIME" // since Slurm 23.02, in Unix seconds
	if j.timeLimit > 0 {
		j.Deadline = j.began.Add(j.timeLimit)
	}
	text := os.Getenv(slurmEnd)
	if text == "" || j.timeLimit == 0 {
		return nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return usage(`"--time-limit 0" ignores it`, "%s is %q, want Unix seconds", slurmEnd, text)
	}
	end := time.Unix(seconds, 0)
	if j.Deadline.IsZero() || end.Before(j.Deadline) {
		j.Deadline = end
	}
	return nil
}

// addSink adds a sink. Events may be told at the same time, as a signal may
// come at any time.
func (j *job) addSink(tell func(e runner.Event)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sinks = append(j.sinks, tell)
}

// emit tells the sinks of an event. An event without counts, as most in this
// package are, gets those of the latest.
func (j *job) emit(e runner.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Assigned == 0 {
		kind := e.Kind
		e = j.last
		e.Kind = kind
		e.Outcome = nil
	}
	j.last = e
	if e.Outcome != nil && e.Outcome.Fault != "" {
		j.state.Failed++
	}
	j.state.Runs = e.Assigned
	j.state.Todo = e.Executed + e.Left
	j.state.Done = e.Executed
	j.state.Elapsed = time.Since(j.began)
	for _, tell := range j.sinks {
		tell(e)
	}
}

// boundEnd bounds how long the job may go on after ctx has ended, or after the
// deadline, until the returned function is called: a directory on a lost mount
// never answers.
func (j *job) boundEnd(ctx context.Context) (end func()) {
	goesOn, end := context.WithCancel(context.Background())
	giveUp := func() {
		if goesOn.Err() != nil {
			return
		}
		// The sinks may not answer, either.
		time.AfterFunc(time.Second, func() { exitNow(exitInterrupted) })
		j.emit(runner.Event{Kind: unanswered})
		exitNow(exitInterrupted)
	}
	if !j.Deadline.IsZero() {
		left := max(0, time.Until(j.Deadline))
		time.AfterFunc(left+closing, giveUp)
	}
	context.AfterFunc(ctx, func() {
		time.AfterFunc(j.Grace+closing, giveUp)
	})
	return end
}
