package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	reader, err := results.OpenReaderFor(spec, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return held, nil
	} else if err != nil {
		return nil, err
	}
	held.Done, held.Failed, held.Missing = reader.OK(), reader.Failed(), reader.Missing()
	if held.Seconds, err = remaining(reader); err != nil {
		return nil, err
	}
	before, err := results.OpenReader(dir, p.Experiments)
	if errors.As(err, new(*grid.Error)) || errors.As(err, new(*results.DataError)) {
		return held, nil // nobody has run a spec there that is one still
	} else if err != nil {
		return nil, err
	}
	held.Difference = before.Plan.Difference(reader.Plan)
	for row, err := range before.Runs(false) {
		if err != nil {
			return nil, err
		}
		if _, ok := reader.Plan.Find(before.Plan.CellID(row.Index%before.Plan.Cells()), row.Point.Seed); !ok {
			held.NotAsked++
		}
	}
	return held, nil
}

// remaining foretells how long the runs that have not succeeded will take, each as
// long as the mean of its cell, or else of all; nil if there are none.
func remaining(reader *results.Reader) (*float64, error) {
	all := reader.Plan.Cells()
	there, seconds := make([]float64, all+1), make([]float64, all+1) // of each cell, and of all
	for row, err := range reader.Runs(false) {
		if err != nil {
			return nil, err
		}
		for _, c := range []int64{row.Index % all, all} {
			there[c], seconds[c] = there[c]+1, seconds[c]+row.Seconds
		}
	}
	if there[all] == 0 {
		return nil, nil
	}
	total := seconds[all] / there[all] * float64(reader.Failed())
	for c := range all {
		like := c
		if there[c] == 0 {
			like = all
		}
		needed, _ := reader.Needed(c)
		total += seconds[like] / there[like] * (float64(needed) - there[c])
	}
	return &total, nil
}

// notes tells people of a holding.
func (h *holding) notes() (notes []string) {
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
		add(h.notes(), "in %s: %s done, %d failed, %d missing", h.Dir, runs(h.Done), h.Failed, h.Missing)
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
	seeds := fmt.Sprintf("%s (%d … %d)", report.Count(p.Seeds, "seed"), p.FirstSeed, p.LastSeed)
	if p.Seeds == 1 {
		seeds = fmt.Sprintf("1 seed (%d)", p.FirstSeed)
	}
	cells := func(n int64) string { return report.Count(n, "cell") }
	add(notes, "%s: %s = %s × %s of %s", p.Name, runs(p.Runs), cells(p.Cells), seeds, p.Experiment)
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
	add(" − %s equal, as their algorithm does not use what varies", b.Nulled)
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
		s, err := p.statusOf(args[0], *check)
		list, document := []*status{s}, any(s)
		if err == nil {
			err = s.addMeans(rowLimit(w))
			tables = s.tables()
		} else if many := p.statusesIn(args[0], *check); many != nil {
			list, document, tables, err = many, many, statusTable(many), nil
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
			err = cmp.Or(err, s.fault)
		}
		return err
	}
}

// A status is how a sweep is getting on. Its JSON is part of the interface:
// programs depend on it.
type status struct {
	Dir        string `json:"dir"`
	Spec       string `json:"spec"`
	Experiment string `json:"experiment"`

	// As the runs in the directory say.
	Runs    int64    `json:"runs"` // in the plan, or that its stopping rule asks for so far
	Done    int64    `json:"done"` // with success
	Failed  int64    `json:"failed"`
	Missing int64    `json:"missing"`
	Digest  string   `json:"digest"`  // of the runs that are there
	Corrupt []string `json:"corrupt"` // what is; all of it only with --check

	// As the processes at work say, together; what is unknown is null.
	State     string   `json:"state"`
	PerSecond *float64 `json:"runs_per_s"`
	Left      *float64 `json:"left_s"` // until the last run ends
	Parts     []part   `json:"parts"`  // one for each directory that a process works or worked in
	Table     any      `json:"table"`  // as of "sweep table --layout limits"; null before the first run

	reader *results.Reader
	means  *analysis.Table // the Table
	fault  error           // with which the command ends
}

// The states of processes.
const (
	running  = "running"
	complete = "complete"
	stopped  = "stopped" // in good order, with runs left to do
	lost     = "lost"    // without a word: killed, or cut off from the directory
)

// A part is what the manifest of one directory says, and what follows from it.
type part struct {
	*results.Manifest
	State     string   `json:"state"`
	PerSecond *float64 `json:"runs_per_s"` // mean since its start
	Left      *float64 `json:"left_s"`
}

// heartbeatTimeout is how old the last heartbeat of a process at work may
// be. One a second is due, and a slow file system may delay it.
const heartbeatTimeout = 15 * time.Second

// statusOf reads a directory.
func (p *Program) statusOf(dir string, check bool) (*status, error) {
	r, err := results.OpenReader(dir, p.Experiments)
	if err != nil {
		return nil, err
	}
	damage := r.Damage
	if check {
		if damage, err = r.Check(); err != nil {
			return nil, err
		}
	}
	manifests, err := results.Manifests(dir)
	if err != nil {
		return nil, err
	}
	s := &status{
		Dir: dir, Spec: r.Name, Experiment: r.Plan.Experiment().Name, Digest: r.Digest(), Corrupt: []string{},
		Runs: r.Assigned(), Done: r.OK(), Failed: r.Failed(), Missing: r.Missing(), reader: r,
	}
	for _, d := range damage {
		s.Corrupt = append(s.Corrupt, d.Error())
		s.fault = failed(exitData, "%s is not whole: \"sweep run\" recomputes what is corrupt", dir)
	}
	s.Parts = lists.Map(manifests, func(m *results.Manifest) part { return partOf(m, s.Missing, time.Now()) })
	s.State, s.PerSecond, s.Left = together(s.Parts, s.Runs, s.Missing)
	return s, nil
}

// statusesIn reads the sweeps in a directory; what is none, and so has no log,
// is left out.
func (p *Program) statusesIn(dir string, check bool) (list []*status) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		s, err := p.statusOf(path, check)
		if err != nil {
			_, none := os.Lstat(filepath.Join(path, "runs.jsonl"))
			if none != nil && !errors.Is(none, fs.ErrPermission) {
				continue
			}
			s = &status{Dir: path, Corrupt: []string{err.Error()}, Parts: []part{}, State: "unreadable", fault: err}
		}
		list = append(list, s)
	}
	return list
}

// partOf judges a manifest at the time now, of a sweep that lacks so many runs.
func partOf(m *results.Manifest, missing int64, now time.Time) part {
	p := part{Manifest: m, State: running}
	switch {
	case m.Complete && (m.Shard != "" || missing == 0): // else runs became corrupt since then
		p.State = complete
	case !m.End.IsZero():
		p.State = stopped
	case now.Sub(m.Updated) > heartbeatTimeout:
		p.State = lost
	}
	so := progress.State{Todo: m.Executed + m.Missing, Done: m.Executed, Elapsed: m.Updated.Sub(m.Start)}
	if left, ok := so.Left(); ok {
		if p.PerSecond = new(so.PerSecond()); p.State == running {
			p.Left = new(left.Seconds())
		}
	}
	return p
}

// together returns the state, the rate and the time left of a sweep of so many runs
// from those of its parts: it runs if one of them does, at their rates together, and
// ends with the last.
func together(parts []part, runs, missing int64) (state string, perSecond, left *float64) {
	has, rate, last, known := map[string]bool{}, 0.0, 0.0, true
	for _, p := range parts {
		has[p.State] = true
		runs -= p.Runs
		if p.Left != nil { // it is running
			rate, last = rate+*p.PerSecond, max(last, *p.Left)
		} else if p.State == running || p.Missing > 0 {
			known = false
		}
	}
	if rate > 0 {
		perSecond = &rate
	}
	if rate > 0 && known && runs <= 0 { // else there are shards that nobody has begun
		left = &last
	}
	switch {
	case has[running]:
		state = running
	case missing == 0 && len(parts) > 0:
		state = complete
	case has[stopped]:
		state = stopped
	default:
		state = lost
	}
	return state, perSecond, left
}

// addMeans adds what came out so far, for people in so many rows.
func (s *status) addMeans(limit int) (err error) {
	if s.Done+s.Failed == 0 {
		return nil
	}
	if s.means, err = tableOf(s.reader, nil, analysis.Limits, limit); err == nil {
		s.Table = s.means.JSON()
	}
	return err
}

// tables describes the status for people.
func (s *status) tables() []*report.Table {
	t := &report.Table{Title: fmt.Sprintf("%s: %d of %d runs done, %d failed, %d missing",
		s.Spec, s.Done, s.Runs, s.Failed, s.Missing)}
	t.Notes = lists.Map(s.Corrupt, func(c string) string { return "corrupt: " + c })
	tables := []*report.Table{t}
	if s.means != nil {
		t.Notes = append(t.Notes, "digest "+s.Digest)
		tables = append(tables, s.means.Tables()...)
	}
	switch {
	case len(s.Parts) == 0:
		t.Notes = append(t.Notes, "there is no manifest that says who worked here")
	case len(s.Parts) == 1 && s.Parts[0].Shard == "":
		t.Notes = append(t.Notes, s.Parts[0].text())
	default:
		t.Columns = stateColumns("shard")
		for _, p := range s.Parts {
			t.Rows = append(t.Rows, []any{p.Shard, p.Runs, p.OK, p.Failed, p.Missing, p.text()})
		}
	}
	return tables
}

func stateColumns(first string) []report.Column {
	numbers := []report.Column{{Name: "runs"}, {Name: "done"}, {Name: "failed"}, {Name: "missing"}}
	return slices.Concat(report.Texts(first), numbers, report.Texts("state"))
}

// statusTable has a line for each of several sweeps.
func statusTable(list []*status) []*report.Table {
	t := &report.Table{Columns: stateColumns("directory")}
	for _, s := range list {
		text, kind := s.State+andLeft(s.Left), s.State
		if exitCode(s.fault) == exitData {
			text, kind = text+", corrupt", "corrupt"
		}
		if s.fault != nil {
			t.Notes = append(t.Notes, kind+": "+s.Corrupt[0])
		}
		t.Rows = append(t.Rows, []any{s.Dir, s.Runs, s.Done, s.Failed, s.Missing, text})
	}
	return []*report.Table{t}
}

// text describes a part in a line.
func (p *part) text() string {
	process := fmt.Sprintf("process %d on %s", p.PID, p.Hostname)
	switch p.State {
	case complete:
		return "complete since " + p.End.Format(time.RFC3339)
	case stopped:
		return fmt.Sprintf("not running: stopped at %s, the same command goes on from there", p.End.Format(time.RFC3339))
	case lost:
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
