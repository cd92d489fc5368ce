package results

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"sweep/grid"
)

// An index knows where the records of a plan's runs are, in one or several
// logs, and what has become of each run. Records of other runs are passed
// over: they belong to another spec.
type index struct {
	plan  *grid.Plan
	shard *grid.Shard // whose runs it knows; nil: all
	logs  []*log
	pages map[int64]*page // by number; only those of known runs are there
	last  *page           // that was looked at
	lastN int64

	digest Digest        // of the runs that are there, as their counts
	stop   *stoppingRule // nil if the plan has none
}

// A page has the places of successive runs.
type page [pageRuns]place

const pageRuns = 1 << 12

// A place is where the record of a run is. The zero place is nowhere.
type place struct {
	log    uint16 // from 1
	ok     bool
	length uint32
	at     int64
	sum    uint64 // the beginning of the outcome's hash, enough to tell two outcomes apart
}

func newIndex(plan *grid.Plan, shard *grid.Shard) *index {
	return &index{plan: plan, shard: shard, pages: map[int64]*page{}, lastN: -1, stop: newStoppingRule(plan.Stop(), plan.Cells())}
}

func (x *index) get(i int64) place {
	if n := i / pageRuns; n != x.lastN {
		x.last, x.lastN = x.pages[n], n
	}
	if x.last == nil {
		return place{}
	}
	return x.last[i%pageRuns]
}

func (x *index) set(i int64, p place) {
	n := i / pageRuns
	if x.pages[n] == nil {
		x.pages[n], x.lastN = &page{}, -1
	}
	x.pages[n][i%pageRuns] = p
}

// has reports whether run i is there, ok whether it has succeeded.
func (x *index) has(i int64) bool { return x.get(i).log > 0 }
func (x *index) ok(i int64) bool  { return x.get(i).ok }

// status returns OK, Failed or, if the run is not there, nothing.
func (x *index) status(i int64) string {
	switch p := x.get(i); {
	case p.log == 0:
		return ""
	case p.ok:
		return OK
	}
	return Failed
}

// add reads the records of a log that was opened.
func (x *index) add(l *log) error {
	x.logs = append(x.logs, l)
	l.experiment = x.plan.Experiment()
	return l.scan(func(r *record, at int64, length int) error {
		i, ok := x.find(r)
		if !ok {
			return nil
		}
		metric, err := x.stopMetric(i, l, r, at)
		if err != nil {
			return err
		}
		return x.mark(i, l, r.ok, r.hash, metric, at, length)
	})
}

// stopMetric returns the metric that the stopping rule looks at, NaN if
// there is none.
func (x *index) stopMetric(i int64, l *log, r *record, at int64) (float64, error) {
	if x.stop == nil || !r.ok {
		return math.NaN(), nil
	}
	row := &Row{ID: x.plan.ID(i), Point: x.plan.Point(i)}
	if err := r.fill(row, false, new([]byte)); err != nil {
		return 0, recordError(l, at, err)
	}
	return row.Result.Metrics[x.stop.rule.Metric], nil
}

// recordError tells of a record that has the right checksum and is wrong
// all the same.
func recordError(l *log, at int64, err error) error {
	return &DataError{Path: l.path, Message: fmt.Sprintf("the record at byte %d", at), Err: err}
}

// find returns the run that a record is of, if it is one of the index's.
func (x *index) find(r *record) (i int64, ok bool) {
	k, ok := x.plan.SeedIndex(r.seed)
	if !ok {
		return 0, false
	}
	c, ok := x.plan.FindCell(r.cell)
	i = k*x.plan.Cells() + c
	return i, ok && (x.shard == nil || x.shard.Has(i))
}

// mark enters a record of run i, with the metric that a stopping rule looks
// at. A run that has succeeded once has not failed; that it has succeeded
// with different outcomes is a *DataError.
func (x *index) mark(i int64, l *log, ok bool, hash Hash, metric float64, at int64, length int) error {
	switch old := x.get(i); {
	case old.ok && ok && old.sum != hash.start():
		return x.conflict(i, l)
	case old.ok:
		return nil
	}
	if err := x.drop(i); err != nil {
		return err
	}
	number := uint16(1 + slices.Index(x.logs, l))
	x.set(i, place{log: number, ok: ok, length: uint32(length), at: at, sum: hash.start()})
	x.digest.add(hash, ok)
	if x.stop != nil {
		x.stop.record(i, metric)
	}
	return nil
}

// drop forgets run i, if it is there.
func (x *index) drop(i int64) error {
	p := x.get(i)
	if p.log == 0 {
		return nil
	}
	var single placeReader // what is read ahead for others stays
	r, err := single.read(x.logs[p.log-1], p)
	if err != nil {
		return err
	}
	x.digest.subtract(r.hash, p.ok)
	x.set(i, place{})
	return nil
}

// conflict tells of a log in which a run has another outcome than in that
// which the index knows.
func (x *index) conflict(i int64, l *log) error {
	return &DataError{
		Path: l.path,
		Message: fmt.Sprintf("the run %s (run_id %s) has another outcome than in %s",
			x.plan.Describe(x.plan.Point(i)), x.plan.ID(i), x.logs[x.get(i).log-1].path),
		Hint: `"sweep diff DIR --rerun 100%" tells which of the two is right`,
	}
}

// runs yields the runs that are there, in the order of the plan.
func (x *index) runs() iter.Seq2[int64, place] {
	return func(yield func(int64, place) bool) {
		for _, n := range slices.Sorted(maps.Keys(x.pages)) {
			for k, p := range x.pages[n] {
				if p.log > 0 && !yield(n*pageRuns+int64(k), p) {
					return
				}
			}
		}
	}
}

// needs reports whether run i is needed, as far as the records tell.
func (x *index) needs(i int64) bool { return x.stop == nil || x.stop.needs(i) }

// missing returns how many runs of a shard are needed and not there, as far
// as the records tell.
func (x *index) missing(shard grid.Shard) int64 {
	switch {
	case x.stop != nil:
		return x.stop.missing(x.plan, shard)
	case shard.Count() == 1:
		return x.plan.Runs() - x.digest.OK - x.digest.Failed
	}
	n := int64(0)
	for k := range shard.Runs() {
		if !x.has(shard.Run(k)) {
			n++
		}
	}
	return n
}

// forget leaves out what the stopping rule does not ask for.
func (x *index) forget() error {
	if x.stop == nil {
		return nil
	}
	return x.stop.forget(x)
}

// rows visits the runs that are there in the order of the plan, with or
// without their series. A row is valid until the next.
func (x *index) rows(series bool, visit func(row *Row) error) error {
	row, reader, scratch := &Row{Point: x.plan.Point(0)}, placeReader{}, []byte(nil)
	for i, p := range x.runs() {
		if err := x.read(i, p, row, series, &reader, &scratch); err != nil {
			return err
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// read reads run i from its place into a row that has the memory for it.
func (x *index) read(i int64, p place, row *Row, series bool, reader *placeReader, scratch *[]byte) error {
	l := x.logs[p.log-1]
	r, err := reader.read(l, p)
	if err != nil {
		return err
	}
	row.Index, row.ID, row.Point.Seed = i, x.plan.ID(i), r.seed
	x.plan.Cell(i%x.plan.Cells(), row.Point.Values)
	if err := r.fill(row, series, scratch); err != nil {
		return recordError(l, p.at, err)
	}
	return nil
}
