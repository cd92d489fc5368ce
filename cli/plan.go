package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
)

// newPlan returns "sweep plan".
func newPlan(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan SPEC",
		Short: "Say what a spec would run, without running it",
		Long: `Check a spec and print how many runs it asks for, what came of each [grid]
block, and the first points. It takes no time, however large the grid is, except
to read files that the spec names.

With --in, say what "sweep run SPEC -o DIR" would do: which of these runs DIR
holds, how long the others will take by what runs took there, and what the spec
no longer asks for.

` + specHelp,
		Example: `  sweep plan table2
  sweep plan mine --set beta=0.2,0.3 --seeds 100
  sweep plan mine --in out/mine         after mine.toml was changed
  sweep plan mine --format json         for a program: runs, cells, seeds, …`,
		Args:              arguments(1, 1),
		ValidArgsFunction: prog.completeSpec,
	}
	dir := cmd.Flags().String("in", "", "say what is left to do in `DIR`")
	changed := changeFlags(cmd)
	format := choiceFlag(cmd, "format", "how to print", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec, err := changed.load(args[0], prog)
		if err != nil {
			return err
		}
		printWarnings(cmd.ErrOrStderr(), spec)
		var held *holding
		if *dir != "" {
			if held, err = heldIn(*dir, spec, prog); err != nil {
				return err
			}
		}
		if format.value == "json" {
			return planJSON(cmd.OutOrStdout(), spec, held)
		}
		return report.Write(cmd.OutOrStdout(), report.Text, append(held.tables(), planTables(spec)...)...)
	}
	return cmd
}

// A holding is what a directory holds of a plan. Its JSON is part of the
// interface.
type holding struct {
	Dir        string   `json:"dir"`
	Done       int64    `json:"done"`
	Failed     int64    `json:"failed"`
	Missing    int64    `json:"missing"`       // with a stopping rule, as far as is known
	NotAsked   int64    `json:"not_asked_for"` // runs of the spec in the directory that this one lacks
	Difference string   `json:"difference"`    // of the two specs; empty if there is none
	Seconds    *float64 `json:"seconds"`       // for missing and failed runs on one processor; null if unknown
}

// heldIn reads a directory, which need not exist.
func heldIn(dir string, spec *grid.Spec, prog *Program) (*holding, error) {
	held := &holding{Dir: dir, Missing: spec.Plan().Runs()}
	view, err := results.OpenReaderFor(dir, spec)
	if errors.Is(err, fs.ErrNotExist) {
		return held, nil
	} else if err != nil {
		return nil, err
	}
	held.Done, held.Failed, held.Missing = view.OK(), view.Failed(), view.Missing()
	if held.Seconds, err = remaining(view); err != nil {
		return nil, err
	}
	before, err := results.OpenReader(dir, prog.Experiments)
	if is[*grid.Error](err) || is[*results.DataError](err) {
		return held, nil // nobody has run a spec there that is one still
	} else if err != nil {
		return nil, err
	}
	held.Difference = before.Plan.Difference(view.Plan)
	for row, err := range before.Runs(false) {
		if err != nil {
			return nil, err
		}
		_, cell := view.Plan.FindCell(before.Plan.CellID(row.Index % before.Plan.Cells()))
		if _, seed := view.Plan.SeedIndex(row.Point.Seed); !cell || !seed {
			held.NotAsked++
		}
	}
	return held, nil
}

// remaining foretells how long the runs that have not succeeded will take,
// each as long as the mean of its cell, or else of all; nil if no run was
// measured.
func remaining(view *results.Reader) (*float64, error) {
	type cost struct{ runs, seconds float64 }
	all, cells := cost{}, make([]cost, view.Plan.Cells())
	for row, err := range view.Runs(false) {
		if err != nil {
			return nil, err
		}
		c := &cells[row.Index%view.Plan.Cells()]
		c.runs, c.seconds = c.runs+1, c.seconds+row.Seconds
		all.runs, all.seconds = all.runs+1, all.seconds+row.Seconds
	}
	if all.runs == 0 {
		return nil, nil
	}
	total := all.seconds / all.runs * float64(view.Failed())
	for i, c := range cells {
		seeds, _ := view.Needed(int64(i))
		left := float64(seeds) - c.runs
		if c.runs == 0 {
			c = all
		}
		total += c.seconds / c.runs * left
	}
	return &total, nil
}

// tables tells people of a holding, if there is one.
func (h *holding) tables() []*report.Table {
	if h == nil {
		return nil
	}
	t := &report.Table{Title: fmt.Sprintf("in %s: %s done, %d failed, %d missing", h.Dir, count(h.Done, "run"), h.Failed, h.Missing)}
	if h.Seconds != nil && *h.Seconds > 0 {
		workers := runtime.GOMAXPROCS(0)
		t.Notes = append(t.Notes, fmt.Sprintf("what is left takes about %s on %s, by the runs that are there",
			progress.Human(time.Duration(*h.Seconds/float64(workers)*float64(time.Second))), count(int64(workers), "processor")))
	}
	if h.Difference != "" {
		t.Notes = append(t.Notes, "the spec there is another: "+h.Difference)
	}
	if h.NotAsked > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s there are not asked for: they stay in the log, and leave tables and files", count(h.NotAsked, "run")))
	}
	return []*report.Table{t}
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
	In         *holding     `json:"in,omitempty"`
}

type jsonPoint struct {
	Run        int64          `json:"run"`
	RunID      string         `json:"run_id"`
	Seed       int64          `json:"seed"`
	Parameters map[string]any `json:"parameters"` // null where unused
}

// planJSON writes a spec's plan for a program.
func planJSON(w io.Writer, spec *grid.Spec, held *holding) error {
	plan := spec.Plan()
	j := jsonPlan{
		Name: spec.Name, Experiment: spec.Experiment.Name, Version: spec.Experiment.Version,
		Runs: plan.Runs(), Cells: plan.Cells(), Seeds: plan.Seeds(),
		FirstSeed: plan.Seed(0), LastSeed: plan.Seed(plan.Seeds() - 1),
		Varying: []string{}, Blocks: spec.Blocks(), In: held,
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
