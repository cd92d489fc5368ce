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
	log      *log // the only one of the index
	manifest Manifest
	current  bool // the exported files are those of the index
	damage   []Damage
	warnings []string
	release  func() error // the lock
	readOnly error        // why the directory cannot be changed, or nil

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
// If the directory has shards (see OpenShard), their runs are taken into its
// own log.
func Open(dir string, spec *grid.Spec) (*Store, error) {
	d, err := makeDisk(dir)
	if err != nil {
		return nil, err
	}
	return openStore(d, spec)
}

// openStore opens the directory of a whole sweep. It closes d after an error.
func openStore(d disk, spec *grid.Spec) (*Store, error) {
	return open(d, spec, nil,
		func() error { return eachShard(d, disk.held) },
		func(visit func(in disk) error) error { return eachShard(d, visit) })
}

// OpenShard opens or creates the directory of one shard of the sweep in
// dir, as Open does for a whole sweep. Other processes, on other machines
// too, may have other shards of the same sweep open. Runs of the shard that
// the sweep's own directory holds are taken from there.
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
	// Whoever begins meanwhile to work on the whole, or on a shard of other
	// size, has seen this directory or is seen when it is locked.
	admit := func() error { return errors.Join(samePartition(d, shard), d.held()) }
	if err := errors.Join(surveyOurs(d), admit()); err != nil {
		return nil, err
	}
	name := path.Join(shardsDir, shardName(shard.Index(), shard.Count()))
	sub, err := subMade(d, name)
	if err != nil {
		return nil, err
	}
	s, err := open(sub, spec, &shard, admit, func(visit func(in disk) error) error { return visit(d) })
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

// open locks a directory, asks admit, learns what there is, takes the runs
// in the directories that others visits, and puts the directory in order.
// It closes d after an error.
func open(d disk, spec *grid.Spec, shard *grid.Shard, admit func() error, others func(visit func(in disk) error) error) (*Store, error) {
	plan := spec.Plan()
	s := &Store{
		disk: d, dir: d.path("."), spec: spec, plan: plan, shard: shard, index: newIndex(plan, shard),
		cells: make([]grid.ID, plan.Cells()), release: func() error { return nil },
	}
	for _, step := range []func() error{
		func() error { return surveyOurs(d) },
		s.lock,
		admit,
		s.load,
		func() error { return others(s.takeFrom) },
		func() error { return s.index.forget() },
		s.checkExports,
		s.arrange,
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, s.free())
		}
	}
	return s, nil
}

// lock takes the lock. If there are no locks it warns and goes on; if the
// directory may be read and not written, readOnly says why.
func (s *Store) lock() error {
	release, err := s.disk.lock()
	switch {
	case err == nil:
		s.release = release
	case errors.Is(err, errNoLocks):
		s.warnings = append(s.warnings, fmt.Sprintf("%v: nothing keeps a second process from writing here too", err))
	case errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission):
		s.readOnly = err
	default:
		return err
	}
	return nil
}

// load reads the store's own log, if there is one. What is corrupt in it is
// moved to corruptFile. The spec is entered into the log, if it is new there,
// with the next commit.
func (s *Store) load() error {
	mode := s.disk.appendTo
	if s.readOnly != nil {
		mode = s.disk.open
	}
	l, err := openLog(s.disk, mode)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.log = l
	if err != nil {
		s.log = &log{disk: s.disk, path: s.disk.path(logFile)}
		s.index.logs = []*log{s.log}
	} else if err := s.index.add(l); err != nil {
		return err
	}
	s.damage = append(s.damage, s.log.damage()...)
	if s.readOnly != nil {
		return nil
	}
	if s.log.lost > 0 {
		if err := s.repair(); err != nil {
			return err
		}
		closeLogs(s.index.logs)
		s.index = newIndex(s.plan, s.shard)
		return s.load()
	}
	if s.log.torn {
		if err := l.file.Truncate(l.size); err != nil {
			return err
		}
	}
	line := newHeader(s.spec).line()
	if n := len(s.log.headers); n == 0 || !bytes.Equal(s.log.headers[n-1].line(), line) {
		s.log.append(line)
	}
	return nil
}

// repair writes the log without what is corrupt, which it appends to
// corruptFile, for people to look at.
func (s *Store) repair() error {
	bad, err := readFile(s.disk, corruptFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	bad = append(append(bad, s.log.corrupt...), '\n')
	if err := writeFile(s.disk, corruptFile, bad[max(0, len(bad)-smallFile):]); err != nil {
		return err
	}
	f, err := s.disk.create(temporary(logFile))
	if err != nil {
		return err
	}
	var text []byte
	for _, h := range s.log.headers {
		text = append(text, h.line()...)
	}
	err = s.log.scan(func(*record, int64, int) (err error) {
		text = append(append(text, s.log.line[:len(s.log.line)-1]...), '\n')
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

// takeFrom takes the runs in another directory of the same sweep.
func (s *Store) takeFrom(in disk) error {
	l, err := openPart(in)
	if l == nil {
		return err
	}
	return errors.Join(s.take(l, true, new(int64)), l.file.Close())
}

// checkExports learns whether the exported files are there, whole, and those
// of the runs that the directory holds.
func (s *Store) checkExports() error {
	m, err := readManifest(s.disk)
	if corrupt, ok := errors.AsType[*DataError](err); ok && corrupt.Err != nil {
		s.damage = append(s.damage, Damage{corrupt.Path, corrupt.Message + "; it is written anew"})
		return nil
	}
	if m == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	s.manifest = *m
	x := m.Exports
	if x == nil || x.Digest != s.index.digest.String() || x.SpecSHA256 != specSHA256(s.spec.Source) || x.Spec != s.spec.Name {
		return nil
	}
	damage, missing, err := x.verify(s.disk)
	for _, d := range damage {
		s.damage = append(s.damage, Damage{d.Path, d.What + "; it was exported again"})
	}
	s.current = !missing && len(damage) == 0
	return err
}

// arrange writes what is new, and removes what an interrupted process left
// unfinished. What cannot be removed is left for the next time.
func (s *Store) arrange() error {
	if s.readOnly != nil {
		if (s.current || s.shard != nil) && s.Finished() == s.Assigned() && len(s.damage) == 0 {
			return nil
		}
		return s.readOnly
	}
	if err := s.Commit(); err != nil {
		return err
	}
	old, err := readFile(s.disk, specFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(old, s.spec.Source) {
		err = writeFile(s.disk, specFile, s.spec.Source)
	}
	for _, name := range append(slices.Clone(exportFiles), specFile, manifestFile, logFile) {
		s.disk.remove(temporary(name))
	}
	return err
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
	shard := s.plan.Shard(0, 1)
	if s.shard != nil {
		shard = *s.shard
	}
	if s.plan.Stop() == nil {
		return shard.Runs()
	}
	return s.Finished() + s.Failed() + s.index.missing(shard)
}

// Done reports whether run i needs no execution: it has succeeded, or a
// stopping rule does not ask for it as far as the records tell.
func (s *Store) Done(i int64) bool { return s.index.ok(i) || !s.index.needs(i) }

// HasFailed reports whether run i has failed and not yet succeeded.
func (s *Store) HasFailed(i int64) bool { return s.index.status(i) == Failed }

// Finished returns how many of the assigned runs have succeeded, Failed how
// many have failed.
func (s *Store) Finished() int64 { return s.index.digest.OK }
func (s *Store) Failed() int64   { return s.index.digest.Failed }

// Digest returns that of the runs that are there.
func (s *Store) Digest() Digest { return s.index.digest }

// Append adds a finished run, of which it keeps no reference. It replaces
// an earlier failure of the run; a failure is dropped if the run has
// succeeded before. The run is on disk after the next Commit; Append calls
// it when many runs are waiting or the first has waited for a second. A
// caller whose runs may take longer than that calls Commit itself from time
// to time.
//
// Append panics if the result breaks the declaration (see Check): whoever runs
// an experiment makes a failed row of that.
func (s *Store) Append(r *Row) error {
	if s.failed != nil {
		return s.failed
	}
	if r.Status != Failed {
		if err := Check(s.plan.Experiment(), &r.Result); err != nil {
			panic("results: " + err.Error()) // it would become wrong columns
		}
	} else if s.index.ok(r.Index) {
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

// Commit writes the records that are waiting: when it returns, all runs
// appended so far are on disk for good. Without new ones it does nothing.
// If it finds that another process has written here or has put another
// directory in this one's place, or if it fails, nothing more is written.
func (s *Store) Commit() error {
	if s.failed != nil || s.readOnly != nil {
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
	if s.readOnly != nil {
		return nil // nothing is to be changed
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
		err = writeManifest(s.disk, s.manifest)
	}
	for _, f := range files {
		if err == nil {
			err = f.publish()
		}
	}
	if err == nil {
		err = s.disk.syncDir(".")
	}
	if err != nil {
		discard(files)
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
	return errors.Join(s.Commit(), s.free())
}

// free gives back what the store has of the system.
func (s *Store) free() error {
	closeLogs(s.index.logs)
	return errors.Join(s.release(), s.disk.close())
}
