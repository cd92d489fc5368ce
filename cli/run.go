package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/progress"
	"sweep/results"
	"sweep/runner"
)

// newRun returns "sweep run".
func newRun(prog *Program) *cobra.Command {
	flags := newRunFlags()
	var changed *changes
	requeueWith := ""
	cmd := &cobra.Command{
		Use:   "run SPEC",
		Short: "Run a sweep and print its table",
		Long: `Run all runs of a sweep that the output directory does not hold yet, write
runs.parquet, series.parquet and summary.parquet there, and print the table
that "sweep table" prints.

` + specHelp + `

A run that fails is kept as a failed row and the sweep goes on; the same
command, given again, repeats the failed runs. An interrupted sweep goes on
where it stopped. The files do not depend on the number of workers.

SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2 interrupt: no further run
starts, those under way have the --grace to end, what has ended is kept, and
the exit code is 75. A second signal ends the program at once. --time-limit, or
Slurm's SLURM_JOB_END_TIME, does the same in time: from what runs have cost it
is known which can still end.

With --shard, only that part of the runs is executed, an interleaved one,
into DIR/shards. Machines may execute different shards of one DIR at the same
time; "sweep merge DIR", or the same command without --shard, then makes of
them what one machine would have made. In a task of an array job, auto/N is
the shard of the task's number, and auto also takes N from the scheduler:
Slurm, Kubernetes, PBS Pro, Torque, SGE, LSF or AWS Batch.

` + prog.sweepList(),
		Example: `  sweep run table2                          into out/table2
  sweep run ./mine.toml -o results/first    a spec of your own
  sweep run mine --seeds 100 --set beta=0.2,0.3     spec.toml records them
  sweep run mine --workers 8                mine.toml, at most 8 runs at once
  sweep run mine --shard 0/8                the first of eight machines' part
  sweep run mine --fail-fast                stop at the first failed run
  sweep run mine --max-failures 5%          stop when a twentieth has failed
  sweep run mine --time-limit 50m           commit all within 50 minutes
  sweep run mine --quiet                    in a cron job: silent on success
  sweep run mine --log-format json          tell a program, a record a line`,
		Args:              arguments(1, 1),
		ValidArgsFunction: prog.completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.failFast && flags.given("max-failures") {
				return &usageError{message: "--fail-fast and --max-failures were both given, want one of them"}
			}
			spec, err := changed.load(args[0], prog)
			if err != nil {
				return err
			}
			if !flags.quiet {
				printWarnings(cmd.ErrOrStderr(), spec)
			}
			return requeue(cmd, requeueWith, runSweep(cmd, spec, flags, prog))
		},
	}
	flags.define(cmd)
	changed = changeFlags(cmd)
	cmd.Flags().StringVar(&requeueWith, "requeue-with", "", "in a batch job: if the sweep can go on later (75), run `COMMAND` with sh")
	return cmd
}

// defaultGrace, with what the end takes (closing), is below the 30 s that
// Slurm (KillWait) and Kubernetes (terminationGracePeriodSeconds) leave between
// SIGTERM and SIGKILL by default.
const defaultGrace = 20 * time.Second

// The formats of a log.
const (
	logText   = "text" // for people
	logLogfmt = "logfmt"
	logJSON   = "json"
)

// runFlags are the flags of "sweep run".
type runFlags struct {
	dir     string // empty: out/<name>
	shard   shardFlag
	workers int
	reuse   []string

	retryFailed bool
	failFast    bool
	maxFailures share
	retries     int

	runTimeout, grace, timeLimit time.Duration
	memory                       int64

	quiet   bool
	noTable bool // even if not quiet
	log     *choice

	given func(flag string) bool // whether the command line has the flag
}

// newRunFlags returns the flags as they are if none is given.
func newRunFlags() *runFlags {
	return &runFlags{
		retryFailed: true,
		grace:       defaultGrace,
		log:         &choice{value: logText},
		given:       func(string) bool { return false },
	}
}

// define gives the command the flags.
func (r *runFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	outputFlag(cmd, &r.dir, "write into `DIR` (default out/<name of the sweep>)")
	f.Func("shard", "execute only part `I/N` of the runs, 0 ≤ I < N, or auto/N, or auto", r.shard.set)
	workersFlag(cmd, &r.workers)
	f.BoolVar(&r.retryFailed, "retry-failed", r.retryFailed, "repeat runs that failed in an earlier command")
	f.BoolVar(&r.failFast, "fail-fast", false, "stop at the first failed run, as --max-failures 1")
	f.Func("max-failures", "stop when `N or P%` of the runs to do have failed", r.maxFailures.set)
	f.Func("retries", "try a run that failed up to `N` times again, at once", atLeast(0, &r.retries))
	f.Func("run-timeout", "fail runs that take longer than `D`, such as 90s or 2h", duration(&r.runTimeout))
	f.Func("grace", fmt.Sprintf("give the runs under way `D` to end when interrupted (default %v)", r.grace), duration(&r.grace))
	f.Func("time-limit", "commit all within `D`; 0: no limit (default: Slurm's)", duration(&r.timeLimit))
	f.Func("memory-limit", "use at most `SIZE`, such as 4GiB (default: the cgroup's, or half of the memory)", size(&r.memory))
	f.StringArrayVar(&r.reuse, "reuse", nil, "take runs that `DIR` holds, another sweep's directory; may be repeated")
	f.BoolVar(&r.quiet, "quiet", false, "print no progress and no table")
	r.log = choiceFlag(cmd, "log-format", "report on stderr as", logText, logLogfmt, logJSON)
	r.given = f.Changed
}

// failures returns how many failed runs end a sweep in which so many runs
// are to do; 0 if no number does.
func (r *runFlags) failures(todo int64) int64 {
	if r.failFast {
		return 1
	}
	return r.maxFailures.of(todo)
}

// slurmEnd is the environment variable by which Slurm (since 23.02) tells
// when it will end the job, in Unix seconds.
const slurmEnd = "SLURM_JOB_END_TIME"

// deadline returns the earlier of the time limit, from the beginning of the
// command on, and Slurm's; zero if there is none. A time limit of 0 means
// that there is none.
func (r *runFlags) deadline(began time.Time, getenv func(string) string) (time.Time, error) {
	var deadline time.Time
	if r.given("time-limit") {
		if r.timeLimit == 0 {
			return deadline, nil
		}
		deadline = began.Add(r.timeLimit)
	}
	if text := getenv(slurmEnd); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return deadline, &usageError{
				message: slurmEnd + " is " + strconv.Quote(text) + ", want Unix seconds",
				hint:    `"--time-limit 0" ignores it`,
			}
		}
		if end := time.Unix(seconds, 0); deadline.IsZero() || end.Before(deadline) {
			deadline = end
		}
	}
	return deadline, nil
}

// A job is a sweep on its way into a directory.
type job struct {
	spec     *grid.Spec
	plan     *grid.Plan
	dir      string
	shard    *grid.Shard // nil: the whole
	flags    *runFlags
	began    time.Time
	deadline time.Time      // zero if there is none
	store    *results.Store // nil until it is open

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

// todo returns how many runs are to be executed.
func (j *job) todo() int64 {
	n := j.store.Assigned() - j.store.Finished()
	if !j.flags.retryFailed {
		n -= j.store.Failed()
	}
	return n
}

// runSweep carries the spec out, reports, and returns an error that tells
// how it ended.
func runSweep(cmd *cobra.Command, spec *grid.Spec, flags *runFlags, prog *Program) (err error) {
	j := &job{spec: spec, plan: spec.Plan(), dir: outputDir(flags.dir, spec), flags: flags, began: time.Now()}
	j.shard = flags.shard.of(j.plan)
	if flags.log.value == logText {
		j.sinks = []sink{console(cmd.ErrOrStderr(), j)}
	} else {
		j.sinks = []sink{newRecorder(cmd.ErrOrStderr(), j).tell}
	}
	var report runner.Report
	defer func() {
		j.emit(event{Event: runner.Event{Kind: over}, report: report, err: err})
		if err != nil && flags.log.value != logText {
			err = &loggedError{err}
		}
	}()
	if j.deadline, err = flags.deadline(j.began, os.Getenv); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context(), func(s os.Signal) {
		j.emit(event{Event: runner.Event{Kind: signalled}, signal: s})
	})
	defer stop()
	defer j.boundEnd(ctx)()

	limitMemory(flags.memory)
	if j.store, err = openStore(j.dir, j.shard, spec); err != nil {
		return err
	}
	defer closeInto(j.store, &err)
	if err := j.reuse(cmd.ErrOrStderr()); err != nil {
		return err
	}
	if report, err = carryOut(ctx, j); err != nil {
		return unfinished(err, j, report)
	}
	if !flags.quiet && !flags.noTable {
		if err := printOutcome(cmd.OutOrStdout(), j, prog); err != nil {
			return err
		}
	}
	if n := len(j.store.Damage()); n > 0 {
		return corruptFiles(n)
	}
	if n := j.store.Failed(); n > 0 {
		return failedRuns(n)
	}
	return nil
}

// reuse takes runs from other directories, if the flags ask for it.
func (j *job) reuse(stderr io.Writer) error {
	if len(j.flags.reuse) == 0 {
		return nil
	}
	taken, err := j.store.Take(j.flags.reuse, false)
	if err == nil && !j.flags.quiet && j.flags.log.value == logText {
		fmt.Fprintf(stderr, "%s taken from %s\n", count(taken, "run"), strings.Join(j.flags.reuse, ", "))
	}
	return err
}

// boundEnd bounds how long the sweep goes on after ctx has ended, or after
// its deadline, until the returned function is called. A directory on a lost
// mount never answers.
func (j *job) boundEnd(ctx context.Context) (end func()) {
	var timers []*time.Timer
	var mu sync.Mutex
	exitAfter := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		timers = append(timers, time.AfterFunc(d+closing, j.giveUp))
	}
	if !j.deadline.IsZero() {
		exitAfter(max(0, time.Until(j.deadline)))
	}
	forget := context.AfterFunc(ctx, func() { exitAfter(j.flags.grace) })
	return func() {
		forget()
		mu.Lock()
		defer mu.Unlock()
		for _, t := range timers {
			t.Stop()
		}
	}
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
func carryOut(ctx context.Context, j *job) (runner.Report, error) {
	todo := j.todo()
	counts := countsOf(j.store)
	counts.Left = todo
	j.emit(event{Event: runner.Event{Kind: opened, Counts: counts}})
	if todo > 0 {
		if err := j.spec.ReadInputs(); err != nil {
			return runner.Report{}, err
		}
	}
	manifest, err := newManifest(j.store, j.flags.workers, todo)
	if err != nil {
		return runner.Report{}, err
	}
	if manifest != nil {
		j.sinks = append(j.sinks, manifest.tell)
	}
	defer ignoreSIGPIPE()()
	report, err := runner.Sweep(ctx, j.store, runner.Options{
		Workers:     j.flags.workers,
		KeepFailed:  !j.flags.retryFailed,
		RunTimeout:  j.flags.runTimeout,
		Retries:     j.flags.retries,
		Grace:       j.flags.grace,
		Deadline:    j.deadline,
		Directory:   filepath.Join(j.dir, runsDir),
		MaxFailures: j.flags.failures,
		Observe:     func(e runner.Event) { j.emit(event{Event: e}) },
	})
	_ = os.Remove(filepath.Join(j.dir, runsDir)) // if nothing is in it
	if err == nil {
		err = j.store.Finish()
	}
	if closeErr := manifest.close(err == nil); err == nil {
		err = closeErr
	}
	return report, err
}

// unfinished adds to the end of an incomplete sweep what it has left
// behind. Other errors speak for themselves.
func unfinished(err error, j *job, report runner.Report) error {
	if errors.Is(err, runner.ErrOutOfTime) && report.OK+report.Failed == 0 {
		err = fmt.Errorf("%w before a single run had ended: a longer limit is needed", err)
	}
	if is[*interruption](err) || errors.Is(err, runner.ErrOutOfTime) || is[*runner.FailuresError](err) || is[*runner.HungError](err) {
		return fmt.Errorf("%w: %s holds %d of %d runs, the same command goes on from there",
			err, j.store.Dir(), j.store.Finished(), j.store.Assigned())
	}
	return err
}

// runsDir is where in a sweep's directory runs keep files of their own.
const runsDir = "runs"

// defaultOutput is where sweeps have their directories if -o names no other.
const defaultOutput = "out"

// outputDir returns the directory of a sweep: the one given, or that of its
// name.
func outputDir(given string, spec *grid.Spec) string {
	if given != "" {
		return given
	}
	return filepath.Join(defaultOutput, spec.Name)
}

// openStore opens the directory of the sweep, or that of a shard in it.
func openStore(dir string, shard *grid.Shard, spec *grid.Spec) (*results.Store, error) {
	if shard == nil {
		return results.Open(dir, spec)
	}
	return results.OpenShard(dir, *shard, spec)
}

// closeInto closes what a function has opened, when it returns. Its own
// error comes first.
func closeInto(c io.Closer, err *error) {
	if closeErr := c.Close(); *err == nil {
		*err = closeErr
	}
}

// printOutcome prints the table of the sweep. A shard has none: it says
// where its runs are.
func printOutcome(w io.Writer, j *job, prog *Program) error {
	if j.shard == nil {
		return printTable(w, j.dir, prog)
	}
	_, err := fmt.Fprintf(w, "shard %s: %s in %s\n", j.shard, count(j.store.Assigned(), "run"), j.store.Dir())
	return err
}
