// Package status tells what directories hold of sweeps, and how those get on: by the
// runs that are there, and by the manifests of the processes that work or worked on
// them.
package status

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/lists"
	"sweep/internal/progress"
	"sweep/results"
)

// A Sweep is how a sweep gets on. Its JSON is part of the interface:
// programs depend on it.
type Sweep struct {
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
	Parts     []Part   `json:"parts"`  // one for each directory that a process works or worked in
	Table     any      `json:"table"`  // added by who shows it, as of "sweep table --layout limits"; null before the first run

	Reader *results.Reader `json:"-"`
	Fault  error           `json:"-"` // why it cannot be read, or nil
}

// The states of processes.
const (
	Running    = "running"
	Complete   = "complete"
	Stopped    = "stopped"    // in good order, with runs left to do
	Lost       = "lost"       // without a word: killed, or cut off from the directory
	Unreadable = "unreadable" // of a whole sweep: it has a Fault
)

// A Part is what the manifest of one directory says, and what follows from it.
type Part struct {
	*results.Manifest
	State     string   `json:"state"`
	PerSecond *float64 `json:"runs_per_s"` // mean since its start
	Left      *float64 `json:"left_s"`
}

// heartbeatTimeout is how old the last heartbeat of a process at work may
// be, where its lock is not to be seen. One a second is due, and a slow file system
// may delay it.
const heartbeatTimeout = 15 * time.Second

// Read reads a directory. If check is true, everything there is compared with its
// checksum.
func Read(dir string, experiments []*experiment.Experiment, check bool) (*Sweep, error) {
	r, err := results.OpenReader(dir, experiments)
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
	s := &Sweep{
		Dir: dir, Spec: r.Name, Experiment: r.Plan.Experiment().Name, Digest: r.Digest(), Reader: r,
		Runs: r.Assigned(), Done: r.OK(), Failed: r.Failed(), Missing: r.Missing(),
		Corrupt: lists.Map(damage, (*results.DataError).Error),
	}
	s.Parts = lists.Map(manifests, func(m *results.Manifest) Part { return partOf(m, s.Missing, time.Now()) })
	s.State, s.PerSecond, s.Left = together(s.Parts, s.Runs, s.Missing)
	return s, nil
}

// ReadAll reads the sweeps in a directory; what is none, and so has no log, is left
// out.
func ReadAll(dir string, experiments []*experiment.Experiment, check bool) (list []*Sweep) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		s, err := Read(path, experiments, check)
		if err != nil {
			_, none := os.Lstat(filepath.Join(path, "runs.jsonl"))
			if none != nil && !errors.Is(none, fs.ErrPermission) {
				continue
			}
			s = &Sweep{Dir: path, Corrupt: []string{err.Error()}, Parts: []Part{}, State: Unreadable, Fault: err}
		}
		list = append(list, s)
	}
	return list
}

// partOf judges a manifest at the time now, of a sweep that lacks so many runs.
func partOf(m *results.Manifest, missing int64, now time.Time) Part {
	p := Part{Manifest: m, State: Running}
	switch {
	case m.Complete && (m.Shard != "" || missing == 0): // else runs became corrupt since then
		p.State = Complete
	case !m.End.IsZero():
		p.State = Stopped
	case m.Killed || !m.Locked && now.Sub(m.Updated) > heartbeatTimeout:
		p.State = Lost
	}
	so := progress.State{Todo: m.Executed + m.Missing, Done: m.Executed, Elapsed: m.Updated.Sub(m.Start)}
	if left, ok := so.Left(); ok {
		if p.PerSecond = new(so.PerSecond()); p.State == Running {
			p.Left = new(left.Seconds())
		}
	}
	return p
}

// together returns the state, the rate and the time left of a sweep of so many runs
// from those of its parts: it runs if one of them does, at their rates together, and
// ends with the last.
func together(parts []Part, runs, missing int64) (state string, perSecond, left *float64) {
	has, rate, last, known := map[string]bool{}, 0.0, 0.0, true
	for _, p := range parts {
		has[p.State] = true
		runs -= p.Runs
		if p.Left != nil { // it is running
			rate, last = rate+*p.PerSecond, max(last, *p.Left)
		} else if p.State == Running || p.Missing > 0 {
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
	case has[Running]:
		state = Running
	case missing == 0 && len(parts) > 0:
		state = Complete
	case has[Stopped]:
		state = Stopped
	default:
		state = Lost
	}
	return state, perSecond, left
}

// A Holding is what a directory holds of a plan. Its JSON is part of the
// interface.
type Holding struct {
	Dir        string   `json:"dir"`
	Done       int64    `json:"done"`
	Failed     int64    `json:"failed"`
	Missing    int64    `json:"missing"`       // with a stopping rule, as far as is known
	NotAsked   int64    `json:"not_asked_for"` // runs of the spec in the directory that this one lacks
	Difference string   `json:"difference"`    // of the two specs; empty if there is none
	Seconds    *float64 `json:"seconds"`       // for missing and failed runs on one processor; null if unknown
}

// Held returns what a directory, which need not exist, holds of a spec's plan. The
// experiments are those that the spec there may name.
func Held(dir string, spec *grid.Spec, experiments []*experiment.Experiment) (*Holding, error) {
	held := &Holding{Dir: dir, Missing: spec.Plan().Runs()}
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
	before, err := results.OpenReader(dir, experiments)
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
