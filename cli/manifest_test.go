package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/results"
)

// If the last runs cannot be written, the manifest does not count them.
func TestManifestOfLostRuns(t *testing.T) {
	dir := t.TempDir()
	text := []byte("experiment = 'bare'\nseeds = 3")
	spec := testutil.Must(grid.Parse("spec.toml", text, toys()))
	store := testutil.Must(results.Open(dir, spec, nil))
	appendRun := func(i int64) {
		point := store.Plan.Point(i)
		result := experiment.Result{Metrics: []float64{1}}
		testutil.NoError(store.Append(&results.Row{
			Index: i, ID: grid.Identify(point), Point: point, Status: results.OK, Result: result,
		}))
	}
	m := testutil.Must(beginManifest(store, 1, 3))
	appendRun(0)
	testutil.NoError(store.Commit())
	testutil.NoError(writeManifest(store, m, countsOf(store)))
	appendRun(1)
	testutil.NoError(os.Truncate(filepath.Join(dir, "runs.jsonl"), 10))
	lost := errors.New("lost")
	if err := exportAndFinish(context.Background(), store, m, true, lost); err != lost {
		t.Errorf("error %v, want %v", err, lost)
	}
	_ = store.Close()
	list := testutil.Must(results.Manifests(dir))
	if got := list[0]; got.End.IsZero() || got.Runs != 3 || got.OK != 1 || got.Missing != 2 {
		t.Errorf("the manifest is %+v, want 1 of 3 runs, and an end", *got)
	}
}

// The collector is as it was when a command has ended, and GOGC prevails.
func TestTuneCollector(t *testing.T) {
	usual := debug.SetGCPercent(123)
	defer debug.SetGCPercent(usual)
	t.Setenv("GOGC", "")
	end := tuneCollector(whileRunning)
	if now := debug.SetGCPercent(300); now < 25 || now > 300 {
		t.Errorf("%d %%, want at least 25 and, as little is used, up to 300", now)
	}
	end()
	if now := debug.SetGCPercent(123); now != 123 {
		t.Errorf("%d %% after the end, want 123", now)
	}
	t.Setenv("GOGC", "off")
	end = tuneCollector(whileRunning)
	if now := debug.SetGCPercent(123); now != 123 {
		t.Errorf("%d %% in place of GOGC's", now)
	}
	end()
}
