package cli

import (
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/table"
	"sweep/results"
)

// compare defines "sweep compare".
func (p *Program) compare(cmd *cobra.Command) {
	f := cmd.Flags()
	by := f.String("by", experiment.Algorithm, "the `PARAMETER` whose values are compared")
	baseline := f.String("baseline", "", "the `VALUE` to compare with (required)")
	over := f.StringSlice("over", nil, "average over the values of these `PARAMETERS`")
	p.onMetrics(cmd, func(reader *results.Reader, metrics []int, format string) error {
		e := reader.Plan.Experiment()
		params, err := choose("parameter", append([]string{*by}, *over...), e.ParamNames())
		if err != nil && !f.Changed("by") {
			return usage("--by names the parameter to compare by", "%v", err)
		}
		if err != nil {
			return err
		}
		param := &e.Params[params[0]]
		value, err := param.Parse(*baseline)
		if err != nil {
			hint := document.DidYouMean(*baseline, param.Choices)
			return usage(hint, "--baseline: %v", err)
		}
		question := analysis.Question{
			By:       params[0],
			Baseline: value,
			Metrics:  metrics,
			Over:     params[1:],
		}
		tables, err := analysis.Compare(reader, question, format)
		if err != nil {
			return err
		}
		return table.Write(cmd.OutOrStdout(), format, tables...)
	})
}
