package results

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/bits"
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
// It reads the logs, not the exported files, and compares the checksum of
// every record that it reads. What it knows of each run is where its record is
// and how it ended. Records of other runs are passed over: they belong to
// another spec. So are those that a stopping rule does not ask for, as far as
// the records tell: a run that had failed has succeeded since, or the rule was
// another.
type Reader struct {
	Spec *grid.Spec // of spec.toml, or as asked for
	Plan *grid.Plan

	// Name is the spec's name in the files. That of Spec may be another: a
	// spec that does not name itself is called spec in the directory.
	Name string

	Dir   string
	Shard *grid.Shard // whose directory it is; nil: the whole

	// Damage tells what was corrupt when the directory was opened, and what was
	// done about it. The runs whose records are corrupt are missing. Where none is,
	// what is corrupt in other directories, such as a shard's, is of no matter.
	Damage []*DataError

	specs []string // the checksums of those in the logs
	logs  []*log
	pages map[int64][]place // pageRuns successive runs each, by number; only those of known runs are there

	last       int64  // the run that was marked last; records mostly follow the plan
	ok, failed int64  // runs that are there
	digest     string // of them; empty after a change: all three are not known

	// Of the stopping rule, by cell: its metric by number of the seed (NaN: not
	// defined, or the run failed), and how many seeds are needed, if that is known.
	ruled  map[int64][]float64
	needed map[int64]int64
}

const pageRuns = 1 << 12

// A place is where the record of a run is. The zero place is nowhere.
type place struct {
	at     int64
	length uint32
	log    uint16 // from 1
	ok     bool
	hash   [sha256.Size]byte // of the outcome
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
	// Before the logs: they know this spec, and perhaps later ones.
	spec, err := specOf(d, experiments)
	if err != nil {
		return nil, err
	}
	r := newReader(d.Path("."), spec)
	if index, count, ok := shardOf(r.Dir); ok {
		r.Shard = new(r.Plan.Shard(index, count))
	}
	if err := r.read(d); err != nil {
		return nil, err
	}
	if r.specs == nil || slices.Contains(r.specs, spec.SHA256()) {
		return r, nil
	}
	return nil, disk.Refuse(spec.File, "run the sweep again with its spec, which is then copied here",
		"is not the spec that the sweep was run with: it is corrupt, or was edited")
}

// OpenReaderFor opens directories as a spec sees them, which may be another
// than that in them: it shows the runs that this spec asks for. A *DataError
// tells of runs of another experiment or model version.
func OpenReaderFor(spec *grid.Spec, dirs ...string) (*Reader, error) {
	r := newReader(dirs[0], spec)
	for _, dir := range dirs {
		if err := disk.Within(dir, r.read); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func newReader(dir string, spec *grid.Spec) *Reader {
	return &Reader{
		Spec: spec, Plan: spec.Plan(), Name: spec.Name, Dir: dir,
		pages: map[int64][]place{}, ruled: map[int64][]float64{}, needed: map[int64]int64{},
	}
}

// read adds the runs in a directory and its shards. After an error all logs are
// closed.
func (r *Reader) read(d disk.Dir) error {
	elsewhere := 0 // as much of the damage
	err := eachPart(d, func(in disk.Dir) error {
		elsewhere = len(r.Damage)
		l, err := openLog(in)
		if l == nil || err != nil {
			return err
		}
		return r.add(l)
	})
	if err != nil {
		for _, l := range r.logs {
			l.file.Close()
		}
	} else if r.Missing() == 0 {
		r.Damage = r.Damage[elsewhere:]
	}
	return err
}

// add adds the runs in a log.
func (r *Reader) add(l *log) error {
	r.logs = append(r.logs, l)
	err := l.scan(r.Plan.Experiment(), func(rec *record) error {
		_, err := r.mark(rec, l, rec.at)
		return err
	})
	r.Damage = append(r.Damage, l.damage()...)
	for _, h := range l.headers {
		r.Name, r.specs = h.Sweep, append(r.specs, h.SpecSHA256) // the directory's own is the last
	}
	return err
}

// mark enters a record, which is at, or is copied to, a place of a log, unless
// it is of a run that is not ours, or adds nothing to the one that is known. A
// run that has succeeded once has not failed; that it has succeeded with
// different outcomes is a *DataError.
func (r *Reader) mark(rec *record, l *log, at int64) (entered bool, err error) {
	i, ours := r.Plan.FindNext(r.last, rec.cell, rec.seed)
	r.last = i
	if !ours || r.Shard != nil && !r.Shard.Has(i) {
		return false, nil
	}
	switch old := r.place(i); {
	case old.ok && rec.ok && old.hash != rec.hash:
		return false, disk.Refuse(rec.log.path, `"sweep diff DIR --rerun 100%" tells which of the two is right`,
			"the run %s (run_id %s) has another outcome than in %s",
			r.Plan.Describe(r.Plan.Point(i)), r.Plan.ID(i), r.logs[old.log-1].path)
	case old.ok, old.log > 0 && !rec.ok && old.hash == rec.hash:
		return false, nil
	}
	if rule := r.Plan.Stop(); rule != nil {
		metric := math.NaN()
		if rec.ok {
			row := &Row{ID: r.Plan.ID(i), Point: r.Plan.Point(i)}
			if err := rec.fill(row, false); err != nil {
				return false, rec.wrong(err)
			}
			metric = row.Result.Metrics[rule.Metric]
		}
		r.observe(i, metric)
	}
	n := i / pageRuns
	if r.pages[n] == nil {
		r.pages[n] = make([]place, pageRuns)
	}
	r.pages[n][i%pageRuns] = place{at, uint32(len(rec.line)), uint16(1 + slices.Index(r.logs, l)), rec.ok, rec.hash}
	r.digest = ""
	return true, nil
}

// place returns where run i is, needed or not.
func (r *Reader) place(i int64) place {
	if p := r.pages[i/pageRuns]; p != nil {
		return p[i%pageRuns]
	}
	return place{}
}

// places yields the needed runs that are there, in the order of the plan.
func (r *Reader) places() iter.Seq2[int64, *place] {
	return func(yield func(int64, *place) bool) {
		for _, n := range slices.Sorted(maps.Keys(r.pages)) {
			for k := range r.pages[n] {
				p, i := &r.pages[n][k], n*pageRuns+int64(k)
				if p.log > 0 && r.needs(i) && !yield(i, p) {
					return
				}
			}
		}
	}
}

// Status returns OK, Failed, or the empty string if run i of the plan is
// missing or not needed.
func (r *Reader) Status(i int64) string {
	switch p := r.place(i); {
	case p.log == 0 || !r.needs(i):
		return ""
	case p.ok:
		return OK
	}
	return Failed
}

// Hash returns the hash of the outcome of run i; it is false if the run is
// missing or not needed.
func (r *Reader) Hash(i int64) (h [sha256.Size]byte, ok bool) {
	p := r.place(i)
	return p.hash, p.log > 0 && r.needs(i)
}

// count sums up the runs that are there, if that is not known.
func (r *Reader) count() *Reader {
	if r.digest != "" {
		return r
	}
	sum := [4]uint64{} // least significant first
	r.ok, r.failed = 0, 0
	for _, p := range r.places() {
		if p.ok {
			r.ok++
		} else {
			r.failed++
		}
		carry := uint64(0)
		for i := range sum {
			sum[i], carry = bits.Add64(sum[i], binary.BigEndian.Uint64(p.hash[8*(3-i):]), carry)
		}
	}
	r.digest = fmt.Sprintf("%016x%016x%016x%016x", sum[3], sum[2], sum[1], sum[0])
	return r
}

// Digest sums up the runs that are there, in 64 hexadecimal digits, whatever
// their order and wherever they are kept: two directories have equal digests if
// they hold the same runs with the same outcomes, bit for bit, and otherwise, but
// for a chance of 2⁻²⁵⁶, different ones. Shards and merged ones give the same
// digest.
//
// It is the sum, modulo 2²⁵⁶, of the SHA-256 of each run: a multiset hash
// after Bellare and Micciancio (A New Paradigm for Collision-Free Hashing,
// 1997, AdHash). It finds accidents; whoever chooses millions of rows on
// purpose can make collisions.
func (r *Reader) Digest() string { return r.count().digest }

// OK returns how many of the plan's runs have succeeded, Failed how many
// have failed.
func (r *Reader) OK() int64     { return r.count().ok }
func (r *Reader) Failed() int64 { return r.count().failed }

// Assigned returns how many runs belong into the directory: those that are
// there, and those that are needed and missing. In the directory of a shard,
// only the shard's runs can be missing.
func (r *Reader) Assigned() int64 {
	if r.Shard != nil {
		return r.assigned(*r.Shard)
	}
	return r.assigned(r.Plan.Shard(0, 1))
}

// assigned returns how many runs of a shard are needed: all or, if there is a
// stopping rule, those that it asks for as far as the runs that are there tell.
func (r *Reader) assigned(shard grid.Shard) (n int64) {
	if r.Plan.Stop() == nil {
		return shard.Runs()
	}
	for k := range shard.Runs() / r.Plan.Seeds() { // it has whole cells
		n += r.seeds(shard.Run(k))
	}
	return n
}

// Missing returns how many of the assigned runs are not there.
func (r *Reader) Missing() int64 { return r.Assigned() - r.OK() - r.Failed() }

// MissingIn is Missing of a shard of the plan.
func (r *Reader) MissingIn(shard grid.Shard) int64 {
	n, end := r.assigned(shard), int64(0) // behind the last run that is there
	for page := range r.pages {
		end = max(end, (page+1)*pageRuns)
	}
	for k := range shard.Runs() {
		i := shard.Run(k)
		if i >= end {
			break
		}
		if r.Status(i) != "" {
			n--
		}
	}
	return n
}

// Runs yields the runs that are there in the order of the plan, each with
// its series if the experiment has one and series is asked for. A row
// belongs to the reader and is valid until the next one. An error is the
// last thing yielded; its row is nil.
func (r *Reader) Runs(series bool) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		row := &Row{Point: r.Plan.Point(0)}
		for i, p := range r.places() {
			if err := r.fill(i, p, row, series); err != nil {
				yield(nil, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Run returns run i of the plan, which must be there, with its series.
func (r *Reader) Run(i int64) (*Row, error) {
	row := &Row{Point: r.Plan.Point(i)}
	return row, r.fill(i, new(r.place(i)), row, true)
}

// fill reads run i into a row that has the memory for it.
func (r *Reader) fill(i int64, p *place, row *Row, series bool) error {
	var rec record
	l := r.logs[p.log-1]
	if err := l.read(&rec, p.at, int(p.length)); err != nil {
		return err
	}
	row.Index, row.ID, row.Point.Seed = i, r.Plan.ID(i), rec.seed
	r.Plan.Cell(i%r.Plan.Cells(), row.Point.Values)
	if err := rec.fill(row, series); err != nil {
		return rec.wrong(err)
	}
	return nil
}

// Check compares everything in the directory with its checksum, and returns
// what is corrupt: records of its log and of those of its shards, the
// manifest, and the exported files as far as the manifest knows them.
// Nothing is changed.
func (r *Reader) Check() (damage []*DataError, err error) {
	err = disk.Within(r.Dir, func(d disk.Dir) error {
		_, damage, _, err = checkExports(d)
		return err
	})
	for _, l := range r.logs {
		damage = append(damage, l.damage()...)
	}
	return damage, err
}
