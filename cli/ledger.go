package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"time"

	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// A ledger keeps the manifest of a sweep while it runs. A nil ledger keeps
// none.
type ledger struct {
	store    *results.Store
	manifest results.Manifest
}

// openLedger writes the manifest of a sweep that starts now, over a store
// that may hold runs already and lacks so many. It returns nil, and leaves
// the manifest of the command that did the work, if there is nothing left to
// do.
func openLedger(store *results.Store, workers int, todo int64) (*ledger, error) {
	spec := store.Spec()
	specHash := specSHA256(spec)
	if old := store.Manifest(); old.Complete && old.SpecSHA256 == specHash && todo == 0 {
		return nil, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // some machines have no name
	}
	b := thisBuild()
	now := time.Now()
	l := &ledger{store: store, manifest: results.Manifest{
		ToolVersion: b.version, VCSRevision: b.revision, GoVersion: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Hostname: host, PID: os.Getpid(),
		CPUs: runtime.NumCPU(), Workers: workers,
		Spec: spec.Name, SpecSHA256: specHash,
		Experiment: spec.Experiment.Name, ModelVersion: spec.Experiment.Version,
		Start: now, Updated: now, Reused: store.Finished(),
	}}
	if shard := store.Shard(); shard != nil {
		l.manifest.Shard = shard.String()
	}
	l.count()
	return l, store.WriteManifest(l.manifest)
}

// observe counts what has happened, and writes the manifest once a second:
// the heartbeat of the sweep. That it cannot be written then is no reason to
// stop: those who lack it know less, and no result depends on it.
func (l *ledger) observe(e runner.Event) {
	if l == nil {
		return
	}
	m, c := &l.manifest, e.Counts
	m.Executed, m.Runs, m.OK, m.Failed, m.Missing = c.Executed, c.Assigned, c.OK, c.Failed, c.Assigned-c.OK-c.Failed
	if e.Kind == runner.Committed {
		m.Updated = time.Now()
		_ = l.store.WriteManifest(*m)
	}
}

// close writes what has become of the sweep.
func (l *ledger) close(complete bool) error {
	if l == nil {
		return nil
	}
	now := time.Now()
	l.manifest.Updated, l.manifest.End, l.manifest.Complete = now, now, complete
	l.count()
	return l.store.WriteManifest(l.manifest)
}

// count takes the numbers of runs from the store.
func (l *ledger) count() {
	m := &l.manifest
	m.Runs, m.OK, m.Failed = l.store.Assigned(), l.store.Finished(), l.store.Failed()
	m.Missing = m.Runs - m.OK - m.Failed
}

// specSHA256 returns the hash of the spec's text, hexadecimal.
func specSHA256(spec *grid.Spec) string {
	hash := sha256.Sum256(spec.Source)
	return hex.EncodeToString(hash[:])
}

// sweepID returns what tells sweeps in a log apart: the beginning of the
// hash that the manifest holds.
func sweepID(spec *grid.Spec) string { return specSHA256(spec)[:16] }
