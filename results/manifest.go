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
	"time"

	"sweep/internal/disk"
)

// A Manifest tells how a directory was made: all that does not follow from the
// spec and the model.
type Manifest struct {
	ToolVersion string `json:"tool_version"`
	GoVersion   string `json:"go_version"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Hostname    string `json:"hostname"`
	PID         int    `json:"pid"`
	CPUs        int    `json:"cpus"`
	CPUModel    string `json:"cpu_model,omitempty"`
	Workers     int    `json:"workers"`

	Spec         string `json:"spec"`            // the spec's name
	SpecSHA256   string `json:"spec_sha256"`     // of spec.toml, hexadecimal
	Shard        string `json:"shard,omitempty"` // "i/n"; empty for the whole sweep
	Experiment   string `json:"experiment"`
	ModelVersion int    `json:"model_version"`

	// These are of the last command that ran the sweep, in UTC with whole
	// seconds. While it runs, End is zero, and Updated is its last heartbeat,
	// one every second. Executed counts the runs that it has executed.
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

	// Locked reports whether a process has the log locked. Killed reports that
	// none has, for certain, although the last one wrote no End. Locks of other
	// hosts may be invisible.
	Locked bool `json:"-"`
	Killed bool `json:"-"`

	// Exports is written by the store; nil before the first export.
	Exports *Exports `json:"exports,omitempty"`
}

// Exports identify the exported files.
type Exports struct {
	Digest     string              `json:"digest"` // of the runs in them
	Spec       string              `json:"spec"`   // the spec's name in them
	SpecSHA256 string              `json:"spec_sha256"`
	Effort     Effort              `json:"effort"` // of these runs
	Files      map[string]disk.Sum `json:"files"`  // by name
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
	err = json.Unmarshal(append(slices.Clip(content), '}'), &m)
	if !ok {
		err = errors.New("its checksum is another")
	}
	if err == nil {
		return m, nil
	}
	return m, &DataError{
		Path:    d.Path(manifestFile),
		Message: "the file is corrupt",
		Hint:    runAgain,
		Err:     err,
	}
}

// Manifests returns the manifests of the sweep in a directory: its own, and
// those of its shards, in order. It leaves out directories without one.
func Manifests(dir string) (list []*Manifest, err error) {
	host, _ := os.Hostname() // as the writer of the manifest found it
	read := func(d disk.Dir) error {
		lock := d.Held(logFile) // first: a process that ends writes the manifest, then unlocks
		m, err := readManifest(d)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		m.Locked = lock == ErrLocked
		m.Killed = lock == nil && m.End.IsZero() && m.Hostname == host
		list = append(list, &m)
		return nil
	}
	err = disk.Within(dir, func(d disk.Dir) error {
		return errors.Join(read(d), eachShard(d, read))
	})
	return list, err
}

// checkExports compares the manifest, and the exported files that it lists,
// with their checksums. It returns the manifest, zero if it is missing or
// corrupt, the files that are corrupt, and those that are missing.
func checkExports(d disk.Dir) (m Manifest, damage, missing []*DataError, err error) {
	m, err = readManifest(d)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil, nil, nil
	}
	if corrupt, ok := errors.AsType[*DataError](err); ok && corrupt.Err != nil {
		damage = []*DataError{{Path: corrupt.Path, Message: corrupt.Message}}
		return Manifest{}, damage, nil, nil
	}
	if err != nil || m.Exports == nil {
		return m, nil, nil, err
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
			const message = "it was exported, and is not there any more"
			missing = append(missing, &DataError{Path: d.Path(name), Message: message})
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

// compareWithExport reports damage if the logs lack runs that a finished export
// had: a log that has lost its end looks like that of a sweep under way. The
// manifest is that which was there before the logs were read. If it is another
// one now, a process is at work, and nothing is known.
func (r *Reader) compareWithExport(d disk.Dir, before Manifest) {
	if !before.Complete || before.Exports == nil || before.SpecSHA256 != r.Spec.SHA256() {
		return
	}
	exported := before.Exports.Digest
	if r.Digest() == exported {
		return
	}
	now, err := readManifest(d)
	if err != nil || !now.Complete || now.Exports == nil || now.Exports.Digest != exported {
		return
	}
	there := r.OK() + r.Failed()
	message := fmt.Sprintf("the %d runs are not those that were exported", there)
	counted := before.OK + before.Failed
	if there < counted {
		message = fmt.Sprintf("holds %d runs, and %d were exported: it was cut off, or lost lines",
			there, counted)
	}
	r.lose(d.Path(logFile), message)
}

// lose reports that runs which a manifest tells of are not in a log.
func (r *Reader) lose(path, message string) {
	fault := disk.Refuse(path, runAgain, "%s", message)
	r.Damage = append(r.Damage, fault)
	r.lost = append(r.lost, fault)
}

// A shardEnd is what the manifest of a shard tells whose process has ended.
type shardEnd struct {
	dir          string
	index, count int64
	runs         int64    // in the shard's log
	manifest     Manifest // all of it
}

// endOf returns what the manifest of a directory tells if that is of a shard
// whose process has ended with the reader's spec; otherwise nil. It is to be
// called before the log is read.
func (r *Reader) endOf(d disk.Dir) *shardEnd {
	index, count, isShard := shardOf(d.Path("."))
	if !isShard {
		return nil
	}
	m, err := readManifest(d)
	if err != nil || m.End.IsZero() || m.SpecSHA256 != r.Spec.SHA256() {
		return nil
	}
	return &shardEnd{
		dir:      d.Path("."),
		index:    index,
		count:    count,
		runs:     m.OK + m.Failed,
		manifest: m,
	}
}

// noteEnd takes an end, which may be nil, into account. Its log, which is nil
// if there is none, was read, and does not count if it has other metrics.
func (r *Reader) noteEnd(end *shardEnd, l *log) {
	isOther := l != nil && l.other != nil
	if end != nil && !isOther {
		r.ends = append(r.ends, end)
	}
}

// compareWithEnds reports damage if the logs, all of which were read, lack runs
// of shards whose processes had ended: see compareWithExport. A run may be in
// the log of the whole instead, or be no longer needed.
func (r *Reader) compareWithEnds() {
	ends := r.ends
	r.ends = nil
	if len(ends) == 0 || r.Missing() == 0 {
		return
	}
	there := map[int64]map[int64]int64{} // the runs of each shard, by count and index
	for _, end := range ends {
		known := there[end.count]
		if known == nil {
			known = r.runsOfShards(end.count)
			there[end.count] = known
		}
		found := known[end.index]
		if found >= end.runs || !end.isStill() {
			continue
		}
		message := fmt.Sprintf("%d runs of the shard are there, and its manifest tells of %d: "+
			"the log was cut off, or lost lines", found, end.runs)
		r.lose(filepath.Join(end.dir, logFile), message)
	}
}

// runsOfShards returns the number of runs that are there, needed or not, of
// each shard out of a number of shards, by index.
func (r *Reader) runsOfShards(count int64) map[int64]int64 {
	there := map[int64]int64{}
	shard := r.Plan.Shard(0, count)
	for i := range r.index.entries() {
		there[shard.Of(i)]++
	}
	return there
}

// isStill reports whether the manifest is that which was read: if not, a
// process is at work, and nothing is known.
func (x *shardEnd) isStill() bool {
	var now Manifest
	err := disk.Within(x.dir, func(d disk.Dir) (err error) {
		now, err = readManifest(d)
		return err
	})
	return err == nil && now.End.Equal(x.manifest.End) && now.Start.Equal(x.manifest.Start)
}
