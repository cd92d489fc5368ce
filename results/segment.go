package results

import (
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
)

// Limits of the open segment: so many runs, or so many numbers of series.
const (
	segmentRuns    = 1000
	segmentNumbers = 1 << 21 // 16 MiB
)

// A segment gathers finished runs until they are written out together.
type segment struct {
	experiment *experiment.Experiment
	runs       *batch
	entries    []entry
	numbers    []float64 // the runs' series, one after another
}

// An entry locates one run in a segment.
type entry struct {
	index  int64
	row    int // in runs
	series [2]int
}

func newSegment(e *experiment.Experiment, l *layout) *segment {
	return &segment{experiment: e, runs: newBatch(l)}
}

func (s *segment) full() bool {
	return len(s.entries) >= segmentRuns || len(s.numbers) >= segmentNumbers
}

func (s *segment) reset() {
	s.runs.reset()
	s.entries = s.entries[:0]
	s.numbers = s.numbers[:0]
}

// add copies a run into the segment.
func (s *segment) add(r *Row) {
	e := s.experiment
	mustFit(e, r)
	n := entry{index: r.Index, row: s.runs.rows()}
	b := s.runs
	var id [2 * len(r.ID)]byte
	hex.Encode(id[:], r.ID[:])
	b.addBytes(id[:])
	b.addString(e.Name)
	for _, v := range r.Point.Values {
		b.addParam(v)
	}
	b.addInt(r.Point.Seed)
	b.addString(r.Status)
	if r.Status == Failed {
		b.addString(strings.ToValidUTF8(r.Error, "\uFFFD")) // Parquet strings are UTF-8
		for range e.Metrics {
			b.addNull()
		}
	} else {
		b.addNull()
		for i, m := range e.Metrics {
			b.addMetric(m.Kind, r.Result.Metrics[i])
		}
		n.series[0] = len(s.numbers)
		s.numbers = append(s.numbers, r.Result.Series...)
		n.series[1] = len(s.numbers)
	}
	s.entries = append(s.entries, n)
}

// misfit reports how a result breaks the declaration: it is to have as many
// metrics as declared, a series of whole rows, and whole numbers below 2⁵³
// (or NaN) wherever an Int is declared.
func misfit(e *experiment.Experiment, r *experiment.Result) error {
	if got, want := len(r.Metrics), len(e.Metrics); got != want {
		return fmt.Errorf("%d metrics, not the %d that are declared", got, want)
	}
	for i, m := range e.Metrics {
		if x := r.Metrics[i]; m.Kind == experiment.Int && !whole(x) {
			return fmt.Errorf("metric %s is %v, not a whole number", m.Name, x)
		}
	}
	if !hasSeries(e) {
		if len(r.Series) > 0 {
			return fmt.Errorf("a series of %d numbers, where none is declared", len(r.Series))
		}
		return nil
	}
	columns := append([]experiment.Metric{e.Series.Axis}, e.Series.Columns...)
	if len(r.Series)%len(columns) != 0 {
		return fmt.Errorf("a series of %d numbers, not a multiple of its %d columns", len(r.Series), len(columns))
	}
	for k, c := range columns {
		for i := k; c.Kind == experiment.Int && i < len(r.Series); i += len(columns) {
			if !whole(r.Series[i]) {
				return fmt.Errorf("%s of the series is %v, not a whole number", c.Name, r.Series[i])
			}
		}
	}
	return nil
}

func whole(x float64) bool {
	return math.IsNaN(x) || x == math.Trunc(x) && math.Abs(x) < 1<<53
}

// mustFit panics if a row does not fit the declaration. Whoever runs an
// experiment judges its results, and makes a failed row of a misfit; one
// that comes this far would become wrong columns.
func mustFit(e *experiment.Experiment, r *Row) {
	if len(r.Point.Values) != len(e.Params) {
		panic("results: row with the wrong number of parameters")
	}
	switch r.Status {
	case Failed:
	case OK:
		if err := misfit(e, &r.Result); err != nil {
			panic("results: row with " + err.Error())
		}
	default:
		panic("results: row without a status")
	}
}

// order returns the entries in the order of the plan. Of several rows of
// one run the last added stays.
func (s *segment) order() []entry {
	sorted := slices.Clone(s.entries)
	slices.SortFunc(sorted, func(a, b entry) int {
		if a.index != b.index {
			if a.index < b.index {
				return -1
			}
			return 1
		}
		return b.row - a.row
	})
	return slices.CompactFunc(sorted, func(a, b entry) bool { return a.index == b.index })
}

// A segmentWriter writes segments one after another in the same memory.
type segmentWriter struct {
	disk         disk
	layouts      layouts
	runs, series *writer // nil before the first segment and after a fault
}

// write writes a segment's files, durably, and returns the order of its
// rows. The runs file gets its name last, for it makes the segment count.
func (sw *segmentWriter) write(s *segment, to source) (index []int64, err error) {
	order := s.order()
	index = make([]int64, len(order))
	for i, n := range order {
		index[i] = n.index
	}
	if to.series != "" {
		sw.series, err = sw.writeFile(sw.series, to.series, sw.layouts.series, order, func(w *writer, n entry) error {
			return w.addSeries(s.experiment, s.runs.row(n.row)[idAt].ByteArray(), s.numbers[n.series[0]:n.series[1]])
		})
		if err != nil {
			return nil, err
		}
	}
	sw.runs, err = sw.writeFile(sw.runs, to.runs, sw.layouts.runs, order, func(w *writer, n entry) error {
		return w.writeRow(s.runs.row(n.row))
	})
	return index, err
}

// writeFile writes one of a segment's files with w, or with a new writer
// if w is nil, and returns the writer for the next segment: nil after a
// fault.
func (sw *segmentWriter) writeFile(w *writer, path string, l *layout, order []entry, each func(*writer, entry) error) (*writer, error) {
	var err error
	if w == nil {
		w, err = newWriter(sw.disk, path, l)
	} else {
		err = w.reuse(path)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range order {
		if err := each(w, n); err != nil {
			w.discard()
			return nil, err
		}
	}
	err = w.seal()
	if err == nil {
		err = w.publish()
	}
	if err != nil {
		w.discard()
		return nil, err
	}
	return w, sw.disk.syncDir(filepath.Dir(path))
}

// addSeries writes the rows of one run's series.
func (w *writer) addSeries(e *experiment.Experiment, id []byte, numbers []float64) error {
	width := 1 + len(e.Series.Columns)
	for window := 0; window < len(numbers)/width; window++ {
		w.addBytes(id)
		w.addInt32(int32(window))
		row := numbers[window*width : (window+1)*width]
		w.addMetric(e.Series.Axis.Kind, row[0])
		for i, c := range e.Series.Columns {
			w.addMetric(c.Kind, row[1+i])
		}
		if err := w.endRow(); err != nil {
			return err
		}
	}
	return nil
}
