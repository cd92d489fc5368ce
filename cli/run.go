package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/engine"
	"sweep/results"
)

// newRun returns "sweep run".
func newRun(experiments []*experiment.Experiment) *cobra.Command {
	flags := newRunFlags()
	var queue requeue
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

SIGINT, SIGTERM, SIGUSR1 and SIGUSR2 interrupt: no further run starts, those
under way have the --grace to end, what has ended is kept, and the exit code
is 75. A second signal ends the program at once. --time-limit, or Slurm's
SLURM_JOB_END_TIME, does the same in time: from what runs have cost it is
known which can still end.

With --shard, only that part of the runs is executed, an interleaved one,
into DIR/shards. Machines may execute different shards of one DIR at the same
time; "sweep merge DIR", or the same command without --shard, then makes of
them what one machine would have made. In a task of an array job, auto/N is
the shard of the task's number, and auto also takes N from the scheduler:
Slurm, Kubernetes, PBS Pro, Torque, SGE, LSF or AWS Batch.

` + sweepList(),
		Example: `  sweep run table2                          into out/table2
  sweep run ./mine.toml -o results/first    a spec of your own
  sweep run mine.toml --workers 8           at most 8 runs at once
  sweep run mine.toml --shard 0/8           the first of eight machines' part
  sweep run mine.toml --fail-fast           stop at the first failed run
  sweep run mine.toml --max-failures 5%     stop when a twentieth has failed
  sweep run mine.toml --time-limit 50m      commit all within 50 minutes
  sweep run mine.toml --quiet               in a cron job: silent on success
  sweep run mine.toml --log-format json     tell a program, a record a line`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			spec, err := loadSpec(args[0], experiments)
			if err != nil {
				return err
			}
			if !flags.quiet {
				printWarnings(cmd.ErrOrStderr(), spec)
			}
			return queue.after(cmd, runSweep(cmd, spec, flags, experiments))
		},
	}
	flags.define(cmd)
	queue.define(cmd)
	return cmd
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
	executed int64          // runs
	toRepeat int64          // of the runs that had failed before
}

// left returns how many runs this process still has to execute, as far as
// is known.
func (j *job) left() int64 {
	return j.store.Assigned() - j.store.Finished() - j.store.Failed() + j.toRepeat
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
func runSweep(cmd *cobra.Command, spec *grid.Spec, flags *runFlags, experiments []*experiment.Experiment) (err error) {
	j := &job{spec: spec, plan: spec.Plan(), dir: outputDir(flags.dir, spec), flags: flags, began: time.Now()}
	j.shard = flags.shard.of(j.plan)
	var report engine.Report
	tell := newNarrator(cmd.ErrOrStderr(), j)
	defer func() { err = tell.end(report, err) }()
	ctx, stop := interruptible(cmd.Context(), tell.interrupted)
	defer stop()

	limitMemory(int64(flags.memory))
	if j.deadline, err = flags.deadline(j.began, os.Getenv); err != nil {
		return err
	}
	if j.store, err = openStore(j.dir, j.shard, spec); err != nil {
		return err
	}
	defer closing(j.store, &err)
	tell.found(j.store)
	if report, err = carryOut(ctx, j, tell); err != nil {
		return unfinished(err, j, report)
	}
	if !flags.quiet && !flags.noTable {
		if err := printOutcome(cmd.OutOrStdout(), j, experiments); err != nil {
			return err
		}
	}
	if n := len(j.store.Damage()); n > 0 {
		return damagedFiles(n)
	}
	if n := j.store.Failed(); n > 0 {
		return failedRuns(n)
	}
	return nil
}

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
		return results.Open(dir, spec, spec.Plan())
	}
	return results.OpenShard(dir, *shard, spec, spec.Plan())
}

// printOutcome prints the table of the sweep. A shard has none: it says
// where its runs are.
func printOutcome(w io.Writer, j *job, experiments []*experiment.Experiment) error {
	if j.shard == nil {
		return printTable(w, j.dir, experiments)
	}
	_, err := fmt.Fprintf(w, "shard %s: %s in %s\n", j.shard, count(j.store.Assigned(), "run"), j.store.Dir())
	return err
}

// carryOut executes the runs to do and makes the final files, under the
// eyes of the narrator and the ledger.
func carryOut(ctx context.Context, j *job, tell narrator) (engine.Report, error) {
	todo := j.todo()
	if todo > 0 {
		if err := j.spec.ReadInputs(); err != nil {
			return engine.Report{}, err
		}
	}
	ledger, err := openLedger(j.spec, j.shard, j.store, int(j.flags.workers), todo)
	if err != nil {
		return engine.Report{}, err
	}
	if j.flags.retryFailed {
		j.toRepeat = j.store.Failed()
	}
	defer unheard()()
	tell.begin()
	options := j.flags.options()
	options.Shard = j.shard
	options.Deadline = j.deadline
	options.Observe = func(o *engine.Outcome) {
		j.executed++
		if o.Again {
			j.toRepeat--
		}
		ledger.observe(o)
		tell.observe(o)
	}
	maxFailures := j.flags.failures(todo)
	options.MaxFailures = func() int64 { return maxFailures }
	options.Extended = func() {
		maxFailures = j.flags.failures(j.executed + j.left()) // a share is one of more runs now
		ledger.extended(j.store)
		tell.extended()
	}
	report, err := engine.Run(ctx, j.plan, j.store, options)
	tell.executed()
	if err == nil {
		err = j.store.Finish()
	}
	if ledgerErr := ledger.close(j.store, err == nil); err == nil {
		err = ledgerErr
	}
	return report, err
}

// unfinished adds to the end of an incomplete sweep what it has left
// behind. Other errors speak for themselves.
func unfinished(err error, j *job, report engine.Report) error {
	if errors.Is(err, engine.ErrOutOfTime) && report.OK+report.Failed == 0 {
		err = fmt.Errorf("%w before a single run had ended: a longer limit is needed", err)
	}
	if is[*interruption](err) || errors.Is(err, engine.ErrOutOfTime) || is[*engine.FailuresError](err) || is[*engine.StraysError](err) {
		return fmt.Errorf("%w: %s holds %d of %d runs, the same command goes on from there",
			err, j.store.Dir(), j.store.Finished(), j.store.Assigned())
	}
	return err
}
