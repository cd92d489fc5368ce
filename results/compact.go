package results

import "path/filepath"

// Slow runs leave a segment a second. Where many small ones have come
// together they become one, so that a week of slow runs leaves some hundred
// files and not a million, and the sweep is quickly opened and finished.
const (
	compactSegments = 64      // small segments that become one
	compactBytes    = 1 << 18 // size of the files of a segment that is small
)

// compact makes one segment of the latest ones if these are small and many.
// Whatever interrupts it, each row is there: for a while, perhaps, twice.
func (s *Store) compact() error {
	from := len(s.sources)
	for from > 0 && s.sources[from-1].small {
		from--
	}
	few := s.sources[from:]
	if len(few) < s.compactAfter {
		return nil
	}
	next := s.nextSegment()
	dir := filepath.Join(s.dir, segmentsDir)
	to, err := newFileSink(s.disk, next.runs, next.series, s.layouts)
	if err != nil {
		return err
	}
	m := merger{disk: s.disk, layouts: s.layouts, scratch: dir}
	err = m.merge(few, to)
	m.removeScratch()
	if err == nil {
		err = to.each((*writer).seal)
	}
	if err == nil && to.seriesTo != nil {
		if err = to.seriesTo.publish(); err == nil {
			err = s.disk.syncDir(dir)
		}
	}
	if err == nil {
		err = to.runsTo.publish()
	}
	if err != nil {
		to.discard()
		return err
	}
	if err := s.disk.syncDir(dir); err != nil {
		return err
	}
	next.index = to.index
	if next.small, err = s.isSmall(next); err != nil {
		return err
	}
	old := append([]source(nil), few...)
	s.number = next.number
	s.sources = append(s.sources[:from], next)
	return s.removeSources(old)
}

// removeSources removes segments whose rows are elsewhere. A series without
// its runs means nothing, but runs without their series are damaged: they go
// first.
func (s *Store) removeSources(old []source) error {
	for _, src := range old {
		if err := remove(s.disk, src.runs); err != nil {
			return err
		}
	}
	if err := s.disk.syncDir(filepath.Join(s.dir, segmentsDir)); err != nil {
		return err
	}
	for _, src := range old {
		if src.series == "" {
			continue
		}
		if err := remove(s.disk, src.series); err != nil {
			return err
		}
	}
	return nil
}

// isSmall reports whether a segment is worth to be merged with others.
func (s *Store) isSmall(src source) (bool, error) {
	if src.number <= retired || len(src.index) >= segmentRuns {
		return false, nil
	}
	bytes := int64(0)
	for _, path := range []string{src.runs, src.series} {
		if path == "" {
			continue
		}
		f, err := s.disk.open(path)
		if err != nil {
			return false, err
		}
		size, err := f.Size()
		f.Close() // nothing was written
		if err != nil {
			return false, err
		}
		bytes += size
	}
	return bytes < compactBytes, nil
}
