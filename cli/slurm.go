package cli

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/slurm"
	"sweep/results"
)

// slurmFlags are the flags of "sweep slurm".
type slurmFlags struct {
	dir     string        // empty: out/<name>
	shards  int           // 0: as slurm.Pack has it
	cpus    int           // 0: the cluster's default
	time    string        // empty: the cluster's default
	runTime time.Duration // 0: unknown

	submit, missing bool
}

// newSlurm returns "sweep slurm".
func newSlurm(prog *Program) *cobra.Command {
	var changed *changes
	var flags slurmFlags
	cmd := &cobra.Command{
		Use:   "slurm SPEC [flags] [-- SBATCH-OPTION…]",
		Short: "Hand a sweep to a cluster under Slurm",
		Long: `Write the scripts that compute a sweep on a cluster, into DIR/slurm: an array
job with a task for each shard, a merge that runs after it and ends with 1 if
runs are missing, and a script that submits what is missing again. The program
and the spec are copied beside them for tasks that wait in the queue. Options of
sbatch stand after --.

If --shards does not tell, each shard gets about 50 runs for each processor, or
half an hour of them if --run-time tells what one takes, and more where the
cluster allows no such number of tasks. Once shards have begun, it stays.

` + specHelp + `

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
			spec, err := changed.load(specs[0], prog)
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
		if strings.HasPrefix(hint(err), "did you mean") {
			return err
		}
		return usage("options of sbatch stand after --", "%v", err)
	})
	changed = changeFlags(cmd)
	f := cmd.Flags()
	outputFlag(cmd, &flags.dir, "compute into `DIR` (default out/<name of the sweep>)")
	f.Func("shards", "divide the sweep into `N` tasks", atLeast(1, &flags.shards))
	f.Func("cpus-per-task", "ask for `N` processors for each task", atLeast(1, &flags.cpus))
	f.StringVar(&flags.time, "time", "", "limit a task to `T`: minutes, h:m:s or days-h:m:s")
	f.Func("run-time", "choose the number of shards for runs that take about `D`, such as 40s", duration(&flags.runTime))
	f.BoolVar(&flags.submit, "submit", false, "submit the array and the merge")
	f.BoolVar(&flags.missing, "missing", false, "write nothing: print which shards have runs missing, as --array takes it")
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
	if libraries := linkedTo(job.Program); len(libraries) > 0 {
		say(stderr, "warning: this program needs %s, which a machine with an older system may not have: build it with CGO_ENABLED=0", strings.Join(libraries, ", "))
	}
	say(stderr, "%s: %s in %s", spec.Name, count(spec.Plan().Runs(), "run"), count(job.Shards, "shard"))
	submit := filepath.Join(job.Dir, slurm.Submit)
	if !flags.submit {
		say(stderr, "to submit them, run this with bash:")
		_, err := fmt.Fprintln(cmd.OutOrStdout(), submit)
		return err
	}
	bash := exec.CommandContext(cmd.Context(), "bash", submit)
	bash.Stdout, bash.Stderr = cmd.OutOrStdout(), stderr
	if err := bash.Run(); err != nil {
		return &failure{code: exitIO, message: fmt.Sprintf("nothing was submitted: %s: %v", submit, err)}
	}
	return nil
}

// printMissing prints the shards that have runs missing.
func printMissing(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, prog *Program) error {
	if flags.shards == 0 || flags.submit {
		return usage(helpHint(cmd), "--missing wants --shards with it, and not --submit")
	}
	view, err := prog.read(cmd, outputDir(flags.dir, spec))
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

// planJob judges the flags and returns the job they ask for.
func planJob(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, words []string) (*slurm.Job, error) {
	if _, ok := slurm.ParseTime(flags.time); flags.time != "" && !ok {
		return nil, usage(helpHint(cmd), "--time is %q, want minutes, hours:minutes:seconds or days-hours:minutes:seconds", flags.time)
	}
	options, err := slurm.ParseOptions(words)
	if err != nil {
		return nil, usage(helpHint(cmd), "%v", err)
	}
	output, err := filepath.Abs(outputDir(flags.dir, spec))
	if err != nil {
		return nil, err
	}
	if err := slurm.CheckPath(output); err != nil {
		return nil, usage(helpHint(cmd), "%v", err)
	}
	shards, err := shardCount(cmd, spec, flags, output)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(output, "slurm")
	return &slurm.Job{
		Name: spec.Name, Shards: shards, Output: output, Dir: dir,
		Program: filepath.Join(dir, "sweep"), Spec: filepath.Join(dir, spec.Name+suffix),
		CPUs: flags.cpus, Time: flags.time, Options: options,
	}, nil
}

// shardCount returns into how many shards the sweep in a directory is to be
// divided.
func shardCount(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, output string) (int64, error) {
	begun, err := results.ShardCount(output)
	if err != nil {
		return 0, err
	}
	limit, shards := arrayLimit(cmd), int64(flags.shards)
	switch {
	case shards == 0 && begun > 0:
		shards = begun
	case shards == 0:
		shards = slurm.Pack(spec.Plan().Runs(), flags.runTime, max(1, flags.cpus), limit)
		if spec.Plan().Stop() != nil { // its cells are not divided
			shards = min(shards, spec.Plan().Cells())
		}
	case begun > 0 && shards != begun:
		return 0, usage("leave --shards out, or use another directory",
			"--shards is %d, but the sweep in %s is divided into %d shards", shards, output, begun)
	}
	if limit < 1 {
		return 0, usage("", "this cluster takes no job arrays: MaxArraySize is 0")
	}
	if shards > limit {
		return 0, usage(fmt.Sprintf("up to --shards %d each has more runs", limit),
			"an array on this cluster has at most %d tasks (MaxArraySize), not %d", limit, shards)
	}
	return shards, nil
}

// arrayLimit asks Slurm, if it is there, how many tasks an array may have.
func arrayLimit(cmd *cobra.Command) int64 {
	if _, err := exec.LookPath("scontrol"); err != nil {
		return slurm.DefaultLimit // the scripts may be meant for another machine
	}
	config, err := exec.CommandContext(cmd.Context(), "scontrol", "show", "config").Output()
	if err != nil {
		say(cmd.ErrOrStderr(), "warning: scontrol does not tell MaxArraySize (%v): taking it for %d", err, slurm.DefaultLimit)
		return slurm.DefaultLimit
	}
	return slurm.Limit(string(config))
}

// writeJob puts the scripts, the spec with the files it names, and this program
// into job.Dir, and makes the directory of the logs. Tasks that wait in the
// queue need the copy of the program when the original may have been changed,
// or is gone, as after "go run".
func writeJob(job *slurm.Job, spec *grid.Spec) error {
	if err := os.MkdirAll(job.Logs(), 0o777); err != nil {
		return err
	}
	self, err := os.Executable()
	if err == nil {
		err = copyFile(job.Program, self, 0o777)
	}
	if err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	if err := copyInputs(job.Dir, spec); err != nil {
		return err
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

// linkedTo returns the libraries that a program loads where it runs. The Go
// command links to the C library where there is a C compiler.
func linkedTo(program string) []string {
	f, err := elf.Open(program)
	if err != nil {
		return nil // not of this kind of system
	}
	defer f.Close()
	libraries, _ := f.ImportedLibraries() // an error: there are none
	return libraries
}

// copyInputs copies the files that the spec names to where its copy will look
// for them.
func copyInputs(dir string, spec *grid.Spec) error {
	for _, name := range spec.Inputs() {
		local := filepath.FromSlash(name)
		if filepath.IsAbs(name) {
			continue
		}
		if !filepath.IsLocal(local) {
			return usage("give its absolute path, or put the file into the spec's directory",
				"%s names %q, which a copy of the spec in %s would not find", spec.File, name, dir)
		}
		if err := copyFile(filepath.Join(dir, local), filepath.Join(filepath.Dir(spec.File), local), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file into a directory that is made for it.
func copyFile(to, from string, perm os.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return replaceFile(to, content, perm)
}

// replaceFile writes a file that appears as a whole or not at all. One that
// has the content already is left alone: it may be a program that runs on
// another machine, over a file system that forgets files in use. The umask
// lessens the permissions.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return maybe.WriteFile(path, content, perm)
}
