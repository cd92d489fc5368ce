package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/grid"
	"sweep/results"
)

// completeSpec completes a SPEC argument: the names of the specs that come
// with the program, and files.
func (p *Program) completeSpec(
	_ *cobra.Command, args []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.sweeps(), cobra.ShellCompDirectiveDefault
}

// isCompletion reports whether a command line is a shell's request for
// completions.
func isCompletion(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// completeFlags lets a shell complete the flags of a command that have known
// values, and those that name something in the directory or the spec that is
// its first argument.
func (p *Program) completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if known := flag.Annotations[choices]; known != nil {
			complete := cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // it is defined, and only once
		}
	})
	baselines := func(plan *grid.Plan) []string {
		return valuesOf(plan, cmd.Flag("by").Value.String())
	}
	p.completeFlag(cmd, "metric", metricsOf)
	p.completeFlag(cmd, "over", axisNames)
	p.completeFlag(cmd, "by", axisNames)
	p.completeFlag(cmd, "baseline", baselines)
	p.completeFlag(cmd, "set", paramsOf)
}

// completeFlag completes one flag, if the command has it, by a list of what a
// plan knows.
func (p *Program) completeFlag(cmd *cobra.Command, flag string, list func(*grid.Plan) []string) {
	if cmd.Flag(flag) == nil {
		return
	}
	complete := func(
		_ *cobra.Command, args []string, begun string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		prefix := begun[:strings.LastIndex(begun, ",")+1] // of a list
		var words []cobra.Completion
		if plan := p.planToComplete(args); plan != nil {
			for _, word := range list(plan) {
				words = append(words, prefix+word)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // it is defined, and only once
}

// planToComplete returns the plan of the directory or spec that the arguments
// begin with; nil if they name none.
func (p *Program) planToComplete(args []string) *grid.Plan {
	if len(args) == 0 {
		return nil
	}
	if reader, err := results.OpenReader(args[0], p.Experiments); err == nil {
		return reader.Plan
	}
	if spec, err := p.loadSpec(args[0], ""); err == nil {
		return spec.Plan()
	}
	return nil
}

// metricsOf returns the metrics of a plan's experiment and, after a tab as
// shells show it, what they mean.
func metricsOf(plan *grid.Plan) (words []string) {
	for _, m := range plan.Experiment().Metrics {
		words = append(words, m.Name+"\t"+m.Meaning)
	}
	return words
}

// paramsOf returns the parameters of a plan's experiment and what they mean.
func paramsOf(plan *grid.Plan) (words []string) {
	for _, p := range plan.Experiment().Params {
		words = append(words, p.Name+"=\t"+p.Meaning)
	}
	return words
}

// axisNames returns the names of the parameters that a plan varies.
func axisNames(plan *grid.Plan) []string {
	names := []string{} // not nil: an empty list in JSON, too
	for _, i := range plan.Varying {
		names = append(names, plan.Experiment().Params[i].Name)
	}
	return names
}

// valuesOf returns the values that a parameter has in the cells of a plan.
func valuesOf(plan *grid.Plan, name string) (values []string) {
	if p, _ := plan.Experiment().Param(name); p == nil {
		return nil
	}
	for c := range plan.Cells() { // the runs with the first seed
		v := plan.Point(c).Value(name)
		if !v.IsNull() && !slices.Contains(values, v.String()) {
			values = append(values, v.String())
		}
	}
	return values
}
