package results

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"syscall"
	"time"

	"sweep/grid"
)

// A commit is due when so many runs or bytes are waiting, or the first run
// has waited so long.
const (
	commitRuns  = 1000
	commitBytes = 16 << 20
	commitAge   = time.Second
)

// Store is the output directory of one sweep, or of one shard of it, open
// for writing. Its methods are to be called by one goroutine at a time.
type Store struct {
	disk  disk
	dir   string
	spec  *grid.Spec
	plan  *grid.Plan
	shard *grid.Shard // nil: the whole sweep

	index    *index
	log      *log // its own, the first of the index; nil if the directory cannot be changed
	manifest Manifest
	current  bool // the exported files are those of the index
	damage   []Damage
	warnings []string
	release  func() error // the lock

	waiting int       // runs that were appended and not committed
	since   time.Time // the first of them
	failed  error     // of a commit, after which nothing is written
	cells   []grid.ID // by number, as far as they are known
	row     []byte    // scratch
	closed  bool
}

// A Damage is a file that was found corrupt when a directory was opened.
type Damage struct {
	Path string
	What string // is wrong with it, and what was done
}

// String returns the path and what is wrong.
func (d Damage) String() string { return d.Path + ": " + d.What }

// Open opens or creates the directory of a sweep and learns which runs of
// the spec's plan it already holds; what else it holds stays there. It
// writes the spec into the directory. Until Close no other process can open
// it; what it cannot do is read.
//
// The checksum of every record and of the exported files is compared; see
// Damage for what is corrupt.
//
// A *LockedError refuses a directory that another process has open, or a
// shard of which. A *DataError refuses one that has other content than a
// sweep's, results of another experiment or model version, or of an earlier
// format of this program, and a run with two different outcomes. A refused
// directory is left as it was. A directory that may not be changed can be
// opened if nothing is left to do there.
//
// If the directory has shards (see OpenShard), their runs count too; their
// logs are read where they are.
func Open(dir string, spec *grid.Spec) (*Store, error) {
	d, err := makeDisk(dir)
	if err != nil {
		return nil, err
	}
	return openStore(d, spec)
}

// openStore opens the directory of a whole sweep. It closes d after an error.
func openStore(d disk, spec *grid.Spec) (*Store, error) {
	s := newStore(d, spec, nil)
	return s.opened(s.open(func() error { return shardsHeld(d) }, func() ([]*log, error) { return openParts(d, true) }))
}

// OpenShard opens or creates the directory of one shard of the sweep in
// dir, as Open does for a whole sweep. Other processes, on other machines
// too, may have other shards of the same sweep open. Runs that the sweep's
// own directory holds count as done.
//
// A *DataError refuses a sweep that has been divided into another number of
// shards, a *LockedError also one that another process works on as a whole.
func OpenShard(dir string, shard grid.Shard, spec *grid.Spec) (*Store, error) {
	d, err := makeDisk(dir)
	if err != nil {
		return nil, err
	}
	s, err := openShard(d, shard, spec)
	return s, errors.Join(err, d.close())
}

func openShard(d disk, shard grid.Shard, spec *grid.Spec) (*Store, error) {
	found, err := surveyOf(d)
	if err == nil && !found.ours {
		err = notOurs(d)
	}
	// Whoever begins meanwhile to work on the whole, or on a shard of other
	// size, has seen this directory or is seen when it is locked.
	admit := func() error { return errors.Join(samePartition(d, shard), d.held()) }
	if err == nil {
		err = admit()
	}
	if err != nil {
		return nil, err
	}
	name := path.Join(shardsDir, shardName(shard.Index(), shard.Count()))
	sub, err := subMade(d, name)
	if err != nil {
		return nil, err
	}
	s := newStore(sub, spec, &shard)
	s, err = s.opened(s.open(admit, func() ([]*log, error) {
		if !found.has[logFile] {
			return nil, nil
		}
		l, err := openLog(d, d.open)
		return []*log{l}, err
	}))
	if err != nil {
		d.remove(name) // if nothing is in it
	}
	return s, err
}

// subMade opens a directory below, and makes it if need be, durably.
func subMade(d disk, name string) (disk, error) {
	for _, dir := range []string{path.Dir(name), name} {
		err := d.mkdir(dir)
		if err == nil {
			err = d.syncDir(path.Dir(dir))
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return d.sub(name)
}

// samePartition refuses a sweep that has shards of another number.
func samePartition(d disk, shard grid.Shard) error {
	shards, err := listShards(d)
	for _, s := range shards {
		if s.count != shard.Count() {
			return &DataError{
				Path:    d.path(shardsDir),
				Message: fmt.Sprintf("the sweep is divided into %d shards here, not into %d: there is %s", s.count, shard.Count(), path.Base(s.name)),
				Hint:    fmt.Sprintf("go on with --shard i/%d, or use another directory", s.count),
			}
		}
	}
	return err
}

// shardsHeld returns a *LockedError if somebody writes to a shard.
func shardsHeld(d disk) error {
	shards, err := listShards(d)
	for _, s := range shards {
		sub, subErr := d.sub(s.name)
		if errors.Is(subErr, fs.ErrNotExist) {
			continue
		}
		if err = errors.Join(err, subErr); err == nil {
			err = errors.Join(sub.held(), sub.close())
		}
	}
	return err
}

func newStore(d disk, spec *grid.Spec, shard *grid.Shard) *Store {
	plan := spec.Plan()
	return &Store{
		disk: d, dir: d.path("."), spec: spec, plan: plan, shard: shard,
		cells: make([]grid.ID, plan.Cells()), release: func() error { return nil },
	}
}

// opened closes the store after an error.
func (s *Store) opened(err error) (*Store, error) {
	if err != nil {
		s.closeAll()
		return nil, errors.Join(err, s.release(), s.disk.close())
	}
	return s, nil
}

// open locks the directory, asks admit, learns what there is, also in the
// logs that others returns, and puts the directory in order.
func (s *Store) open(admit func() error, others func() ([]*log, error)) error {
	found, err := surveyOf(s.disk)
	if err == nil && !found.ours {
		err = notOurs(s.disk)
	}
	if err != nil {
		return err
	}
	readOnly, err := s.lock()
	if err != nil {
		return err
	}
	if err := admit(); err != nil {
		return err
	}
	if err := s.load(found.has[logFile], readOnly != nil); err != nil {
		return err
	}
	logs, err := others()
	if err != nil {
		return err
	}
	if err := s.addOthers(logs); err != nil {
		return err
	}
	if err := s.index.forget(); err != nil {
		return err
	}
	if err := s.checkExports(readOnly != nil); err != nil {
		return err
	}
	if readOnly == nil {
		return s.arrange(found)
	}
	if s.current && s.Finished() == s.Assigned() && len(s.damage) == 0 {
		return nil
	}
	return readOnly
}

// lock takes the lock. If there are no locks it warns and goes on; if the
// directory may be read and not written, it says why.
func (s *Store) lock() (readOnly, err error) {
	release, err := s.disk.lock()
	switch {
	case err == nil:
		s.release = release
	case errors.Is(err, errNoLocks):
		s.warnings = append(s.warnings, fmt.Sprintf("%v: nothing keeps a second process from writing here too", err))
	case errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission):
		return err, nil
	default:
		return nil, err
	}
	return nil, nil
}

// load reads the store's own log. What is corrupt in it is moved to
// corruptFile.
func (s *Store) load(there, readOnly bool) error {
	s.index = newIndex(s.plan)
	if !there {
		return nil
	}
	open := s.disk.appendTo
	if readOnly {
		open = s.disk.open
	}
	l, err := openLog(s.disk, open)
	if err != nil {
		return err
	}
	if err := s.index.add(l); err != nil {
		return err
	}
	s.log = l
	s.damage = append(s.damage, l.damage()...)
	if readOnly {
		return nil
	}
	if l.lost > 0 {
		if err := s.repair(l); err != nil {
			return err
		}
		s.closeAll()
		return s.load(true, false)
	}
	if l.torn {
		return l.file.Truncate(l.size)
	}
	return nil
}

// repair writes a log without what is corrupt, which it appends to
// corruptFile, for people to look at.
func (s *Store) repair(l *log) error {
	bad, err := readFile(s.disk, corruptFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	bad = append(append(bad, l.corrupt...), '\n')
	if err := writeFile(s.disk, corruptFile, bad[max(0, len(bad)-smallFile):]); err != nil {
		return err
	}
	f, err := s.disk.create(temporary(logFile))
	if err != nil {
		return err
	}
	var text []byte
	for _, h := range l.headers {
		text = append(text, h.line()...)
	}
	err = l.scan(func(*record, int64, int) (err error) {
		text = append(append(text, l.line[:len(l.line)-1]...), '\n')
		if len(text) >= commitBytes {
			_, err = f.Write(text)
			text = text[:0]
		}
		return err
	})
	if err == nil {
		_, err = f.Write(text)
	}
	return publish(s.disk, f, logFile, err)
}

// addOthers reads logs that are only read here.
func (s *Store) addOthers(logs []*log) error {
	for i, l := range logs {
		if err := s.index.add(l); err != nil {
			closeLogs(logs[i+1:])
			return err
		}
		s.damage = append(s.damage, l.damage()...)
	}
	return nil
}

// checkExports learns whether the exported files are there, whole, and those
// of the runs that the directory holds.
func (s *Store) checkExports(readOnly bool) error {
	m, err := readManifest(s.disk)
	var corrupt *DataError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &corrupt) && corrupt.Err != nil:
		s.damage = append(s.damage, Damage{corrupt.Path, corrupt.Message + ", and was written anew"})
		if readOnly {
			return nil
		}
		return s.disk.remove(manifestFile)
	case err != nil:
		return err
	}
	s.manifest = *m
	if s.shard != nil {
		s.current = true
		return nil
	}
	x := m.Exports
	if x == nil || x.Digest != s.index.digest.String() || x.SpecSHA256 != specSHA256(s.spec.Source) || x.Spec != s.spec.Name {
		return nil
	}
	s.current = true
	for _, name := range exportFiles {
		want, listed := x.Files[name]
		if !listed {
			continue
		}
		fault, err := verify(s.disk, name, want)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.current = false
		case err != nil:
			return err
		case fault != nil:
			s.current = false
			s.damage = append(s.damage, Damage{s.disk.path(name), fault.Error() + "; it was exported again"})
		}
	}
	return nil
}

// arrange makes the log if there is none, enters the spec into it, writes
// spec.toml, and removes what an interrupted process left unfinished. What
// cannot be removed is left for the next time.
func (s *Store) arrange(found survey) error {
	if s.log == nil {
		f, err := s.disk.create(logFile)
		if err != nil {
			return err
		}
		s.log = &log{disk: s.disk, path: s.disk.path(logFile), file: f}
		s.index.logs = append(s.index.logs, s.log)
	}
	line := newHeader(s.spec).line()
	if n := len(s.log.headers); n == 0 || !bytes.Equal(s.log.headers[n-1].line(), line) {
		s.log.append(line)
		if err := errors.Join(s.log.commit()); err != nil {
			return err
		}
		if err := s.disk.syncDir("."); err != nil {
			return err
		}
	}
	old, err := readFile(s.disk, specFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(old, s.spec.Source) {
		err = writeFile(s.disk, specFile, s.spec.Source)
	}
	if err != nil {
		return err
	}
	for _, name := range append(slices.Clone(exportFiles), specFile, manifestFile, logFile) {
		if found.has[temporary(name)] {
			s.disk.remove(temporary(name))
		}
	}
	return nil
}

// Dir returns the directory's path.
func (s *Store) Dir() string { return s.dir }

// Spec returns what the directory was opened for.
func (s *Store) Spec() *grid.Spec { return s.spec }

// Shard returns the shard that the directory is of, nil for a whole sweep.
func (s *Store) Shard() *grid.Shard { return s.shard }

// Damage returns what was found corrupt when the directory was opened. Runs
// whose records are corrupt count as missing, exported files are written
// anew; what is in the directories of others is left as it is.
func (s *Store) Damage() []Damage { return s.damage }

// Warnings returns what a user should know about the directory, as
// sentences: that it cannot be locked.
func (s *Store) Warnings() []string { return s.warnings }

// Assigned returns how many runs belong into the directory: those of the
// plan or the shard or, if there is a stopping rule, those of them that it
// asks for as far as the records tell.
func (s *Store) Assigned() int64 {
	switch {
	case s.plan.Stop() != nil:
		return s.Finished() + s.Failed() + s.index.missing(s.shard)
	case s.shard != nil:
		return s.shard.Runs()
	}
	return s.plan.Runs()
}

// Done reports whether run i needs no execution: it has succeeded, or a
// stopping rule does not ask for it as far as the records tell.
func (s *Store) Done(i int64) bool { return s.index.ok(i) || !s.index.needs(i) }

// HasFailed reports whether run i has failed and not yet succeeded.
func (s *Store) HasFailed(i int64) bool { return s.index.status(i) == Failed }

// Finished returns how many of the assigned runs have succeeded.
func (s *Store) Finished() int64 {
	if s.shard == nil {
		return s.index.digest.OK
	}
	return s.count(OK)
}

// Failed returns how many of the assigned runs have failed.
func (s *Store) Failed() int64 {
	if s.shard == nil {
		return s.index.digest.Failed
	}
	return s.count(Failed)
}

// count counts runs of the shard.
func (s *Store) count(status string) int64 {
	n := int64(0)
	for k := range s.shard.Runs() {
		if s.index.status(s.shard.Run(k)) == status {
			n++
		}
	}
	return n
}

// Digest returns that of the runs that are there.
func (s *Store) Digest() Digest { return s.index.digest }

// Append adds a finished run, of which it keeps no reference. It replaces
// an earlier failure of the run; a failure is dropped if the run has
// succeeded before. The run is on disk after the next Commit; Append calls
// it when many runs are waiting or the first has waited for a second. A
// caller whose runs may take longer than that calls Commit itself from time
// to time.
//
// Append panics if the row does not fit the declaration (see Check).
func (s *Store) Append(r *Row) error {
	if s.failed != nil {
		return s.failed
	}
	mustFit(s.plan, r)
	if r.Status == Failed && s.index.ok(r.Index) {
		return nil
	}
	hash := s.hash(r)
	l := s.log
	at := l.end()
	l.pending = appendRecord(l.pending, s.cell(r.Index%s.plan.Cells()), r, hash)
	length := l.end() - at
	if length > maxRecord {
		l.pending = l.pending[:len(l.pending)-int(length)]
		return fmt.Errorf("the record of run %s has %d bytes, more than the %d that a log can hold", r.ID, length, maxRecord)
	}
	metric := math.NaN()
	if rule := s.plan.Stop(); rule != nil && r.Status == OK {
		metric = r.Result.Metrics[rule.Metric]
	}
	if err := s.index.mark(r.Index, l, r.Status == OK, hash, metric, at, int(length)); err != nil {
		return err
	}
	return s.appended()
}

// appended counts a record that was appended.
func (s *Store) appended() error {
	s.current = false
	if s.waiting == 0 {
		s.since = time.Now()
	}
	s.waiting++
	if s.waiting >= commitRuns || len(s.log.pending) >= commitBytes || time.Since(s.since) >= commitAge {
		return s.Commit()
	}
	return nil
}

func (s *Store) hash(r *Row) Hash {
	s.row = appendHashed(s.row[:0], s.plan.Experiment(), r)
	return sha256.Sum256(s.row)
}

func (s *Store) cell(c int64) grid.ID {
	if s.cells[c] == (grid.ID{}) {
		s.cells[c] = s.plan.CellID(c)
	}
	return s.cells[c]
}

// mustFit panics if a row does not fit the declaration. Whoever runs an
// experiment checks its results, and makes a failed row of a misfit; one
// that comes this far would become wrong columns.
func mustFit(plan *grid.Plan, r *Row) {
	e := plan.Experiment()
	if len(r.Point.Values) != len(e.Params) {
		panic("results: row with the wrong number of parameters")
	}
	switch r.Status {
	case Failed:
	case OK:
		if err := Check(e, &r.Result); err != nil {
			panic("results: " + err.Error())
		}
	default:
		panic("results: row without a status")
	}
}

// Commit writes the records that are waiting: when it returns, all runs
// appended so far are on disk for good. Without new ones it does nothing.
// If it finds that another process has written here or has put another
// directory in this one's place, or if it fails, nothing more is written.
func (s *Store) Commit() error {
	if s.failed != nil || s.log == nil {
		return s.failed
	}
	s.failed = s.log.commit()
	s.waiting = 0
	return s.failed
}

// Finish commits, and exports all runs that are there to runs.parquet,
// series.parquet (if the experiment has series) and summary.parquet. Runs
// that a stopping rule does not ask for, because runs that had failed have
// succeeded since, are left out. If the files are there and nothing is new,
// it leaves them alone. A shard has no such files.
func (s *Store) Finish() error {
	if err := s.Commit(); err != nil {
		return err
	}
	if s.log == nil {
		return nil // nothing can be changed, and nothing is to be
	}
	before := s.index.digest
	if err := s.index.forget(); err != nil {
		return err
	}
	if s.index.digest != before {
		s.current = false
	}
	return s.Refresh()
}

// Refresh exports the runs that are committed so far. At no time is a file
// there that is not whole.
func (s *Store) Refresh() error {
	if s.current || s.shard != nil {
		return nil
	}
	if err := errors.Join(s.Commit(), s.disk.moved()); err != nil {
		return err
	}
	files, sums, err := export(s.disk, s.index, s.spec.Name, s.beat)
	if err != nil {
		return err
	}
	// Until the files have their names, the manifest tells of none: what an
	// interruption leaves must not pass for corrupt.
	if s.manifest.Exports != nil {
		s.manifest.Exports = nil
		if err := writeManifest(s.disk, s.manifest); err != nil {
			files.discard()
			return err
		}
	}
	for _, f := range files.files() {
		if err := f.publish(); err != nil {
			files.discard()
			return err
		}
	}
	if err := s.disk.syncDir("."); err != nil {
		return err
	}
	s.current = true
	s.manifest.Exports = &Exports{s.index.digest.String(), s.spec.Name, specSHA256(s.spec.Source), sums}
	return writeManifest(s.disk, s.manifest)
}

// beat writes the manifest of a sweep that is alive, for an export may take
// long. That it cannot be written is no reason to stop: those who lack it
// know less, and no result depends on it.
func (s *Store) beat() {
	if now := time.Now(); !s.manifest.Start.IsZero() && now.Sub(s.manifest.Updated) > 2*time.Second {
		s.manifest.Updated = now
		_ = writeManifest(s.disk, s.manifest)
	}
}

// WriteManifest writes manifest.json atomically, with what the store knows
// of the exported files. Times are written in UTC as RFC 3339 with whole
// seconds.
func (s *Store) WriteManifest(m Manifest) error {
	m.Exports = s.manifest.Exports
	s.manifest = m
	return writeManifest(s.disk, m)
}

// Manifest returns what manifest.json held when the directory was opened, or
// was written since; zero if there was none.
func (s *Store) Manifest() Manifest { return s.manifest }

// Close commits what is waiting and releases the directory, also if the
// commit fails. Close may be called again, and then does nothing.
func (s *Store) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.Commit()
	s.closeAll()
	return errors.Join(err, s.release(), s.disk.close())
}

// closeAll closes the logs.
func (s *Store) closeAll() {
	if s.index != nil {
		closeLogs(s.index.logs)
		s.index.logs = nil
	}
}
