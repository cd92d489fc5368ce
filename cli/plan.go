package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/report"
)

// newPlan returns "sweep plan".
func newPlan(experiments []*experiment.Experiment) *cobra.Command {
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
		ValidArgsFunction: completeSpec,
	}
	format := choiceFlag(cmd, "format", "how to print", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec, err := loadSpec(args[0], experiments)
		if err != nil {
			return err
		}
		printWarnings(cmd.ErrOrStderr(), spec)
		if format.value == "json" {
			return planJSON(cmd.OutOrStdout(), spec)
		}
		return report.Write(cmd.OutOrStdout(), report.Text, planTables(spec)...)
	}
	return cmd
}

// firstPoints is how many points a plan shows.
const firstPoints = 5

// planTables describes a spec's plan for a person: what it comes to, its
// blocks, the first runs.
func planTables(spec *grid.Spec) []*report.Table {
	plan := spec.Plan()
	whole := &report.Table{Title: fmt.Sprintf("%s: %s = %s × %s of %s", spec.Name, count(plan.Runs(), "run"),
		count(plan.Cells(), "cell"), seedRange(plan), spec.Experiment.Name)}
	if rule := plan.Stop(); rule != nil {
		whole.Notes = append(whole.Notes, fmt.Sprintf("at most: a cell is judged after %s of these seeds, and gets no more once %s is known well enough",
			checkpoints(rule), spec.Experiment.Metrics[rule.Metric].Name))
	}
	for _, name := range spec.Inputs() {
		whole.Notes = append(whole.Notes, "reads "+spec.DescribeInput(name))
	}
	tables := []*report.Table{whole}
	for i, block := range spec.Blocks() {
		t := &report.Table{Title: fmt.Sprintf("block %d (line %d): %s%s", i+1, block.Line, count(block.Cells, "cell"), losses(&block))}
		tables = append(tables, t)
		if len(block.Axes) == 0 {
			continue
		}
		t.Columns = []report.Column{{Name: "axis", Left: true}, {Name: "number"}, {Name: "zip", In: []report.Format{}}, {Name: "values", Left: true}}
		for _, axis := range block.Axes {
			row := []any{axis.Name, report.Thousands(strconv.FormatInt(axis.Len, 10)), nil, axis.Values}
			if axis.Zip > 0 {
				row[2], t.Columns[2].In = axis.Zip, nil
			}
			t.Rows = append(t.Rows, row)
		}
	}
	first := &report.Table{Title: "first runs", Columns: []report.Column{{Name: "run"}, {Name: "seed"}}, Lead: 2}
	for _, p := range plan.Varying() {
		first.Columns = append(first.Columns, report.Column{Name: spec.Experiment.Params[p].Name, Left: true})
	}
	for i := range min(firstPoints, plan.Runs()) {
		point := plan.Point(i)
		row := []any{i, point.Seed}
		for _, p := range plan.Varying() {
			row = append(row, orNil(point.Values[p]))
		}
		first.Rows = append(first.Rows, row)
	}
	return append(tables, first)
}

// orNil returns a value as the cell of a table.
func orNil(v experiment.Value) any {
	if v.IsNull() {
		return nil
	}
	return v
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
	add := func(sign string, n int64, what string) {
		if n != 0 {
			text += fmt.Sprintf(" %s %s %s", sign, report.Thousands(strconv.FormatInt(n, 10)), what)
		}
	}
	add("−", b.Nulled, "equal, as their algorithm does not use what varies")
	add("−", b.Excluded, "excluded")
	add("+", b.Included, "included")
	add("−", b.Repeated, "repeated")
	if text == "" {
		return ""
	}
	return " = " + report.Thousands(strconv.FormatInt(b.Combinations, 10)) + " combinations" + text
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
