package results

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"sweep/experiment"
	"sweep/grid"
)

// A Reader is the directory of a finished or an unfinished sweep, opened for
// reading, run by run; its shards' runs are its own. Nothing there is
// changed. It shows the runs that were committed when it was opened; those
// that a running sweep adds later are not in it.
//
// It reads the logs, not the exported files, and compares the checksum of
// every record that it reads.
type Reader struct {
	Spec *grid.Spec // of spec.toml
	Plan *grid.Plan

	// Name is the spec's name in the files. That of Spec may be another: a
	// spec that does not name itself is called spec in the directory.
	Name string

	// Damage tells what is corrupt. The runs whose records are corrupt are
	// missing.
	Damage []Damage

	dir   string
	index *index
}

// OpenReader opens a directory. The experiments are those that its spec may
// name. There may be no runs yet.
//
// A *DataError tells of a directory that is not a sweep's, or has a run with
// two different outcomes, or a corrupt spec; faults in its spec.toml are a
// *grid.Error.
func OpenReader(dir string, experiments []*experiment.Experiment) (*Reader, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	r, err := readerOf(d, experiments)
	return r, errors.Join(err, d.close())
}

func readerOf(d disk, experiments []*experiment.Experiment) (*Reader, error) {
	if _, err := survey(d); err != nil {
		return nil, err
	}
	// Before the logs: they know this spec, and perhaps later ones.
	spec, err := specOf(d, experiments)
	if err != nil {
		return nil, err
	}
	logs, err := openParts(d)
	if err != nil {
		return nil, err
	}
	r, err := newReader(d.path("."), spec, logs)
	if err != nil {
		return nil, err
	}
	sum, headers := specSHA256(spec.Source), 0
	for _, l := range logs {
		headers += len(l.headers)
		if slices.ContainsFunc(l.headers, func(h header) bool { return h.SpecSHA256 == sum }) {
			return r, nil
		}
	}
	if headers == 0 {
		return r, nil
	}
	return nil, &DataError{
		Path:    spec.File,
		Message: "is not the spec that the sweep was run with: it is corrupt, or was edited",
		Hint:    "run the sweep again with its spec, which is then copied here",
	}
}

// OpenReaderFor opens a directory as a spec sees it, which may be another
// than that in the directory: it shows the runs that this spec asks for. A
// *DataError tells of runs of another experiment or model version.
func OpenReaderFor(dir string, spec *grid.Spec) (*Reader, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	logs, err := openParts(d)
	if err = errors.Join(err, d.close()); err != nil {
		return nil, err
	}
	return newReader(dir, spec, logs)
}

// newReader reads logs, which it closes after an error.
func newReader(dir string, spec *grid.Spec, logs []*log) (*Reader, error) {
	r := &Reader{Spec: spec, Plan: spec.Plan(), Name: spec.Name, dir: dir, index: newIndex(spec.Plan(), nil)}
	for _, l := range logs {
		if err := r.index.add(l); err != nil {
			closeLogs(logs)
			return nil, err
		}
		r.Damage = append(r.Damage, l.damage()...)
		if n := len(l.headers); n > 0 { // the directory's own is the last
			r.Name = l.headers[n-1].Sweep
		}
	}
	return r, r.index.forget()
}

// OK returns how many of the plan's runs have succeeded, Failed how many
// have failed.
func (r *Reader) OK() int64     { return r.index.digest.OK }
func (r *Reader) Failed() int64 { return r.index.digest.Failed }

// Missing returns how many runs are needed and not there: all of the plan's
// that are not there or, if there is a stopping rule, those of them that it
// asks for as far as the runs that are there tell. In the directory of a
// shard, only the shard's runs can be missing.
func (r *Reader) Missing() int64 {
	if s, ok := shardOf(r.dir); ok {
		return r.MissingIn(r.Plan.Shard(s.index, s.count))
	}
	return r.MissingIn(r.Plan.Shard(0, 1))
}

// MissingIn is Missing of a shard of the plan.
func (r *Reader) MissingIn(shard grid.Shard) int64 { return r.index.missing(shard) }

// Assigned returns how many runs belong into the directory: those that are
// there and those that are missing.
func (r *Reader) Assigned() int64 { return r.OK() + r.Failed() + r.Missing() }

// Needed returns how many seeds a cell of the plan needs. It is not decided
// while a stopping rule may come to ask for more; the cell is then judged
// when it has so many.
func (r *Reader) Needed(cell int64) (seeds int64, decided bool) {
	if r.index.stop == nil {
		return r.Plan.Seeds(), true
	}
	return r.index.stop.needed(cell)
}

// Status returns OK, Failed, or the empty string if run i of the plan is
// missing.
func (r *Reader) Status(i int64) string { return r.index.status(i) }

// Digest returns that of the runs that are there.
func (r *Reader) Digest() Digest { return r.index.digest }

// Runs yields the runs that are there in the order of the plan, each with
// its series if the experiment has one and series is asked for. A row
// belongs to the reader and is valid until the next one. An error is the
// last thing yielded; its row is nil.
func (r *Reader) Runs(series bool) iter.Seq2[*Row, error] {
	return yielded(func(visit func(*Row) error) error { return r.index.rows(series, visit) })
}

// errEnough ends a scan.
var errEnough = errors.New("the caller has enough")

// yielded makes an iterator of a scan, whose error is the last thing yielded.
func yielded(scan func(visit func(*Row) error) error) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		err := scan(func(row *Row) error {
			if !yield(row, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(nil, err)
		}
	}
}

// Run returns run i of the plan, which must be there, with its series.
func (r *Reader) Run(i int64) (*Row, error) {
	row := &Row{Point: r.Plan.Point(i)}
	return row, r.index.read(i, r.index.get(i), row, true, &placeReader{}, new([]byte))
}

// Check compares everything in the directory with its checksum, and returns
// what is corrupt: records of its log and of those of its shards, the
// manifest, and the exported files as far as the manifest knows them.
// Nothing is changed.
func (r *Reader) Check() ([]Damage, error) {
	d, err := openDisk(r.dir)
	if err != nil {
		return nil, err
	}
	defer d.close()
	list := slices.Clone(r.Damage)
	m, err := readManifest(d)
	if corrupt, ok := errors.AsType[*DataError](err); ok {
		return append(list, Damage{corrupt.Path, corrupt.Message}), nil
	}
	if m == nil || m.Exports == nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return list, err
	}
	damage, _, err := m.Exports.verify(d)
	return append(list, damage...), err
}

// An Archive is the directory of a sweep and of its shards, read by what
// their logs say of themselves. Neither its spec nor its experiment need be
// known: it may be the output of another version of the model.
type Archive struct {
	// Experiment has the names, kinds and units of parameters, metrics and
	// series, and the model version; but no ranges, choices or sources, and
	// no Run.
	Experiment *experiment.Experiment

	logs []*log
}

// OpenArchive opens a directory. A *DataError tells of one that is not a
// sweep's, or has no run yet.
func OpenArchive(dir string) (*Archive, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	defer d.close()
	a := &Archive{}
	if a.logs, err = openParts(d); err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(a.logs) { // up to the first run
		err = l.scan(func(*record, int64, int) error { return errEnough })
		if err == errEnough && len(l.headers) > 0 {
			a.Experiment, err = l.headers[0].declared(l.path)
			return a, err
		}
		if err != nil && err != errEnough {
			return nil, err
		}
	}
	closeLogs(a.logs)
	return nil, &DataError{Path: dir, Message: "no run has finished yet, or this is not the output of a sweep"}
}

// declared returns what a header tells of the experiment.
func (h *header) declared(path string) (*experiment.Experiment, error) {
	e := &experiment.Experiment{Name: h.Experiment, Version: h.Version}
	kinds := []experiment.Kind{experiment.Bool, experiment.Int, experiment.Float, experiment.String}
	for _, c := range h.Columns {
		at := slices.IndexFunc(kinds, func(k experiment.Kind) bool { return k.String() == c.Kind })
		if at < 0 {
			return nil, &DataError{Path: path, Message: fmt.Sprintf("the column %q is of kind %q", c.Name, c.Kind)}
		}
		m := experiment.Metric{Name: c.Name, Kind: kinds[at], Unit: c.Unit, Meaning: c.Meaning}
		switch {
		case c.Role == "parameter":
			e.Params = append(e.Params, experiment.Param{Name: c.Name, Kind: m.Kind, Unit: c.Unit, Meaning: c.Meaning})
		case c.Role == "metric":
			e.Metrics = append(e.Metrics, m)
		case c.Role == "series" && e.Series.Axis.Name == "":
			e.Series.Axis = m
		case c.Role == "series":
			e.Series.Columns = append(e.Series.Columns, m)
		}
	}
	return e, nil
}

// Runs yields every run that is there once, with its series; Index is -1.
// The order is that of the logs, with those that failed last. A row is valid
// until the next one. An error is the last thing yielded; its row is nil.
func (a *Archive) Runs() iter.Seq2[*Row, error] {
	return yielded(func(visit func(*Row) error) error {
		seen, failed := map[grid.ID]bool{}, []*Row(nil)
		once := func(row *Row) error {
			if seen[row.ID] {
				return nil
			}
			seen[row.ID] = true
			return visit(row)
		}
		err := a.scan(func(row *Row) error {
			if row.Status == Failed {
				kept := *row
				failed = append(failed, &kept)
				return nil
			}
			return once(row)
		})
		for _, row := range slices.Backward(failed) { // of several failures, the last
			if err == nil {
				err = once(row)
			}
		}
		return err
	})
}

// scan visits all records.
func (a *Archive) scan(visit func(*Row) error) error {
	row, scratch := &Row{Index: -1, Point: experiment.Point{Experiment: a.Experiment}}, []byte(nil)
	for _, l := range a.logs {
		l.experiment = a.Experiment
		err := l.scan(func(r *record, at int64, _ int) (err error) {
			row.Point.Seed = r.seed
			if row.Point.Values, err = r.values(a.Experiment); err == nil {
				row.ID = grid.Identify(row.Point)
				err = r.fill(row, true, &scratch)
			}
			if err != nil {
				return recordError(l, at, err)
			}
			return visit(row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
