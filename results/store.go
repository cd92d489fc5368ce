package results

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sweep/grid"
)

// segmentAge is how long a finished run may wait for its segment to be
// closed. It decides when bytes reach the disk, never what they are.
const segmentAge = time.Second

// Store is the output directory of one sweep. Its methods are to be called
// from one goroutine; Done and HasFailed alone may be called from others
// while none of the methods that change the store runs.
type Store struct {
	dir     string
	plan    Plan
	layouts layouts

	ok, failed *bitmap // of the plan's runs: on disk or in the open segment
	sources    []source
	number     int // of the latest segment
	final      bool

	open    *segment
	closing segmentWriter
	since   time.Time // when the open segment got its first row
}

// Open opens or creates the directory for a plan and learns which runs it
// already holds, whether from a finished sweep, an interrupted one, or a
// finished one of a smaller spec. It writes the spec into the directory.
//
// A *DataError refuses a directory that has other content than a sweep's,
// results of another experiment or model version, or runs that the plan
// does not have; it is then left as it was.
func Open(dir string, spec *grid.Spec, plan Plan) (*Store, error) {
	e := plan.Experiment()
	s := &Store{
		dir:     dir,
		plan:    plan,
		layouts: newLayouts(e, spec.Name),
		ok:      newBitmap(),
		failed:  newBitmap(),
	}
	s.open = newSegment(e, s.layouts.runs)
	s.closing.layouts = s.layouts
	inv, err := takeInventory(dir, hasSeries(e))
	if err != nil {
		return nil, err
	}
	if !inv.ours {
		return nil, &DataError{
			Path:    dir,
			Message: "the directory is not empty, and not the output of a sweep",
			Hint:    "name a new or an empty directory",
		}
	}
	if err := s.learn(inv); err != nil {
		return nil, err
	}
	for _, path := range inv.leftover {
		if err := remove(path); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return s, s.keepSpec(spec.Source)
}

// learn reads which runs the sources hold.
func (s *Store) learn(inv *inventory) error {
	sc := scanner{plan: s.plan, layout: s.layouts.runs, ok: s.ok, failed: s.failed}
	for i := range inv.sources {
		src := &inv.sources[i]
		if src.series != "" {
			if _, err := os.Stat(src.series); errors.Is(err, fs.ErrNotExist) {
				return &DataError{
					Path:    src.series,
					Message: "the file is missing beside " + filepath.Base(src.runs),
					Hint:    "restore it, or use another directory",
				}
			}
		}
		spec, err := sc.scan(src)
		if err != nil {
			return err
		}
		s.number = max(s.number, src.number)
		s.final = len(inv.sources) == 1 && src.number == finalSource &&
			src.sorted && int64(len(src.index)) == s.plan.Runs() && inv.summary && spec == s.layouts.runs.metadata[keySpec]
	}
	s.sources = inv.sources
	return sc.refuse(s.dir)
}

// keepSpec writes spec.toml unless it is there already.
func (s *Store) keepSpec(text []byte) error {
	path := filepath.Join(s.dir, specFile)
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writeFile(path, text)
}

// Dir returns the directory's path as given to Open.
func (s *Store) Dir() string { return s.dir }

// Done reports whether run i is finished with status OK.
func (s *Store) Done(i int64) bool { return s.ok.has(i) }

// HasFailed reports whether run i is there as a failed row.
func (s *Store) HasFailed(i int64) bool { return s.failed.has(i) }

// Finished returns how many of the plan's runs are finished with status OK.
func (s *Store) Finished() int64 { return s.ok.count }

// Failed returns how many of the plan's runs are there as failed rows.
func (s *Store) Failed() int64 { return s.failed.count }

// Append adds a finished run, of which it keeps no reference. A run that
// is there already is replaced. The row is on disk after the next Commit;
// Append calls it when 1,000 rows are waiting or the first has waited for
// a second. A caller whose runs may take longer than that calls Commit
// itself from time to time.
func (s *Store) Append(r *Row) error {
	if len(s.open.entries) == 0 {
		s.since = time.Now()
	}
	s.open.add(r)
	if r.Status == OK {
		s.ok.set(r.Index)
		s.failed.clear(r.Index)
	} else {
		s.failed.set(r.Index)
		s.ok.clear(r.Index)
	}
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
	created := false
	if err := os.Mkdir(filepath.Join(s.dir, segmentsDir), 0o777); err == nil {
		created = true
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	next := source{number: s.number + 1, sorted: true}
	next.runs = segmentPath(s.dir, next.number, "runs")
	if hasSeries(s.plan.Experiment()) {
		next.series = segmentPath(s.dir, next.number, "series")
	}
	var err error
	if next.index, err = s.closing.write(s.open, next); err != nil {
		return err
	}
	if err := syncDir(filepath.Join(s.dir, segmentsDir)); err != nil {
		return err
	}
	if created {
		if err := syncDir(s.dir); err != nil {
			return err
		}
	}
	s.number++
	s.sources = append(s.sources, next)
	s.final = false
	s.open.reset()
	return nil
}

// Close commits what is open and releases the directory. Without Finish,
// segments stay for the next Open.
func (s *Store) Close() error { return s.Commit() }
