package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"sweep/grid"
)

// segmentAge is how long a finished run may wait for its segment to be
// closed. It decides when bytes reach the disk, never what they are.
const segmentAge = time.Second

// Store is the output directory of one sweep. Its methods are to be called
// from one goroutine; Done and HasFailed alone may be called from others
// while none of the methods that change the store runs.
type Store struct {
	disk    disk
	dir     string
	plan    Plan
	layouts layouts

	ok, failed *bitmap // of the plan's runs: on disk or in the open segment
	sources    []source
	number     int  // of the latest segment
	final      bool // the final files hold all runs, and nothing else is there
	damage     []Damage
	warnings   []string
	unlock     func() error // ends the lock; nil if there is none

	open    *segment
	closing segmentWriter
	since   time.Time // when the open segment got its first row
}

// Open opens or creates the directory for a plan and learns which runs it
// already holds, whether from a finished sweep, an interrupted one, or a
// finished one of a smaller spec. It writes the spec into the directory.
// Until Close no other process can open the directory; what it cannot do is
// read.
//
// Every file is read whole and its checksum compared. What is damaged is
// set aside (see Damage), and its runs count as missing.
//
// A *LockedError refuses a directory that another process has open. A
// *DataError refuses one that has other content than a sweep's, results of
// another experiment or model version, or runs that the plan does not
// have. A refused directory is left as it was. A directory that may not be
// changed can be opened if it holds the final files of all runs.
func Open(dir string, spec *grid.Spec, plan Plan) (*Store, error) {
	return open(osDisk{}, dir, spec, plan)
}

func open(d disk, dir string, spec *grid.Spec, plan Plan) (*Store, error) {
	e := plan.Experiment()
	s := &Store{
		disk:    d,
		dir:     dir,
		plan:    plan,
		layouts: newLayouts(e, spec.Name),
		ok:      newBitmap(),
		failed:  newBitmap(),
	}
	s.open = newSegment(e, s.layouts.runs)
	s.closing.disk, s.closing.layouts = d, s.layouts
	// Before anything is written there, the lock included.
	inv, err := takeInventory(d, dir, hasSeries(e))
	if err != nil {
		return nil, err
	}
	if !inv.ours {
		return nil, &DataError{
			Path:    dir,
			Message: "the directory is not empty, and not the output of a sweep",
			Hint:    "name a new or an empty directory",
		}
	}
	readOnly := s.lock()
	if readOnly != nil && !unchangeable(readOnly) {
		return nil, readOnly
	}
	if err := s.load(spec, readOnly); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// lock makes the directory and takes its lock. If there are no locks it
// warns and goes on.
func (s *Store) lock() error {
	if err := mkdirAll(s.disk, s.dir); err != nil {
		return err
	}
	unlock, err := s.disk.lock(s.dir)
	if errors.Is(err, errNoLocks) {
		s.warnings = append(s.warnings, fmt.Sprintf("%v: nothing keeps a second process from writing here too", err))
		return nil
	}
	s.unlock = unlock
	return err
}

// release ends the lock.
func (s *Store) release() error {
	if s.unlock == nil {
		return nil
	}
	unlock := s.unlock
	s.unlock = nil
	return unlock()
}

// unchangeable reports whether an error says that a directory may be read
// and not written.
func unchangeable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// load learns what the directory holds and puts it in order. If readOnly is
// not nil, the directory cannot be changed for that reason, and only one
// in which nothing is to be done is accepted.
func (s *Store) load(spec *grid.Spec, readOnly error) error {
	inv, err := takeInventory(s.disk, s.dir, hasSeries(s.plan.Experiment()))
	if err != nil {
		return err
	}
	suspects, err := inspect(s.disk, inv)
	if err != nil {
		return err
	}
	if err := s.learn(inv); err != nil {
		return err
	}
	if readOnly != nil {
		if s.final && len(suspects) == 0 {
			return nil
		}
		return readOnly
	}
	for _, suspect := range suspects {
		if err := s.setAside(suspect); err != nil {
			return err
		}
	}
	for _, path := range inv.leftover {
		if err := remove(s.disk, path); err != nil {
			return err
		}
	}
	if inv.merged {
		if err := removeDir(s.disk, filepath.Join(s.dir, mergedDir)); err != nil {
			return err
		}
	}
	return s.keepSpec(spec.Source)
}

// learn reads which runs the sources hold.
func (s *Store) learn(inv *inventory) error {
	sc := scanner{disk: s.disk, plan: s.plan, layout: s.layouts.runs, ok: s.ok, failed: s.failed}
	for i := range inv.sources {
		src := &inv.sources[i]
		spec, err := sc.scan(src)
		if err != nil {
			return err
		}
		s.number = max(s.number, src.number)
		s.final = len(inv.sources) == 1 && src.number == finalSource &&
			src.sorted && int64(len(src.index)) == s.plan.Runs() && inv.summary != "" && spec == s.layouts.runs.metadata[keySpec]
	}
	s.sources = inv.sources
	return sc.refuse(s.dir)
}

// keepSpec writes spec.toml unless it is there already.
func (s *Store) keepSpec(text []byte) error {
	path := filepath.Join(s.dir, specFile)
	old, err := readFile(s.disk, path)
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writeFile(s.disk, path, text)
}

// Dir returns the directory's path as given to Open.
func (s *Store) Dir() string { return s.dir }

// Damage returns the files that Open found damaged and set aside.
func (s *Store) Damage() []Damage { return s.damage }

// Warnings returns what a user should know about the directory, as
// sentences: that it cannot be locked.
func (s *Store) Warnings() []string { return s.warnings }

// Done reports whether run i is finished with status OK.
func (s *Store) Done(i int64) bool { return s.ok.has(i) }

// HasFailed reports whether run i is there as a failed row.
func (s *Store) HasFailed(i int64) bool { return s.failed.has(i) }

// Finished returns how many of the plan's runs are finished with status OK.
func (s *Store) Finished() int64 { return s.ok.count }

// Failed returns how many of the plan's runs are there as failed rows.
func (s *Store) Failed() int64 { return s.failed.count }

// Append adds a finished run, of which it keeps no reference. It replaces
// an earlier row of the run; but a failed row is dropped if the run has
// succeeded before. The row is on disk after the next Commit; Append calls
// it when 1,000 rows are waiting or the first has waited for a second. A
// caller whose runs may take longer than that calls Commit itself from time
// to time.
func (s *Store) Append(r *Row) error {
	if r.Status == Failed && s.ok.has(r.Index) {
		return nil
	}
	if len(s.open.entries) == 0 {
		s.since = time.Now()
	}
	s.open.add(r)
	mark(s.ok, s.failed, r.Index, r.Status == OK)
	if s.open.full() || time.Since(s.since) >= segmentAge {
		return s.Commit()
	}
	return nil
}

// Commit closes the open segment: when it returns, all rows appended so far
// are on disk for good. Without new rows it does nothing.
func (s *Store) Commit() error {
	if len(s.open.entries) == 0 {
		return nil
	}
	if err := mkdirAll(s.disk, filepath.Join(s.dir, segmentsDir)); err != nil {
		return err
	}
	next := source{number: s.number + 1, sorted: true}
	next.runs = segmentPath(s.dir, next.number, "runs")
	if hasSeries(s.plan.Experiment()) {
		next.series = segmentPath(s.dir, next.number, "series")
	}
	var err error
	if next.index, err = s.closing.write(s.open, next); err != nil {
		return err
	}
	s.number++
	s.sources = append(s.sources, next)
	s.final = false
	s.open.reset()
	return nil
}

// Close commits what is open and releases the directory, also if the
// commit fails. Without Finish, segments stay for the next Open. Close may
// be called again, and then does nothing.
func (s *Store) Close() error { return errors.Join(s.Commit(), s.release()) }
