package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/lists"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
)

// plan defines "sweep plan".
func (p *Program) plan(cmd *cobra.Command) {
	dir := cmd.Flags().String("in", "", "say what is left to do in `DIR`")
	load := p.specFlags(cmd)
	format := choiceFlag(cmd, "format", "print as `FORMAT`", "text", "json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		sayEach(cmd.ErrOrStderr(), "warning", spec.Warnings)
		all := planOf(spec)
		if *dir != "" {
			if all.In, err = p.heldIn(*dir, spec); err != nil {
				return err
			}
		}
		if *format == "json" {
			return report.WriteJSON(cmd.OutOrStdout(), all)
		}
		return report.Write(cmd.OutOrStdout(), report.Text, all.tables(spec)...)
	}
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
func (p *Program) heldIn(dir string, spec *grid.Spec) (*holding, error) {
	held := &holding{Dir: dir, Missing: spec.Plan().Runs()}
	view, err := results.OpenReaderFor(spec, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return held, nil
	} else if err != nil {
		return nil, err
	}
	held.Done, held.Failed, held.Missing = view.OK(), view.Failed(), view.Missing()
	if held.Seconds, err = remaining(view); err != nil {
		return nil, err
	}
	before, err := results.OpenReader(dir, p.Experiments)
	if errors.As(err, new(*grid.Error)) || errors.As(err, new(*results.DataError)) {
		return held, nil // nobody has run a spec there that is one still
	} else if err != nil {
		return nil, err
	}
	held.Difference = before.Plan.Difference(view.Plan)
	for row, err := range before.Runs(false) {
		if err != nil {
			return nil, err
		}
		if _, ok := view.Plan.Find(before.Plan.CellID(row.Index%before.Plan.Cells()), row.Point.Seed); !ok {
			held.NotAsked++
		}
	}
	return held, nil
}

// remaining foretells how long the runs that have not succeeded will take,
// each as long as the mean of its cell, or else of all; nil if no run was
// measured.
func remaining(view *results.Reader) (*float64, error) {
	all := view.Plan.Cells()
	runs, seconds := make([]float64, all+1), make([]float64, all+1) // of each cell, and of all
	for row, err := range view.Runs(false) {
		if err != nil {
			return nil, err
		}
		for _, c := range []int64{row.Index % all, all} {
			runs[c], seconds[c] = runs[c]+1, seconds[c]+row.Seconds
		}
	}
	if runs[all] == 0 {
		return nil, nil
	}
	total := seconds[all] / runs[all] * float64(view.Failed())
	for c := range all {
		needed, _ := view.Needed(c)
		like := c
		if runs[c] == 0 {
			like = all
		}
		total += seconds[like] / runs[like] * (float64(needed) - runs[c])
	}
	return &total, nil
}

// notes tells people of a holding.
func (h *holding) notes() (notes []string) {
	if h.Seconds != nil && *h.Seconds > 0 {
		workers := runtime.GOMAXPROCS(0)
		notes = append(notes, fmt.Sprintf("what is left takes about %s on %s, by the runs that are there",
			progress.Human(time.Duration(*h.Seconds/float64(workers)*float64(time.Second))), report.Count(int64(workers), "processor")))
	}
	if h.Difference != "" {
		notes = append(notes, "the spec there and this one differ: "+h.Difference)
	}
	if h.NotAsked > 0 {
		notes = append(notes, fmt.Sprintf("%s there are not asked for: they stay in the log, and leave tables and files", report.Count(h.NotAsked, "run")))
	}
	return notes
}

// A plan is what a spec comes to. Its JSON is part of the interface:
// programs depend on it.
type plan struct {
	Name        string        `json:"name"`
	Experiment  string        `json:"experiment"`
	Version     int           `json:"version"` // of the model
	Runs        int64         `json:"runs"`    // cells × seeds; at most, if there are checkpoints
	Cells       int64         `json:"cells"`
	Seeds       int64         `json:"seeds"`
	FirstSeed   int64         `json:"first_seed"`
	LastSeed    int64         `json:"last_seed"`
	Checkpoints []int64       `json:"checkpoints,omitempty"` // seeds at which a stopping rule judges a cell
	Varying     []string      `json:"varying"`               // parameters with more than one value
	Blocks      []*grid.Block `json:"blocks"`
	Points      *report.Table `json:"points"` // the first ones
	In          *holding      `json:"in,omitempty"`
}

func planOf(spec *grid.Spec) *plan {
	p, e := spec.Plan(), spec.Experiment
	j := &plan{
		Name: spec.Name, Experiment: e.Name, Version: e.Version,
		Runs: p.Runs(), Cells: p.Cells(), Seeds: p.Seeds(), FirstSeed: p.Seed(0), LastSeed: p.Seed(p.Seeds() - 1),
		Varying: axisNames(p), Blocks: spec.Blocks,
	}
	if rule := p.Stop(); rule != nil {
		j.Checkpoints = rule.Checkpoints()
	}
	j.Points = &report.Table{Title: "first runs", Lead: 2,
		Columns: append([]report.Column{{Name: "run"}, {Name: "run_id", In: report.Programs}, {Name: "seed"}}, report.Texts(j.Varying...)...)}
	for i := range min(5, p.Runs()) {
		point := p.Point(i)
		row := []any{i, grid.Identify(point).String(), point.Seed}
		j.Points.Rows = append(j.Points.Rows, append(row, analysis.AxisCells(p.Varying, point.Values)...))
	}
	return j
}

// tables describes a plan for a person: what a directory holds of it, what it
// comes to, its blocks, the first runs.
func (p *plan) tables(spec *grid.Spec) (tables []*report.Table) {
	add := func(notes []string, title string, a ...any) *report.Table {
		tables = append(tables, &report.Table{Title: fmt.Sprintf(title, a...), Notes: notes})
		return tables[len(tables)-1]
	}
	if h := p.In; h != nil {
		add(h.notes(), "in %s: %s done, %d failed, %d missing", h.Dir, report.Count(h.Done, "run"), h.Failed, h.Missing)
	}
	var notes []string
	if rule := spec.Plan().Stop(); rule != nil {
		checkpoints := lists.Map(p.Checkpoints, func(n int64) string { return fmt.Sprint(n) })
		notes = append(notes, fmt.Sprintf("at most: a cell is judged after %s of these seeds, and gets no more once %s is known well enough",
			strings.Join(checkpoints, ", "), spec.Experiment.Metrics[rule.Metric].Name))
	}
	for _, name := range spec.Inputs() {
		notes = append(notes, strings.Split("reads "+spec.DescribeInput(name), "\n")...)
	}
	seeds := fmt.Sprintf("%s (%d … %d)", report.Count(p.Seeds, "seed"), p.FirstSeed, p.LastSeed)
	if p.Seeds == 1 {
		seeds = fmt.Sprintf("1 seed (%d)", p.FirstSeed)
	}
	add(notes, "%s: %s = %s × %s of %s", p.Name, report.Count(p.Runs, "run"), report.Count(p.Cells, "cell"), seeds, p.Experiment)
	for i, block := range p.Blocks {
		t := add(nil, "block %d (line %d): %s%s", i+1, block.Line, report.Count(block.Cells, "cell"), losses(block))
		for _, axis := range block.Axes {
			if t.Columns == nil {
				t.Columns = []report.Column{{Name: "axis", Left: true}, {Name: "number"}, {Name: "zip", In: []string{}}, {Name: "values", Left: true}}
			}
			row := []any{axis.Name, humanize.Comma(axis.Len), nil, axis.Values}
			if axis.Zip > 0 {
				row[2], t.Columns[2].In = axis.Zip, nil
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return append(tables, p.Points)
}

// losses tells how a block's axes came to its number of cells.
func losses(b *grid.Block) string {
	text := ""
	add := func(format string, n int64) {
		if n != 0 {
			text += fmt.Sprintf(format, humanize.Comma(n))
		}
	}
	add(" − %s equal, as their algorithm does not use what varies", b.Nulled)
	add(" − %s excluded", b.Excluded)
	add(" + %s included", b.Included)
	add(" − %s repeated", b.Repeated)
	if text == "" {
		return ""
	}
	return " = " + humanize.Comma(b.Combinations) + " combinations" + text
}
