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

// survey tells from its names whether a directory is empty or the output of
// a sweep, and refuses one in the format that earlier versions of this
// program wrote.
func survey(d disk) (ours bool, err error) {
	names, err := d.list(".")
	if err != nil {
		return false, err
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	ours = !slices.ContainsFunc(names, func(name string) bool { return !systemOwn(name) }) ||
		slices.ContainsFunc([]string{specFile, manifestFile, logFile, shardsDir}, has)
	if ours && !has(logFile) && (has("segments") || has(runsFile)) {
		return false, &DataError{
			Path:    d.path("."),
			Message: "the results are of an earlier version of this program, which kept no " + logFile,
			Hint:    "run the sweep into a new directory",
		}
	}
	return ours, nil
}

// surveyOurs refuses a directory that a sweep must not write to.
func surveyOurs(d disk) error {
	ours, err := survey(d)
	if err != nil || ours {
		return err
	}
	return &DataError{
		Path:    d.path("."),
		Message: "the directory is not empty, and not the output of a sweep",
		Hint:    "name a new or an empty directory",
	}
}

// systemOwn reports whether a name is one that file systems, file managers
// and this program's locks leave in any directory.
func systemOwn(name string) bool {
	return strings.HasPrefix(name, ".") || name == "lost+found" || name == "Thumbs.db" || name == "desktop.ini"
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

// eachShard visits the directories of a sweep's shards, in order.
func eachShard(d disk, visit func(in disk) error) error {
	shards, err := listShards(d)
	if err != nil {
		return err
	}
	for _, s := range shards {
		in, err := d.sub(s.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // who had begun it has given it up
		}
		if err == nil {
			err = errors.Join(visit(in), in.close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachPart visits the shards in a directory and, last, itself.
func eachPart(d disk, visit func(in disk) error) error {
	if err := eachShard(d, visit); err != nil {
		return err
	}
	return visit(d)
}

// ShardCount returns into how many shards the sweep in a directory has been
// divided, or that whose shard the directory is; 0 if no shard was begun.
func ShardCount(dir string) (int64, error) {
	if s, ok := shardOf(dir); ok {
		return s.count, nil
	}
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
func specOf(d disk, experiments []*experiment.Experiment) (spec *grid.Spec, err error) {
	find := func(in disk) error {
		if spec == nil {
			spec, err = readSpec(in, experiments)
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	err = find(d)
	if err == nil && spec == nil {
		err = eachShard(d, find)
	}
	if err == nil && spec == nil {
		err = &DataError{Path: d.path("."), Message: "not the output of a sweep: there is no " + specFile}
	}
	return spec, err
}
