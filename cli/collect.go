package cli

import (
	"math"

	"github.com/spf13/cobra"

	"sweep/results"
)

// newCollect returns "sweep collect".
func newCollect(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "collect DIR...",
		Short: "Write the runs of several sweeps into one Parquet file",
		Long: `Write a row for each run in the DIRs, which may be of different sweeps and
experiments: the name of the sweep, the run's identity, the parameters that vary
within or between the sweeps, seed, status, and all metrics. What a sweep does
not have is null in its rows. A run that is in several DIRs is one row, of the
first of them.`,
		Example: `  sweep collect out/table2 out/beta -o all.parquet
  sweep collect out/* -o all.parquet                  all sweeps in a directory`,
		Args:              arguments(1, math.MaxInt),
		ValidArgsFunction: completeDirs,
	}
	file := cmd.Flags().StringP("output", "o", "", "write the `FILE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *file == "" {
			return usage("for example -o all.parquet", "--output is missing: the file to write")
		}
		var sweeps []*results.Reader
		found := int64(0)
		for _, dir := range args {
			view, err := prog.read(cmd, dir)
			if err != nil {
				return err
			}
			if missing := view.Missing(); missing > 0 {
				say(cmd.ErrOrStderr(), "warning: %s: %s missing", dir, count(missing, "run"))
			}
			sweeps, found = append(sweeps, view), found+view.OK()+view.Failed()
		}
		runs, err := results.Collect(*file, sweeps)
		if err != nil {
			return err
		}
		say(cmd.ErrOrStderr(), "%s: %s of %s; %d were in several", *file, count(runs, "run"), count(int64(len(sweeps)), "sweep"), found-runs)
		return nil
	}
	return cmd
}
