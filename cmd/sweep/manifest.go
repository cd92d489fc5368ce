package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"time"

	"sweep/grid"
	"sweep/results"
)

// beginManifest writes the manifest of a sweep that starts now, over a
// store that may hold runs already; shard is nil if it is the whole. It returns nil, and leaves the manifest
// of the command that did the work, if there is nothing left to do.
func beginManifest(spec *grid.Spec, shard *grid.Shard, store *results.Store, workers int) (*results.Manifest, error) {
	hash := sha256.Sum256(spec.Source)
	specHash := hex.EncodeToString(hash[:])
	old, err := results.ReadManifest(store.Dir())
	if err != nil {
		return nil, err
	}
	runs := store.Assigned()
	if old != nil && old.Complete && old.SpecSHA256 == specHash && store.Finished() == runs {
		return nil, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // some machines have no name
	}
	b := thisBuild()
	m := &results.Manifest{
		ToolVersion: b.version, VCSRevision: b.revision, GoVersion: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Hostname: host, CPUs: runtime.NumCPU(), Workers: workers,
		Spec: spec.Name, SpecSHA256: specHash,
		Experiment: spec.Experiment.Name, ModelVersion: spec.Experiment.Version,
		Start: time.Now(), Runs: runs, Reused: store.Finished(),
	}
	if shard != nil {
		m.Shard = shard.String()
	}
	return m, writeManifest(m, store)
}

// endManifest completes what beginManifest returned.
func endManifest(m *results.Manifest, store *results.Store, complete bool) error {
	if m == nil {
		return nil
	}
	m.End, m.Complete = time.Now(), complete
	return writeManifest(m, store)
}

func writeManifest(m *results.Manifest, store *results.Store) error {
	m.OK, m.Failed = store.Finished(), store.Failed()
	m.Missing = m.Runs - m.OK - m.Failed
	return results.WriteManifest(store.Dir(), *m)
}
