package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/report"
)

// newSensitivity returns "sweep sensitivity".
func newSensitivity(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sensitivity DIR",
		Short: "Say which parameters matter, and how much the seed does",
		Long: `Print first-order and total Sobol' indices of every parameter that a sweep with
design = "saltelli" samples, for every metric, with 95 % limits; and the share
of the variance of single runs that the seed has. Of one with design = "morris",
print mu* and sigma: the mean size of what a step through the whole range of a
parameter changes, and the standard deviation of that change.

A block of the design in which a run failed or is missing is left out, counted
and named; it does not spoil the others.`,
		Example: `  sweep sensitivity out/mine
  sweep sensitivity out/mine -m peak --format json`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
	}
	metrics := cmd.Flags().StringSliceP("metric", "m", nil, "only these `METRICS` (default: all)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := prog.read(cmd, args[0])
		if err != nil {
			return err
		}
		chosen, err := chosenMetrics(v.Plan.Experiment(), *metrics)
		if err != nil {
			return err
		}
		s, err := analysis.Sense(v, chosen)
		if errors.Is(err, analysis.ErrNoBlocks) {
			return usage(`"sweep plot" draws how a full grid depends on its parameters`, "%v", err)
		}
		if err != nil {
			return err
		}
		return report.Write(cmd.OutOrStdout(), *format, s.Table())
	}
	return cmd
}
