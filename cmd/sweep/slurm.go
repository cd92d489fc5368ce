package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/schema"
	"sweep/internal/slurm"
	"sweep/results"
)

// slurmFlags are the flags of "sweep slurm".
type slurmFlags struct {
	dir     string        // empty: out/<name>
	shards  atLeastOne    // 0: as slurm.Pack has it
	cpus    atLeastOne    // 0: the cluster's default
	time    string        // empty: the cluster's default
	runTime time.Duration // 0: unknown
	submit  bool
	missing bool
}

// newSlurm returns "sweep slurm".
func newSlurm(experiments []*schema.Experiment) *cobra.Command {
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

` + sweepList(),
		Example: `  sweep slurm table2 --shards 8                       only write the scripts
  sweep slurm table2 --shards 8 --submit              submit them too
  sweep slurm mine.toml --cpus-per-task 4 --time 2:00:00 --run-time 40s
  sweep slurm mine.toml --submit -- --partition=long --account=physics`,
		Args: func(cmd *cobra.Command, args []string) error {
			specs, _ := divideArgs(cmd, args)
			return arguments(1, 1)(cmd, specs)
		},
		ValidArgsFunction:     completeSpec,
		DisableFlagsInUseLine: true, // they are in it
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, options := divideArgs(cmd, args)
			spec, err := loadSpec(specs[0], experiments)
			if err != nil {
				return err
			}
			if flags.missing {
				return printMissing(cmd, spec, &flags, experiments)
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
	f.StringVarP(&flags.dir, "output", "o", "", "compute into `DIR` (default out/<name of the sweep>)")
	f.Var(&flags.shards, "shards", "divide the sweep into `N` tasks")
	f.Var(&flags.cpus, "cpus-per-task", "ask for `N` processors for each task")
	f.StringVar(&flags.time, "time", "", "limit a task to `T`: minutes, h:m:s or days-h:m:s")
	f.DurationVar(&flags.runTime, "run-time", 0, "what a run takes, such as 40s, to choose the number of shards")
	f.BoolVar(&flags.submit, "submit", false, "submit the array and the merge")
	f.BoolVar(&flags.missing, "missing", false, "write nothing: print which shards have runs missing, as --array takes it")
	for _, name := range []string{"shards", "cpus-per-task"} {
		f.Lookup(name).DefValue = "" // 0 stands for none given
	}
	if err := cmd.MarkFlagDirname("output"); err != nil {
		panic(err) // the flag was defined above
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
	// A directory that the tasks would refuse is to be refused here.
	store, err := results.Open(job.Output, spec, spec.Plan())
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

// planJob judges the flags and returns the job they ask for.
func planJob(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, words []string) (*slurm.Job, error) {
	wrong := func(format string, a ...any) (*slurm.Job, error) {
		return nil, &usageError{message: fmt.Sprintf(format, a...), hint: helpHint(cmd)}
	}
	if flags.time != "" && !slurm.IsTime(flags.time) {
		return wrong("--time is %q, want minutes, hours:minutes:seconds or days-hours:minutes:seconds", flags.time)
	}
	if flags.runTime < 0 {
		return wrong("--run-time is %v, want what a run takes", flags.runTime)
	}
	options, err := slurm.ParseOptions(words)
	if err != nil {
		return wrong("%v", err)
	}
	output, err := filepath.Abs(outputDir(flags.dir, spec))
	if err != nil {
		return nil, err
	}
	if err := slurm.CheckPath(output); err != nil {
		return wrong("%v", err)
	}
	shards, err := shardCount(cmd, spec, flags, output)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(output, scriptsDir)
	return &slurm.Job{
		Name: spec.Name, Shards: shards, Output: output, Dir: dir,
		Program: filepath.Join(dir, "sweep"), Spec: filepath.Join(dir, spec.Name+".toml"),
		CPUs: int(flags.cpus), Time: flags.time, Options: options,
	}, nil
}

// shardCount returns into how many shards the sweep in a directory is to be
// divided.
func shardCount(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, output string) (int64, error) {
	begun, err := results.ShardCount(output)
	if err != nil {
		return 0, err
	}
	limit := arrayLimit(cmd)
	shards := int64(flags.shards)
	switch {
	case shards == 0 && begun > 0:
		shards = begun
	case shards == 0:
		shards = slurm.Pack(spec.Plan().Runs(), flags.runTime, max(1, int(flags.cpus)), limit)
	case begun > 0 && shards != begun:
		return 0, &usageError{
			message: fmt.Sprintf("--shards is %d, but the sweep in %s is divided into %d shards", shards, output, begun),
			hint:    "leave --shards out, or use another directory",
		}
	}
	if limit < 1 {
		return 0, &usageError{message: "this cluster takes no job arrays: MaxArraySize is 0"}
	}
	if shards > limit {
		return 0, &usageError{
			message: fmt.Sprintf("an array on this cluster has at most %d tasks (MaxArraySize), not %d", limit, shards),
			hint:    fmt.Sprintf("up to --shards %d each has more runs", limit),
		}
	}
	return shards, nil
}

// outputDir returns the directory of a sweep: the one given, or that of its
// name.
func outputDir(given string, spec *grid.Spec) string {
	if given != "" {
		return given
	}
	return filepath.Join("out", spec.Name)
}

// arrayLimit asks Slurm, if it is there, how many tasks an array may have.
func arrayLimit(cmd *cobra.Command) int64 {
	if _, err := exec.LookPath("scontrol"); err != nil {
		return slurm.DefaultLimit // the scripts may be meant for another machine
	}
	config, err := exec.CommandContext(cmd.Context(), "scontrol", "show", "config").Output()
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "scontrol does not tell MaxArraySize (%v): taking it for %d\n", err, slurm.DefaultLimit)
		return slurm.DefaultLimit
	}
	return slurm.Limit(string(config))
}

// writeJob puts the scripts, the spec and the program into job.Dir, and
// makes the directory of the logs.
func writeJob(job *slurm.Job, spec *grid.Spec) error {
	if err := os.MkdirAll(job.Logs(), 0o777); err != nil {
		return err
	}
	if err := copyProgram(job.Program); err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	if err := replaceFile(job.Spec, spec.Source, 0o666); err != nil {
		return err
	}
	for _, script := range job.Scripts() {
		if err := replaceFile(filepath.Join(job.Dir, script.Name), []byte(script.Text), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// copyProgram copies this program. Tasks that wait in the queue need it when
// the original may have been changed, or is gone, as after "go run".
func copyProgram(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return replaceFile(path, program, 0o777)
}

// replaceFile writes a file that appears as a whole or not at all. One that
// has the content already is left alone: it may be a program that runs on
// another machine, over a file system that forgets files in use. The umask
// lessens the permissions.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	temporary := path + ".tmp"
	err := os.WriteFile(temporary, content, perm)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary) // the error is told already
	}
	return err
}

// printMissing prints the shards that have runs missing.
func printMissing(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, experiments []*schema.Experiment) error {
	if flags.shards == 0 || flags.submit {
		return &usageError{message: "--missing wants --shards with it, and not --submit", hint: helpHint(cmd)}
	}
	view, err := results.OpenView(outputDir(flags.dir, spec), experiments)
	if err != nil {
		return err
	}
	var missing []int64
	for i := range int64(flags.shards) {
		shard := view.Plan.Shard(i, int64(flags.shards))
		for k := range shard.Runs() {
			if view.Status(shard.Run(k)) == "" {
				missing = append(missing, i)
				break
			}
		}
	}
	if len(missing) > 0 {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), slurm.Indices(missing))
	}
	return err
}
