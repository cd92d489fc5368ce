package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"sweep/grid"
	"sweep/internal/disk"
)

// A commit is due when so many runs or bytes are waiting.
const (
	commitRuns  = 1000
	commitBytes = 16 << 20
)

const toWrite = "name a new or an empty directory" // instead of one that holds something else

// Store is the output directory of one sweep, or of one shard of it, open
// for writing: a Reader of it, to which runs are appended. Its methods are to
// be called by one goroutine at a time.
type Store struct {
	*Reader
	Warnings []string // what a user should know, as sentences: that the directory cannot be locked

	Manifest Manifest // as manifest.json had it at first, or has it since; zero if there was none

	disk     disk.Dir
	log      *log  // the only one of the reader
	current  bool  // the exported files are those of the runs
	readOnly error // why the directory cannot be changed, or nil

	line    []byte // of the run that was appended last
	waiting int    // runs that were appended and not committed
	failed  error  // of a commit, after which nothing is written
}

// Open opens or creates the directory of a sweep and learns which runs of
// the spec's plan it already holds; what else it holds stays there. It
// writes the spec into the directory. Until Close no other process can open
// it; what it cannot do is read.
//
// A shard that is not nil has a directory of its own in that of the sweep.
// Other processes, on other machines too, may have other shards open. Runs of
// the shard that the sweep's own directory holds are taken from there, as the
// whole takes those of its shards.
//
// The checksum of every record and of the exported files is compared; see
// Damage for what is corrupt.
//
// The error is ErrLocked if another process has the directory open, or one of
// its shards, or its whole. A *DataError refuses one that has other
// content than a sweep's, results of another experiment or model version, or of
// an earlier format of this program, a run with two different outcomes, and a
// shard of a sweep that was divided into another number of them. A refused
// directory is left as it was. A directory that may not be changed can be
// opened if nothing is left to do there.
func Open(dir string, spec *grid.Spec, shard *grid.Shard) (*Store, error) {
	d, err := disk.Make(dir)
	if err != nil {
		return nil, err
	}
	return openStore(d, spec, shard)
}

// openStore locks the directory of a sweep or, in it, of a shard, learns what
// there is, takes the runs of the sweep's other directories, in which nobody may
// write, and puts its own in order. It closes d after an error, or if it is not
// that of the store.
func openStore(d disk.Dir, spec *grid.Spec, shard *grid.Shard) (s *Store, err error) {
	own, others := d, func(visit func(in disk.Dir) error) error { return eachShard(d, visit) }
	if shard != nil {
		defer d.Close()
		if err := errors.Join(survey(d, toWrite), held(d)); err != nil {
			return nil, err
		}
		shards, err := disk.MakeSub(d, shardsDir)
		if err != nil {
			return nil, err
		}
		defer shards.Close()
		// Whoever begins meanwhile to work on the whole, or on a shard of other
		// size, has seen the shard's directory or is seen when it is locked.
		others = func(visit func(in disk.Dir) error) error {
			if err := samePartition(shards, shard); err != nil {
				return err
			}
			return visit(d)
		}
		if err := samePartition(shards, shard); err != nil {
			return nil, err
		}
		name := shardName(shard.Index, shard.Count)
		if own, err = disk.MakeSub(shards, name); err != nil {
			return nil, err
		}
		defer func() {
			if s == nil {
				shards.Remove(name) // if nothing is in it
			}
		}()
	}
	s = &Store{Reader: newReader(own.Path("."), spec), disk: own}
	s.Shard = shard
	for _, step := range []func() error{
		func() error { return survey(own, toWrite) },
		s.lock,
		func() error { return others(held) },
		s.load,
		func() error {
			return others(func(in disk.Dir) error {
				_, err := s.take(in, true)
				return err
			})
		},
		s.checkExports,
		s.arrange,
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, s.free())
		}
	}
	return s, nil
}

// samePartition refuses a sweep that has shards of another number.
func samePartition(shards disk.Dir, shard *grid.Shard) error {
	names, err := shardNames(shards)
	for _, name := range names {
		if _, count, _ := shardOf(name); count != shard.Count {
			hint := fmt.Sprintf("go on with --shard i/%d, or use another directory", count)
			return disk.Refuse(shards.Path("."), hint, "the sweep is divided into %d shards here, not into %d: there is %s",
				count, shard.Count, name)
		}
	}
	return err
}

// lock opens the log and locks it. If there are no locks it warns and goes
// on; if the directory may be read and not written, readOnly says why.
func (s *Store) lock() error {
	f, err := s.disk.Lock(logFile)
	switch {
	case errors.Is(err, disk.ErrNoLocks):
		s.Warnings = append(s.Warnings, err.Error()+": nothing keeps a second process from writing here too")
	case errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission):
		s.readOnly = err
		if f, err = s.disk.Open(logFile); err != nil {
			return s.readOnly
		}
	case err != nil:
		return locked(s.disk, err)
	}
	s.log = newLog(s.disk, f)
	return nil
}

// load reads the store's own log, and cuts off the end of a line that was never
// written whole. The spec, and how much of the log is corrupt, are entered into
// the log, if they are new there, with the next commit.
func (s *Store) load() error {
	if err := s.add(s.log); err != nil || s.readOnly != nil {
		return err
	}
	if s.log.torn {
		if err := s.log.file.Truncate(s.log.size); err != nil {
			return err
		}
	}
	e := s.Plan.Experiment()
	text := asJSON(header{
		logFormat, s.Spec.Name, e.Name, e.Version, s.Spec.SHA256(), recordColumns(e), s.log.corrupt})
	if n := len(s.log.headers); n == 0 || asJSON(s.log.headers[n-1]) != text {
		s.log.pending = sealLine([]byte(text[:len(text)-1]), 0)
	}
	s.Name = s.Spec.Name
	return nil
}

// checkExports learns whether the exported files are there, whole, and those
// of the runs that the directory holds.
func (s *Store) checkExports() error {
	m, damage, missing, err := checkExports(s.disk)
	s.Manifest = m
	x := m.Exports
	s.current = x != nil && !missing && damage == nil &&
		x.Digest == s.Digest() && x.SpecSHA256 == s.Spec.SHA256() && x.Spec == s.Spec.Name
	for _, d := range damage {
		s.Damage = append(s.Damage, disk.Refuse(d.Path, "", "%s; it was written again", d.Message))
	}
	return err
}

// arrange writes what is new, and removes what an interrupted process left
// unfinished. What cannot be removed is left for the next time.
func (s *Store) arrange() error {
	if s.readOnly != nil {
		if (s.current || s.Shard != nil) && s.OK() == s.Assigned() && len(s.Damage) == 0 {
			return nil
		}
		return s.readOnly
	}
	if err := s.Commit(); err != nil {
		return err
	}
	old, err := disk.ReadFile(s.disk, specFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(old, s.Spec.Source) {
		err = disk.WriteFile(s.disk, specFile, s.Spec.Source)
	}
	for _, name := range append(slices.Clone(exportFiles), specFile, manifestFile) {
		s.disk.Remove(disk.Temporary(name))
	}
	return err
}

// Done reports whether nothing is left to do for run i: it has succeeded, or
// it is not needed.
func (s *Store) Done(i int64) bool { return s.place(i).ok || !s.needs(i) }

// Append adds a finished run, of which it keeps no reference. It replaces
// an earlier failure of the run; a failure is dropped if the run has
// succeeded before. The run is on disk after the next Commit; Append calls
// it when many runs are waiting, and its caller should from time to time.
//
// Append panics if the result breaks the declaration (see experiment.CheckResult): whoever runs
// an experiment makes a failed row of that.
func (s *Store) Append(r *Row) error {
	if s.failed != nil {
		return s.failed
	}
	if r.Status != Failed {
		if err := s.Plan.Experiment().CheckResult(&r.Result); err != nil {
			panic("results: " + err.Error()) // it would become wrong columns
		}
	}
	s.line = appendRecord(s.line[:0], s.Plan.CellID(r.Index%s.Plan.Cells()), r, r.Hash())
	if len(s.line) > maxRecord {
		return fmt.Errorf("the record of run %s has %d bytes, more than the %d that a log can hold",
			r.ID, len(s.line), maxRecord)
	}
	rec := record{log: s.log, at: s.log.end()}
	rec.parse(s.line, s.line[:bytes.LastIndex(s.line, []byte(lineEnd[0]))])
	if s.waiting++; s.waiting >= commitRuns {
		return errors.Join(s.enter(&rec), s.Commit())
	}
	return s.enter(&rec)
}

// enter appends a record unless it adds nothing, and commits when many bytes
// are waiting.
func (s *Store) enter(r *record) error {
	entered, err := s.mark(r, s.log, s.log.end())
	if err != nil || !entered {
		return err
	}
	if s.readOnly != nil {
		return s.readOnly
	}
	s.current = false
	s.log.pending = append(append(s.log.pending, r.line[:len(r.line)-1]...), '\n')
	if len(s.log.pending) < commitBytes {
		return nil
	}
	return s.Commit()
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

// Export commits, and exports the runs that are there to runs.parquet,
// series.parquet (if the experiment has series) and summary.parquet. At no time
// is a file there that is not whole: if ctx ends before the new ones are written,
// those that are there stay, and the error is ctx's cause. If the files are there
// and nothing is new, it leaves them alone. A shard has no such files.
func (s *Store) Export(ctx context.Context) error {
	if err := s.Commit(); err != nil || s.current || s.Shard != nil || s.readOnly != nil {
		return err
	}
	if err := s.disk.Moved(); err != nil {
		return err
	}
	files, err := export(s.disk, s.Reader, func() error {
		s.beat()
		return context.Cause(ctx)
	})
	// Until the files have their names, the manifest tells of none: what an
	// interruption leaves must not pass for corrupt.
	if err == nil && s.Manifest.Exports != nil {
		s.Manifest.Exports = nil
		err = writeManifest(s.disk, s.Manifest)
	}
	sums := map[string]disk.Sum{}
	for _, f := range files {
		if err == nil {
			sums[f.name], err = f.sum, disk.Publish(s.disk, f.file, f.name, nil)
		}
	}
	if err != nil {
		for _, f := range files {
			f.discard()
		}
		return err
	}
	s.current = true
	s.Manifest.Exports = &Exports{s.Digest(), s.Spec.Name, s.Spec.SHA256(), sums}
	return writeManifest(s.disk, s.Manifest)
}

// beat writes the manifest of a sweep that is alive, for an export may take
// long. That it cannot be written is no reason to stop: those who lack it
// know less, and no result depends on it.
func (s *Store) beat() {
	if now := time.Now(); !s.Manifest.Start.IsZero() && now.Sub(s.Manifest.Updated) > 2*time.Second {
		s.Manifest.Updated = now
		_ = writeManifest(s.disk, s.Manifest)
	}
}

// WriteManifest writes manifest.json atomically, with what the store knows
// of the exported files. Times are written in UTC as RFC 3339 with whole
// seconds.
func (s *Store) WriteManifest(m Manifest) error {
	m.Exports = s.Manifest.Exports
	s.Manifest = m
	return writeManifest(s.disk, m)
}

// Close commits what is waiting and releases the directory, also if the
// commit fails.
func (s *Store) Close() error { return errors.Join(s.Commit(), s.free()) }

// free gives back what the store has of the system. A log in which nothing
// was ever written is removed.
func (s *Store) free() (err error) {
	if s.log != nil {
		if size, sizeErr := disk.Size(s.log.file); sizeErr == nil && size == 0 && s.readOnly == nil {
			s.disk.Remove(logFile)
		}
		err = s.log.file.Close()
	}
	return errors.Join(err, s.disk.Close())
}
