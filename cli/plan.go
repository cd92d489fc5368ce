package cli

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/report"
)

// newPlan returns "sweep plan".
func newPlan(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan SPEC",
		Short: "Say what a spec would run, without running it",
		Long: `Check a spec and print how many runs it asks for, what came of each [grid]
block, and the first points. It takes no time, however large the grid is, except
to read files that the spec names.

` + specHelp,
		Example: `  sweep plan table2
  sweep plan mine.toml
  sweep plan mine.toml --format json    for a program: runs, cells, seeds, …`,
		Args:              arguments(1, 1),
		ValidArgsFunction: prog.completeSpec,
	}
	format := choiceFlag(cmd, "format", "how to print", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec, err := loadSpec(args[0], prog)
		if err != nil {
			return err
		}
		printWarnings(cmd.ErrOrStderr(), spec)
		if format.value == "json" {
			return planJSON(cmd.OutOrStdout(), spec)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), planText(spec))
		return err
	}
	return cmd
}

// firstPoints is how many points a plan shows.
const firstPoints = 5

// planText describes a spec's plan for a person.
func planText(spec *grid.Spec) string {
	var b strings.Builder
	plan := spec.Plan()
	fmt.Fprintf(&b, "%s: %s = %s × %s of %s\n", spec.Name, count(plan.Runs(), "run"),
		count(plan.Cells(), "cell"), seedRange(plan), spec.Experiment.Name)
	if rule := plan.Stop(); rule != nil {
		fmt.Fprintf(&b, "at most: a cell is judged after %s of these seeds, and gets no more once %s is known well enough\n",
			checkpoints(rule), spec.Experiment.Metrics[rule.Metric].Name)
	}
	for _, name := range spec.Inputs() {
		fmt.Fprintf(&b, "reads %s\n", spec.DescribeInput(name))
	}
	for i, block := range spec.Blocks() {
		fmt.Fprintf(&b, "\nblock %d (line %d): %s%s\n", i+1, block.Line, count(block.Cells, "cell"), losses(&block))
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, axis := range block.Axes {
			zip := ""
			if axis.Zip > 0 {
				zip = fmt.Sprintf("zip %d", axis.Zip)
			}
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", axis.Name, count(axis.Len, "value"), axis.Values, zip)
		}
		flush(table)
	}
	fmt.Fprintf(&b, "\nfirst runs\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "  run\tseed")
	for _, p := range plan.Varying() {
		fmt.Fprintf(table, "\t%s", spec.Experiment.Params[p].Name)
	}
	fmt.Fprintln(table)
	for i := range min(firstPoints, plan.Runs()) {
		point := plan.Point(i)
		fmt.Fprintf(table, "  %d\t%d", i, point.Seed)
		for _, p := range plan.Varying() {
			fmt.Fprintf(table, "\t%s", point.Values[p])
		}
		fmt.Fprintln(table)
	}
	flush(table)
	return trimLines(b.String())
}

// checkpoints lists the numbers of seeds at which a rule judges a cell.
func checkpoints(rule *grid.Stop) string {
	var list []string
	for _, n := range rule.Checkpoints() {
		list = append(list, strconv.FormatInt(n, 10))
	}
	return strings.Join(list, ", ")
}

// seedRange describes the seeds, for example "30 seeds (1 … 30)".
func seedRange(plan *grid.Plan) string {
	first, last := plan.Seed(0), plan.Seed(plan.Seeds()-1)
	if first == last {
		return fmt.Sprintf("1 seed (%d)", first)
	}
	return fmt.Sprintf("%s (%d … %d)", count(plan.Seeds(), "seed"), first, last)
}

// losses tells how a block's axes came to its number of cells.
func losses(b *grid.Block) string {
	text := ""
	add := func(sign string, n *big.Int, what string) {
		if n.Sign() != 0 {
			text += fmt.Sprintf(" %s %s %s", sign, thousands(n), what)
		}
	}
	add("−", b.Nulled, "equal, as their algorithm does not use what varies")
	add("−", big.NewInt(b.Excluded), "excluded")
	add("+", big.NewInt(b.Included), "included")
	add("−", big.NewInt(b.Repeated), "repeated")
	if text == "" {
		return ""
	}
	return " = " + thousands(b.Combinations) + " combinations" + text
}

// A jsonPlan is a plan as JSON. Its field names are part of the interface:
// programs depend on them.
type jsonPlan struct {
	Name       string       `json:"name"`
	Experiment string       `json:"experiment"`
	Version    int          `json:"version"` // of the model
	Runs       int64        `json:"runs"`    // cells × seeds; at most, if there are checkpoints
	Cells      int64        `json:"cells"`
	Seeds      int64        `json:"seeds"`
	FirstSeed  int64        `json:"first_seed"`
	LastSeed   int64        `json:"last_seed"`
	Judged     []int64      `json:"checkpoints,omitempty"` // seeds at which a stopping rule judges a cell
	Varying    []string     `json:"varying"`               // parameters with more than one value
	Blocks     []grid.Block `json:"blocks"`
	Points     []jsonPoint  `json:"points"` // the first ones
}

type jsonPoint struct {
	Run        int64          `json:"run"`
	RunID      string         `json:"run_id"`
	Seed       int64          `json:"seed"`
	Parameters map[string]any `json:"parameters"` // null where unused
}

// planJSON writes a spec's plan for a program.
func planJSON(w io.Writer, spec *grid.Spec) error {
	plan := spec.Plan()
	j := jsonPlan{
		Name: spec.Name, Experiment: spec.Experiment.Name, Version: spec.Experiment.Version,
		Runs: plan.Runs(), Cells: plan.Cells(), Seeds: plan.Seeds(),
		FirstSeed: plan.Seed(0), LastSeed: plan.Seed(plan.Seeds() - 1),
		Varying: []string{}, Blocks: spec.Blocks(),
	}
	if rule := plan.Stop(); rule != nil {
		j.Judged = rule.Checkpoints()
	}
	for _, p := range plan.Varying() {
		j.Varying = append(j.Varying, spec.Experiment.Params[p].Name)
	}
	for i := range min(firstPoints, plan.Runs()) {
		point := plan.Point(i)
		parameters := map[string]any{}
		for p, v := range point.Values {
			parameters[spec.Experiment.Params[p].Name] = v
		}
		j.Points = append(j.Points, jsonPoint{i, grid.Identify(point).String(), point.Seed, parameters})
	}
	return report.WriteJSON(w, j)
}
