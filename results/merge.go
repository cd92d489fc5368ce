package results

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"sweep/experiment"
	"sweep/grid"
)

// A Merge is what several directories hold of one sweep: shards, or
// whatever else machines have computed of it. None of them is changed.
type Merge struct {
	Spec *grid.Spec
	Plan *grid.Plan

	OK, Failed, Missing int64 // of the plan's runs
	Shards              []ShardGap

	to    string
	from  []string
	index *index
}

// A ShardGap is a shard that lacks runs.
type ShardGap struct {
	Shard   grid.Shard
	Missing int64
}

// A sourceDir is a directory that holds runs: of a sweep, or of a shard.
type sourceDir struct {
	dir  string
	spec *grid.Spec
	log  *log
}

// NewMerge learns what the directories and their shards hold together, and
// what to holds already, if it is the output of a sweep.
//
// All must have the same plan, however their specs are written; only to may
// have another, of which it then has all runs, or of which the others'
// plan has all. A *DataError tells of directories of different sweeps, and
// of a run that succeeded in two of them with different outcomes. A
// *LockedError tells of a directory that somebody writes to.
func NewMerge(to string, from []string, experiments []*experiment.Experiment) (*Merge, error) {
	m := &Merge{to: to}
	var dirs []sourceDir
	err := m.open(from, experiments, &dirs)
	if err == nil {
		err = m.choosePlan(dirs)
	}
	if err == nil {
		err = m.scan(dirs)
	}
	for _, in := range dirs {
		in.log.file.Close() // nothing was written
	}
	if err != nil {
		return nil, err
	}
	m.findGaps(from)
	return m, nil
}

// open opens the directories and their shards, each once, that to merge into
// last.
func (m *Merge) open(from []string, experiments []*experiment.Experiment, dirs *[]sourceDir) error {
	var own []sourceDir
	for _, dir := range append(slices.Clone(from), m.to) {
		d, err := openDisk(dir)
		last := dir == m.to || isOne(dir, m.to)
		if last && errors.Is(err, fs.ErrNotExist) && !slices.Contains(from, dir) {
			continue // it is to be made
		}
		if err != nil {
			return err
		}
		found, err := m.sources(d, experiments)
		err = errors.Join(err, d.close())
		if err == nil && len(found) == 0 && !slices.Contains(from, dir) {
			continue
		}
		if err == nil && len(found) == 0 {
			err = &DataError{Path: dir, Message: "not the output of a sweep: there is neither " + specFile + " nor a shard"}
		}
		if !last {
			m.from = append(m.from, dir)
		}
		for _, in := range found {
			known := func(other sourceDir) bool { return isOne(in.dir, other.dir) }
			switch {
			case slices.ContainsFunc(*dirs, known) || slices.ContainsFunc(own, known):
				in.log.file.Close()
			case isOne(in.dir, m.to):
				own = append(own, in)
			default:
				*dirs = append(*dirs, in)
			}
		}
		if err != nil {
			return err
		}
	}
	*dirs = append(*dirs, own...)
	return nil
}

// sources opens what a directory holds: its shards, each with a spec of its
// own, and itself if it has one. Nobody may be writing there.
func (m *Merge) sources(d disk, experiments []*experiment.Experiment) (list []sourceDir, err error) {
	if _, err := surveyOf(d); err != nil {
		return nil, err
	}
	shards, err := listShards(d)
	for _, name := range append(shards, shardEntry{name: "."}) {
		in := d
		if err == nil && name.name != "." {
			in, err = d.sub(name.name)
		}
		if err == nil {
			err = in.held()
		}
		var spec *grid.Spec
		if err == nil {
			spec, err = readSpec(in, experiments)
		}
		if errors.Is(err, fs.ErrNotExist) { // stopped before its first run
			err = nil
			continue
		}
		if err == nil {
			var l *log
			if l, err = openLog(in, in.open); err == nil {
				list = append(list, sourceDir{in.path("."), spec, l})
			}
		}
		if err != nil {
			break
		}
	}
	return list, err
}

// choosePlan finds the plan that has all runs.
func (m *Merge) choosePlan(dirs []sourceDir) error {
	first := &dirs[0]
	m.Spec = first.spec
	for i := range dirs[1:] {
		in := &dirs[1+i]
		ours, theirs := first.spec.Plan(), in.spec.Plan()
		difference := ours.Difference(theirs)
		switch {
		case difference == "":
		case !isOne(in.dir, m.to):
			return &DataError{
				Path:    in.dir,
				Message: fmt.Sprintf("the sweep is not that of %s: %s", first.dir, difference),
				Hint:    "merge what has the same spec; run the others again with that spec",
			}
		case contains(theirs, ours): // it was extended after it was merged
			m.Spec = in.spec
		case !contains(ours, theirs):
			return &DataError{
				Path:    in.dir,
				Message: fmt.Sprintf("holds another sweep than %s: %s", first.dir, difference),
				Hint:    "merge into another directory",
			}
		}
	}
	m.Plan = m.Spec.Plan()
	return nil
}

// contains reports whether a plan has all runs of another.
func contains(all, some *grid.Plan) bool {
	for c := range some.Cells() {
		if _, ok := all.FindCell(some.CellID(c)); !ok {
			return false
		}
	}
	for k := range some.Seeds() {
		if _, ok := all.SeedIndex(some.Seed(k)); !ok {
			return false
		}
	}
	return true
}

// scan finds the runs of the plan.
func (m *Merge) scan(dirs []sourceDir) error {
	m.index = newIndex(m.Plan)
	name := ""
	for _, in := range dirs {
		if err := m.index.add(in.log); err != nil {
			return err
		}
		if d := in.log.damage(); d != nil && !isOne(in.dir, m.to) { // that in to is repaired by Open
			return &DataError{Path: d[0].Path, Message: d[0].What, Hint: runAgain}
		}
		if n := len(in.log.headers); n > 0 {
			name = in.log.headers[n-1].Sweep
		}
	}
	if err := m.index.forget(); err != nil {
		return err
	}
	if name != "" {
		// In a directory, a spec that does not name itself loses the name
		// that it has from its own file.
		named := *m.Spec
		named.Name = name
		m.Spec = &named
	}
	m.OK, m.Failed = m.index.digest.OK, m.index.digest.Failed
	m.Missing = m.index.missing(nil)
	return nil
}

// findGaps learns which shards lack runs, if the directories are shards of
// one division, or hold them.
func (m *Merge) findGaps(from []string) {
	count := int64(0)
	for _, dir := range from {
		n, err := ShardCount(dir)
		if s, ok := shardOf(dir); ok {
			n = s.count
		}
		if err != nil || n != 0 && count != 0 && n != count {
			return
		}
		count = max(count, n)
	}
	for index := range count {
		gap := ShardGap{Shard: m.Plan.Shard(index, count)}
		if gap.Missing = m.index.missing(&gap.Shard); gap.Missing > 0 {
			m.Shards = append(m.Shards, gap)
		}
	}
}

// Open opens the directory to merge into as a store that has the runs of
// all the others, to be completed by Finish.
func (m *Merge) Open() (*Store, error) {
	s, err := Open(m.to, m.Spec)
	if err != nil {
		return nil, err
	}
	if _, err := s.take(m.from, true); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Reuse copies the records of runs that the plan has and the store lacks
// from other directories and their shards, and returns how many. Runs that
// failed there are not taken. The directories may be of other sweeps of the
// same experiment and model version; they are not changed.
//
// A *DataError tells of another experiment or model version, and of a run
// that has succeeded with two different outcomes.
func (s *Store) Reuse(dirs []string) (taken int64, err error) { return s.take(dirs, false) }

func (s *Store) take(dirs []string, failures bool) (taken int64, err error) {
	for _, dir := range dirs {
		d, err := openDisk(dir)
		if err != nil {
			return taken, err
		}
		logs, err := openParts(d, false)
		err = errors.Join(err, d.close())
		if err == nil && len(logs) == 0 {
			err = &DataError{Path: dir, Message: "not the output of a sweep: there is no " + logFile}
		}
		for _, l := range logs {
			if err == nil {
				err = s.takeLog(l, failures, &taken)
			}
		}
		closeLogs(logs)
		if err != nil {
			return taken, err
		}
	}
	return taken, s.Commit()
}

func (s *Store) takeLog(l *log, failures bool, taken *int64) error {
	err := l.scan(func(r *record, at int64, length int) error {
		i, ok := s.index.find(r)
		switch {
		case !ok || s.shard != nil && !s.shard.Has(i):
			return nil
		case !r.ok && (!failures || s.index.ok(i)):
			return nil
		case s.index.ok(i):
			known, err := s.index.hash(s.index.get(i))
			if err == nil && known != r.hash {
				err = s.index.conflict(i, s.index.get(i), l)
			}
			return err
		}
		metric, err := s.index.stopMetric(i, l, r, at)
		if err != nil {
			return err
		}
		to := s.log.end()
		s.log.append(l.line[:length-1])
		s.log.append([]byte{'\n'})
		*taken++
		if err := s.index.mark(i, s.log, r.ok, r.hash, metric, to, length); err != nil {
			return err
		}
		return s.appended()
	})
	if err == nil {
		err = l.fits(s.plan.Experiment())
	}
	return err
}
