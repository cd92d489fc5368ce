package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// OpenMerge opens several directories and their shards as one, to show what
// merging them into another will yield: that, if it is there, counts too. To
// merge them, Open the other with the reader's Spec, Take and Export.
//
// All must have the same plan, however their specs are written; only to may
// have another, of which it then has all runs, or of which the others' plan
// has all. A *DataError tells of directories of different sweeps, and of a
// run that succeeded in two of them with different outcomes. The error is
// ErrLocked if somebody writes to one.
func OpenMerge(to string, from []string, experiments []*experiment.Experiment) (*Reader, error) {
	var spec *grid.Spec
	dirs := slices.Clone(from)
	if _, err := os.Stat(to); err == nil && !slices.ContainsFunc(from, func(dir string) bool { return disk.Same(dir, to) }) {
		dirs = append(dirs, to)
	}
	for i, dir := range dirs {
		found := i >= len(from) // there may be nothing yet
		add := func(in disk.Dir) error {
			own, err := readSpec(in, experiments)
			if locked := held(in); locked != nil || errors.Is(err, fs.ErrNotExist) {
				return locked // without a spec, who writes there was stopped before the first run
			}
			if err == nil {
				found = true
				spec, err = commonSpec(spec, own, in.Path("."), disk.Same(in.Path("."), to))
			}
			return err
		}
		err := disk.Within(dir, func(d disk.Dir) error { return eachPart(d, add) })
		if err == nil && !found {
			err = disk.Refuse(dir, "", "not the output of a sweep: there is neither %s nor a shard", specFile)
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := OpenReaderFor(spec, dirs...)
	if err == nil {
		// In a directory, a spec that does not name itself loses the name
		// that it has from its own file.
		r.Spec.Name = r.Name
	}
	return r, err
}

// commonSpec returns that of two specs which has all runs. The second is of a
// directory to read, or that to merge into.
func commonSpec(first, second *grid.Spec, dir string, target bool) (*grid.Spec, error) {
	if first == nil {
		return second, nil
	}
	ours, theirs := first.Plan(), second.Plan()
	difference := ours.Difference(theirs)
	switch {
	case difference == "" || target && ours.Contains(theirs):
		return first, nil
	case target && theirs.Contains(ours): // it was extended after it was merged
		return second, nil
	}
	return nil, disk.Refuse(dir, "merge what has the same spec, into a directory of its own",
		"the sweep is not that of %s: %s", filepath.Dir(first.File), difference)
}

// Take copies the records of runs that the plan has and the store lacks
// from other directories and their shards: all, or those of runs that
// succeeded. The directories may be of other sweeps of the same experiment and
// model version; they are not changed.
//
// A *DataError tells of another experiment or model version, and of a run
// that has succeeded with two different outcomes.
func (s *Store) Take(dirs []string, failures bool) error {
	for _, dir := range dirs {
		there := false
		err := disk.Within(dir, func(d disk.Dir) error {
			return eachPart(d, func(in disk.Dir) error {
				isLog, err := s.take(in, failures)
				there = there || isLog
				return err
			})
		})
		if err == nil && !there {
			err = disk.Refuse(dir, "", "not the output of a sweep: there is no %s", logFile)
		}
		if err != nil {
			return err
		}
	}
	return s.Commit()
}

// take copies records from the log of a directory, if it has one. What is
// corrupt there is left as it is, and of no matter to a store that lacks nothing.
func (s *Store) take(in disk.Dir, failures bool) (isLog bool, err error) {
	l, err := openLog(in)
	if l == nil || err != nil {
		return false, err
	}
	defer l.file.Close()
	lacking := s.Missing() > 0
	err = l.scan(s.Plan.Experiment(), func(r *record) error {
		if r.ok || failures {
			return s.enter(r)
		}
		return nil
	})
	if lacking {
		s.Damage = append(s.Damage, l.damage()...)
	}
	return true, err
}
