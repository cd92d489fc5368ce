package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
)

// Names within a directory.
const (
	specFile     = "spec.toml"
	manifestFile = "manifest.json"
	logFile      = "runs.jsonl"
	runsFile     = "runs.parquet"
	seriesFile   = "series.parquet"
	summaryFile  = "summary.parquet"
	corruptFile  = "corrupt.txt"
	shardsDir    = "shards"
)

// A survey is what a directory holds, by its names.
type survey struct {
	has  map[string]bool
	ours bool // it is empty or the output of a sweep
}

// surveyOf lists a directory, and refuses one in the format that earlier
// versions of this program wrote.
func surveyOf(d disk) (survey, error) {
	names, err := d.list(".")
	s := survey{has: map[string]bool{}, ours: true}
	for _, name := range names {
		s.has[name] = true
		s.ours = s.ours && systemOwn(name)
	}
	if err != nil {
		return s, err
	}
	for _, name := range []string{specFile, manifestFile, logFile, shardsDir} {
		s.ours = s.ours || s.has[name]
	}
	if s.ours && !s.has[logFile] && (s.has["segments"] || s.has[runsFile]) {
		return s, &DataError{
			Path:    d.path("."),
			Message: "the results are of an earlier version of this program, which kept no " + logFile,
			Hint:    "run the sweep into a new directory",
		}
	}
	return s, nil
}

// systemOwn reports whether a name is one that file systems, file managers
// and this program's locks leave in any directory.
func systemOwn(name string) bool {
	return strings.HasPrefix(name, ".") || name == "lost+found" || name == "Thumbs.db" || name == "desktop.ini"
}

func notOurs(d disk) error {
	return &DataError{
		Path:    d.path("."),
		Message: "the directory is not empty, and not the output of a sweep",
		Hint:    "name a new or an empty directory",
	}
}

// The directory shards holds one for each shard of a sweep that was begun,
// with a spec, a log and a manifest of its own; so machines that share a
// file system, or copy directories together later, write to no file in
// common. A reader of the sweep's own directory sees the shards' runs too.

// shardName returns the name of a shard's directory, for example 03-of-16.
func shardName(index, count int64) string {
	return fmt.Sprintf("%0*d-of-%d", len(fmt.Sprint(count)), index, count)
}

// ShardDir returns the directory of a shard of the sweep in dir.
func ShardDir(dir string, shard grid.Shard) string {
	return filepath.Join(dir, shardsDir, shardName(shard.Index(), shard.Count()))
}

// A shardEntry is the directory of a shard that was begun.
type shardEntry struct {
	name         string // within the sweep's directory
	index, count int64
}

// shardOf tells from its name whether a directory is that of a shard.
func shardOf(dir string) (shardEntry, bool) {
	var s shardEntry
	absolute, err := filepath.Abs(dir) // it may be called "."
	if err != nil {
		return s, false
	}
	name := filepath.Base(absolute)
	_, err = fmt.Sscanf(name, "%d-of-%d", &s.index, &s.count)
	s.name = shardsDir + "/" + name
	return s, err == nil && 0 <= s.index && s.index < s.count && name == shardName(s.index, s.count)
}

// listShards returns the shards in a directory, in order of their names.
func listShards(d disk) ([]shardEntry, error) {
	names, err := d.list(shardsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var shards []shardEntry
	for _, name := range names {
		if systemOwn(name) {
			continue
		}
		s, ok := shardOf(name)
		if !ok {
			return nil, &DataError{Path: d.path(shardsDir + "/" + name), Message: "not a shard of a sweep", Hint: "move it out of the directory"}
		}
		shards = append(shards, s)
	}
	return shards, nil
}

// ShardCount returns into how many shards the sweep in a directory has been
// divided; 0 if no shard was begun there.
func ShardCount(dir string) (int64, error) {
	d, err := openDisk(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	shards, err := listShards(d)
	if err = errors.Join(err, d.close()); err != nil || len(shards) == 0 {
		return 0, err
	}
	return shards[0].count, nil
}

// openParts opens a directory's own log, if it has one, and those of its
// shards: one that has none was stopped before its first run. shardsOnly
// leaves the own one out. The caller may close d afterwards.
func openParts(d disk, shardsOnly bool) (logs []*log, err error) {
	add := func(in disk) {
		if err != nil {
			return
		}
		s, surveyErr := surveyOf(in)
		if err = surveyErr; err != nil || !s.has[logFile] {
			return
		}
		l, openErr := openLog(in, in.open)
		if err = openErr; err == nil {
			logs = append(logs, l)
		}
	}
	if !shardsOnly {
		add(d)
	}
	shards, listErr := listShards(d)
	err = errors.Join(err, listErr)
	for _, s := range shards {
		sub, subErr := d.sub(s.name)
		if errors.Is(subErr, fs.ErrNotExist) {
			continue // who had begun it has given it up
		}
		if err = errors.Join(err, subErr); err != nil {
			break
		}
		add(sub)
	}
	if err != nil {
		closeLogs(logs)
		return nil, err
	}
	return logs, nil
}

func closeLogs(logs []*log) {
	for _, l := range logs {
		l.file.Close() // nothing was written
	}
}

// readSpec reads spec.toml; its error is fs.ErrNotExist if there is none.
func readSpec(d disk, experiments []*experiment.Experiment) (*grid.Spec, error) {
	text, err := readFile(d, specFile)
	if err != nil {
		return nil, err
	}
	return grid.Parse(d.path(specFile), text, experiments)
}

// specOf reads the spec of the sweep in a directory, which a directory that
// has nothing but shards has from them.
func specOf(d disk, experiments []*experiment.Experiment) (*grid.Spec, error) {
	spec, err := readSpec(d, experiments)
	if !errors.Is(err, fs.ErrNotExist) {
		return spec, err
	}
	shards, err := listShards(d)
	if err != nil {
		return nil, err
	}
	for _, s := range shards {
		sub, err := d.sub(s.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		spec, err := readSpec(sub, experiments)
		if err = errors.Join(err, sub.close()); !errors.Is(err, fs.ErrNotExist) {
			return spec, err
		}
	}
	return nil, &DataError{Path: d.path("."), Message: "not the output of a sweep: there is no " + specFile}
}
