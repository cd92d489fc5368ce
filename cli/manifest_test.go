package cli

import (
	"testing"

	"sweep/internal/engine"
	"sweep/results"
)

// While a sweep runs, its manifest counts every run once, also those that had
// failed before.
func TestLedgerCounts(t *testing.T) {
	l := &ledger{manifest: results.Manifest{Runs: 10, OK: 3, Failed: 2, Missing: 5}}
	for _, step := range []struct {
		name                          string
		outcome                       engine.Outcome
		executed, ok, failed, missing int64
	}{
		{"a success", engine.Outcome{}, 1, 4, 2, 4},
		{"a failure", engine.Outcome{Fault: engine.Errored}, 2, 4, 3, 3},
		{"a failure repaired", engine.Outcome{Again: true}, 3, 5, 2, 3},
		{"a failure repeated", engine.Outcome{Again: true, Fault: engine.TimedOut}, 4, 5, 2, 3},
	} {
		l.observe(&step.outcome)
		m := l.manifest
		if m.Executed != step.executed || m.OK != step.ok || m.Failed != step.failed || m.Missing != step.missing {
			t.Errorf("after %s: %d executed, %d ok, %d failed, %d missing; want %d, %d, %d, %d", step.name,
				m.Executed, m.OK, m.Failed, m.Missing, step.executed, step.ok, step.failed, step.missing)
		}
	}
}
