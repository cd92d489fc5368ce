package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/lists"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
)

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
			tables, err = s.tables(rowLimit(w))
		} else if many := p.statusesIn(args[0], *check); errors.As(err, new(*results.DataError)) && many != nil {
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

	view  *results.Reader
	fault error // with which the command ends
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
	view, err := results.OpenReader(dir, p.Experiments)
	if err != nil {
		return nil, err
	}
	damage := view.Damage
	if check {
		if damage, err = view.Check(); err != nil {
			return nil, err
		}
	}
	manifests, err := results.Manifests(dir)
	if err != nil {
		return nil, err
	}
	s := &status{
		Dir: dir, Spec: view.Name, Experiment: view.Plan.Experiment().Name, Digest: view.Digest(),
		Runs: view.Assigned(), Done: view.OK(), Failed: view.Failed(), Missing: view.Missing(),
		Corrupt: []string{}, Parts: lists.Map(manifests, func(m *results.Manifest) part { return partOf(m, time.Now()) }), view: view,
	}
	for _, d := range damage {
		s.Corrupt = append(s.Corrupt, d.Error())
		s.fault = &failure{code: exitData, message: dir + " is not whole: \"sweep run\" recomputes what is corrupt"}
	}
	s.sumUp()
	return s, nil
}

// statusesIn reads the sweeps in a directory; what is none, and so has no log,
// is left out.
func (p *Program) statusesIn(dir string, check bool) (list []*status) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		s, err := p.statusOf(path, check)
		if _, none := os.Lstat(filepath.Join(path, "runs.jsonl")); err != nil && (none == nil || errors.Is(none, fs.ErrPermission)) {
			s, err = &status{Dir: path, Corrupt: []string{err.Error()}, Parts: []part{}, State: "unreadable", fault: err}, nil
		}
		if err == nil {
			list = append(list, s)
		}
	}
	return list
}

// partOf judges a manifest at the time now.
func partOf(m *results.Manifest, now time.Time) part {
	p := part{Manifest: m, State: running}
	switch {
	case m.Complete:
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

// sumUp takes the sweep's state, rate and time left from those of its
// parts: it runs if one of them does, at their rates together, and ends with
// the last.
func (s *status) sumUp() {
	has, rate, left, known, runs := map[string]bool{}, 0.0, 0.0, true, int64(0)
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.State == complete && p.Shard == "" && s.Missing > 0 { // since then runs became corrupt
			p.State = stopped
		}
		has[p.State] = true
		runs += p.Runs
		if p.Left != nil { // it is running
			rate, left = rate+*p.PerSecond, max(left, *p.Left)
		} else if p.State == running || p.Missing > 0 {
			known = false
		}
	}
	if rate > 0 {
		s.PerSecond = &rate
	}
	if rate > 0 && known && runs >= s.Runs { // else there are shards that nobody has begun
		s.Left = &left
	}
	switch {
	case has[running]:
		s.State = running
	case s.Missing == 0 && len(s.Parts) > 0:
		s.State = complete
	case has[stopped]:
		s.State = stopped
	default:
		s.State = lost
	}
}

// tables returns the status with what came out so far, and adds that to its
// JSON.
func (s *status) tables(limit int) ([]*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("%s: %d of %d runs done, %d failed, %d missing", s.Spec, s.Done, s.Runs, s.Failed, s.Missing)}
	t.Notes = lists.Map(s.Corrupt, func(c string) string { return "corrupt: " + c })
	tables := []*report.Table{t}
	if s.Done+s.Failed > 0 {
		t.Notes = append(t.Notes, "digest "+s.Digest)
		summary, err := s.view.Summary()
		if err != nil {
			return nil, err
		}
		limits, err := analysis.NewTable(summary, analysis.Limits, nil, limit)
		if err != nil {
			return nil, err
		}
		tables, s.Table = append(tables, limits.Tables()...), limits.JSON()
	}
	switch {
	case len(s.Parts) == 0:
		t.Notes = append(t.Notes, "there is no manifest that says who worked here")
	case len(s.Parts) == 1 && s.Parts[0].Shard == "":
		t.Notes = append(t.Notes, s.Parts[0].text())
	default:
		t.Columns = stateColumns("shard")
		t.Rows = lists.Map(s.Parts, func(p part) []any { return []any{p.Shard, p.Runs, p.OK, p.Failed, p.Missing, p.text()} })
	}
	return tables, nil
}

func stateColumns(first string) []report.Column {
	return append(report.Texts(first), report.Column{Name: "runs"}, report.Column{Name: "done"},
		report.Column{Name: "failed"}, report.Column{Name: "missing"}, report.Column{Name: "state", Left: true})
}

// statusTable has a line for each of several sweeps.
func statusTable(list []*status) []*report.Table {
	t := &report.Table{Columns: stateColumns("directory")}
	for _, s := range list {
		text := s.State + andLeft(s.Left)
		if len(s.Corrupt) > 0 {
			kind := "corrupt"
			if exitCode(s.fault) == exitIO {
				kind = s.State
			} else {
				text += ", corrupt"
			}
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
		return fmt.Sprintf("not running: last heartbeat of %s at %s, the same command goes on from there",
			process, p.Updated.Format(time.RFC3339))
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
