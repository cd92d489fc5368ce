package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/report"
	"sweep/results"
)

// newDiff returns "sweep diff".
func newDiff() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff DIR1 DIR2",
		Short: "Compare two sets of results run by run",
		Long: `Say which runs of two directories are identical bit for bit, which differ, and
which only one of them has; and for each cell and metric that differs, by how
much and how significantly, over pairs of runs with one seed.

The two may be of different specs and of different versions of the model: a
run's partner has the same values of all parameters that both know, and the
same seed. What only one of them declares is said.

Exit codes, as those of diff:
  0   no difference
  1   runs or declarations differ, or only one has them`,
		Example: `  sweep diff out/table2 /mnt/cluster/table2
  sweep diff before after --format csv      effects, in full precision`,
		Args:              arguments(2, 2),
		ValidArgsFunction: completeDirs,
	}
	format := choiceFlag(cmd, "format", "how to print", words(report.Formats())...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
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
