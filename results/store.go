package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"syscall"
	"time"

	"sweep/grid"
)

// segmentAge is how long a finished run may wait for its segment to be
// closed. It decides when bytes reach the disk, never what they are.
const segmentAge = time.Second

// Store is the output directory of one sweep. Its methods are to be called
// by one goroutine at a time.
type Store struct {
	disk    disk
	dir     string
	plan    Plan
	layouts layouts

	part      *grid.Shard // the runs that are to be here; nil: all of the plan
	here      *tally      // of the rows on disk, or in the open segment
	elsewhere *tally      // of rows that will not be merged here
	borrowed  []source    // of other directories, to be merged here
	sources   []source    // of this directory
	number    int         // of the latest segment
	final     bool        // the final files hold all runs, and nothing else is there
	damage    []Damage
	warnings  []string
	locks     []func() error // to be released

	open    *segment
	closing segmentWriter

	compactAfter int       // small segments that become one
	since        time.Time // when the open segment got its first row
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
//
// If the directory has shards (see OpenShard), their runs count too, and
// become part of the final files; the shards are locked, read and left as
// they are.
func Open(dir string, spec *grid.Spec, plan Plan) (*Store, error) {
	return open(osDisk{}, dir, spec, plan)
}

func open(d disk, dir string, spec *grid.Spec, plan Plan) (*Store, error) {
	return openWith(d, dir, spec, plan, terms{})
}

// terms say what is special about a store. The zero terms are those of the
// directory of a whole sweep.
type terms struct {
	part  *grid.Shard // see Store
	whole []source    // of the directory whose shard this is

	gathered []source     // to be merged here, in place of the directory's own shards
	lock     func() error // releases the directory's lock, which is held already
}

func openWith(d disk, dir string, spec *grid.Spec, plan Plan, t terms) (*Store, error) {
	e := plan.Experiment()
	s := &Store{
		disk:    d,
		dir:     dir,
		plan:    plan,
		layouts: newLayouts(e, spec.Name),
		part:    t.part,
		here:    newTally(plan),

		compactAfter: compactSegments,

		elsewhere: newTally(plan),
	}
	s.elsewhere.judge = s.here.judge // which must know the rows of both
	if t.lock != nil {
		s.locks = append(s.locks, t.lock)
	}
	s.open = newSegment(e, s.layouts.runs)
	s.closing.disk, s.closing.layouts = d, s.layouts
	// Before anything is written there, the lock included.
	inv, err := takeInventory(d, dir, hasSeries(e))
	if err == nil && !inv.ours {
		err = notOurs(dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.release())
	}
	var readOnly error
	if t.lock == nil {
		if readOnly = s.lock(); readOnly != nil && !unchangeable(readOnly) {
			return nil, readOnly
		}
	}
	if err := s.load(spec, readOnly, t); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func notOurs(dir string) error {
	return &DataError{
		Path:    dir,
		Message: "the directory is not empty, and not the output of a sweep",
		Hint:    "name a new or an empty directory",
	}
}

// lock makes the directory and takes its lock. If there are no locks it
// warns and goes on.
func (s *Store) lock() error {
	if err := mkdirAll(s.disk, s.dir); err != nil {
		return err
	}
	unlock, err := s.disk.lock(s.dir)
	if errors.Is(err, errNoLocks) {
		s.warnings = append(s.warnings, noLockWarning(err))
		return nil
	}
	if err != nil {
		return err
	}
	s.locks = append(s.locks, unlock)
	return nil
}

func noLockWarning(err error) string {
	return fmt.Sprintf("%v: nothing keeps a second process from writing here too", err)
}

// release ends the locks.
func (s *Store) release() error {
	locks := s.locks
	s.locks = nil
	return releaseAll(locks)
}

func releaseAll(locks []func() error) error {
	var err error
	for _, unlock := range locks {
		err = errors.Join(err, unlock())
	}
	return err
}

// unchangeable reports whether an error says that a directory may be read
// and not written.
func unchangeable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// load learns what the directory holds and puts it in order. If readOnly is
// not nil, the directory cannot be changed for that reason, and only one
// in which nothing is to be done is accepted.
func (s *Store) load(spec *grid.Spec, readOnly error, t terms) error {
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
	if err := s.lookAbout(t); err != nil {
		return err
	}
	dropped := forgetFailures(s.here, s.elsewhere)
	if err := s.refuseLooserRule(spec.Source); err != nil {
		return err
	}
	dropped += forgetSuperfluous(s.here, s.elsewhere)
	s.final = s.final && dropped == 0
	s.final = s.final && s.Finished()+s.Failed() == s.Assigned()
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

// learn reads which runs the sources hold. The directory is final if it has
// sound final files and nothing else; whether they hold all runs remains to
// be seen.
func (s *Store) learn(inv *inventory) error {
	sc := scanner{disk: s.disk, plan: s.plan, layout: s.layouts.runs, tally: s.here}
	for i := range inv.sources {
		src := &inv.sources[i]
		spec, err := sc.scan(src)
		if err != nil {
			return err
		}
		if src.small, err = s.isSmall(*src); err != nil {
			return err
		}
		s.number = max(s.number, src.number)
		s.final = len(inv.sources) == 1 && src.number == finalSource &&
			src.sorted && inv.summary != "" && spec == s.layouts.runs.metadata[keySpec]
	}
	s.sources = inv.sources
	return sc.foreign.refuse(s.dir, s.plan)
}

// lookAbout learns which runs other directories hold: for a shard that of
// the whole sweep, for the whole those to be merged.
func (s *Store) lookAbout(t terms) error {
	if s.part != nil {
		return s.scanOther(t.whole, s.elsewhere)
	}
	s.borrowed = t.gathered
	if s.borrowed == nil && !s.here.complete(s.plan) {
		if err := s.borrowShards(); err != nil {
			return err
		}
	}
	ok, failed := s.here.ok.count, s.here.failed.count
	if err := s.scanOther(s.borrowed, s.here); err != nil {
		return err
	}
	s.final = s.final && ok == s.here.ok.count && failed == s.here.failed.count
	return nil
}

func (s *Store) scanOther(sources []source, to *tally) error {
	sc := scanner{disk: s.disk, plan: s.plan, layout: s.layouts.runs, tally: to}
	for i := range sources {
		if _, err := sc.scan(&sources[i]); err != nil {
			return err
		}
		if err := sc.foreign.refuse(sources[i].runs, s.plan); err != nil {
			return err
		}
	}
	return nil
}

// borrowShards takes the sources of the directory's shards, and their locks.
func (s *Store) borrowShards() error {
	shards, err := listShards(s.disk, s.dir)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		unlock, warning, err := lockInput(s.disk, shard.dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // who had begun it has seen us, and abandoned it
		}
		if err != nil {
			return err
		}
		s.locks = append(s.locks, unlock)
		if warning != "" {
			s.warnings = append(s.warnings, warning)
		}
		sources, damage, err := soundSources(s.disk, shard.dir, hasSeries(s.plan.Experiment()))
		if err != nil {
			return err
		}
		s.damage = append(s.damage, damage...)
		s.borrowed = append(s.borrowed, sources...)
	}
	return nil
}

// refuseLooserRule refuses a directory that has more seeds than the stopping
// rule of a new spec asks for: the files would hold other runs than if the
// sweep had been run with this spec alone. Under the same spec there are
// such runs only if one that had failed has since succeeded.
func (s *Store) refuseLooserRule(text []byte) error {
	if s.here.judge == nil {
		return nil
	}
	rows, most := s.here.judge.superfluous()
	if rows == 0 {
		return nil
	}
	old, err := readFile(s.disk, filepath.Join(s.dir, specFile))
	if bytes.Equal(old, text) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return &DataError{
		Path:    s.dir,
		Message: fmt.Sprintf("holds %d runs that the stopping rule does not ask for, with up to %d seeds in a cell", rows, most),
		Hint:    fmt.Sprintf("let min be %d, so that the rule goes on from there, or use another directory", most),
	}
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

// Assigned returns how many runs belong into the directory: those of the
// plan or the shard or, if there is a stopping rule, those of them that it
// asks for as far as the rows tell.
func (s *Store) Assigned() int64 {
	switch {
	case s.plan.Stop() != nil:
		return s.Finished() + s.Failed() + s.here.missing(s.plan, s.part)
	case s.part != nil:
		return s.part.Runs()
	}
	return s.plan.Runs()
}

// Done reports whether run i needs no execution: it is finished with
// status OK, or a stopping rule does not ask for it as far as the rows
// tell.
func (s *Store) Done(i int64) bool { return s.succeeded(i) || !s.here.needs(i) }

func (s *Store) succeeded(i int64) bool { return s.here.ok.has(i) || s.elsewhere.ok.has(i) }

// HasFailed reports whether run i is there as a failed row only.
func (s *Store) HasFailed(i int64) bool { return s.here.failed.has(i) && !s.elsewhere.ok.has(i) }

// Finished returns how many of the assigned runs are finished with status
// OK.
func (s *Store) Finished() int64 {
	if s.part == nil {
		return s.here.ok.count
	}
	return s.count(s.succeeded)
}

// Failed returns how many of the assigned runs are there as failed rows
// only.
func (s *Store) Failed() int64 {
	if s.part == nil {
		return s.here.failed.count
	}
	return s.count(s.HasFailed)
}

// count counts runs of the shard.
func (s *Store) count(is func(i int64) bool) int64 {
	n := int64(0)
	for k := range s.part.Runs() {
		if is(s.part.Run(k)) {
			n++
		}
	}
	return n
}

// Append adds a finished run, of which it keeps no reference. It replaces
// an earlier row of the run; but a failed row is dropped if the run has
// succeeded before. The row is on disk after the next Commit; Append calls
// it when 1,000 rows are waiting or the first has waited for a second. A
// caller whose runs may take longer than that calls Commit itself from time
// to time.
func (s *Store) Append(r *Row) error {
	if r.Status == Failed && s.here.ok.has(r.Index) {
		return nil
	}
	if len(s.open.entries) == 0 {
		s.since = time.Now()
	}
	s.open.add(r)
	metric := math.NaN()
	if rule := s.plan.Stop(); rule != nil && r.Status == OK {
		metric = r.Result.Metrics[rule.Metric]
	}
	s.here.mark(r.Index, r.Status == OK, metric)
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
	next := s.nextSegment()
	var err error
	if next.index, err = s.closing.write(s.open, next); err != nil {
		return err
	}
	if next.small, err = s.isSmall(next); err != nil {
		return err
	}
	s.number++
	s.sources = append(s.sources, next)
	s.final = false
	s.open.reset()
	return s.compact()
}

// nextSegment returns the source that the next segment will be.
func (s *Store) nextSegment() source {
	next := source{number: s.number + 1, sorted: true}
	next.runs = segmentPath(s.dir, next.number, "runs")
	if hasSeries(s.plan.Experiment()) {
		next.series = segmentPath(s.dir, next.number, "series")
	}
	return next
}

// Close commits what is open and releases the directory, also if the
// commit fails. Without Finish, segments stay for the next Open. Close may
// be called again, and then does nothing.
func (s *Store) Close() error { return errors.Join(s.Commit(), s.release()) }
