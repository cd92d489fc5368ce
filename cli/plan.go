package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/table"
	"sweep/runner"
)

// plan defines "sweep plan".
func (p *Program) plan(cmd *cobra.Command) {
	dir := cmd.Flags().String("in", "", "say what is left to do in `DIR`")
	load := p.specFlags(cmd)
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Text, table.JSON)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		if err := ready(spec); err != nil {
			return err
		}
		if *dir != "" && spec.Plan().Search != nil {
			spec, err = p.recorded(spec, &job{dir: *dir})
			if err != nil {
				return err
			}
		}
		sayEach(cmd.ErrOrStderr(), "warning", spec.Warnings)
		plan := planOf(spec)
		if *dir != "" {
			plan.In, err = p.held(*dir, spec)
			if err != nil {
				return err
			}
			sayEach(cmd.ErrOrStderr(), "warning", plan.In.Damage)
		}
		return writeDocument(cmd.OutOrStdout(), *format, plan, plan.tables(spec))
	}
}

// held returns what a directory holds of a spec's plan.
func (p *Program) held(dir string, spec *grid.Spec) (*runner.Holding, error) {
	h, err := runner.Held(dir, spec, p.Experiments)
	if err != nil || h.OtherColumns == "" {
		return h, err
	}
	c, err := changeIn(dir, spec)
	if err != nil {
		return nil, err
	}
	h.Kept = c.kept
	return h, c.refuse(spec, errors.New(h.OtherColumns))
}

// writeDocument writes a document as JSON, or the tables that people see in
// its place.
func writeDocument(w io.Writer, format string, document any, tables []*table.Table) error {
	if format == table.JSON {
		return table.WriteJSON(w, document)
	}
	return table.Write(w, table.Text, tables...)
}

// A plan is what a spec asks for. Its JSON is part of the interface: programs
// depend on it.
type plan struct {
	Name       string `json:"name"`
	Experiment string `json:"experiment"`
	Version    int    `json:"version"` // of the model
	Runs       int64  `json:"runs"`    // cells × seeds; fewer with checkpoints
	Cells      int64  `json:"cells"`
	Seeds      int64  `json:"seeds"`
	FirstSeed  int64  `json:"first_seed"`
	LastSeed   int64  `json:"last_seed"`

	// Checkpoints are the numbers of seeds at which a stopping rule judges a
	// cell.
	Checkpoints []int64 `json:"checkpoints,omitempty"`

	Varying []string        `json:"varying"` // parameters with more than one value
	Blocks  []*grid.Block   `json:"blocks"`
	Points  *table.Table    `json:"points"` // the first ones
	In      *runner.Holding `json:"in,omitempty"`
}

// planOf returns the plan of a spec.
func planOf(spec *grid.Spec) *plan {
	p := spec.Plan()
	all := &plan{
		Name:       spec.Name,
		Experiment: spec.Experiment.Name,
		Version:    spec.Experiment.Version,
		Runs:       p.Runs(),
		Cells:      p.Cells(),
		Seeds:      p.Seeds(),
		FirstSeed:  p.Seed(0),
		LastSeed:   p.Seed(p.Seeds() - 1),
		Varying:    axisNames(p),
		Blocks:     spec.Blocks,
		Points:     firstPoints(p),
	}
	if rule := p.Stop(); rule != nil {
		all.Checkpoints = rule.Checkpoints()
	}
	if p.Bought() != nil || p.Search != nil {
		all.Runs = 0
		for c := range p.Cells() {
			first, end := p.Window(c)
			all.Runs += end - first
		}
	}
	return all
}

// firstPoints returns a table of the first runs.
func firstPoints(p *grid.Plan) *table.Table {
	points := &table.Table{Title: "first runs", Lead: 2}
	for i := range min(5, p.Runs()) {
		point := p.Point(i)
		row := []table.Cell{
			table.Right("run", i),
			table.ForPrograms("run_id", grid.Identify(point).String()),
			table.Right("seed", point.Seed),
		}
		for _, cell := range analysis.AxisCells(p.Experiment(), p.Varying, point.Values) {
			cell.Left = true
			row = append(row, cell)
		}
		points.Add(row)
	}
	return points
}

// tables describes a plan for a person: what a directory holds of it, what it
// comes to, its blocks, the first runs.
func (p *plan) tables(spec *grid.Spec) (tables []*table.Table) {
	if p.In != nil {
		tables = append(tables, heldTable(p.In))
	}
	tables = append(tables, p.outline(spec))
	for i, block := range p.Blocks {
		tables = append(tables, blockTable(i+1, block))
	}
	return append(tables, p.Points)
}

// heldTable says what a directory holds of a plan.
func heldTable(h *runner.Holding) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("in %s: %s done, %d failed, %d missing",
			h.Dir, runs(h.Done), h.Failed, h.Missing),
	}
	if h.Seconds != nil && *h.Seconds > 0 {
		workers := runtime.GOMAXPROCS(0)
		left := time.Duration(*h.Seconds / float64(workers) * float64(time.Second))
		processors := table.Count(int64(workers), "processor")
		t.Notes = append(t.Notes, fmt.Sprintf(
			"what is left takes about %s on %s, by the runs that are there",
			table.Duration(left), processors))
	}
	if h.OtherColumns != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("the metrics or series there are others: %s can be "+
			"read again from what was kept, %d are to be executed",
			runs(h.Kept), h.Failed+h.Missing-h.Kept))
	}
	if h.Difference != "" {
		t.Notes = append(t.Notes, "the spec there and this one differ: "+h.Difference)
	}
	if h.NotAsked > 0 {
		t.Notes = append(t.Notes, runs(h.NotAsked)+
			" there are not asked for: they stay in the log, and leave tables and files")
	}
	return t
}

// outline says what a plan comes to.
func (p *plan) outline(spec *grid.Spec) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("%s: %s = %s × %s of %s", p.Name, runs(p.Runs),
			table.Count(p.Cells, "cell"), spec.Plan().OutlineSeeds(), p.Experiment),
	}
	if bought := spec.Plan().Bought(); bought != nil {
		t.Title = fmt.Sprintf("%s: %s of %s, in %s", p.Name, runs(p.Runs), p.Experiment,
			table.Count(p.Cells, "cell"))
		t.Title += fmt.Sprintf(" with %d to %d seeds, as bought for claims",
			slices.Min(bought), slices.Max(bought))
	}
	if s := spec.Plan().Search; s != nil {
		if s.Found != nil {
			t.Title = fmt.Sprintf("%s: %s of %s, in %s", p.Name, runs(p.Runs), p.Experiment,
				table.Count(p.Cells, "cell"))
		}
		t.Notes = append(t.Notes, searchNote(s))
	}
	if rule := spec.Plan().Stop(); rule != nil {
		var checkpoints []string
		for _, n := range p.Checkpoints {
			checkpoints = append(checkpoints, fmt.Sprint(n))
		}
		t.Notes = append(t.Notes, fmt.Sprintf("at most: a cell is judged after %s of these seeds, "+
			"and gets no more once %s is known well enough",
			strings.Join(checkpoints, ", "), spec.Experiment.Metrics[rule.Metric].Name))
	}
	if needs := needsText(spec.Resources); needs != "" {
		t.Notes = append(t.Notes, "a run needs "+needs)
	}
	for _, name := range spec.Inputs() {
		lines := strings.Split("reads "+spec.DescribeInput(name), "\n")
		t.Notes = append(t.Notes, lines...)
	}
	return t
}

// searchNote says which rounds of a search a plan has.
func searchNote(s *grid.Search) string {
	if s.Found != nil {
		return fmt.Sprintf("a search of %s, and the judgement of what was found",
			table.Count(int64(len(s.Centres)), "round"))
	}
	this := "these are the first " + fmt.Sprint(len(s.Centres))
	if len(s.Centres) == 1 {
		this = "this is the first"
	}
	return fmt.Sprintf("a search: %s of %d rounds of at most %d points; each later one follows "+
		"from the results, and what is sealed comes last", this, s.Rounds, s.Points)
}

// roundOf says to which round of a search a block belongs; empty without one.
func roundOf(b *grid.Block) string {
	switch {
	case b.Sealed:
		return ", sealed"
	case b.Round > 0:
		return fmt.Sprintf(", round %d", b.Round)
	}
	return ""
}

// blockTable describes the nth block of a spec and its axes.
func blockTable(n int, block *grid.Block) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("block %d (line %d)%s: %s%s", n, block.Line, roundOf(block),
			table.Count(block.Cells, "cell"), losses(block)),
	}
	var zipped bool
	for _, axis := range block.Axes {
		zipped = zipped || axis.Zip > 0
	}
	for _, axis := range block.Axes {
		row := []table.Cell{
			table.Left("axis", axis.Name),
			table.Right("number", humanize.Comma(axis.Len)),
		}
		if zipped {
			zip := table.Right("zip", nil)
			if axis.Zip > 0 {
				zip.Value = axis.Zip
			}
			row = append(row, zip)
		}
		t.Add(append(row, table.Left("values", axis.Values)))
	}
	return t
}

// losses tells how the combinations of a block's axes came to its number of
// cells; empty if each is a cell.
func losses(b *grid.Block) string {
	text := loss(" − %s equal to others in what is used", b.Nulled) +
		loss(" − %s excluded", b.Excluded) +
		loss(" + %s included", b.Included) +
		loss(" − %s repeated", b.Repeated)
	if text == "" {
		return ""
	}
	return " = " + humanize.Comma(b.Combinations) + " combinations" + text
}

// loss tells a number of cells; empty if it is 0.
func loss(format string, n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, humanize.Comma(n))
}
