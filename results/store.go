package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// A commit is due when this many runs or bytes are waiting.
const (
	commitRuns  = 1000
	commitBytes = 16 << 20
)

// newDirectory is the advice on a directory that holds something else.
const newDirectory = "name a new or an empty directory"

// Store is the output directory of one sweep, or of one shard of it, open
// for writing: a Reader of it, to which runs are appended. Its methods are to
// be called by one goroutine at a time.
type Store struct {
	*Reader

	// Warnings tell a user, in sentences, that the directory cannot be locked.
	Warnings []string

	// Manifest is that of manifest.json; zero if there is none.
	Manifest Manifest

	disk     disk.Dir
	log      *log  // the only one of the reader
	current  bool  // the exported files are those of the runs
	readOnly error // why the directory cannot be changed, or nil

	host       string // of this process
	header     header // of the next records
	headerLine []byte

	line    []byte // of the run that was appended last
	texts   *cellTexts
	waiting int   // runs that were appended and not committed
	failed  error // of a commit, after which nothing is written
}

// Open opens or creates the directory of a sweep and finds the runs of the
// spec's plan in it. Records of other runs stay there. Open writes the spec
// into the directory. Until Close, no other process can open it for writing.
//
// A shard that is not nil has its own directory within that of the sweep. Other
// processes, on other machines too, may have other shards open. A shard takes
// its runs from the sweep's own directory if they are there, and the whole
// takes those of its shards.
//
// Open compares the checksums of all records and of the exported files; see
// Damage for what is corrupt.
//
// The error is ErrLocked if another process has the directory open, or one of
// its shards, or the whole. It is a *DataError if the directory is not that of
// a sweep, or holds results of another experiment, model version or format, or
// a run with two different outcomes, or if the sweep is divided into another
// number of shards. A refused directory is left as it was. A directory that may
// not be changed can be opened if nothing is left to do there.
func Open(dir string, spec *grid.Spec, shard *grid.Shard) (*Store, error) {
	d, err := disk.Make(dir)
	if err != nil {
		return nil, err
	}
	return openStore(d, spec, shard)
}

// OpenOther opens the directory of a sweep as Open does, but whatever its runs
// have measured. If that is not what the spec asks for, they are missing. Their
// records stay in the log, and count again if the spec becomes what it was.
func OpenOther(dir string, spec *grid.Spec) (*Store, error) {
	d, err := disk.Make(dir)
	if err != nil {
		return nil, err
	}
	return openWhole(d, spec, true)
}

// openStore opens the directory of a sweep or, within it, of a shard. It closes
// d after an error, or if d is not the store's own directory.
func openStore(d disk.Dir, spec *grid.Spec, shard *grid.Shard) (*Store, error) {
	if shard != nil {
		defer d.Close()
		return openShard(d, spec, shard)
	}
	return openWhole(d, spec, false)
}

// openWhole opens the directory of a sweep. It closes d after an error.
func openWhole(d disk.Dir, spec *grid.Spec, anyColumns bool) (*Store, error) {
	s := &Store{Reader: newReader(d.Path("."), spec), disk: d}
	s.anyColumns = anyColumns
	others := func(visit func(in disk.Dir) error) error { return eachShard(d, visit) }
	if err := s.begin(others); err != nil {
		return nil, errors.Join(err, s.free())
	}
	return s, nil
}

// openShard opens the directory of a shard within that of its sweep.
func openShard(d disk.Dir, spec *grid.Spec, shard *grid.Shard) (*Store, error) {
	if err := errors.Join(survey(d, newDirectory), held(d)); err != nil {
		return nil, err
	}
	shards, err := disk.MakeSub(d, shardsDir)
	if err != nil {
		return nil, err
	}
	defer shards.Close()
	if err := samePartition(shards, shard); err != nil {
		return nil, err
	}
	name := shardName(shard.Index, shard.Count)
	own, err := disk.MakeSub(shards, name)
	if err != nil {
		return nil, err
	}
	s := &Store{Reader: newReader(own.Path("."), spec), disk: own}
	s.Shard = shard
	// A process that starts to work on the whole, or on a shard of another
	// partition, either has seen the shard's directory or is seen when this one
	// is locked.
	others := func(visit func(in disk.Dir) error) error {
		if err := samePartition(shards, shard); err != nil {
			return err
		}
		return visit(d)
	}
	if err := s.begin(others); err != nil {
		err = errors.Join(err, s.free())
		shards.Remove(name) // if it is empty
		return nil, err
	}
	return s, nil
}

// begin locks the directory, finds what is there, takes the runs of the sweep's
// other directories, in which nobody may write, and puts its own in order.
func (s *Store) begin(others func(visit func(in disk.Dir) error) error) error {
	if err := survey(s.disk, newDirectory); err != nil {
		return err
	}
	if err := s.lock(); err != nil {
		return err
	}
	if err := others(held); err != nil {
		return err
	}
	var columns columnCheck
	end := s.endOf(s.disk)
	if err := s.load(&columns); err != nil {
		return err
	}
	s.noteEnd(end, s.log)
	err := others(func(in disk.Dir) error {
		_, err := s.take(in, true, &columns)
		return err
	})
	if err == nil && !s.anyColumns {
		err = columns.fault
	}
	if err != nil {
		return err
	}
	if err := s.checkExports(); err != nil {
		return err
	}
	s.compareWithEnds()
	return s.arrange()
}

// samePartition refuses a sweep that is divided into another number of shards.
func samePartition(shards disk.Dir, shard *grid.Shard) error {
	names, err := shardNames(shards)
	for _, name := range names {
		if _, count, _ := shardNamed(name); count != shard.Count {
			hint := fmt.Sprintf("go on with --shard i/%d, or use another directory", count)
			return disk.Refuse(shards.Path("."), hint,
				"the sweep is divided into %d shards here, not into %d: there is %s",
				count, shard.Count, name)
		}
	}
	return err
}

// lock opens the log and locks it. If the file system has no locks, it warns
// and goes on. If the directory can only be read, readOnly says why.
func (s *Store) lock() error {
	f, err := s.disk.Lock(logFile)
	switch {
	case errors.Is(err, disk.ErrNoLocks):
		warning := err.Error() + ": nothing keeps a second process from writing here too"
		s.Warnings = append(s.Warnings, warning)
	case errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission):
		s.readOnly = err
		f, err = s.disk.Open(logFile)
		if err != nil {
			return s.readOnly
		}
	case err != nil:
		return locked(s.disk, err)
	}
	s.log = newLog(s.disk, f)
	if s.Shard == nil { // a shard exports nothing
		s.recent = &recent{metrics: len(s.Plan.Experiment().Metrics)}
	}
	s.texts = newCellTexts(s.Plan.Cells())
	return nil
}

// load reads the store's own log, and cuts off a last line that was never
// written whole. If the spec or the number of corrupt bytes is new, the next
// commit writes a header with it.
func (s *Store) load(columns *columnCheck) error {
	err := s.add(s.log)
	columns.add(s.log)
	if err != nil || s.readOnly != nil {
		return err
	}
	if s.log.torn {
		if err := s.log.file.Truncate(s.log.size); err != nil {
			return err
		}
	}
	e := s.Plan.Experiment()
	s.host, _ = os.Hostname() // some machines have no name
	s.header = header{
		Format:     logFormat,
		Sweep:      s.Spec.Name,
		Experiment: e.Name,
		Version:    e.Version,
		SpecSHA256: s.Spec.SHA256(),
		Columns:    recordColumns(e),
		Host:       s.host,
		Corrupt:    s.log.corrupt,
	}
	last := header{}
	if n := len(s.log.headers); n > 0 {
		last = s.log.headers[n-1]
		last.Host = s.host // another host is told before the first record
	}
	s.headerLine = s.header.line()
	if asJSON(last) != asJSON(s.header) {
		s.enterHeader()
	}
	s.Name = s.Spec.Name
	return nil
}

// enterHeader enters the header.
func (s *Store) enterHeader() {
	s.header.at = s.log.end()
	s.log.headers = append(s.log.headers, s.header)
	s.log.pending = append(s.log.pending, s.headerLine...)
}

// needsHeader reports whether the next record, if it is of a host, needs a
// header before it, and makes that the header.
func (s *Store) needsHeader(host string) bool {
	if host == s.log.hostOf(s.log.end()) {
		return false
	}
	if host != s.header.Host {
		s.header.Host = host
		s.headerLine = s.header.line()
	}
	return true
}

// checkExports finds out whether the exported files are there, intact, and made
// from the runs that the directory holds.
func (s *Store) checkExports() error {
	m, damage, missing, err := checkExports(s.disk)
	s.Manifest = m
	s.compareWithExport(s.disk, m)
	x := m.Exports
	s.current = x != nil && missing == nil && damage == nil &&
		x.Digest == s.Digest() && x.SpecSHA256 == s.Spec.SHA256() && x.Spec == s.Spec.Name
	for _, d := range damage {
		s.Damage = append(s.Damage, disk.Refuse(d.Path, "", "%s; it was written again", d.Message))
	}
	return err
}

// arrange writes what is new, and removes what an interrupted process left
// unfinished. What it cannot remove is left for the next time.
func (s *Store) arrange() error {
	if s.readOnly != nil {
		isExported := s.current || s.Shard != nil
		if isExported && s.OK() == s.Assigned() && len(s.Damage) == 0 {
			return nil
		}
		return s.readOnly
	}
	// The first spec comes before the log's first line, which names it: a log
	// without a spec cannot be read. A later spec comes after the line with its
	// name: until then, the spec that is there is one that the log names.
	old, err := disk.ReadFile(s.disk, specFile)
	isFirst := errors.Is(err, fs.ErrNotExist)
	if isFirst {
		err = disk.WriteFile(s.disk, specFile, s.Spec.Source)
	}
	if err != nil {
		return err
	}
	if err := s.Commit(); err != nil {
		return err
	}
	if !isFirst && !bytes.Equal(old, s.Spec.Source) {
		err = disk.WriteFile(s.disk, specFile, s.Spec.Source)
	}
	for _, name := range append(slices.Clone(exportFiles), specFile, manifestFile) {
		s.disk.Remove(disk.Temporary(name))
	}
	return err
}

// Done reports whether nothing is left to do for run i: it has succeeded, or it
// is not needed.
func (s *Store) Done(i int64) bool { return s.index.entry(i).ok() || !s.Needs(i) }

// Append adds a finished run, of which it keeps no reference. The run replaces
// an earlier failure of the same run; a failure is dropped if the run succeeded
// before. The run is on disk after the next Commit. Append calls Commit when
// many runs are waiting, and its caller should do so from time to time.
//
// Append panics if the result breaks the declaration (see
// experiment.CheckResult): the caller must make such a run a failed one.
func (s *Store) Append(r *Row) error {
	if s.failed != nil {
		return s.failed
	}
	if r.Status != Failed {
		if err := s.Plan.Experiment().CheckResult(&r.Result); err != nil {
			panic("results: " + err.Error()) // it would become wrong columns
		}
	}
	hash := r.Hash()
	cell := r.Index % s.Plan.Cells()
	parameters := s.texts.of(cell, &r.Point)
	s.line = appendLine(s.line[:0], s.Plan.CellID(cell), r, hash, parameters)
	if len(s.line) > maxRecord {
		return fmt.Errorf("the record of run %s has %d bytes, more than the %d that a log can hold",
			r.ID, len(s.line), maxRecord)
	}
	rec := record{
		log:  s.log,
		at:   s.placeFor(s.host),
		ok:   r.Status == OK,
		hash: hash,
		line: s.line,
		row:  r,
	}
	s.waiting++
	entered, err := s.markRun(r.Index, &rec, s.log, rec.at)
	if err == nil && entered {
		err = s.enter(rec.line, s.host)
		if s.recent != nil {
			s.recent.keep(rec.at, r)
		}
	}
	if s.waiting >= commitRuns {
		return errors.Join(err, s.Commit())
	}
	return err
}

// maxTexts bounds the cells whose parameters are kept as text.
const maxTexts = 1 << 12

// cellTexts has the parameters of cells as records have them, unless there are
// many.
type cellTexts struct {
	kept   [][]byte // by cell; nil: there are many
	buffer []byte
}

func newCellTexts(cells int64) *cellTexts {
	if cells > maxTexts {
		return &cellTexts{}
	}
	return &cellTexts{kept: make([][]byte, cells)}
}

// of returns the text of a cell's parameters, which a point of it has. It is
// valid until the next call.
func (t *cellTexts) of(cell int64, p *experiment.Point) []byte {
	if t.kept == nil {
		t.buffer = appendParameters(t.buffer[:0], p)
		return t.buffer
	}
	if t.kept[cell] == nil {
		t.kept[cell] = appendParameters(nil, p)
	}
	return t.kept[cell]
}

// copy appends a record of another log, unless it adds nothing.
func (s *Store) copy(r *record) error {
	host := r.log.hostOf(r.at)
	entered, err := s.mark(r, s.log, s.placeFor(host))
	if err != nil || !entered {
		return err
	}
	return s.enter(r.line, host)
}

// placeFor returns the offset of the next record if it is of a host.
func (s *Store) placeFor(host string) int64 {
	if s.needsHeader(host) {
		return s.log.end() + int64(len(s.headerLine))
	}
	return s.log.end()
}

// enter appends a line that was marked and is of a host, and commits when many
// bytes are waiting.
func (s *Store) enter(line []byte, host string) error {
	if s.readOnly != nil {
		return s.readOnly
	}
	s.current = false
	if s.needsHeader(host) {
		s.enterHeader()
	}
	s.log.pending = append(s.log.pending, line[:len(line)-1]...)
	s.log.pending = append(s.log.pending, '\n') // in a damaged log, a line may end otherwise
	if len(s.log.pending) < commitBytes {
		return nil
	}
	return s.Commit()
}

// Commit writes the records that are waiting. When it returns, all runs
// appended so far are on disk for good. It does nothing if there are no new
// ones. If it fails, or finds that another process has written here or has
// replaced the directory, the store writes nothing more.
func (s *Store) Commit() error {
	if s.failed != nil || s.readOnly != nil {
		return s.failed
	}
	s.failed = s.log.commit()
	s.waiting = 0
	return s.failed
}

// WriteManifest writes manifest.json atomically, with the Exports that the
// store knows. Times are written in UTC as RFC 3339 with whole seconds.
func (s *Store) WriteManifest(m Manifest) error {
	m.Exports = s.Manifest.Exports
	s.Manifest = m
	return writeManifest(s.disk, m)
}

// Close commits what is waiting and releases the directory, even if the commit
// fails.
func (s *Store) Close() error {
	err := s.Commit()
	return errors.Join(err, s.free())
}

// free closes the log and the directory. It removes a log in which nothing was
// ever written.
func (s *Store) free() error {
	if s.log == nil {
		return s.disk.Close()
	}
	size, err := disk.Size(s.log.file)
	if err == nil && size == 0 && s.readOnly == nil {
		s.disk.Remove(logFile)
	}
	err = s.log.file.Close()
	return errors.Join(err, s.disk.Close())
}
