package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"sync"
	"time"

	"sweep/grid"
	"sweep/internal/engine"
	"sweep/results"
)

// heartbeat is how often a running sweep brings its manifest up to date,
// for "sweep status".
const heartbeat = time.Second

// A ledger keeps the manifest of a sweep while it runs. A nil ledger keeps
// none.
type ledger struct {
	dir      string
	ended    chan struct{}
	keeper   sync.WaitGroup
	mu       sync.Mutex // guards manifest
	manifest results.Manifest
}

// openLedger writes the manifest of a sweep that starts now, over a store
// that may hold runs already and lacks so many; shard is nil if it is the
// whole. It returns nil, and leaves the manifest of the command that did the
// work, if there is nothing left to do.
func openLedger(spec *grid.Spec, shard *grid.Shard, store *results.Store, workers int, todo int64) (*ledger, error) {
	specHash := specSHA256(spec)
	old, err := results.ReadManifest(store.Dir())
	if err != nil {
		return nil, err
	}
	if old != nil && old.Complete && old.SpecSHA256 == specHash && todo == 0 {
		return nil, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // some machines have no name
	}
	b := thisBuild()
	now := time.Now()
	l := &ledger{dir: store.Dir(), ended: make(chan struct{}), manifest: results.Manifest{
		ToolVersion: b.version, VCSRevision: b.revision, GoVersion: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Hostname: host, PID: os.Getpid(),
		CPUs: runtime.NumCPU(), Workers: workers,
		Spec: spec.Name, SpecSHA256: specHash,
		Experiment: spec.Experiment.Name, ModelVersion: spec.Experiment.Version,
		Start: now, Updated: now, Runs: store.Assigned(), Reused: store.Finished(),
	}}
	if shard != nil {
		l.manifest.Shard = shard.String()
	}
	l.count(store)
	if err := l.write(); err != nil {
		return nil, err
	}
	l.keeper.Go(l.beat)
	return l, nil
}

// beat updates the manifest until the ledger is closed. That it cannot be
// written then is no reason to stop: those who lack it know less, and no
// result depends on it.
func (l *ledger) beat() {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.mu.Lock()
			l.manifest.Updated = time.Now()
			l.mu.Unlock()
			_ = l.write()
		case <-l.ended:
			return
		}
	}
}

// observe counts a run that was executed.
func (l *ledger) observe(o *engine.Outcome) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &l.manifest
	m.Executed++
	if o.Again {
		m.Failed--
	}
	if o.Fault == "" {
		m.OK++
	} else {
		m.Failed++
	}
	m.Missing = m.Runs - m.OK - m.Failed
}

// extended counts the runs that a stopping rule has come to ask for.
func (l *ledger) extended(store *results.Store) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.manifest.Runs = store.Assigned()
	l.count(store)
}

// close writes what has become of the sweep.
func (l *ledger) close(store *results.Store, complete bool) error {
	if l == nil {
		return nil
	}
	close(l.ended)
	l.keeper.Wait()
	now := time.Now()
	l.manifest.Updated, l.manifest.End, l.manifest.Complete = now, now, complete
	l.manifest.Runs = store.Assigned()
	l.count(store)
	return l.write()
}

// count takes the numbers of runs from the store.
func (l *ledger) count(store *results.Store) {
	m := &l.manifest
	m.OK, m.Failed = store.Finished(), store.Failed()
	m.Missing = m.Runs - m.OK - m.Failed
}

func (l *ledger) write() error {
	l.mu.Lock()
	m := l.manifest
	l.mu.Unlock()
	return results.WriteManifest(l.dir, m)
}

// specSHA256 returns the hash of the spec's text, hexadecimal.
func specSHA256(spec *grid.Spec) string {
	hash := sha256.Sum256(spec.Source)
	return hex.EncodeToString(hash[:])
}

// sweepID returns what tells sweeps in a log apart: the beginning of the
// hash that the manifest holds.
func sweepID(spec *grid.Spec) string { return specSHA256(spec)[:16] }
