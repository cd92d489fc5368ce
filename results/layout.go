package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// Names within a directory.
const (
	specFile     = "spec.toml"
	manifestFile = "manifest.json"
	logFile      = "runs.jsonl"
	runsFile     = "runs.parquet"
	seriesFile   = "series.parquet"
	summaryFile  = "summary.parquet"
	shardsDir    = "shards"
)

// survey refuses a directory that, by its names, is neither empty nor the
// output of a sweep, with advice, or is in the format that earlier versions of this
// program wrote.
func survey(d disk.Dir, advice string) error {
	names, err := d.List()
	if err != nil {
		return err
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case !slices.ContainsFunc(names, func(name string) bool { return !systemOwn(name) }):
	case !slices.ContainsFunc([]string{specFile, manifestFile, logFile, shardsDir}, has):
		return disk.Refuse(d.Path("."), advice,
			"the directory is not empty, and not the output of a sweep")
	case !has(logFile) && (has("segments") || has(runsFile)):
		return disk.Refuse(d.Path("."), "run the sweep into a new directory",
			"the results are of an earlier version of this program, which kept no %s", logFile)
	}
	return nil
}

// systemOwn reports whether a name is one that file systems, file managers
// and this program's locks leave in any directory.
func systemOwn(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"lost+found", "Thumbs.db", "desktop.ini"}, name)
}

// The directory shards holds one for each shard of a sweep that was begun,
// with a spec, a log and a manifest of its own; so machines that share a
// file system, or copy directories together later, write to no file in
// common. A reader of the sweep's own directory sees the shards' runs too.

// shardName returns the name of a shard's directory, for example 03-of-16.
func shardName(index, count int64) string {
	return fmt.Sprintf("%0*d-of-%d", len(fmt.Sprint(count)), index, count)
}

// shardOf tells from its name whether a directory is that of a shard.
func shardOf(dir string) (index, count int64, ok bool) {
	absolute, err := filepath.Abs(dir) // it may be called "."
	if err != nil {
		return 0, 0, false
	}
	name := filepath.Base(absolute)
	_, err = fmt.Sscanf(name, "%d-of-%d", &index, &count)
	return index, count, err == nil && 0 <= index && index < count && name == shardName(index, count)
}

// shardNames returns the names of the directories in shards, in order.
func shardNames(shards disk.Dir) ([]string, error) {
	names, err := shards.List()
	names = slices.DeleteFunc(names, systemOwn)
	for _, name := range names {
		if _, _, ok := shardOf(name); !ok {
			return nil, disk.Refuse(shards.Path(name), "move it out of the directory", "not a shard of a sweep")
		}
	}
	slices.Sort(names)
	return names, err
}

// eachShard visits the directories of a sweep's shards, in order.
func eachShard(d disk.Dir, visit func(in disk.Dir) error) error {
	shards, err := d.Sub(shardsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer shards.Close()
	names, err := shardNames(shards)
	for _, name := range names {
		in, err := shards.Sub(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // who had begun it has given it up
		}
		if err == nil {
			err = errors.Join(visit(in), in.Close())
		}
		if err != nil {
			return err
		}
	}
	return err
}

// eachPart visits the shards in a directory and, last, itself.
func eachPart(d disk.Dir, visit func(in disk.Dir) error) error {
	if err := eachShard(d, visit); err != nil {
		return err
	}
	return visit(d)
}

// ShardCount returns into how many shards the sweep in a directory has been
// divided, or that whose shard the directory is; 0 if no shard was begun.
func ShardCount(dir string) (count int64, err error) {
	if _, count, ok := shardOf(dir); ok {
		return count, nil
	}
	err = disk.Within(dir, func(d disk.Dir) error {
		return eachShard(d, func(in disk.Dir) error {
			_, count, _ = shardOf(in.Path("."))
			return nil
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return count, err
}

// readSpec reads spec.toml; its error is fs.ErrNotExist if there is none.
func readSpec(d disk.Dir, experiments []*experiment.Experiment) (*grid.Spec, error) {
	text, err := disk.ReadFile(d, specFile)
	if err != nil {
		return nil, err
	}
	return grid.Parse(d.Path(specFile), text, experiments)
}

// specOf reads the spec of the sweep in a directory, which a directory that
// has nothing but shards has from them.
func specOf(d disk.Dir, experiments []*experiment.Experiment) (*grid.Spec, error) {
	spec, err := readSpec(d, experiments)
	if !errors.Is(err, fs.ErrNotExist) {
		return spec, err
	}
	err = eachShard(d, func(in disk.Dir) (err error) {
		if spec == nil {
			if spec, err = readSpec(in, experiments); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
		return err
	})
	if err == nil && spec == nil {
		err = disk.Refuse(d.Path("."), "", "not the output of a sweep: there is no %s", specFile)
	}
	return spec, err
}

// locked adds to ErrLocked which directory it is, and whose process that is if
// the directory says so.
func locked(d disk.Dir, err error) error {
	if err != ErrLocked {
		return err
	}
	if m, noManifest := readManifest(d); noManifest == nil && m.End.IsZero() {
		since := m.Start.Format(time.RFC3339)
		err = fmt.Errorf("%w: process %d on %s, since %s", err, m.PID, m.Hostname, since)
	}
	return fmt.Errorf("%s: %w", d.Path("."), err)
}

// held returns ErrLocked if a process writes to a directory, as far as can be known.
func held(d disk.Dir) error {
	if err := d.Held(logFile); err != disk.ErrNoLocks {
		return locked(d, err)
	}
	return nil
}

// A Manifest tells how a directory came about: all that is not a function
// of the spec and the model.
type Manifest struct {
	ToolVersion string `json:"tool_version"`
	GoVersion   string `json:"go_version"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Hostname    string `json:"hostname"`
	PID         int    `json:"pid"`
	CPUs        int    `json:"cpus"`
	Workers     int    `json:"workers"`

	Spec         string `json:"spec"`            // the spec's name
	SpecSHA256   string `json:"spec_sha256"`     // of spec.toml, hexadecimal
	Shard        string `json:"shard,omitempty"` // "i/n"; empty for the whole sweep
	Experiment   string `json:"experiment"`
	ModelVersion int    `json:"model_version"`

	// Of the last command that ran the sweep, in UTC with whole seconds.
	// While it runs, End is zero, and Updated is its last heartbeat, one
	// every second. Executed counts the runs it has executed.
	Start    time.Time `json:"start"`
	Updated  time.Time `json:"updated"`
	End      time.Time `json:"end,omitzero"`
	Executed int64     `json:"executed"`

	Runs     int64 `json:"runs"`    // in the plan, or in the shard
	OK       int64 `json:"ok"`      // finished
	Failed   int64 `json:"failed"`  // failed and not yet repeated with success
	Missing  int64 `json:"missing"` // neither
	Reused   int64 `json:"reused"`  // of OK: found in the directory, not run by the last command
	Complete bool  `json:"complete"`

	// Whether a process has the log locked, or surely none has and that which was there
	// wrote no End. Locks of other hosts may be unseen.
	Locked, Killed bool `json:"-"`

	Exports *Exports `json:"exports,omitempty"` // nil before the first export; written by the store
}

// Exports tell the exported files from others.
type Exports struct {
	Digest     string              `json:"digest"` // of the runs in them
	Spec       string              `json:"spec"`   // the spec's name in them
	SpecSHA256 string              `json:"spec_sha256"`
	Files      map[string]disk.Sum `json:"files"` // by name
}

func writeManifest(d disk.Dir, m Manifest) error {
	m.Start = m.Start.UTC().Truncate(time.Second)
	m.Updated = m.Updated.UTC().Truncate(time.Second)
	m.End = m.End.UTC().Truncate(time.Second)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	return disk.WriteFile(d, manifestFile, seal(text, text, manifestEnd))
}

// readManifest returns a *DataError with a cause if the file is corrupt.
func readManifest(d disk.Dir) (m Manifest, err error) {
	text, err := disk.ReadFile(d, manifestFile)
	if err != nil {
		return m, err
	}
	content, ok := unseal(text, manifestEnd)
	if err = json.Unmarshal(append(slices.Clip(content), '}'), &m); !ok {
		err = errors.New("its checksum is another")
	}
	if err != nil {
		err = &DataError{Path: d.Path(manifestFile), Message: "the file is corrupt", Hint: runAgain, Err: err}
	}
	return m, err
}

// Manifests returns the manifests of the sweep in a directory: its own, and
// those of its shards, in order. Directories without one are left out.
func Manifests(dir string) (list []*Manifest, err error) {
	host, _ := os.Hostname() // as who wrote the manifest asked for it
	read := func(d disk.Dir) error {
		lock := d.Held(logFile) // first, for who ends writes the manifest and gives the lock back then
		m, err := readManifest(d)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			m.Locked, m.Killed = lock == ErrLocked, lock == nil && m.End.IsZero() && m.Hostname == host
			list = append(list, &m)
		}
		return err
	}
	err = disk.Within(dir, func(d disk.Dir) error { return errors.Join(read(d), eachShard(d, read)) })
	return list, err
}

// checkExports compares the manifest and the exported files that it tells of
// with their checksums. It returns the manifest, zero if it is not there or not
// whole, which files are corrupt, and whether one is missing.
func checkExports(d disk.Dir) (m Manifest, damage []*DataError, missing bool, err error) {
	m, err = readManifest(d)
	switch corrupt, ok := errors.AsType[*DataError](err); {
	case ok && corrupt.Err != nil:
		return Manifest{}, []*DataError{{Path: corrupt.Path, Message: corrupt.Message}}, false, nil
	case errors.Is(err, fs.ErrNotExist):
		return m, nil, false, nil
	case err != nil || m.Exports == nil:
		return m, nil, false, err
	}
	for _, name := range exportFiles {
		want, listed := m.Exports.Files[name]
		if !listed {
			continue
		}
		got, err := disk.SumOf(d, name)
		message := "its checksum is another"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = true
			continue
		case err != nil:
			return m, damage, missing, err
		case got == want:
			continue
		case got.Bytes != want.Bytes:
			message = fmt.Sprintf("it has %d bytes instead of %d", got.Bytes, want.Bytes)
		}
		damage = append(damage, &DataError{Path: d.Path(name), Message: message})
	}
	return m, damage, missing, nil
}
