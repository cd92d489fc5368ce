package results

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	timingsFile  = "timings.parquet"
	shardsDir    = "shards"
)

// survey refuses a directory that, by its names, is neither empty nor the
// output of a sweep, with advice, or is in the format that earlier versions of
// this program wrote. A lost log is none of that: the manifest tells of it.
func survey(d disk.Dir, advice string) error {
	names, err := d.List()
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, isSystemFile)
	if len(names) == 0 {
		return nil
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	if !has(specFile) && !has(manifestFile) && !has(logFile) && !has(shardsDir) {
		return disk.Refuse(d.Path("."), advice,
			"the directory is not empty, and not the output of a sweep")
	}
	isEarlier := has("segments") || has(runsFile) && !has(timingsFile)
	if !has(logFile) && isEarlier {
		return disk.Refuse(d.Path("."), "run the sweep into a new directory",
			"the results are of an earlier version of this program, which kept no %s", logFile)
	}
	return nil
}

// IsResult reports whether a path is that of a file in which a sweep or a shard
// that was begun keeps its results.
func IsResult(path string) bool {
	names := append(slices.Clone(exportFiles), specFile, manifestFile, logFile)
	if !slices.Contains(names, filepath.Base(path)) {
		return false
	}
	for _, name := range []string{logFile, manifestFile} {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(path), name)); err == nil {
			return true
		}
	}
	return false
}

// isSystemFile reports whether a name is one that file systems, file managers
// and this program's locks leave in any directory.
func isSystemFile(name string) bool {
	switch name {
	case "lost+found", "Thumbs.db", "desktop.ini":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// The directory shards holds a directory for each shard that was begun, with
// its own spec, log and manifest. So machines that share a file system, or
// whose directories are copied together later, never write to the same file. A
// reader of the sweep's own directory sees the shards' runs, too.

// shardName returns the name of a shard's directory, for example 03-of-16.
func shardName(index, count int64) string {
	return fmt.Sprintf("%0*d-of-%d", len(fmt.Sprint(count)), index, count)
}

// ShardDir returns the path of a shard's directory in that of its sweep.
func ShardDir(index, count int64) string {
	return filepath.Join(shardsDir, shardName(index, count))
}

// shardOf tells from its name whether a directory is that of a shard.
func shardOf(dir string) (index, count int64, ok bool) {
	absolute, err := filepath.Abs(dir) // it may be called "."
	if err != nil {
		return 0, 0, false
	}
	return shardNamed(filepath.Base(absolute))
}

// shardNamed tells which shard a directory of that name is. There may be
// thousands of names, so it is quick.
func shardNamed(name string) (index, count int64, ok bool) {
	first, second, found := strings.Cut(name, "-of-")
	if !found || len(first) != len(second) {
		return 0, 0, false
	}
	index, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	count, err = strconv.ParseInt(second, 10, 64)
	isShard := err == nil && 0 <= index && index < count && second[0] > '0' && first[0] >= '0'
	return index, count, isShard
}

// shardNames returns the names of the directories in shards, in order.
func shardNames(shards disk.Dir) ([]string, error) {
	names, err := shards.List()
	names = slices.DeleteFunc(names, isSystemFile)
	for _, name := range names {
		if _, _, ok := shardNamed(name); !ok {
			return nil, disk.Refuse(shards.Path(name), "move it out of the directory",
				"not a shard of a sweep")
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
	}
	if err != nil {
		return err
	}
	defer shards.Close()
	names, err := shardNames(shards)
	if err != nil {
		return err
	}
	for _, name := range names {
		in, err := shards.Sub(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the process that created it has removed it
		}
		if err == nil {
			err = errors.Join(visit(in), in.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachPart visits the shards in a directory and, last, the directory itself.
func eachPart(d disk.Dir, visit func(in disk.Dir) error) error {
	if err := eachShard(d, visit); err != nil {
		return err
	}
	return visit(d)
}

// ShardCount returns the number of shards into which a sweep is divided; 0 if
// no shard was begun. The directory is that of the sweep, or of one of its
// shards.
func ShardCount(dir string) (count int64, err error) {
	if _, count, ok := shardOf(dir); ok {
		return count, nil
	}
	err = disk.Within(filepath.Join(dir, shardsDir), func(shards disk.Dir) error {
		names, err := shardNames(shards)
		if len(names) > 0 {
			_, count, _ = shardNamed(names[0])
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return count, err
}

// readSpec reads spec.toml. The error is fs.ErrNotExist if there is none.
func readSpec(d disk.Dir, experiments []*experiment.Experiment) (*grid.Spec, error) {
	text, err := disk.ReadFile(d, specFile)
	if err != nil {
		return nil, err
	}
	return parseSpec(d, text, experiments)
}

// parseSpec parses the text of spec.toml.
func parseSpec(
	d disk.Dir, text []byte, experiments []*experiment.Experiment,
) (*grid.Spec, error) {
	spec, err := grid.Parse(d.Path(specFile), text, experiments)
	if fault, is := errors.AsType[*grid.Error](err); is && fault.Experiment != "" {
		fault.Message = "these are results of another program: " + fault.Message
		fault.Hint = "read them with the program that computed them; " +
			"the Parquet files can be read by any"
	} else if is && isOtherSpec(d, text) {
		fault.Message = notTheSpec + ": " + fault.Message
		fault.Hint = runWithSpec
	}
	return spec, err
}

// What is said of a spec.toml that is not what a sweep has written there.
const (
	notTheSpec  = "is not the spec that the sweep was run with: it is corrupt, or was edited"
	runWithSpec = "run the sweep again with its spec, which is then copied here"
)

// isOtherSpec reports whether the manifest tells of another text of the spec.
func isOtherSpec(d disk.Dir, text []byte) bool {
	m, err := readManifest(d)
	return err == nil && m.SpecSHA256 != fmt.Sprintf("%x", sha256.Sum256(text))
}

// specOf reads the spec of the sweep in a directory or, if there is none, that
// of its first shard.
func specOf(d disk.Dir, experiments []*experiment.Experiment) (*grid.Spec, error) {
	spec, err := readSpec(d, experiments)
	if !errors.Is(err, fs.ErrNotExist) {
		return spec, err
	}
	err = eachShard(d, func(in disk.Dir) error {
		if spec != nil {
			return nil
		}
		found, err := readSpec(in, experiments)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		spec = found
		return err
	})
	if err == nil && spec == nil {
		err = noSpec(d)
	}
	return spec, err
}

// ErrNotBegun is the error of reading a directory whose first process was
// ended before it wrote the spec.
var ErrNotBegun = errors.New("not begun: the sweep was ended before it wrote its spec")

// noSpec returns why a directory has no spec: a process has made the log, and
// nothing else yet, or the directory is not that of a sweep.
func noSpec(d disk.Dir) error {
	names, err := d.List()
	if err != nil {
		return err
	}
	isBegun := slices.Contains(names, logFile) || slices.Contains(names, shardsDir)
	if isBegun && !slices.Contains(names, manifestFile) {
		return fmt.Errorf("%s: %w", d.Path("."), ErrNotBegun)
	}
	if isBegun {
		return disk.Refuse(d.Path("."), runWithSpec, "there is no %s: it was removed", specFile)
	}
	return disk.Refuse(d.Path("."), "", "not the output of a sweep: there is no %s", specFile)
}

// Writers returns how many processes write to the sweep in a directory or to
// its shards. It is an error if that cannot be known.
func Writers(dir string) (n int, err error) {
	count := func(d disk.Dir) error {
		err := d.Held(logFile)
		if err == disk.ErrLocked {
			n++
			return nil
		}
		return err
	}
	err = disk.Within(dir, func(d disk.Dir) error { return eachPart(d, count) })
	return n, err
}

// locked adds the directory to ErrLocked and, if the manifest tells it, the
// process that writes there. Other errors are returned as they are.
func locked(d disk.Dir, err error) error {
	if err != ErrLocked {
		return err
	}
	m, unread := readManifest(d)
	if unread == nil && m.End.IsZero() {
		since := m.Start.Format(time.RFC3339)
		err = fmt.Errorf("%w: process %d on %s, since %s", err, m.PID, m.Hostname, since)
	}
	return fmt.Errorf("%s: %w", d.Path("."), err)
}

// held returns ErrLocked if it is known that a process writes to a directory.
func held(d disk.Dir) error {
	err := d.Held(logFile)
	if err == disk.ErrNoLocks {
		return nil
	}
	return locked(d, err)
}
