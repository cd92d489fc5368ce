package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/report"
	"sweep/results"
)

// newDiff returns "sweep diff".
func newDiff(prog *Program) *cobra.Command {
	var again rerunFlags
	cmd := &cobra.Command{
		Use:   "diff DIR1 DIR2",
		Short: "Compare two sets of results run by run, or one with new runs",
		Long: `Say which runs of two directories are identical bit for bit, which differ, and
which only one of them has; and for each cell and metric that differs, by how
much and how significantly, over pairs of runs with one seed.

The two may be of different specs and of different versions of the model: a
run's partner has the same values of all parameters that both know, and the
same seed. What only one of them declares is said.

With --rerun and one directory, a sample of its runs is executed again, and
every metric and every number of their series compared with what is stored,
bit for bit. Nothing is written. The sample is the same each time: of the runs
that succeeded, those with the smallest run_id, which is a hash; a larger
sample contains a smaller one.

Exit codes, as those of diff:
  0   no difference
  1   runs or declarations differ, or only one has them
  65  runs yield something else when they are executed again`,
		Example: `  sweep diff out/table2 /mnt/cluster/table2
  sweep diff before after --format csv      effects, in full precision
  sweep diff out/table2 --rerun 5%          execute one run in twenty again`,
		Args:              arguments(1, 2),
		ValidArgsFunction: completeDirs,
	}
	format := choiceFlag(cmd, "format", "how to print", words(report.Formats())...)
	cmd.Flags().Var(&again.sample, "rerun", "execute `N or P%` of the runs of one DIR again")
	workersFlag(cmd, &again.workers)
	cmd.Flags().BoolVar(&again.quiet, "quiet", false, "with --rerun: print nothing if all is well")
	cmd.Flags().Lookup("rerun").DefValue = ""
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if rerun := cmd.Flags().Changed("rerun"); rerun != (len(args) == 1) {
			return &usageError{message: "want two directories, or one and --rerun"}
		} else if rerun {
			return rerunDir(cmd, args[0], &again, prog)
		}
		var sides [2]analysis.Side
		for i, dir := range args {
			a, err := results.OpenArchive(dir)
			if err != nil {
				return err
			}
			sides[i] = analysis.Side{Dir: dir, Experiment: a.Experiment, Runs: a.Runs()}
		}
		d, err := analysis.NewDiff(sides[0], sides[1])
		if err != nil {
			return err
		}
		if err := d.Write(cmd.OutOrStdout(), report.Format(format.value)); err != nil {
			return err
		}
		if !d.Same() {
			return different{args[0], args[1]}
		}
		return nil
	}
	return cmd
}

// A different is the end of a comparison that found differences.
type different [2]string

func (d different) Error() string { return fmt.Sprintf("%s and %s differ", d[0], d[1]) }
