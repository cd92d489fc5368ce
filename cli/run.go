package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/page"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
	"sweep/runner"
)

// run defines "sweep run".
func (p *Program) run(cmd *cobra.Command) {
	flags := newRunFlags()
	flags.define(cmd)
	load := p.specFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		if !flags.quiet {
			printWarnings(cmd.ErrOrStderr(), spec)
		}
		err = requeue(cmd, flags.requeueWith, runSweep(cmd, spec, flags))
		if err != nil && *flags.log != logText { // the log has it already
			err = &failure{code: exitCode(err)}
		}
		return err
	}
}

// defaultGrace, with what the end takes (closing), is below the 30 s that
// Slurm (KillWait) and Kubernetes (terminationGracePeriodSeconds) leave between
// SIGTERM and SIGKILL by default.
const defaultGrace = 20 * time.Second

// The formats of a log: text is for people.
const logText, logLogfmt, logJSON = "text", "logfmt", "json"

// runFlags are the flags of "sweep run".
type runFlags struct {
	runner.Options

	dir           string // empty: out/<name>
	shard, shards int64  // of no shards: the whole
	reuse         []string
	retryFailed   bool
	timeLimit     time.Duration // negative: Slurm's; 0: none

	serve       string // an address; empty: not
	quiet       bool
	noTable     bool // even if not quiet
	log         *string
	logFile     string // appended to; empty: none
	metricsFile string // empty: none
	requeueWith string
}

// newRunFlags returns the flags as they are if none is given.
func newRunFlags() *runFlags {
	return &runFlags{Options: runner.Options{Grace: defaultGrace}, retryFailed: true, timeLimit: -1, log: new(logText)}
}

// define gives the command the flags.
func (r *runFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	outputFlag(cmd, &r.dir, "write into `DIR` (default out/<name of the sweep>)")
	f.Func("shard", "execute only part `I/N` of the runs, 0 ≤ I < N, or auto/N, or auto", shardFlag(&r.shard, &r.shards))
	workersFlag(cmd, &r.Workers)
	f.BoolVar(&r.retryFailed, "retry-failed", r.retryFailed, "repeat runs that failed in an earlier command")
	f.Func("max-failures", "stop when `N or P%` of the runs to do have failed", share(&r.MaxFailures))
	f.Func("retries", "try a run that failed up to `N` times again, at once", atLeast(0, &r.Retries))
	f.Func("run-timeout", "fail runs that take longer than `D`, such as 90s or 2h", duration(&r.RunTimeout))
	f.Func("grace", fmt.Sprintf("give the runs under way `D` to end when interrupted (default %v)", r.Grace), duration(&r.Grace))
	f.Func("time-limit", "commit all within `D`; 0: no limit (default: Slurm's)", duration(&r.timeLimit))
	f.StringArrayVar(&r.reuse, "reuse", nil, "take runs that `DIR` holds, another sweep's directory; may be repeated")
	f.Func("serve", "show the sweep to browsers of this machine at `ADDRESS`, such as 127.0.0.1:0, while it runs", func(address string) error {
		r.serve = address
		return page.Loopback(address)
	})
	f.BoolVar(&r.quiet, "quiet", false, "print no progress and no table")
	r.log = choiceFlag(cmd, "log-format", "report on stderr as `FORMAT`", logText, logLogfmt, logJSON)
	f.StringVar(&r.logFile, "log-file", "", "append the records of --log-format, or logfmt, to `FILE`")
	f.StringVar(&r.metricsFile, "metrics-file", "", "keep `FILE` for node_exporter's textfile collector")
	f.StringVar(&r.requeueWith, "requeue-with", "", "in a batch job: if the sweep can go on later (75), run `COMMAND` with sh")
}

// slurmEnd is the environment variable by which Slurm (since 23.02) tells
// when it will end the job, in Unix seconds.
const slurmEnd = "SLURM_JOB_END_TIME"

// deadline returns the earlier of the time limit, from the beginning of the
// command on, and Slurm's; zero if there is none.
func (r *runFlags) deadline(began time.Time) (deadline time.Time, err error) {
	if r.timeLimit > 0 {
		deadline = began.Add(r.timeLimit)
	}
	if text := os.Getenv(slurmEnd); text != "" && r.timeLimit != 0 {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return deadline, usage(`"--time-limit 0" ignores it`, "%s is %q, want Unix seconds", slurmEnd, text)
		}
		if end := time.Unix(seconds, 0); deadline.IsZero() || end.Before(deadline) {
			deadline = end
		}
	}
	return deadline, nil
}

// A job is a sweep on its way into a directory.
type job struct {
	about    string // the program
	spec     *grid.Spec
	dir      string
	shard    *grid.Shard // nil: the whole
	flags    *runFlags
	began    time.Time
	deadline time.Time      // zero if there is none
	store    *results.Store // nil until it is open
	url      string         // of the page that shows it; empty: none

	mu     sync.Mutex // guards what follows
	sinks  []sink
	counts runner.Counts // of the last event that has them
	failed int64         // of the runs executed
}

// emit tells the sinks of an event.
func (j *job) emit(e event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Outcome != nil && e.Outcome.Fault != "" {
		j.failed++
	}
	if e.Kind == signalled || e.Kind == unanswered || e.Kind == over {
		e.Counts = j.counts
	}
	c := e.Counts
	j.counts = c
	e.state = progress.State{
		Runs: c.Assigned, Todo: c.Executed + c.Left, Done: c.Executed, Failed: j.failed, Elapsed: time.Since(j.began),
	}
	for _, tell := range j.sinks {
		tell(e)
	}
}

// runSweep carries the spec out, reports, and returns an error that tells
// how it ended.
func runSweep(cmd *cobra.Command, spec *grid.Spec, flags *runFlags) (err error) {
	j := &job{about: cmd.Root().Version, spec: spec, dir: outputDir(flags.dir, spec), flags: flags, began: time.Now()}
	if flags.shards > 0 {
		shard := spec.Plan().Shard(flags.shard, flags.shards)
		j.shard = &shard
	}
	tell := j.console(cmd.ErrOrStderr())
	if *flags.log != logText {
		tell = j.log(cmd.ErrOrStderr(), flags.quiet)
	}
	j.sinks = []sink{tell}
	if flags.logFile != "" {
		file, fault := os.OpenFile(flags.logFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if fault != nil {
			return fault
		}
		defer closeInto(file, &err)
		j.sinks = append(j.sinks, j.log(file, false)) // quiet or not
	}
	if flags.metricsFile != "" {
		if err := j.measureTo(flags.metricsFile); err != nil {
			return err
		}
	}
	var done runner.Report
	defer func() {
		j.emit(event{Event: runner.Event{Kind: over}, report: done, err: err})
	}()
	if j.deadline, err = flags.deadline(j.began); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context(), func(s syscall.Signal) {
		j.emit(event{Event: runner.Event{Kind: signalled}, signal: s})
	})
	defer stop()
	defer j.boundEnd(ctx)()

	limitMemory()
	if j.store, err = results.Open(j.dir, spec, j.shard); err != nil {
		return err
	}
	defer closeInto(j.store, &err)
	if flags.serve != "" {
		server, fault := page.Serve(flags.serve, j.livePage)
		if fault != nil {
			return fault
		}
		defer closeInto(server, &err)
		j.sinks = append(j.sinks, func(e event) { server.Tell(e.state) })
		j.url = server.URL
	}
	if len(flags.reuse) > 0 {
		if err := j.store.Take(flags.reuse, false); err != nil {
			return err
		}
	}
	if done, err = j.carryOut(ctx); err != nil {
		return j.unfinished(err, done)
	}
	switch {
	case flags.quiet || flags.noTable:
	case j.shard == nil:
		err = printTable(cmd.OutOrStdout(), j.store.Reader, nil, analysis.Auto, report.Text)
	default: // a shard has no table
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "shard %s: %s in %s\n", j.shard, report.Count(j.store.Assigned(), "run"), j.store.Dir)
	}
	if err != nil {
		return err
	}
	if j.store.Damage != nil {
		return errRecomputed
	}
	if n := j.store.Failed(); n > 0 {
		return &failure{code: exitFailedRuns, message: report.Count(n, "run") + " failed"}
	}
	return nil
}

// livePage writes the page of what is there so far.
func (j *job) livePage(w io.Writer) error {
	view, err := results.OpenReaderFor(j.spec, j.store.Dir)
	if err != nil {
		return err
	}
	sweep, err := page.Read(j.store.Dir, view)
	if err != nil {
		return err
	}
	return (&page.Report{Program: j.about, Sweeps: []*page.Sweep{sweep}, Live: true}).HTML(w)
}

// boundEnd bounds how long the sweep goes on after ctx has ended, or after
// its deadline, until the returned function is called. A directory on a lost
// mount never answers.
func (j *job) boundEnd(ctx context.Context) (end func()) {
	ended := make(chan struct{})
	giveUp := func(after time.Duration) {
		select {
		case <-time.After(after + closing):
			j.giveUp()
		case <-ended:
		}
	}
	if !j.deadline.IsZero() {
		go giveUp(max(0, time.Until(j.deadline)))
	}
	stop := context.AfterFunc(ctx, func() { giveUp(j.flags.Grace) })
	return func() { stop(); close(ended) }
}

// giveUp ends the program, and says so if the sinks answer.
func (j *job) giveUp() {
	told := make(chan struct{})
	go func() {
		j.emit(event{Event: runner.Event{Kind: unanswered}})
		close(told)
	}()
	select {
	case <-told:
	case <-time.After(time.Second):
	}
	command.KillAll()
	os.Exit(exitInterrupted)
}

// carryOut executes the runs to do, tells the sinks, and makes the final
// files.
func (j *job) carryOut(ctx context.Context) (runner.Report, error) {
	counts := countsOf(j.store)
	counts.Left = counts.Assigned - counts.OK
	if !j.flags.retryFailed {
		counts.Left -= counts.Failed
	}
	j.emit(event{Event: runner.Event{Kind: opened, Counts: counts}})
	if counts.Left > 0 {
		if err := j.spec.ReadInputs(); err != nil {
			return runner.Report{}, err
		}
	}
	manifest, err := newManifest(j.store, j.flags.Workers, counts.Left)
	if err != nil {
		return runner.Report{}, err
	}
	if manifest != nil {
		j.sinks = append(j.sinks, func(e event) { // once a second, for "sweep status"
			manifest.Executed = e.Counts.Executed
			if e.Kind == runner.Committed {
				_ = writeManifest(j.store, manifest, e.Counts) // no result depends on it
			}
		})
	}
	// If nobody reads what is said any more, only that is lost, not the sweep.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	options := j.flags.Options
	options.KeepFailed, options.Deadline = !j.flags.retryFailed, j.deadline
	options.Directory = filepath.Join(j.dir, "runs")
	options.Observe = func(e runner.Event) { j.emit(event{Event: e}) }
	done, err := runner.Sweep(ctx, j.store, options)
	_ = os.Remove(options.Directory) // if nothing is in it
	return done, finish(j.store, manifest, err, true)
}

// unfinished adds to the end of an incomplete sweep what it has left
// behind. Other errors speak for themselves.
func (j *job) unfinished(err error, done runner.Report) error {
	if errors.Is(err, runner.ErrOutOfTime) && done.OK+done.Failed == 0 {
		err = fmt.Errorf("%w before a single run had ended: a longer limit is needed", err)
	}
	if exitCode(err) == exitInterrupted || errors.Is(err, runner.ErrFailures) || errors.Is(err, runner.ErrHung) {
		return fmt.Errorf("%w: %s holds %d of %d runs, the same command goes on from there",
			err, j.store.Dir, j.store.OK(), j.store.Assigned())
	}
	return err
}

// defaultOutput is where sweeps have their directories if -o names no other.
const defaultOutput = "out"

// outputDir returns the directory of a sweep: the one given, or that of its
// name.
func outputDir(given string, spec *grid.Spec) string {
	return cmp.Or(given, filepath.Join(defaultOutput, spec.Name))
}

// closeInto closes what a function has opened, when it returns. Its own
// error comes first.
func closeInto(c io.Closer, err *error) {
	if closeErr := c.Close(); *err == nil {
		*err = closeErr
	}
}
