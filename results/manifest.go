package results

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
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
	// While it runs, End is zero, and Updated is when it gave the last sign
	// of life, every second. Executed counts the runs it has executed.
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
}

// WriteManifest writes manifest.json atomically. Times are written in UTC
// as RFC 3339 with whole seconds.
func WriteManifest(dir string, m Manifest) error {
	return writeManifest(osDisk{}, dir, m)
}

func writeManifest(d disk, dir string, m Manifest) error {
	m.Start = m.Start.UTC().Truncate(time.Second)
	m.Updated = m.Updated.UTC().Truncate(time.Second)
	m.End = m.End.UTC().Truncate(time.Second)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(d, filepath.Join(dir, manifestFile), append(text, '\n'))
}

// ReadManifest reads manifest.json; without one it returns nil.
func ReadManifest(dir string) (*Manifest, error) {
	m, err := readManifest(osDisk{}, filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m, err
}

func readManifest(d disk, path string) (*Manifest, error) {
	text, err := readFile(d, path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, &DataError{Path: path, Message: "the file is damaged", Err: err}
	}
	return &m, nil
}

// Manifests returns the manifests of the sweep in a directory: its own, and
// those of its shards, in order. Directories without one are left out.
func Manifests(dir string) ([]*Manifest, error) {
	shards, err := listShards(osDisk{}, dir)
	if err != nil {
		return nil, err
	}
	dirs := []string{dir}
	for _, s := range shards {
		dirs = append(dirs, s.dir)
	}
	var list []*Manifest
	for _, d := range dirs {
		m, err := ReadManifest(d)
		if err != nil {
			return nil, err
		}
		if m != nil {
			list = append(list, m)
		}
	}
	return list, nil
}
