package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/slurm"
	"sweep/results"
)

// planJob judges the flags and returns the job they ask for.
func planJob(cmd *cobra.Command, spec *grid.Spec, flags *slurmFlags, words []string) (*slurm.Job, error) {
	wrong := func(format string, a ...any) (*slurm.Job, error) {
		return nil, &usageError{message: fmt.Sprintf(format, a...), hint: helpHint(cmd)}
	}
	if _, ok := slurm.ParseTime(flags.time); flags.time != "" && !ok {
		return wrong("--time is %q, want minutes, hours:minutes:seconds or days-hours:minutes:seconds", flags.time)
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
		shards = slurm.Pack(spec.Plan().Runs(), time.Duration(flags.runTime), max(1, int(flags.cpus)), limit)
		if spec.Plan().Stop() != nil { // its cells are not divided
			shards = min(shards, spec.Plan().Cells())
		}
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

// arrayLimit asks Slurm, if it is there, how many tasks an array may have.
func arrayLimit(cmd *cobra.Command) int64 {
	if _, err := exec.LookPath("scontrol"); err != nil {
		return slurm.DefaultLimit // the scripts may be meant for another machine
	}
	config, err := exec.CommandContext(cmd.Context(), "scontrol", "show", "config").Output()
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: scontrol does not tell MaxArraySize (%v): taking it for %d\n", err, slurm.DefaultLimit)
		return slurm.DefaultLimit
	}
	return slurm.Limit(string(config))
}
