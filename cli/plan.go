package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/lists"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/internal/status"
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
			if all.In, err = status.Held(*dir, spec, p.Experiments); err != nil {
				return err
			}
		}
		if *format == "json" {
			return report.WriteJSON(cmd.OutOrStdout(), all)
		}
		return report.Write(cmd.OutOrStdout(), report.Text, all.tables(spec)...)
	}
}

// heldNotes tells people of a holding.
func heldNotes(h *status.Holding) (notes []string) {
	if h.Seconds != nil && *h.Seconds > 0 {
		workers := runtime.GOMAXPROCS(0)
		left := time.Duration(*h.Seconds / float64(workers) * float64(time.Second))
		notes = append(notes, fmt.Sprintf("what is left takes about %s on %s, by the runs that are there",
			progress.Human(left), report.Count(int64(workers), "processor")))
	}
	if h.Difference != "" {
		notes = append(notes, "the spec there and this one differ: "+h.Difference)
	}
	if h.NotAsked > 0 {
		notes = append(notes, runs(h.NotAsked)+" there are not asked for: they stay in the log, and leave tables and files")
	}
	return notes
}

// A plan is what a spec comes to. Its JSON is part of the interface:
// programs depend on it.
type plan struct {
	Name        string          `json:"name"`
	Experiment  string          `json:"experiment"`
	Version     int             `json:"version"` // of the model
	Runs        int64           `json:"runs"`    // cells × seeds; at most, if there are checkpoints
	Cells       int64           `json:"cells"`
	Seeds       int64           `json:"seeds"`
	FirstSeed   int64           `json:"first_seed"`
	LastSeed    int64           `json:"last_seed"`
	Checkpoints []int64         `json:"checkpoints,omitempty"` // seeds at which a stopping rule judges a cell
	Varying     []string        `json:"varying"`               // parameters with more than one value
	Blocks      []*grid.Block   `json:"blocks"`
	Points      *report.Table   `json:"points"` // the first ones
	In          *status.Holding `json:"in,omitempty"`
}

func planOf(spec *grid.Spec) *plan {
	p, e := spec.Plan(), spec.Experiment
	j := &plan{
		Name: spec.Name, Experiment: e.Name, Version: e.Version, Varying: axisNames(p), Blocks: spec.Blocks,
		Runs: p.Runs(), Cells: p.Cells(), Seeds: p.Seeds(),
		FirstSeed: p.Seed(0), LastSeed: p.Seed(p.Seeds() - 1),
	}
	if rule := p.Stop(); rule != nil {
		j.Checkpoints = rule.Checkpoints()
	}
	columns := []report.Column{{Name: "run"}, {Name: "run_id", In: report.Programs}, {Name: "seed"}}
	columns = append(columns, report.Texts(j.Varying...)...)
	j.Points = &report.Table{Title: "first runs", Lead: 2, Columns: columns}
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
		add(heldNotes(h), "in %s: %s done, %d failed, %d missing", h.Dir, runs(h.Done), h.Failed, h.Missing)
	}
	var notes []string
	if rule := spec.Plan().Stop(); rule != nil {
		checkpoints := lists.Map(p.Checkpoints, func(n int64) string { return fmt.Sprint(n) })
		notes = append(notes, fmt.Sprintf("at most: a cell is judged after %s of these seeds, "+
			"and gets no more once %s is known well enough",
			strings.Join(checkpoints, ", "), spec.Experiment.Metrics[rule.Metric].Name))
	}
	for _, name := range spec.Inputs() {
		notes = append(notes, strings.Split("reads "+spec.DescribeInput(name), "\n")...)
	}
	cells := func(n int64) string { return report.Count(n, "cell") }
	add(notes, "%s: %s = %s × %s of %s", p.Name, runs(p.Runs), cells(p.Cells),
		spec.Plan().OutlineSeeds(), p.Experiment)
	for i, block := range p.Blocks {
		t := add(nil, "block %d (line %d): %s%s", i+1, block.Line, cells(block.Cells), losses(block))
		for _, axis := range block.Axes {
			if t.Columns == nil {
				t.Columns = report.Texts("axis", "number", "zip", "values")
				t.Columns[1].Left, t.Columns[2] = false, report.Column{Name: "zip", In: []string{}}
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
	add(" − %s equal to others in what is used", b.Nulled)
	add(" − %s excluded", b.Excluded)
	add(" + %s included", b.Included)
	add(" − %s repeated", b.Repeated)
	if text == "" {
		return ""
	}
	return " = " + humanize.Comma(b.Combinations) + " combinations" + text
}

// status defines "sweep status".
func (p *Program) status(cmd *cobra.Command) {
	check := cmd.Flags().Bool("check", false, "compare everything in DIR with its checksum")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", "text", "json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		w := cmd.OutOrStdout()
		var tables []*report.Table
		s, err := status.Read(args[0], p.Experiments, *check)
		list, document := []*status.Sweep{s}, any(s)
		if err == nil {
			tables, err = statusTables(s, rowLimit(w))
		} else if many := status.ReadAll(args[0], p.Experiments, *check); many != nil {
			list, document, tables, err = many, many, tableOfMany(many), nil
		}
		switch {
		case err != nil:
			return err
		case *format == "json":
			err = report.WriteJSON(w, document)
		default:
			err = report.Write(w, report.Text, tables...)
		}
		for _, s := range list {
			err = cmp.Or(err, faultOf(s))
		}
		return err
	}
}

// faultOf returns the error with which a command about a sweep ends.
func faultOf(s *status.Sweep) error {
	if s.Fault == nil && len(s.Corrupt) > 0 {
		return failed(exitData, "%s is not whole: \"sweep run\" recomputes what is corrupt", s.Dir)
	}
	return s.Fault
}

// statusTables describes a sweep for people, and adds its Table, of so many rows.
func statusTables(s *status.Sweep, limit int) ([]*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("%s: %d of %d runs done, %d failed, %d missing",
		s.Spec, s.Done, s.Runs, s.Failed, s.Missing)}
	t.Notes = lists.Map(s.Corrupt, func(c string) string { return "corrupt: " + c })
	tables := []*report.Table{t}
	if s.Done+s.Failed > 0 {
		means, err := tableOf(s.Reader, nil, analysis.Limits, limit)
		if err != nil {
			return nil, err
		}
		s.Table, t.Notes = means.JSON(), append(t.Notes, "digest "+s.Digest)
		tables = append(tables, means.Tables()...)
	}
	switch {
	case len(s.Parts) == 0:
		t.Notes = append(t.Notes, "there is no manifest that says who worked here")
	case len(s.Parts) == 1 && s.Parts[0].Shard == "":
		t.Notes = append(t.Notes, partText(&s.Parts[0]))
	default:
		t.Columns = stateColumns("shard")
		for _, p := range s.Parts {
			t.Rows = append(t.Rows, []any{p.Shard, p.Runs, p.OK, p.Failed, p.Missing, partText(&p)})
		}
	}
	return tables, nil
}

func stateColumns(first string) []report.Column {
	numbers := []report.Column{{Name: "runs"}, {Name: "done"}, {Name: "failed"}, {Name: "missing"}}
	return slices.Concat(report.Texts(first), numbers, report.Texts("state"))
}

// tableOfMany has a line for each of several sweeps.
func tableOfMany(list []*status.Sweep) []*report.Table {
	t := &report.Table{Columns: stateColumns("directory")}
	for _, s := range list {
		text, kind, fault := s.State+andLeft(s.Left), s.State, faultOf(s)
		if exitCode(fault) == exitData {
			text, kind = text+", corrupt", "corrupt"
		}
		if fault != nil {
			t.Notes = append(t.Notes, kind+": "+s.Corrupt[0])
		}
		t.Rows = append(t.Rows, []any{s.Dir, s.Runs, s.Done, s.Failed, s.Missing, text})
	}
	return []*report.Table{t}
}

// partText describes a part in a line.
func partText(p *status.Part) string {
	process := fmt.Sprintf("process %d on %s", p.PID, p.Hostname)
	switch p.State {
	case status.Complete:
		return "complete since " + p.End.Format(time.RFC3339)
	case status.Stopped:
		return fmt.Sprintf("not running: stopped at %s, the same command goes on from there", p.End.Format(time.RFC3339))
	case status.Lost:
		at := p.Updated.Format(time.RFC3339)
		return fmt.Sprintf("not running: last heartbeat of %s at %s, the same command goes on from there", process, at)
	}
	line := fmt.Sprintf("running: %s, since %s", process, p.Start.Format(time.RFC3339))
	if p.PerSecond != nil {
		line += ", " + progress.PerTime(*p.PerSecond)
	}
	return line + andLeft(p.Left)
}

// andLeft says how long the work will take, in seconds; empty if unknown.
func andLeft(seconds *float64) string {
	if seconds == nil {
		return ""
	}
	return ", " + progress.Human(time.Duration(*seconds*float64(time.Second))) + " left"
}
