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
	"sweep/grid"
	"sweep/internal/page"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
	"sweep/runner"
)

// run defines "sweep run".
func (p *Program) run(cmd *cobra.Command) {
	j := newJob(cmd)
	f := cmd.Flags()
	outputFlag(cmd, &j.dir, "write into `DIR` (default out/<name of the sweep>)")
	f.Func("shard", "execute only part `I/N` of the runs, 0 ≤ I < N, or auto/N, or auto", shardFlag(&j.index, &j.count))
	workersFlag(cmd, &j.Workers)
	retry := f.Bool("retry-failed", true, "repeat runs that failed in an earlier command")
	f.Func("max-failures", "stop when `N or P%` of the runs to do have failed", share(&j.MaxFailures))
	f.Func("retries", "try a run that failed up to `N` times again, at once", atLeast(0, &j.Retries))
	f.Func("run-timeout", "fail runs that take longer than `D`, such as 90s or 2h", duration(&j.RunTimeout))
	f.Func("grace", fmt.Sprintf("give the runs under way `D` to end when interrupted (default %v)", j.Grace), duration(&j.Grace))
	f.Func("time-limit", "commit all within `D`; 0: no limit (default: Slurm's)", duration(&j.timeLimit))
	f.StringArrayVar(&j.reuse, "reuse", nil, "take runs that `DIR` holds, another sweep's directory; may be repeated")
	const serve = "show the sweep to browsers of this machine at `ADDRESS`, such as 127.0.0.1:0, while it runs"
	f.Func("serve", serve, func(address string) error {
		j.serve = address
		return page.Loopback(address)
	})
	f.BoolVar(&j.quiet, "quiet", false, "print no progress and no table")
	format := choiceFlag(cmd, "log-format", "report on stderr as `FORMAT`", logText, logLogfmt, logJSON)
	f.StringVar(&j.logFile, "log-file", "", "append the records of --log-format, or logfmt, to `FILE`")
	f.StringVar(&j.metricsFile, "metrics-file", "", "keep `FILE` for node_exporter's textfile collector")
	requeueWith := f.String("requeue-with", "", "in a batch job: if the sweep can go on later (75), run `COMMAND` with sh")
	load := p.specFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		if !j.quiet {
			sayEach(cmd.ErrOrStderr(), "warning", spec.Warnings)
		}
		j.KeepFailed, j.logFormat = !*retry, *format
		err = requeue(cmd, *requeueWith, j.run(spec))
		if err != nil && j.logFormat != logText { // the log has it already
			err = &failure{code: exitCode(err)}
		}
		return err
	}
}

// The formats of a log: text is for people.
const logText, logLogfmt, logJSON = "text", "logfmt", "json"

// A job is a sweep on its way into a directory: what the flags of "sweep run"
// say of it, and how far it is.
type job struct {
	runner.Options
	cmd          *cobra.Command
	dir          string // empty: out/<name>
	index, count int64  // of the shard and of all; a count of 0: the whole
	reuse        []string
	timeLimit    time.Duration // negative: Slurm's; 0: none

	serve       string // an address; empty: not
	quiet       bool
	noTable     bool  // even if not quiet
	left        error // of complete: runs failed, or were corrupt
	logFormat   string
	logFile     string // appended to; empty: none
	metricsFile string // empty: none

	spec  *grid.Spec
	shard *grid.Shard // nil: the whole
	began time.Time
	store *results.Store // nil until it is open
	url   string         // of the page that shows it; empty: none

	// Sinks are told of every event, one at a time: for people, in a log, for the
	// manifest.
	sinks []func(e runner.Event)

	mu     sync.Mutex     // held while sinks are told, who may read what follows
	last   runner.Event   // that there was
	state  progress.State // after the last event
	signal syscall.Signal // of signalled
	report runner.Report  // of over
	end    error          // of over: nil if all went well
}

// newJob returns the job of a command without flags. Its grace, with what the end
// takes (closing), is below the 30 s that Slurm (KillWait) and Kubernetes
// (terminationGracePeriodSeconds) leave between SIGTERM and SIGKILL by default.
func newJob(cmd *cobra.Command) *job {
	return &job{cmd: cmd, Options: runner.Options{Grace: 20 * time.Second}, timeLimit: -1, logFormat: logText}
}

// setDeadline sets the earlier of the time limit, from the beginning of the
// command on, and Slurm's; none if there is none. Since 23.02 Slurm tells when it
// will end the job, in Unix seconds.
func (j *job) setDeadline() error {
	const slurmEnd = "SLURM_JOB_END_TIME"
	if j.timeLimit > 0 {
		j.Deadline = j.began.Add(j.timeLimit)
	}
	if text := os.Getenv(slurmEnd); text != "" && j.timeLimit != 0 {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return usage(`"--time-limit 0" ignores it`, "%s is %q, want Unix seconds", slurmEnd, text)
		}
		if end := time.Unix(seconds, 0); j.Deadline.IsZero() || end.Before(j.Deadline) {
			j.Deadline = end
		}
	}
	return nil
}

// addSink adds a sink. A signal may come at any time.
func (j *job) addSink(tell func(e runner.Event)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sinks = append(j.sinks, tell)
}

// emit tells the sinks of an event. One without counts, as those of this package
// but opened, has the counts of the last.
func (j *job) emit(e runner.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Outcome != nil && e.Outcome.Fault != "" {
		j.state.Failed++
	}
	if e.Assigned > 0 {
		j.last = e
	} else {
		j.last.Kind, j.last.Outcome = e.Kind, nil
	}
	e = j.last
	j.state.Runs, j.state.Todo, j.state.Done = e.Assigned, e.Executed+e.Left, e.Executed
	j.state.Elapsed = time.Since(j.began)
	for _, tell := range j.sinks {
		tell(e)
	}
}

// run carries the spec out, reports, and returns an error that tells how it
// ended.
func (j *job) run(spec *grid.Spec) (err error) {
	j.spec, j.dir, j.began = spec, outputDir(j.dir, spec), time.Now()
	if j.count > 0 {
		j.shard = new(spec.Plan().Shard(j.index, j.count))
	}
	if j.logFormat == logText {
		j.addConsole(j.cmd.ErrOrStderr())
	} else {
		j.addLog(j.cmd.ErrOrStderr(), j.quiet)
	}
	if j.logFile != "" {
		file, fault := os.OpenFile(j.logFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if fault != nil {
			return fault
		}
		defer closeInto(file, &err)
		j.addLog(file, false) // quiet or not
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
	return j.fill(ctx)
}

// fill opens the directory, executes what is left to do there, and prints what
// has come out.
func (j *job) fill(ctx context.Context) (err error) {
	limitMemory()
	if len(j.reuse) > 0 { // before anything is written
		if _, err := results.OpenReaderFor(j.spec, j.reuse...); err != nil {
			return err
		}
	}
	if j.store, err = results.Open(j.dir, j.spec, j.shard); err != nil {
		return err
	}
	defer closeInto(j.store, &err)
	if j.serve != "" {
		server, fault := page.Serve(j.serve, j.livePage)
		if fault != nil {
			return fault
		}
		defer closeInto(server, &err)
		j.addSink(func(runner.Event) { server.Tell(j.state) })
		j.url = server.URL
	}
	if err := j.store.Take(j.reuse, false); err != nil {
		return err
	}
	if err := j.carryOut(ctx); err != nil {
		return j.unfinished(err)
	}
	switch {
	case j.quiet || j.noTable:
	case j.shard == nil:
		err = printTable(j.cmd.OutOrStdout(), j.store.Reader, nil, analysis.Auto, report.Text)
	default: // a shard has no table
		_, err = fmt.Fprintf(j.cmd.OutOrStdout(), "shard %s: %s in %s\n", j.shard, runs(j.store.Assigned()), j.store.Dir)
	}
	switch n := j.store.Failed(); {
	case err != nil:
		return err
	case j.store.Damage != nil:
		return errRecomputed
	case n > 0:
		return failed(exitFailedRuns, "%s failed", runs(n))
	}
	return nil
}

// livePage writes the page of what is there so far.
func (j *job) livePage(w io.Writer) error {
	reader, err := results.OpenReaderFor(j.spec, j.store.Dir)
	if err != nil {
		return err
	}
	sweep, err := page.Read(j.store.Dir, reader)
	if err != nil {
		return err
	}
	return page.HTML(w, j.cmd.Root().Version, true, []*page.Sweep{sweep}, nil)
}

// boundEnd bounds how long the sweep goes on after ctx has ended, or after
// its deadline, until the returned function is called. A directory on a lost
// mount never answers.
func (j *job) boundEnd(ctx context.Context) (end func()) {
	goesOn, end := context.WithCancel(context.Background())
	giveUpIn := func(d time.Duration) {
		time.AfterFunc(d+closing, func() {
			if goesOn.Err() == nil {
				time.AfterFunc(time.Second, func() { exitNow(exitInterrupted) }) // the sinks may not answer, either
				j.emit(runner.Event{Kind: unanswered})
				exitNow(exitInterrupted)
			}
		})
	}
	if !j.Deadline.IsZero() {
		giveUpIn(max(0, time.Until(j.Deadline)))
	}
	context.AfterFunc(ctx, func() { giveUpIn(j.Grace) })
	return end
}

// carryOut executes the runs to do, tells the sinks, and makes the final
// files.
func (j *job) carryOut(ctx context.Context) error {
	e := countsOf(j.store)
	e.Kind, e.Left = opened, e.Assigned-e.OK
	if j.KeepFailed {
		e.Left -= e.Failed
	}
	j.emit(e)
	if e.Left > 0 {
		if err := j.spec.ReadInputs(); err != nil {
			return err
		}
	}
	m, err := begin(j.store, j.Workers, e.Left)
	if err != nil {
		return err
	}
	if m != nil {
		j.addSink(func(e runner.Event) { // once a second, for "sweep status"
			m.Executed = e.Executed
			if e.Kind == runner.Committed {
				_ = writeManifest(j.store, m, e) // no result depends on it
			}
		})
	}
	// If nobody reads what is said any more, only that is lost, not the sweep. Were the
	// signal ignored instead, the programs that runs start would ignore it, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	j.Directory, j.Observe = filepath.Join(j.dir, "runs"), j.emit
	j.report, err = runner.Sweep(ctx, j.store, j.Options)
	_ = os.Remove(j.Directory) // if nothing is in it
	toExport := context.Background()
	if !j.Deadline.IsZero() {
		limited, end := context.WithDeadlineCause(ctx, j.Deadline, runner.ErrOutOfTime)
		defer end()
		toExport = limited
	}
	return finish(toExport, j.store, m, true, err)
}

// unfinished adds to the end of an incomplete sweep what it has left
// behind. Other errors speak for themselves.
func (j *job) unfinished(err error) error {
	if errors.Is(err, runner.ErrOutOfTime) && j.report.OK+j.report.Failed == 0 && j.store.Missing() > 0 {
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
