package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/slurm"
	"sweep/results"
)

// slurmFlags are the flags of "sweep slurm".
type slurmFlags struct {
	dir     string     // empty: out/<name>
	shards  atLeastOne // 0: as slurm.Pack has it
	cpus    atLeastOne // 0: the cluster's default
	time    string     // empty: the cluster's default
	runTime duration   // 0: unknown
	submit  bool
	missing bool
}

// newSlurm returns "sweep slurm".
func newSlurm(prog *Program) *cobra.Command {
	var flags slurmFlags
	cmd := &cobra.Command{
		Use:   "slurm SPEC [flags] [-- SBATCH-OPTION…]",
		Short: "Hand a sweep to a cluster under Slurm",
		Long: `Write the scripts that compute a sweep on a cluster, into DIR/slurm: an array
job with a task for each shard, a merge that runs after it and ends with 1 if
runs are missing, and a script that submits what is missing again. The program
and the spec are copied beside them, so that changing either changes nothing
for tasks that wait in the queue. Options of sbatch stand after --.

` + specHelp + `

A task that comes near its time limit keeps what it has and goes back into the
queue. If --shards does not tell, each shard gets about 50 runs for each
processor, or half an hour of them if --run-time tells what one takes; an array
never has more tasks than the cluster allows (MaxArraySize), but larger ones.
Once shards have begun, their number stays.

` + prog.sweepList(),
		Example: `  sweep slurm table2 --shards 8                       only write the scripts
  sweep slurm table2 --shards 8 --submit              submit them too
  sweep slurm mine.toml --cpus-per-task 4 --time 2:00:00 --run-time 40s
  sweep slurm mine.toml --submit -- --partition=long --account=physics`,
		Args: func(cmd *cobra.Command, args []string) error {
			specs, _ := divideArgs(cmd, args)
			return arguments(1, 1)(cmd, specs)
		},
		ValidArgsFunction:     prog.completeSpec,
		DisableFlagsInUseLine: true, // they are in it
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, options := divideArgs(cmd, args)
			spec, err := loadSpec(specs[0], prog)
			if err != nil {
				return err
			}
			if flags.missing {
				return printMissing(cmd, spec, &flags, prog)
			}
			return toSlurm(cmd, spec, &flags, options)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = flagError(cmd, err)
		if e, ok := errors.AsType[*usageError](err); ok && !strings.HasPrefix(e.hint, "did you mean") {
			e.hint = "options of sbatch stand after --"
		}
		return err
	})
	f := cmd.Flags()
	outputFlag(cmd, &flags.dir, "compute into `DIR` (default out/<name of the sweep>)")
	f.Var(&flags.shards, "shards", "divide the sweep into `N` tasks")
	f.Var(&flags.cpus, "cpus-per-task", "ask for `N` processors for each task")
	f.StringVar(&flags.time, "time", "", "limit a task to `T`: minutes, h:m:s or days-h:m:s")
	f.Var(&flags.runTime, "run-time", "a run takes about `D`, such as 40s: choose the number of shards by that")
	f.BoolVar(&flags.submit, "submit", false, "submit the array and the merge")
	f.BoolVar(&flags.missing, "missing", false, "write nothing: print which shards have runs missing, as --array takes it")
	for _, name := range []string{"shards", "cpus-per-task", "run-time"} {
		f.Lookup(name).DefValue = "" // 0 stands for none given
	}
	return cmd
}

// divideArgs divides arguments at the -- that stands before the options of
// sbatch.
func divideArgs(cmd *cobra.Command, args []string) (specs, options []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}
	return args, nil
}

// scriptsDir is where the scripts are in a sweep's directory.
const scriptsDir = "slurm"

// toSlurm writes the scripts for a sweep, and submits them if asked to.
func toSlurm(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, words []string) error {
	job, err := planJob(cmd, spec, flags, words)
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	// What the tasks would refuse is to be refused here.
	if err := spec.ReadInputs(); err != nil {
		return err
	}
	store, err := results.Open(job.Output, spec)
	if err != nil {
		return err
	}
	printFindings(stderr, store)
	if err := store.Close(); err != nil {
		return err
	}
	if err := writeJob(job, spec); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s: %s in %s\n", spec.Name, count(spec.Plan().Runs(), "run"), count(job.Shards, "shard"))
	submit := filepath.Join(job.Dir, slurm.Submit)
	if !flags.submit {
		fmt.Fprintln(stderr, "to submit them, run this with bash:")
		_, err := fmt.Fprintln(cmd.OutOrStdout(), submit)
		return err
	}
	bash := exec.CommandContext(cmd.Context(), "bash", submit)
	bash.Stdout, bash.Stderr = cmd.OutOrStdout(), stderr
	if err := bash.Run(); err != nil {
		return &submissionError{script: submit, err: err}
	}
	return nil
}

// A submissionError says that the scripts are there, but Slurm did not take
// them.
type submissionError struct {
	script string
	err    error
}

func (e *submissionError) Error() string {
	return fmt.Sprintf("nothing was submitted: %s: %v", e.script, e.err)
}

func (e *submissionError) Unwrap() error { return e.err }

// printMissing prints the shards that have runs missing.
func printMissing(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, prog *Program) error {
	if flags.shards == 0 || flags.submit {
		return &usageError{message: "--missing wants --shards with it, and not --submit", hint: helpHint(cmd)}
	}
	view, err := results.OpenReader(outputDir(flags.dir, spec), prog.Experiments)
	if err != nil {
		return err
	}
	var missing []int64
	for i := range int64(flags.shards) {
		if view.MissingIn(view.Plan.Shard(i, int64(flags.shards))) > 0 {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), slurm.Indices(missing))
	}
	return err
}
