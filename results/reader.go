package results

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// A Reader holds the runs of a plan that are in the directory of a finished
// or an unfinished sweep; its shards' runs are its own. Nothing there is
// changed. It shows the runs that were committed when it was opened; those
// that a running sweep adds later are not in it.
//
// It reads the logs, not the exported files, and compares the checksum of every
// record that it reads. Of each run it keeps only where its record is and how
// the run ended. It ignores records of runs that are not in the plan, which
// belong to another spec, and of runs that the stopping rule does not ask for:
// a run that had failed has succeeded since, or the rule was another.
type Reader struct {
	Spec *grid.Spec // of spec.toml, or as asked for
	Plan *grid.Plan

	// Name is the spec's name in the files. That of Spec may be another: a
	// spec that does not name itself is called spec in the directory.
	Name string

	Dir   string
	Shard *grid.Shard // whose directory it is; nil: the whole

	// Damage tells what was corrupt when the directory was opened, and what was
	// done about it. Runs whose records are corrupt are missing. If no run is
	// missing, damage in other directories, such as a shard's, does not count.
	Damage []*DataError

	ofDirectory bool // the spec is that of the directory

	// anyColumns tells that runs which have measured something else than the
	// spec asks for are missing, in place of a fault.
	anyColumns bool

	lost  []*DataError // of Damage: that runs of a manifest are not there
	ends  []*shardEnd  // of shards that were read, and not compared yet
	specs []string     // checksums of the specs in the logs
	logs  []*log
	open  openLogs
	index index

	// recent has runs of the store's log; nil if nothing is appended, or
	// nothing exported.
	recent *recent

	last int64 // the run that was found last; records mostly follow the plan

	counted *count // nil: not known, as after a change

	// For the stopping rule, by cell: its metric by number of the seed (NaN:
	// not defined, or the run failed), and the number of seeds that the cell
	// needs, if that is known.
	ruled  map[int64][]float64
	needed map[int64]int64
}

// OpenReader opens a directory. The experiments are those that its spec may
// name. There may be no runs yet.
//
// A *DataError tells of a directory that is not a sweep's, or has a run with
// two different outcomes, or a corrupt spec; faults in its spec.toml are a
// *grid.Error.
func OpenReader(dir string, experiments []*experiment.Experiment) (*Reader, error) {
	d, err := disk.Open(dir)
	if err != nil {
		return nil, err
	}
	r, err := readerOf(d, experiments)
	return r, errors.Join(err, d.Close())
}

func readerOf(d disk.Dir, experiments []*experiment.Experiment) (*Reader, error) {
	// The spec is read before the logs, which know it, and perhaps later ones.
	spec, err := specOf(d, experiments)
	if err != nil {
		return nil, err
	}
	r := newReader(d.Path("."), spec)
	r.ofDirectory = true
	if index, count, ok := shardOf(r.Dir); ok {
		r.Shard = new(r.Plan.Shard(index, count))
	}
	before, _ := readManifest(d) // without one, nothing was exported
	if err := r.read(d); err != nil {
		return nil, err
	}
	if r.specs != nil && !slices.Contains(r.specs, spec.SHA256()) {
		return nil, otherSpec(spec)
	}
	r.compareWithExport(d, before)
	r.compareWithEnds()
	return r, nil
}

// otherSpec refuses a spec that no header of the logs beside it names.
func otherSpec(spec *grid.Spec) error {
	return disk.Refuse(spec.File, runWithSpec, notTheSpec)
}

// OpenReaderFor opens directories to read the runs that a spec asks for, which
// may differ from the specs in them. The error is a *DataError if the runs are
// of another experiment or model version, or have other metrics or series.
func OpenReaderFor(spec *grid.Spec, dirs ...string) (*Reader, error) {
	return openReaders(newReader(dirs[0], spec), dirs)
}

// OpenOtherReader opens a directory as OpenReaderFor does, but whatever its
// runs have measured: if that is not what the spec asks for, they are missing.
func OpenOtherReader(spec *grid.Spec, dir string) (*Reader, error) {
	r := newReader(dir, spec)
	r.anyColumns = true
	return openReaders(r, []string{dir})
}

func openReaders(r *Reader, dirs []string) (*Reader, error) {
	for _, dir := range dirs {
		if err := disk.Within(dir, r.read); err != nil {
			return nil, err
		}
	}
	r.compareWithEnds()
	return r, nil
}

func newReader(dir string, spec *grid.Spec) *Reader {
	r := &Reader{
		Spec:   spec,
		Plan:   spec.Plan(),
		Name:   spec.Name,
		Dir:    dir,
		ruled:  map[int64][]float64{},
		needed: map[int64]int64{},
	}
	r.index = index{
		pages:  map[int64]*page{},
		hashes: map[int64][sha256.Size]byte{},
		all:    !r.Plan.IsEven(), // what is needed may change
	}
	return r
}

// read adds the runs in a directory and its shards. After an error all logs are
// closed.
func (r *Reader) read(d disk.Dir) error {
	elsewhere := 0 // how much of the damage is in shards
	var columns columnCheck
	err := eachPart(d, func(in disk.Dir) error {
		elsewhere = len(r.Damage)
		end := r.endOf(in)
		l, err := openLog(in)
		if l == nil || err != nil {
			r.noteEnd(end, nil)
			return err
		}
		r.open.add(l)
		err = r.add(l)
		columns.add(l)
		r.noteEnd(end, l)
		return err
	})
	if err == nil && !r.anyColumns {
		err = columns.fault
	}
	if r.ofDirectory && columns.fitted && HasOtherColumns(err) {
		err = nil // the spec is about to be replaced, or the writer was killed before
	}
	if err != nil {
		for _, l := range r.logs {
			l.close()
		}
	} else if r.Missing() == 0 {
		r.Damage = r.Damage[elsewhere:]
	}
	return err
}

// A columnCheck judges whether the runs of a sweep have the metrics and series
// that are asked for. The last header of the sweep's own log decides: runs of
// another kind in its shards are older. If it has none, all its shards must
// fit.
type columnCheck struct {
	fault  error // nil: they fit
	isOver bool  // the sweep's own log was added
	fitted bool  // some runs there, which may be older, have them
}

// add takes a log that was scanned into account.
func (c *columnCheck) add(l *log) {
	_, _, isShard := shardOf(l.disk.Path("."))
	c.fitted = c.fitted || l.fitted
	switch {
	case len(l.headers) == 0:
	case !isShard:
		c.fault = l.other
		c.isOver = true
	case !c.isOver && l.other != nil:
		c.fault = l.other
	}
}

// add adds the runs in a log.
func (r *Reader) add(l *log) error {
	r.logs = append(r.logs, l)
	l.number = len(r.logs)
	err := l.scan(r.Plan.Experiment(), func(rec *record) error {
		_, err := r.mark(rec, l, rec.at)
		return err
	})
	r.Damage = append(r.Damage, l.damage()...)
	for _, h := range l.headers { // the last is that of the directory's own log
		r.Name = h.Sweep
		r.specs = append(r.specs, h.SpecSHA256)
	}
	return err
}

// mark enters a record into the index, if its run is one of the plan's. The
// record is, or will be copied to, at an offset of a log.
func (r *Reader) mark(rec *record, l *log, at int64) (entered bool, err error) {
	i, isOurs := r.Plan.FindNext(r.last, rec.cell, rec.seed)
	r.last = i
	if !isOurs {
		return false, nil
	}
	return r.markRun(i, rec, l, at)
}

// markRun enters the record of run i, unless it adds nothing to the one that is
// known, or the run is of another shard. A run that succeeded once stays so;
// that it succeeded with different outcomes is a *DataError.
func (r *Reader) markRun(i int64, rec *record, l *log, at int64) (entered bool, err error) {
	if r.Shard != nil && !r.Shard.Has(i) {
		return false, nil
	}
	old := r.index.entry(i)
	isSame := old.hash == shortHash(&rec.hash)
	if old.ok() && rec.ok && !isSame {
		return false, disk.Refuse(rec.log.path,
			`"sweep diff DIR --rerun 100%" tells which of the two is right`,
			"the run %s (run_id %s) has another outcome than in %s",
			r.Plan.Describe(r.Plan.Point(i)), r.Plan.ID(i), r.logs[old.log()-1].path)
	}
	isSameFailure := old.isThere() && !rec.ok && isSame
	if old.ok() || isSameFailure {
		return false, nil
	}
	if rule := r.Plan.Stop(); rule != nil {
		x, err := r.measure(i, rec, rule.Metric)
		if err != nil {
			return false, err
		}
		r.observe(i, x)
	}
	r.index.set(i, newEntry(rec, l, at), rec.hash)
	r.counted = nil
	return true, nil
}

// measure returns a metric of run i by its record; NaN if the run failed.
func (r *Reader) measure(i int64, rec *record, metric int) (float64, error) {
	if !rec.ok {
		return math.NaN(), nil
	}
	row := rec.row
	if row == nil {
		row = &Row{Point: r.Plan.Point(i)}
		if err := rec.fill(row, false); err != nil {
			return 0, rec.wrong(err)
		}
	}
	return row.Result.Metrics[metric], nil
}

// entries yields the needed runs that are there, in the order of the plan.
func (r *Reader) entries() iter.Seq2[int64, entry] {
	return func(yield func(int64, entry) bool) {
		for i, e := range r.index.entries() {
			if r.Needs(i) && !yield(i, e) {
				return
			}
		}
	}
}

// Status returns OK, Failed, or the empty string if run i of the plan is
// missing or not needed.
func (r *Reader) Status(i int64) string {
	e := r.index.entry(i)
	if !e.isThere() || !r.Needs(i) {
		return ""
	}
	if e.ok() {
		return OK
	}
	return Failed
}

// Hash returns the first 64 bits of the hash of the outcome of run i; it is
// false if the run is missing or not needed.
func (r *Reader) Hash(i int64) (h uint64, ok bool) {
	e := r.index.entry(i)
	return e.hash, e.isThere() && r.Needs(i)
}

// Runs yields the runs that are there in the order of the plan. Whole runs have
// their ID and their series, and the hash of their outcome is compared; of
// others, which take less time, the checksum of the record is. A row
// belongs to the reader and is valid until the next one. An error is the last
// thing yielded; its row is nil.
func (r *Reader) Runs(whole bool) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		row := &Row{Point: r.Plan.Point(0)}
		for i, e := range r.entries() {
			if err := r.fill(i, e, row, whole); err != nil {
				yield(nil, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Run returns run i of the plan, which must be there, whole.
func (r *Reader) Run(i int64) (*Row, error) {
	row := &Row{Point: r.Plan.Point(i)}
	return row, r.fill(i, r.index.entry(i), row, true)
}

// fill reads run i into a row that has the memory for it.
func (r *Reader) fill(i int64, e entry, row *Row, whole bool) error {
	l := r.logs[e.log()-1]
	row.Index = i
	row.Point.Seed = r.Plan.Seed(i / r.Plan.Cells())
	r.Plan.Cell(i%r.Plan.Cells(), row.Point.Values)
	if r.recent != nil && r.recent.fill(e.at, row) {
		row.Host = l.hostOf(e.at)
		return nil
	}
	row.ID = grid.ID{}
	if whole {
		row.ID = r.Plan.ID(i)
	}
	var rec record
	if err := l.read(&rec, e.at, int(e.length)); err != nil {
		return err
	}
	if shortHash(&rec.hash) != e.hash {
		return disk.Refuse(l.path, "try again", "another file has taken its place")
	}
	if err := rec.fill(row, whole); err != nil {
		return rec.wrong(err)
	}
	return nil
}

// Errors of reading a sweep of which no run has ended, or none without an
// error.
var (
	ErrNoRuns    = errors.New("no run has finished yet")
	ErrAllFailed = errors.New("no run has succeeded yet")
)

// NoRuns returns why there is nothing to tell of runs: it is ErrNoRuns or
// ErrAllFailed, or a *DataError if records were corrupt.
func (r *Reader) NoRuns() error {
	reason := ErrNoRuns
	if r.Failed() > 0 {
		reason = ErrAllFailed
	}
	if len(r.Damage) > 0 {
		return disk.Refuse(r.Dir, "", "%v", reason)
	}
	return fmt.Errorf("%s: %w", r.Dir, reason)
}

// Check compares everything in the directory with its checksum, and returns
// what is corrupt: records of its log and of those of its shards, the
// manifest, and the exported files as far as the manifest knows them, missing
// ones included. Nothing is changed.
func (r *Reader) Check() (damage []*DataError, err error) {
	err = disk.Within(r.Dir, func(d disk.Dir) error {
		_, corrupt, missing, err := checkExports(d)
		damage = append(corrupt, missing...)
		return err
	})
	for _, l := range r.logs {
		damage = append(damage, l.damage()...)
	}
	return append(damage, r.lost...), err
}
