package cli

import (
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/internal/report"
)

// newCompare returns "sweep compare".
func newCompare(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare DIR",
		Short: "Compare the cells of a sweep with a baseline",
		Long: `Compare, metric by metric, the runs in DIR that have any other value of one
parameter with those that have the baseline's, all else being equal. Runs with
the same seed met the same random numbers and are compared as pairs. Where
algorithms are compared, all else means the parameters that all of them use.

Printed are the mean difference with its 95 % limits, the p-value of no
difference, adjusted for all printed comparisons after Holm, and how often a run
has the higher value than its partner; docs/analysis.md says how. Warnings about
a number are marked beside it. With --over, the differences are averaged over
the values of a parameter, and the limits are those of such an average.`,
		Example: `  sweep compare out/table2 --by algorithm --baseline RL
  sweep compare out/fig7.5 --by algorithm --baseline uniform -m retrieved
  sweep compare out/worlds --baseline RL --over world_seed
  sweep compare out/rewired --by rewired --baseline 0 --format csv`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
	}
	f := cmd.Flags()
	by := f.String("by", experiment.Algorithm, "the `PARAMETER` whose values are compared")
	baseline := f.String("baseline", "", "the `VALUE` to compare with")
	metrics := f.StringSliceP("metric", "m", nil, "only these `METRICS` (default: all)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	over := f.StringSlice("over", nil, "average over the values of these `PARAMETERS`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *baseline == "" {
			return usage(helpHint(cmd), "--baseline is missing: the value to compare with")
		}
		v, err := prog.read(cmd, args[0])
		if err != nil {
			return err
		}
		e := v.Plan.Experiment()
		params, err := chosenParams(e, append([]string{*by}, *over...))
		if err != nil {
			return err
		}
		p := &e.Params[params[0]]
		base, err := p.Parse(*baseline)
		if err != nil {
			return usage(didYouMean(*baseline, p.Choices, ""), "--baseline: %v", err)
		}
		chosen, err := chosenMetrics(e, *metrics)
		if err != nil {
			return err
		}
		c, err := analysis.Compare(v, analysis.Question{By: params[0], Baseline: base, Metrics: chosen, Over: params[1:]})
		if err != nil {
			return err
		}
		return report.Write(cmd.OutOrStdout(), *format, c.Tables(*format)...)
	}
	return cmd
}
