package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// Names within a directory.
const (
	specFile     = "spec.toml"
	manifestFile = "manifest.json"
	runsFile     = "runs.parquet"
	seriesFile   = "series.parquet"
	summaryFile  = "summary.parquet"
	segmentsDir  = "segments"
	mergedDir    = ".segments.tmp" // segments that the final files contain
)

// A source is a pair of files that hold finished runs.
type source struct {
	runs   string // path
	series string // path; empty if the experiment has no series
	number int    // of the segment; finalSource for the final files

	// index holds each row's position in the plan, in the order of the
	// file. This is the one list that grows with the number of runs.
	index  []int64
	sorted bool // index ascends

	small bool // a segment of few rows and bytes, see compact.go
}

// The final files are older than any segment beside them. When new rows
// are merged with them they become segment 0 for the moment in which the
// new final files are put in place.
const (
	finalSource = -1
	retired     = 0
)

func segmentPath(dir string, number int, kind string) string {
	return filepath.Join(dir, segmentsDir, fmt.Sprintf("%06d.%s.parquet", number, kind))
}

// An inventory lists what a directory holds, without having opened the
// files.
type inventory struct {
	sources  []source // oldest first: a later row replaces an earlier one
	leftover []string // files that an interrupted process left unfinished
	ours     bool     // it is empty or the output of a sweep
	merged   bool     // mergedDir is there
	summary  string   // path of summary.parquet; empty if it is not there
	manifest string   // path of manifest.json; empty if it is not there
}

// takeInventory lists dir. An absent directory has an empty inventory.
func takeInventory(d disk, dir string, series bool) (*inventory, error) {
	names, err := d.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &inventory{ours: true}, nil
	}
	if err != nil {
		return nil, err
	}
	inv := &inventory{ours: true}
	has := map[string]bool{}
	for _, name := range names {
		has[name] = true
		switch {
		case name == mergedDir:
			inv.merged = true
		case isTemporary(name):
			inv.leftover = append(inv.leftover, filepath.Join(dir, name))
		case name != lockFile:
			inv.ours = false
		}
	}
	if has[specFile] || has[manifestFile] || has[segmentsDir] || has[shardsDir] {
		inv.ours = true
	}
	if !inv.ours {
		return inv, nil
	}

	if has[manifestFile] {
		inv.manifest = filepath.Join(dir, manifestFile)
	}
	var segments []source
	var strays []string
	if has[segmentsDir] { // if it is gone now, what took its place was not seen
		if segments, strays, err = listSegments(d, dir, series); err != nil {
			return nil, err
		}
	}
	switch {
	case has[runsFile]:
		final := source{runs: filepath.Join(dir, runsFile), number: finalSource}
		if series {
			final.series = filepath.Join(dir, seriesFile)
			// A process that stopped between the two renames of
			// Store.retire left the series under its new name.
			if moved := segmentPath(dir, retired, "series"); !has[seriesFile] && slices.Contains(strays, moved) {
				final.series = moved
				strays = slices.DeleteFunc(strays, func(s string) bool { return s == moved })
			}
		}
		inv.sources = append(inv.sources, final)
		if has[summaryFile] {
			inv.summary = filepath.Join(dir, summaryFile)
		}
		// The final files were made from segment 0 and whatever else is
		// still there; their removal was interrupted.
		if len(segments) > 0 && segments[0].number == retired {
			inv.leftover = append(inv.leftover, segments[0].runs)
			if series {
				inv.leftover = append(inv.leftover, segments[0].series)
			}
			segments = segments[1:]
		}
	default:
		// Put in place before runs.parquet, which never came.
		for _, name := range []string{seriesFile, summaryFile} {
			if has[name] {
				inv.leftover = append(inv.leftover, filepath.Join(dir, name))
			}
		}
	}
	inv.sources = append(inv.sources, segments...)
	inv.leftover = append(inv.leftover, strays...)
	return inv, nil
}

// listSegments returns the segments in order of number, and the files
// beside them that belong to none.
func listSegments(d disk, dir string, series bool) (segments []source, strays []string, err error) {
	names, err := listWhole(d, filepath.Join(dir, segmentsDir))
	if err != nil {
		return nil, nil, err
	}
	has := map[string]bool{}
	for _, name := range names {
		has[name] = true
	}
	for _, name := range names {
		path := filepath.Join(dir, segmentsDir, name)
		var number int
		var kind string
		_, err := fmt.Sscanf(name, "%d.%s", &number, &kind)
		switch {
		case isTemporary(name):
			strays = append(strays, path)
		case err != nil || path != segmentPath(dir, number, "runs") && path != segmentPath(dir, number, "series"):
			return nil, nil, &DataError{Path: path, Message: "not a segment of a sweep", Hint: "move it out of the directory"}
		case kind == "runs.parquet":
			s := source{runs: path, number: number}
			if series {
				s.series = segmentPath(dir, number, "series")
			}
			segments = append(segments, s)
		case !has[filepath.Base(segmentPath(dir, number, "runs"))]:
			strays = append(strays, path)
		}
	}
	slices.SortFunc(segments, func(a, b source) int { return a.number - b.number })
	return segments, strays, nil
}

// listWhole lists a directory in which files may meanwhile be merged into a
// new one and removed (compact.go). A listing that begins before the new file
// is there and ends after others are gone has neither; but then it lacks what
// the listing before it had.
func listWhole(d disk, dir string) ([]string, error) {
	before, err := d.list(dir)
	for n := 1; err == nil; n++ {
		var names []string
		names, err = d.list(dir)
		here := map[string]bool{}
		for _, name := range names {
			here[name] = true
		}
		gone := func(name string) bool { return !here[name] }
		if n == attempts || !slices.ContainsFunc(before, gone) {
			return names, err
		}
		before = names
	}
	return nil, err
}
