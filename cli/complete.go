package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// completeFlags lets a shell complete the flags that name what is in the
// directory or the spec that is the command's first argument.
func (p *Program) completeFlags(cmd *cobra.Command) {
	ofDir := func(list func(plan *grid.Plan) []string) func(string) []string {
		return func(dir string) []string {
			view, err := results.OpenReader(dir, p.Experiments)
			if err != nil {
				return nil
			}
			return list(view.Plan)
		}
	}
	axes := ofDir(func(plan *grid.Plan) []string {
		return namesOf(plan.Varying(), func(i int) string { return plan.Experiment().Params[i].Name })
	})
	for flag, list := range map[string]func(arg string) []string{
		"metric": ofDir(func(plan *grid.Plan) []string {
			return namesOf(plan.Experiment().Metrics, func(m experiment.Metric) string { return m.Name + "\t" + m.Meaning })
		}),
		"over": axes,
		"by":   axes,
		"baseline": ofDir(func(plan *grid.Plan) []string {
			return valuesOf(plan, cmd.Flag("by").Value.String())
		}),
		"set": func(spec string) []string {
			s, err := loadSpec(spec, p)
			if err != nil {
				return nil
			}
			return namesOf(s.Plan().Experiment().Params, func(p experiment.Param) string { return p.Name + "=\t" + p.Meaning })
		},
	} {
		if cmd.Flag(flag) == nil {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			known, before := list(args[0]), begun[:strings.LastIndex(begun, ",")+1] // of a list
			for i := range known {
				known[i] = before + known[i]
			}
			return known, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}) // it is defined, and only once
	}
}

// valuesOf returns the values that a parameter has in the cells of a plan.
func valuesOf(plan *grid.Plan, name string) (values []string) {
	e := plan.Experiment()
	at := slices.IndexFunc(e.Params, func(p experiment.Param) bool { return p.Name == name })
	cell := make([]experiment.Value, len(e.Params))
	for c := int64(0); at >= 0 && c < plan.Cells(); c++ {
		plan.Cell(c, cell)
		if v := cell[at].String(); !cell[at].IsNull() && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}
