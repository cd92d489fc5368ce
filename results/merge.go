package results

import (
	"bytes"
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
// merging them into the directory to will yield. That directory counts, too, if
// it exists. To merge, Open it with the reader's Spec, then Take and Export.
//
// All must have the same plan, however their specs are written. Only to may
// have another plan, if one of the two covers the other. A *DataError tells of
// directories of different sweeps, and of a run that succeeded in two of them
// with different outcomes. The error is ErrLocked if a process writes to one.
func OpenMerge(to string, from []string, experiments []*experiment.Experiment) (*Reader, error) {
	merged := &mergedSpecs{
		to:          to,
		experiments: experiments,
		beside:      map[string]*grid.Spec{},
	}
	dirs := slices.Clone(from)
	isSource := slices.ContainsFunc(from, func(dir string) bool { return disk.Same(dir, to) })
	if _, err := os.Stat(to); err == nil && !isSource {
		dirs = append(dirs, to)
	}
	for i, dir := range dirs {
		before := merged.found
		err := disk.Within(dir, func(d disk.Dir) error { return eachPart(d, merged.add) })
		mayBeEmpty := i >= len(from) // the directory to
		if err == nil && merged.found == before && !mayBeEmpty {
			err = disk.Refuse(dir, "",
				"not the output of a sweep: there is neither %s nor a shard", specFile)
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := OpenReaderFor(merged.common, dirs...)
	if err != nil {
		return nil, err
	}
	for _, l := range r.logs {
		own := merged.beside[l.path]
		isNamed := func(h header) bool { return h.SpecSHA256 == own.SHA256() }
		if own != nil && len(l.headers) > 0 && !slices.ContainsFunc(l.headers, isNamed) {
			return nil, otherSpec(own)
		}
	}
	// In a directory, a spec without a name of its own loses the name of the
	// file that it was read from.
	r.Spec.Name = r.Name
	return r, nil
}

// mergedSpecs are the specs of directories that are merged.
type mergedSpecs struct {
	to          string // the directory to merge into
	experiments []*experiment.Experiment
	common      *grid.Spec            // the one that has all runs
	beside      map[string]*grid.Spec // by the path of the log beside it
	found       int                   // how many, a directory that is named twice included
}

// add reads the spec of a directory.
func (m *mergedSpecs) add(in disk.Dir) error {
	own, err := readSpecLike(m.common, in, m.experiments)
	if locked := held(in); locked != nil {
		return locked
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the writer was stopped before the first run
	}
	if err != nil {
		return err
	}
	m.found++
	m.beside[in.Path(logFile)] = own
	if own != m.common {
		path := in.Path(".")
		m.common, err = commonSpec(m.common, own, path, disk.Same(path, m.to))
	}
	return err
}

// readSpecLike reads the spec of a directory as readSpec does. It returns the
// known one, which may be nil, if that has the same text.
func readSpecLike(
	known *grid.Spec, d disk.Dir, experiments []*experiment.Experiment,
) (*grid.Spec, error) {
	text, err := disk.ReadFile(d, specFile)
	if err != nil {
		return nil, err
	}
	if known != nil && bytes.Equal(text, known.Source) {
		return known, nil
	}
	return parseSpec(d, text, experiments)
}

// commonSpec returns the one of two specs that has all runs. The second is of
// the directory at dir; target tells whether that is the one to merge into.
func commonSpec(first, second *grid.Spec, dir string, target bool) (*grid.Spec, error) {
	if first == nil {
		return second, nil
	}
	ours := first.Plan()
	theirs := second.Plan()
	difference := ours.Difference(theirs)
	_, _, isShard := shardOf(dir)
	switch {
	case difference == "" && !isShard && !sameColumns(first, second):
		return second, nil // the sweep's own spec: its metrics came after the shards
	case difference == "" || target && ours.Covers(theirs):
		return first, nil
	case target && theirs.Covers(ours): // it was extended after it was merged
		return second, nil
	}
	return nil, disk.Refuse(dir, "merge what has the same spec, into a directory of its own",
		"the sweep is not that of %s: %s", filepath.Dir(first.File), difference)
}

// Take copies the records of runs that the store lacks from other directories
// and their shards; those of failures only if failures is true. The directories
// may be of other sweeps of the same experiment and model version. They are not
// changed.
//
// A *DataError tells of another experiment or model version, and of a run
// that has succeeded with two different outcomes.
func (s *Store) Take(dirs []string, failures bool) error {
	for _, dir := range dirs {
		if disk.Same(dir, s.Dir) && s.Shard == nil {
			continue // Open has taken what its shards have
		}
		there := false
		var columns columnCheck
		err := disk.Within(dir, func(d disk.Dir) error {
			return eachPart(d, func(in disk.Dir) error {
				isLog, err := s.take(in, failures, &columns)
				there = there || isLog
				return err
			})
		})
		if err == nil && !there {
			err = disk.Refuse(dir, "", "not the output of a sweep: there is no %s", logFile)
		}
		if err == nil {
			err = columns.fault
		}
		if err != nil {
			return err
		}
	}
	s.compareWithEnds()
	return s.Commit()
}

// take copies records from the log of a directory, if it has one. It leaves
// corrupt parts of that log as they are, and reports them only if the store
// lacks runs. It adds the log to a check of columns.
func (s *Store) take(in disk.Dir, failures bool, columns *columnCheck) (isLog bool, err error) {
	var end *shardEnd
	if failures && s.Shard == nil { // otherwise not all runs are taken
		end = s.endOf(in)
	}
	l, err := openLog(in)
	if l == nil || err != nil {
		s.noteEnd(end, nil)
		return false, err
	}
	defer l.file.Close()
	lacking := s.Missing() > 0
	err = l.scan(s.Plan.Experiment(), func(r *record) error {
		if r.ok || failures {
			return s.copy(r)
		}
		return nil
	})
	columns.add(l)
	s.noteEnd(end, l)
	if lacking {
		s.Damage = append(s.Damage, l.damage()...)
	}
	return true, err
}
