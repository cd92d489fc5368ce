package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"time"
)

// A Manifest tells how a directory came about: all that is not a function
// of the spec and the model.
type Manifest struct {
	ToolVersion string `json:"tool_version"`
	VCSRevision string `json:"vcs_revision"` // empty if the build does not know it
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

	Exports *Exports `json:"exports,omitempty"` // nil before the first export; written by the store
}

// Exports tell the exported files from others.
type Exports struct {
	Digest     string             `json:"digest"` // of the runs in them
	Spec       string             `json:"spec"`   // the spec's name in them
	SpecSHA256 string             `json:"spec_sha256"`
	Files      map[string]FileSum `json:"files"` // by name
}

// The last key of a manifest is the checksum of what comes before it.
const manifestSum = ",\n  \"crc32c\": \""

func writeManifest(d disk, m Manifest) error {
	m.Start = m.Start.UTC().Truncate(time.Second)
	m.Updated = m.Updated.UTC().Truncate(time.Second)
	m.End = m.End.UTC().Truncate(time.Second)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	sum := crc32.Checksum(text, castagnoli)
	text = appendSum(append(text, manifestSum...), sum)
	return writeFile(d, manifestFile, append(text, "\"\n}\n"...))
}

var errManifest = errors.New("its checksum is another")

// readManifest returns a *DataError with a cause if the file is corrupt.
func readManifest(d disk) (*Manifest, error) {
	text, err := readFile(d, manifestFile)
	if err != nil {
		return nil, err
	}
	corrupt := func(cause error) error {
		return &DataError{Path: d.path(manifestFile), Message: "the file is corrupt", Hint: runAgain, Err: cause}
	}
	at := bytes.LastIndex(text, []byte(manifestSum))
	if at < 0 {
		return nil, corrupt(errManifest)
	}
	want := appendSum(nil, crc32.Checksum(text[:at], castagnoli))
	if string(text[at+len(manifestSum):]) != string(want)+"\"\n}\n" {
		return nil, corrupt(errManifest)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, corrupt(err)
	}
	return &m, nil
}

// Manifests returns the manifests of the sweep in a directory: its own, and
// those of its shards, in order. Directories without one are left out.
func Manifests(dir string) ([]*Manifest, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	defer d.close()
	var list []*Manifest
	read := func(d disk) error {
		m, err := readManifest(d)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if m != nil {
			list = append(list, m)
		}
		return err
	}
	if err := read(d); err != nil {
		return nil, err
	}
	return list, eachShard(d, read)
}

// A FileSum tells a file from others.
type FileSum struct {
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"` // hexadecimal
}

// verify returns which exported files are not as they were written; missing
// tells that one is not there.
func (x *Exports) verify(d disk) (damage []Damage, missing bool, err error) {
	for _, name := range exportFiles {
		want, listed := x.Files[name]
		if !listed {
			continue
		}
		fault, err := want.fault(d, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = true
		case err != nil:
			return damage, missing, err
		case fault != "":
			damage = append(damage, Damage{d.path(name), fault})
		}
	}
	return damage, missing, nil
}

// fault tells in what a file is another; empty if it is as it was written.
func (s FileSum) fault(d disk, name string) (string, error) {
	f, err := d.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return "", err
	}
	if size != s.Bytes {
		return fmt.Sprintf("it has %d bytes instead of %d", size, s.Bytes), nil
	}
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return "", err
	}
	if fmt.Sprintf("%08x", sum.Sum32()) != s.CRC32C {
		return "its checksum is another", nil
	}
	return "", nil
}
