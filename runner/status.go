package runner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// A Status is the state of a sweep in a directory. Its JSON is part of the
// interface: programs depend on it.
type Status struct {
	Dir        string `json:"dir"`
	Spec       string `json:"spec"`
	Experiment string `json:"experiment"`

	// These follow from the runs in the directory.
	Runs    int64    `json:"runs"` // of the plan, or that its stopping rule asks for so far
	Done    int64    `json:"done"` // with success
	Failed  int64    `json:"failed"`
	Missing int64    `json:"missing"`
	Digest  string   `json:"digest"`  // of the runs that are there
	Corrupt []string `json:"corrupt"` // what is corrupt; complete only with --check

	// These follow from what all processes at work say; null if unknown.
	State     string   `json:"state"`
	PerSecond *float64 `json:"runs_per_s"`
	Left      *float64 `json:"left_s"` // until the last run ends
	Parts     []Part   `json:"parts"`  // one for each directory that a process works or worked in

	// What the runs took, and why some failed; the caller adds these.
	Effort   results.Effort `json:"effort"`
	Slowest  []SlowCell     `json:"slowest_cells"`
	Failures []*Cause       `json:"failures"`

	// Table is that of "sweep table --layout limits", which the caller adds;
	// null before the first run.
	Table any `json:"table"`

	Reader *results.Reader `json:"-"`
	Fault  error           `json:"-"` // why the directory cannot be read, or nil
}

// The states of processes.
const (
	Running    = "running"
	Complete   = "complete"
	Stopped    = "stopped"    // in good order, with runs left to do
	Lost       = "lost"       // killed, or cut off from the directory
	NotBegun   = "not begun"  // only of a whole sweep: no process has begun a run
	Unreadable = "unreadable" // only of a whole sweep: it has a Fault

	// Foreign is only of a whole sweep: this program lacks its experiment.
	Foreign = "of another program"
)

// A Part is what the manifest of one directory says, and what follows from it.
type Part struct {
	*results.Manifest
	State     string   `json:"state"`
	PerSecond *float64 `json:"runs_per_s"` // mean since its start
	Left      *float64 `json:"left_s"`
}

// heartbeatTimeout is how old the last heartbeat of a process at work may be if
// its lock cannot be seen. A heartbeat is due every second, and a slow file
// system may delay it.
const heartbeatTimeout = 15 * time.Second

// ReadStatus reads a directory. If check is true, it compares everything there
// with its checksum.
func ReadStatus(dir string, experiments []*experiment.Experiment, check bool) (*Status, error) {
	r, err := results.OpenReaderAsRecorded(dir, experiments)
	if errors.Is(err, results.ErrNotBegun) {
		return &Status{Dir: dir, State: NotBegun, Corrupt: []string{}, Parts: []Part{}}, nil
	}
	if err != nil {
		return nil, err
	}
	damage := r.Damage
	if check {
		damage, err = r.Check()
		if err != nil {
			return nil, err
		}
	}
	manifests, err := results.Manifests(dir)
	if err != nil {
		return nil, err
	}
	s := &Status{
		Dir:        dir,
		Spec:       r.Name,
		Experiment: r.Plan.Experiment().Name,
		Runs:       r.Assigned(),
		Done:       r.OK(),
		Failed:     r.Failed(),
		Missing:    r.Missing(),
		Digest:     r.Digest(),
		Corrupt:    []string{},
		Parts:      []Part{},
		Slowest:    []SlowCell{},
		Failures:   []*Cause{},
		Reader:     r,
	}
	for _, d := range damage {
		s.Corrupt = append(s.Corrupt, d.Error())
	}
	for _, m := range manifests {
		s.Parts = append(s.Parts, partOf(m, s.Missing, time.Now()))
	}
	s.State = stateOf(s.Parts, s.Missing)
	if len(s.Parts) == 0 && s.Done == 0 && s.Failed == 0 { // as "sweep submit" leaves it
		s.State = NotBegun
	}
	s.PerSecond, s.Left = speedOf(s.Parts, s.Runs)
	return s, nil
}

// ReadStatuses reads the sweeps in a directory. It leaves out what has no log
// and so is no sweep.
func ReadStatuses(dir string, experiments []*experiment.Experiment, check bool) (list []*Status) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		s, err := ReadStatus(path, experiments, check)
		if err != nil {
			_, noLog := os.Lstat(filepath.Join(path, "runs.jsonl"))
			if noLog != nil && !errors.Is(noLog, fs.ErrPermission) {
				continue
			}
			s = &Status{
				Dir:      path,
				Corrupt:  []string{err.Error()},
				Parts:    []Part{},
				Slowest:  []SlowCell{},
				Failures: []*Cause{},
				State:    Unreadable,
				Fault:    err,
			}
			fault, is := errors.AsType[*grid.Error](err)
			if is && fault.Experiment != "" {
				s.State = Foreign
				s.Fault = nil
				s.Corrupt = []string{}
				s.Experiment = fault.Experiment
			}
		}
		list = append(list, s)
	}
	return list
}

// partOf judges a manifest at the time now. missing is the number of runs that
// the whole sweep lacks.
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
	progress := Progress{
		Todo:    m.Executed + m.Missing,
		Done:    m.Executed,
		Elapsed: m.Updated.Sub(m.Start),
	}
	left, known := progress.Left()
	if known {
		p.PerSecond = new(progress.PerSecond())
	}
	if known && p.State == Running {
		p.Left = new(left.Seconds())
	}
	return p
}

// stateOf returns the state of a sweep: it is running if one of its parts is.
func stateOf(parts []Part, missing int64) string {
	has := map[string]bool{}
	for _, p := range parts {
		has[p.State] = true
	}
	switch {
	case has[Running]:
		return Running
	case missing == 0 && len(parts) > 0:
		return Complete
	case has[Stopped]:
		return Stopped
	}
	return Lost
}

// speedOf returns the sum of the rates of the parts that are running, and the
// time until the last of them ends. That is unknown if a part will not end, or
// if the parts do not have all runs of the sweep, because nobody has begun some
// shards.
func speedOf(parts []Part, runs int64) (perSecond, left *float64) {
	rate := 0.0
	last := 0.0
	isKnown := true
	for _, p := range parts {
		runs -= p.Runs
		if p.Left != nil { // it is running
			rate += *p.PerSecond
			last = max(last, *p.Left)
		} else if p.State == Running || p.Missing > 0 {
			isKnown = false
		}
	}
	if rate <= 0 {
		return nil, nil
	}
	if isKnown && runs <= 0 {
		left = &last
	}
	return &rate, left
}
