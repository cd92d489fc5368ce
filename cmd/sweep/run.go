package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sweep/grid"
	"sweep/internal/engine"
	"sweep/internal/progress"
	"sweep/internal/schema"
	"sweep/results"
	"sweep/sweeps"
)

// runFlags are the flags of "sweep run".
type runFlags struct {
	dir      string // empty: out/<name>
	shard    shardFlag
	workers  atLeastOne
	failFast bool
	quiet    bool
	noTable  bool // even if not quiet
}

// newRun returns "sweep run".
func newRun(experiments []*schema.Experiment) *cobra.Command {
	flags := runFlags{workers: atLeastOne(runtime.GOMAXPROCS(0))} // respects affinity and cgroup limits
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
  sweep run mine.toml --quiet               in a cron job: silent on success`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := loadSpec(args[0], experiments)
			if err != nil {
				return err
			}
			return queue.after(cmd, runSweep(cmd, spec, flags, experiments))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.dir, "output", "o", "", "write into `DIR` (default out/<name of the sweep>)")
	f.Var(&flags.shard, "shard", "execute only part `I/N` of the runs, 0 ≤ I < N, or auto/N, or auto")
	f.Var(&flags.workers, "workers", "execute at most `N` runs at once (default: usable processors)")
	f.Lookup("workers").DefValue = "" // keeps this machine's number out of the help text
	f.BoolVar(&flags.failFast, "fail-fast", false, "stop at the first failed run")
	f.BoolVar(&flags.quiet, "quiet", false, "print no progress and no table")
	queue.define(cmd)
	if err := cmd.MarkFlagDirname("output"); err != nil {
		panic(err) // the flag was defined above
	}
	return cmd
}

// sweepList names the embedded sweeps for help texts.
func sweepList() string {
	text := "Sweeps that come with the program:"
	for _, name := range sweeps.List() {
		text += "\n  " + name
	}
	return text
}

// runSweep carries the spec out, reports, and returns an error that tells
// how it ended.
func runSweep(cmd *cobra.Command, spec *grid.Spec, flags runFlags, experiments []*schema.Experiment) (err error) {
	dir := flags.dir
	if dir == "" {
		dir = filepath.Join("out", spec.Name)
	}
	plan := spec.Plan()
	shard := flags.shard.of(plan)
	store, err := openStore(dir, shard, spec)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	stderr := cmd.ErrOrStderr()
	printFindings(stderr, store)
	if store.Finished() < store.Assigned() {
		if err := spec.ReadInputs(); err != nil {
			return err
		}
	}
	manifest, err := beginManifest(spec, shard, store, int(flags.workers))
	if err != nil {
		return err
	}
	report, err := carryOut(cmd.Context(), plan, shard, store, flags, stderr)
	defer printFailures(stderr, plan, report) // below the table, where they are seen
	if err == nil {
		err = store.Finish()
	}
	if manifestErr := endManifest(manifest, store, err == nil); err == nil {
		err = manifestErr
	}
	if err != nil {
		return unfinished(err, store)
	}
	if !flags.quiet && !flags.noTable {
		if err := printOutcome(cmd.OutOrStdout(), dir, shard, store, experiments); err != nil {
			return err
		}
	}
	if n := len(store.Damage()); n > 0 {
		return damagedFiles(n)
	}
	if report.Failed > 0 {
		return failedRuns(report.Failed)
	}
	return nil
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
func printOutcome(w io.Writer, dir string, shard *grid.Shard, store *results.Store, experiments []*schema.Experiment) error {
	if shard == nil {
		return printTable(w, dir, results.Text, results.Auto, experiments)
	}
	_, err := fmt.Fprintf(w, "shard %s: %s in %s\n", shard, count(store.Assigned(), "run"), store.Dir())
	return err
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

// carryOut executes the missing runs under the eyes of a progress meter and
// of the signals.
func carryOut(ctx context.Context, plan *grid.Plan, shard *grid.Shard, store *results.Store, flags runFlags, stderr io.Writer) (engine.Report, error) {
	have := store.Finished()
	missing := store.Assigned() - have
	if have > 0 && !flags.quiet {
		fmt.Fprintf(stderr, "%d of %d runs are there already\n", have, store.Assigned())
	}
	meter := progress.Start(stderr, progress.Options{
		Style: progressStyle(stderr, flags.quiet || missing == 0),
		Total: missing,
		Color: os.Getenv("NO_COLOR") == "",
	})
	defer meter.Stop()
	ctx, stop := interruptible(ctx, func() {
		meter.Note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	return engine.Run(ctx, plan, store, engine.Options{
		Workers:  int(flags.workers),
		Shard:    shard,
		FailFast: flags.failFast,
		Observe:  func(row *results.Row) { meter.Add(row.Status == results.Failed) },
	})
}

func progressStyle(stderr io.Writer, quiet bool) progress.Style {
	file, ok := stderr.(*os.File)
	switch {
	case quiet:
		return progress.Silent
	case ok && term.IsTerminal(int(file.Fd())):
		return progress.Bar
	}
	return progress.Lines
}

// unfinished adds to the end of an incomplete sweep what it has left
// behind. Other errors speak for themselves.
func unfinished(err error, store *results.Store) error {
	if !is[*interruption](err) && !errors.Is(err, engine.ErrFailFast) {
		return err
	}
	return fmt.Errorf("%w: %s holds %d of %d runs, the same command goes on from there",
		err, store.Dir(), store.Finished(), store.Assigned())
}

// printFailures lists the first failed runs, each with the parameters that
// set it apart, and the stack of the first that panicked.
func printFailures(w io.Writer, plan *grid.Plan, report engine.Report) {
	if report.Failed == 0 {
		return
	}
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
}
