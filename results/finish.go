package results

import (
	"path/filepath"
	"slices"
)

// Finish merges everything in the directory and its shards into
// runs.parquet, series.parquet (if the experiment has series) and
// summary.parquet, and removes the segments. Runs of the plan that are not
// there are absent from the files too, and so are those that a stopping rule
// does not ask for because runs that had failed have succeeded since. If the final files are there and
// nothing is new, it leaves them alone.
//
// An interrupted Finish loses nothing: until the new runs.parquet is in
// place, what it was made from stays.
func (s *Store) Finish() error {
	if err := s.Commit(); err != nil {
		return err
	}
	if forgetFailures(s.here, s.elsewhere)+forgetSuperfluous(s.here, s.elsewhere) > 0 {
		s.final = false
	}
	if s.final {
		return nil
	}
	segments := filepath.Join(s.dir, segmentsDir)
	if err := mkdirAll(s.disk, segments); err != nil {
		return err
	}
	m := merger{disk: s.disk, layouts: s.layouts, scratch: segments}
	defer m.removeScratch()
	f, err := newFinals(s.disk, s.dir, s.plan, s.layouts)
	if err != nil {
		return err
	}
	if err := f.fill(&m, slices.Concat(s.borrowed, s.sources), s.here); err != nil {
		f.discard()
		return err
	}
	if err := s.retire(); err != nil {
		f.discard()
		return err
	}
	if err := f.publish(); err != nil {
		return err
	}
	// One renaming takes all segments away: were some to stay, their rows
	// would count as later than those of the final files.
	merged := filepath.Join(s.dir, mergedDir)
	if err := s.disk.rename(segments, merged); err != nil {
		return err
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		return err
	}
	final := source{runs: f.runsTo.path, number: finalSource, index: f.index, sorted: true}
	if f.seriesTo != nil {
		final.series = f.seriesTo.path
	}
	s.sources, s.borrowed = []source{final}, nil
	s.number = 0
	s.final = true
	return removeDir(s.disk, merged)
}

// finals are the three final files while they are made.
type finals struct {
	*fileSink
	disk    disk
	plan    Plan
	layouts layouts
	summary *writer
}

func newFinals(d disk, dir string, plan Plan, l layouts) (*finals, error) {
	series := ""
	if l.series != nil {
		series = filepath.Join(dir, seriesFile)
	}
	to, err := newFileSink(d, filepath.Join(dir, runsFile), series, l)
	if err != nil {
		return nil, err
	}
	summary, err := newWriter(d, filepath.Join(dir, summaryFile), l.summary)
	if err != nil {
		to.discard()
		return nil, err
	}
	return &finals{to, d, plan, l, summary}, nil
}

// fill writes the runs of the tally into the three files, durable under their
// temporary names.
func (f *finals) fill(m *merger, sources []source, t *tally) error {
	rows := 0
	for _, s := range sources {
		rows += len(s.index)
	}
	f.index = make([]int64, 0, rows)
	if err := m.merge(sources, &remainder{sink: f.fileSink, held: t, last: -1}); err != nil {
		return err
	}
	if err := f.each((*writer).seal); err != nil {
		return err
	}
	z := summarizer{disk: f.disk, plan: f.plan, layouts: f.layouts, index: f.index, failed: t.failed}
	if err := z.write(temporary(f.runsTo.path), f.summary); err != nil {
		return err
	}
	return f.summary.seal()
}

func (f *finals) discard() {
	f.fileSink.discard()
	f.summary.discard()
}

// publish gives the files their names, durably, runs.parquet last: with it
// the set counts as final.
func (f *finals) publish() error {
	if f.seriesTo != nil {
		if err := f.seriesTo.publish(); err != nil {
			return err
		}
	}
	if err := f.summary.publish(); err != nil {
		return err
	}
	dir := filepath.Dir(f.runsTo.path)
	if err := f.disk.syncDir(dir); err != nil {
		return err
	}
	if err := f.runsTo.publish(); err != nil {
		return err
	}
	return f.disk.syncDir(dir)
}

// retire turns final files of an earlier Finish into segment 0, so that at
// no moment new and old files stand beside each other as a pair.
func (s *Store) retire() error {
	if len(s.sources) == 0 || s.sources[0].number != finalSource {
		return nil
	}
	old := s.sources[0]
	to := source{runs: segmentPath(s.dir, retired, "runs"), number: retired}
	if old.series != "" {
		to.series = segmentPath(s.dir, retired, "series")
		// Onto itself, which does nothing, if an earlier process stopped
		// right after this.
		if err := s.move(old.series, to.series); err != nil {
			return err
		}
	}
	if err := s.move(old.runs, to.runs); err != nil {
		return err
	}
	to.index, to.sorted = old.index, old.sorted
	s.sources[0] = to
	return nil
}

// move renames a file, durably.
func (s *Store) move(from, to string) error {
	if err := s.disk.rename(from, to); err != nil {
		return err
	}
	if err := s.disk.syncDir(filepath.Dir(to)); err != nil {
		return err
	}
	return s.disk.syncDir(filepath.Dir(from))
}
