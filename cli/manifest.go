package cli

import (
	"context"
	"os"
	"runtime"
	"time"

	"sweep/results"
	"sweep/runner"
)

// beginManifest writes the manifest of a command that has todo runs left to do.
// It returns nil if none is left and the manifest says so: then that of the
// command that did the work stays.
func beginManifest(store *results.Store, workers int, todo int64) (*results.Manifest, error) {
	e := store.Spec.Experiment
	hash := store.Spec.SHA256()
	old := store.Manifest
	if old.Complete && old.SpecSHA256 == hash && todo == 0 {
		return nil, nil
	}
	host, _ := os.Hostname() // some machines have no name
	m := &results.Manifest{
		ToolVersion:  version(),
		GoVersion:    runtime.Version(),
		OS:           runtime.GOOS,
		Arch:         runtime.GOARCH,
		Hostname:     host,
		PID:          os.Getpid(),
		CPUs:         runtime.NumCPU(),
		CPUModel:     processor(),
		Workers:      workers,
		Spec:         store.Spec.Name,
		SpecSHA256:   hash,
		Shard:        store.Shard.String(),
		Experiment:   e.Name,
		ModelVersion: e.Version,
		Start:        time.Now(),
		Reused:       store.OK(),
	}
	return m, writeManifest(store, m, countsOf(store))
}

// exportAndFinish exports the runs of a store, unless an error has ended the
// work on it, and writes the end of the work into the manifest, if there is
// one. If the last runs could not be written, the manifest keeps its counts:
// readers take them for what is in the log.
func exportAndFinish(
	ctx context.Context, store *results.Store, m *results.Manifest, complete bool, err error,
) error {
	if err == nil {
		err = store.Export(ctx)
	}
	if m == nil {
		return err
	}
	m.End = time.Now()
	m.Complete = complete && err == nil
	counts := countsOf(store)
	if store.Commit() != nil {
		counts = runner.Event{Assigned: m.Runs, OK: m.OK, Failed: m.Failed}
	}
	writeErr := writeManifest(store, m, counts)
	if err == nil {
		err = writeErr
	}
	return err
}

// writeManifest writes a manifest with the counts of an event.
func writeManifest(store *results.Store, m *results.Manifest, counts runner.Event) error {
	m.Updated = time.Now()
	m.Runs = counts.Assigned
	m.OK = counts.OK
	m.Failed = counts.Failed
	m.Missing = counts.Assigned - counts.OK - counts.Failed
	return store.WriteManifest(*m)
}

// countsOf returns an event with the counts of a store.
func countsOf(store *results.Store) runner.Event {
	return runner.Event{
		Assigned: store.Assigned(),
		OK:       store.OK(),
		Failed:   store.Failed(),
	}
}
