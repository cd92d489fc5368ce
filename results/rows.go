package results

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
)

// A Reader is the directory of a finished or an unfinished sweep, opened for
// reading, run by run; its shards' runs are its own. Nothing there is
// changed. It shows the runs that were committed when it was opened; those
// that a running sweep adds later are not in it.
type Reader struct {
	Spec *grid.Spec // of spec.toml
	Plan *grid.Plan

	// Name is the spec's name in the files. That of Spec may be another: a
	// spec that does not name itself is called spec in the directory.
	Name string

	dir     string
	sources []source
	tally   *tally
}

// OpenReader opens a directory. The experiments are those that its spec may
// name. There may be no runs yet.
//
// A *DataError tells of a directory that is not a sweep's or is damaged;
// faults in its spec.toml are a *grid.Error.
func OpenReader(dir string, experiments []*experiment.Experiment) (*Reader, error) {
	return settled(func() (*Reader, error) {
		spec, err := specOf(osDisk{}, dir, experiments)
		if err != nil {
			return nil, err
		}
		v := &Reader{Spec: spec, Plan: spec.Plan(), Name: spec.Name, dir: dir}
		return v, v.learn()
	})
}

// attempts is how often a reader tries what another process may undo.
const attempts = 3

// settled reads a directory, and after an error once more: another process
// may have merged and removed segments meanwhile, or have begun an extended
// spec. What is wrong with the directory itself stays wrong.
func settled[T any](read func() (*T, error)) (*T, error) {
	for n := 1; ; n++ {
		v, err := read()
		if err == nil {
			return v, nil
		}
		if n == attempts {
			return nil, err
		}
	}
}

// learn finds the runs that the directory holds.
func (v *Reader) learn() error {
	e := v.Plan.Experiment()
	inv, err := takeInventory(osDisk{}, v.dir, hasSeries(e))
	if err != nil {
		return err
	}
	l := newLayouts(e, v.Name).runs
	sources, err := withShards(osDisk{}, v.dir, inv.sources, v.Plan, l, hasSeries(e))
	if err != nil {
		return err
	}
	sc := scanner{disk: osDisk{}, plan: v.Plan, layout: l, tally: newTally(v.Plan)}
	for i := range sources {
		if v.Name, err = sc.scan(&sources[i]); err != nil {
			return err
		}
	}
	forgetFailures(sc.tally)
	forgetSuperfluous(sc.tally)
	v.sources, v.tally = sources, sc.tally
	return sc.foreign.refuse(v.dir, v.Plan)
}

// OK returns how many of the plan's runs have succeeded, Failed how many
// are there as failed rows.
func (v *Reader) OK() int64     { return v.tally.ok.count }
func (v *Reader) Failed() int64 { return v.tally.failed.count }

// Missing returns how many runs are needed and not there: all of the plan's
// that are not there or, if there is a stopping rule, those of them that it
// asks for as far as the runs that are there tell. In the directory of a
// shard, only the shard's runs can be missing.
func (v *Reader) Missing() int64 {
	if s, ok := shardOf(v.dir); ok {
		return v.MissingIn(v.Plan.Shard(s.index, s.count))
	}
	return v.tally.missing(v.Plan, nil)
}

// MissingIn is Missing of a shard of the plan.
func (v *Reader) MissingIn(shard grid.Shard) int64 { return v.tally.missing(v.Plan, &shard) }

// Assigned returns how many runs belong into the directory: those that are
// there and those that are missing.
func (v *Reader) Assigned() int64 { return v.OK() + v.Failed() + v.Missing() }

// Needed returns how many seeds a cell of the plan needs. It is not decided
// while a stopping rule may come to ask for more; the cell is then judged
// when it has so many.
func (v *Reader) Needed(cell int64) (seeds int64, decided bool) {
	if v.tally.judge == nil {
		return v.Plan.Seeds(), true
	}
	return v.tally.judge.needed(cell)
}

// Status returns OK, Failed, or the empty string if run i of the plan is
// missing.
func (v *Reader) Status(i int64) string {
	switch {
	case v.tally.ok.has(i):
		return OK
	case v.tally.failed.has(i):
		return Failed
	}
	return ""
}

// Files returns the files that hold a row of run i, the latest last. Before
// the segments are merged, a run may have several rows: it failed and was
// repeated.
func (v *Reader) Files(i int64) []string {
	var files []string
	for _, s := range v.sources {
		if slices.Contains(s.index, i) {
			files = append(files, s.runs)
		}
	}
	return files
}

// Runs yields the runs that are there in the order of the plan, each with
// its series if the experiment has one and series is asked for. A row
// belongs to the view and is valid until the next one. An error is the last
// thing yielded; its row is nil.
//
// Another process may merge the segments meanwhile; what is left is then read
// from where it has gone. A run that had failed when the directory was
// opened may by then have succeeded, and is yielded so.
func (v *Reader) Runs(series bool) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		if err := v.each(series, func(r *Row) bool { return yield(r, nil) }); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough ends a merge whose reader has broken off.
var errEnough = errors.New("results: no more rows are wanted")

func (v *Reader) each(series bool, visit func(*Row) bool) error {
	to := newRowSink(v.dir, v.Plan.Experiment(), visit)
	if err := v.merge(series, to); err != nil {
		return err
	}
	return to.end()
}

// merge passes the runs that are there to a sink, in the order of the plan.
func (v *Reader) merge(series bool, to sink) error {
	rest := &remainder{sink: to, held: v.tally, last: -1}
	for n := 1; ; n++ {
		err := v.mergeSources(series, rest)
		if !errors.Is(err, fs.ErrNotExist) || n == attempts {
			return err
		}
		now, err := settled(func() (*Reader, error) {
			now := *v
			return &now, now.learn()
		})
		if err != nil {
			return err
		}
		v.sources = now.sources
	}
}

// A remainder passes on what a sink does not have yet of the runs of a
// tally, when they are merged several times in the order of the plan.
type remainder struct {
	sink
	held    *tally
	last    int64 // that was passed on
	passing bool  // the present run is
}

func (r *remainder) run(index int64, row parquet.Row) error {
	if r.passing = index > r.last && r.held.has(index); !r.passing {
		return nil
	}
	r.last = index
	return r.sink.run(index, row)
}

func (r *remainder) series(row parquet.Row) error {
	if !r.passing {
		return nil
	}
	return r.sink.series(row)
}

// mergeSources passes what the sources hold to a sink.
func (v *Reader) mergeSources(series bool, to sink) (err error) {
	e := v.Plan.Experiment()
	sources, l := v.sources, newLayouts(e, v.Name)
	if !series || !hasSeries(e) {
		l.series = nil
		sources = make([]source, len(v.sources))
		for i, s := range v.sources {
			s.series = ""
			sources[i] = s
		}
	}
	scratch, err := os.MkdirTemp("", "sweep-view-") // for what is in another order than the plan's
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	m := merger{disk: osDisk{}, layouts: l, scratch: scratch}
	return m.merge(sources, to)
}

// A rowSink turns what it takes back into Rows.
type rowSink struct {
	dir        string // for messages
	experiment *experiment.Experiment
	visit      func(*Row) bool // false: enough
	row        Row
	pending    bool // row waits for the rest of its series
	texts      map[string]string
}

func newRowSink(dir string, e *experiment.Experiment, visit func(*Row) bool) *rowSink {
	s := &rowSink{dir: dir, experiment: e, visit: visit, texts: map[string]string{}}
	s.row.Point = experiment.Point{Experiment: e, Values: make([]experiment.Value, len(e.Params))}
	return s
}

func (s *rowSink) run(index int64, row parquet.Row) error {
	if err := s.end(); err != nil {
		return err
	}
	e, r := s.experiment, &s.row
	r.Index = index
	if _, err := hex.Decode(r.ID[:], row[idAt].ByteArray()); err != nil {
		return &DataError{Path: s.dir, Message: "a run_id is damaged", Err: err}
	}
	for i := range e.Params {
		r.Point.Values[i] = paramValue(e.Params[i].Kind, row[paramsAt+i], s.texts)
	}
	r.Point.Seed = row[seedAt(e)].Int64()
	r.Status, r.Error = OK, ""
	if status := row[statusAt(e)].ByteArray(); !bytes.Equal(status, []byte(OK)) {
		r.Status, r.Error = Failed, string(row[statusAt(e)+1].ByteArray())
	}
	r.Result.Metrics, r.Result.Series = r.Result.Metrics[:0], r.Result.Series[:0]
	if r.Status == OK {
		for i, m := range e.Metrics {
			r.Result.Metrics = append(r.Result.Metrics, metricValue(m.Kind, row[metricsAt(e)+i]))
		}
	}
	s.pending = true
	return nil
}

func (s *rowSink) series(row parquet.Row) error {
	e := s.experiment
	numbers := append(s.row.Result.Series, metricValue(e.Series.Axis.Kind, row[axisAt]))
	for i, c := range e.Series.Columns {
		numbers = append(numbers, metricValue(c.Kind, row[axisAt+1+i]))
	}
	s.row.Result.Series = numbers
	return nil
}

// end passes on the row that is complete now.
func (s *rowSink) end() error {
	if !s.pending {
		return nil
	}
	s.pending = false
	if !s.visit(&s.row) {
		return errEnough
	}
	return nil
}
