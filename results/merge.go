package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// Bounds of a merge. Sources of a sweep run in order hardly overlap, and
// are opened only when the merge reaches their first row, so that few are
// open at a time; mergeWidth bounds the rest.
const (
	mergeWidth = 32
	resortRows = 1000 // rows sorted in memory if a file is in another order
)

// A merger merges sources into one, in the order of the plan. Of several
// rows of one run one that succeeded stays, and of those the one from the
// latest source.
type merger struct {
	disk    disk
	layouts layouts
	scratch string // existing directory for intermediate files
	made    int    // intermediate files so far

	// strict, if not nil, is the experiment of which no run may have two
	// rows that succeeded with different outcomes.
	strict *experiment.Experiment
}

// A disagreement is the end of a strict merge: this run has succeeded with
// different outcomes.
type disagreement struct{ index int64 }

func (d *disagreement) Error() string { return fmt.Sprintf("two outcomes of run %d", d.index) }

// A sink takes merged rows: each run's, followed by those of its series. A
// row is valid during the call only.
type sink interface {
	run(index int64, row parquet.Row) error
	series(row parquet.Row) error
}

// A fileSink writes the rows it takes to files.
type fileSink struct {
	runsTo   *writer
	seriesTo *writer // nil if the experiment has no series
	index    []int64 // of the rows written
}

func newFileSink(d disk, runs, series string, l layouts) (*fileSink, error) {
	var s fileSink
	var err error
	if s.runsTo, err = newWriter(d, runs, l.runs); err != nil {
		return nil, err
	}
	if series != "" {
		if s.seriesTo, err = newWriter(d, series, l.series); err != nil {
			s.discard()
			return nil, err
		}
	}
	return &s, nil
}

func (s *fileSink) run(index int64, row parquet.Row) error {
	s.index = append(s.index, index)
	return s.runsTo.writeRow(row)
}

func (s *fileSink) series(row parquet.Row) error { return s.seriesTo.writeRow(row) }

func (s *fileSink) each(do func(w *writer) error) error {
	err := do(s.runsTo)
	if s.seriesTo != nil {
		err = errors.Join(err, do(s.seriesTo))
	}
	return err
}

func (s *fileSink) discard() {
	s.each(func(w *writer) error { w.discard(); return nil })
}

// merge writes all rows of the sources, oldest first, to the sink.
func (m *merger) merge(sources []source, to sink) error {
	sources, err := m.prepare(sources)
	if err != nil {
		return err
	}
	return m.mergeSorted(sources, to)
}

// prepare makes the sources fit for mergeSorted: sorted, and overlapping
// so little that few are open at a time.
func (m *merger) prepare(sources []source) ([]source, error) {
	var sorted []source
	for _, s := range sources {
		if s.sorted {
			sorted = append(sorted, s)
			continue
		}
		pieces, err := m.resort(s)
		if err != nil {
			return nil, err
		}
		sorted = append(sorted, pieces...)
	}
	sources = slices.DeleteFunc(sorted, func(s source) bool { return len(s.index) == 0 })
	for overlap(sources) > mergeWidth {
		var level []source
		for group := range slices.Chunk(sources, mergeWidth) {
			to, err := m.intermediate(group[0].series != "", func(to *fileSink) error { return m.mergeSorted(group, to) })
			if err != nil {
				return nil, err
			}
			level = append(level, to)
		}
		sources = level
	}
	return sources, nil
}

// overlap returns the greatest number of sources whose ranges of indices
// share a point.
func overlap(sources []source) int {
	firsts, lasts := make([]int64, len(sources)), make([]int64, len(sources))
	for i, s := range sources {
		firsts[i], lasts[i] = s.index[0], s.index[len(s.index)-1]
	}
	slices.Sort(firsts)
	slices.Sort(lasts)
	most, ended := 0, 0
	for i, first := range firsts {
		for lasts[ended] < first {
			ended++
		}
		most = max(most, i+1-ended)
	}
	return most
}

// intermediate makes a source of what fill writes. It stays under its
// temporary names, to be removed with the scratch directory or as a
// leftover.
func (m *merger) intermediate(series bool, fill func(*fileSink) error) (source, error) {
	m.made++
	s := source{runs: filepath.Join(m.scratch, fmt.Sprintf("merge-%06d.runs", m.made)), sorted: true}
	if series {
		s.series = filepath.Join(m.scratch, fmt.Sprintf("merge-%06d.series", m.made))
	}
	to, err := newFileSink(m.disk, s.runs, s.series, m.layouts)
	if err != nil {
		return source{}, err
	}
	if err := errors.Join(fill(to), to.each((*writer).end)); err != nil {
		to.discard()
		return source{}, err
	}
	s.runs, s.index = temporary(s.runs), to.index
	if series {
		s.series = temporary(s.series)
	}
	return s, nil
}

// resort cuts a source whose rows are in another order, that of an earlier
// plan, into sorted pieces.
func (m *merger) resort(s source) ([]source, error) {
	c := cursor{source: &s}
	if err := c.open(m.disk, m.layouts); err != nil {
		return nil, err
	}
	defer c.close()
	var pieces []source
	for c.at < len(s.index) {
		runs, series := newBatch(m.layouts.runs), (*batch)(nil)
		if s.series != "" {
			series = newBatch(m.layouts.series)
		}
		var entries []entry
		for len(entries) < resortRows && c.at < len(s.index) {
			n := entry{index: c.index(), row: runs.rows()}
			if series != nil {
				n.series = [2]int{series.rows(), series.rows()}
			}
			err := c.take(
				func(row parquet.Row) error { runs.copyRow(row); return nil },
				func(row parquet.Row) error { series.copyRow(row); n.series[1]++; return nil })
			if err != nil {
				return nil, err
			}
			entries = append(entries, n)
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.index, b.index) })
		piece, err := m.intermediate(s.series != "", func(to *fileSink) error {
			for _, n := range entries {
				if err := to.run(n.index, runs.row(n.row)); err != nil {
					return err
				}
				for i := n.series[0]; i < n.series[1]; i++ {
					if err := to.series(series.row(i)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece)
	}
	return pieces, c.check()
}

// mergeSorted merges sorted, non-empty sources.
func (m *merger) mergeSorted(sources []source, to sink) (err error) {
	// waiting are the cursors not yet opened, by first row; age decides
	// between rows of one run.
	waiting := make([]*cursor, len(sources))
	for i := range sources {
		waiting[i] = &cursor{source: &sources[i], age: i}
	}
	slices.SortStableFunc(waiting, func(a, b *cursor) int { return cmp.Compare(a.index(), b.index()) })
	var open []*cursor
	defer func() {
		for _, c := range open {
			c.close()
		}
	}()
	for len(open)+len(waiting) > 0 {
		// The next row is the least of all. A linear search: few are open.
		var next *cursor
		for _, c := range open {
			if next == nil || c.before(next) {
				next = c
			}
		}
		if len(waiting) > 0 && (next == nil || waiting[0].index() <= next.index()) {
			if err := waiting[0].open(m.disk, m.layouts); err != nil {
				return err
			}
			open, waiting = append(open, waiting[0]), waiting[1:]
			continue
		}
		var others []*cursor
		for _, c := range open {
			if c != next && c.index() == next.index() {
				others = append(others, c)
			}
		}
		if err := m.takeRun(next, others, to); err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(c *cursor) bool {
			if c.at < len(c.source.index) {
				return false
			}
			err = errors.Join(err, c.check())
			c.close()
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takeRun passes the current run of next to the sink; that of the others is
// the same run and left out.
func (m *merger) takeRun(next *cursor, others []*cursor, to sink) error {
	index := next.index()
	run, series := func(row parquet.Row) error { return to.run(index, row) }, to.series
	compared := m.strict != nil && len(others) > 0 && next.succeeded()
	var kept *rowSink
	if compared {
		kept = newRowSink(next.source.runs, m.strict, nil)
		run = func(row parquet.Row) error { return cmp.Or(kept.run(index, row), to.run(index, row)) }
		series = func(row parquet.Row) error { return cmp.Or(kept.series(row), to.series(row)) }
	}
	if err := next.take(run, series); err != nil {
		return err
	}
	for _, c := range others {
		if !compared || !c.succeeded() {
			if err := c.take(skip, skip); err != nil {
				return err
			}
			continue
		}
		other := newRowSink(c.source.runs, m.strict, nil)
		if err := c.take(func(row parquet.Row) error { return other.run(index, row) }, other.series); err != nil {
			return err
		}
		if len(Differences(&kept.row, &other.row)) > 0 {
			return &disagreement{index}
		}
	}
	return nil
}

func skip(parquet.Row) error { return nil }

// writeRow copies a row into the file.
func (w *writer) writeRow(row parquet.Row) error {
	w.copyRow(row)
	return w.endRow()
}

// A cursor walks over a source run by run.
type cursor struct {
	source *source
	age    int // position among the sources: the greater, the later
	at     int // current run

	runs     *rowReader
	series   *rowReader // nil without series
	statusAt int        // column of runs
	id       []byte     // scratch
}

func (c *cursor) index() int64 { return c.source.index[c.at] }

// before reports whether c's row comes before d's; of the same run, the one
// that is to stay comes first.
func (c *cursor) before(d *cursor) bool {
	if c.index() != d.index() {
		return c.index() < d.index()
	}
	if ok := c.succeeded(); ok != d.succeeded() {
		return ok
	}
	return c.age > d.age
}

// succeeded reports whether the current row is that of a run that did.
func (c *cursor) succeeded() bool {
	row := c.runs.row()
	return row != nil && string(row[c.statusAt].ByteArray()) == OK
}

func (c *cursor) open(d disk, l layouts) (err error) {
	if c.runs, err = openRows(d, c.source.runs, l.runs); err != nil {
		return err
	}
	c.statusAt = l.runs.column("status")
	if c.source.series == "" {
		return nil
	}
	if c.series, err = openRows(d, c.source.series, l.series); err != nil {
		c.close()
	}
	return err
}

// close closes the files and lets go of their buffers.
func (c *cursor) close() {
	c.runs.close()
	if c.series != nil {
		c.series.close()
	}
	c.runs, c.series = nil, nil
}

// take passes the current run's row to run and the rows of its series to
// series, and moves on.
func (c *cursor) take(run, series func(parquet.Row) error) error {
	row := c.runs.row()
	if row == nil {
		return &DataError{Path: c.source.runs, Message: "rows are missing at the end"}
	}
	c.id = append(c.id[:0], row[idAt].ByteArray()...)
	if err := run(row); err != nil {
		return err
	}
	if err := c.runs.next(); err != nil {
		return err
	}
	c.at++
	if c.series == nil {
		return nil
	}
	for row := c.series.row(); row != nil && bytes.Equal(row[idAt].ByteArray(), c.id); row = c.series.row() {
		if err := series(row); err != nil {
			return err
		}
		if err := c.series.next(); err != nil {
			return err
		}
	}
	return nil
}

// check is called at the end of a source: a series file whose order is not
// that of the runs file has rows left.
func (c *cursor) check() error {
	if c.series != nil && c.series.row() != nil {
		return &DataError{
			Path:    c.source.series,
			Message: "the file does not belong to " + filepath.Base(c.source.runs),
			Hint:    "remove both and run the sweep again",
		}
	}
	return nil
}

// removeScratch removes intermediate files.
func (m *merger) removeScratch() {
	for i := 1; i <= m.made; i++ {
		for _, kind := range []string{"runs", "series"} {
			m.disk.remove(temporary(filepath.Join(m.scratch, fmt.Sprintf("merge-%06d.%s", i, kind))))
		}
	}
}
