package results

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestManifestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	if m, err := ReadManifest(dir); m != nil || err != nil {
		t.Errorf("without a manifest: got %v, %v, want nil, nil", m, err)
	}
	start := time.Date(2026, 11, 21, 7, 30, 15, 999, time.FixedZone("CET", 3600))
	m := Manifest{ToolVersion: "1.0", Workers: 2, Spec: "table2", Start: start, Runs: 60, OK: 59, Failed: 1, Reused: 3}
	must(t, WriteManifest(dir, m))
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	must(t, err)
	if !strings.Contains(string(text), `"start": "2026-11-21T06:30:15Z"`) || strings.Contains(string(text), `"end"`) {
		t.Errorf("times in the manifest of a running sweep:\n%s", text)
	}
	got, err := ReadManifest(dir)
	must(t, err)
	m.Start = time.Date(2026, 11, 21, 6, 30, 15, 0, time.UTC)
	if *got != m {
		t.Errorf("got %+v, want %+v", *got, m)
	}
	must(t, os.WriteFile(filepath.Join(dir, manifestFile), text[:20], 0o666))
	var data *DataError
	if _, err := ReadManifest(dir); !errors.As(err, &data) {
		t.Errorf("half a manifest: got %v, want a *DataError", err)
	}
}
