package runner

import (
	"cmp"
	"testing"
	"time"

	"sweep/results"
)

func TestStatusOfParts(t *testing.T) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	manifest := func(runs, ok, executed int64, beats, ended time.Duration) *results.Manifest {
		m := &results.Manifest{Start: start, Updated: start.Add(beats), Runs: runs, OK: ok, Missing: runs - ok, Executed: executed, Complete: ok == runs}
		if ended > 0 {
			m.End = start.Add(ended)
		}
		return m
	}
	fast := manifest(100, 60, 50, 100*time.Second, 0) // 10 were there
	slow := manifest(100, 25, 25, 100*time.Second, 0)
	ended := manifest(100, 100, 100, 10*time.Second, 10*time.Second)
	halted := manifest(100, 50, 50, 10*time.Second, 10*time.Second)
	shard := manifest(100, 25, 25, 100*time.Second, 0)
	shard.Shard = "0/4"
	idle := manifest(100, 10, 0, 100*time.Second, 0)
	for _, test := range []struct {
		name       string
		parts      []*results.Manifest
		now        time.Duration
		state      string
		rate, left float64 // negative: null
	}{
		{"nobody was there", nil, 0, Lost, -1, -1},
		{"at work", []*results.Manifest{fast}, 101 * time.Second, Running, 0.5, 80},
		{"at work, nothing has ended yet", []*results.Manifest{idle}, 101 * time.Second, Running, -1, -1},
		{"silent", []*results.Manifest{fast}, 116 * time.Second, Lost, -1, -1},
		{"a clock that is behind", []*results.Manifest{fast}, 0, Running, 0.5, 80},
		{"ended", []*results.Manifest{ended}, time.Hour, Complete, -1, -1},
		{"halted", []*results.Manifest{halted}, time.Hour, Stopped, -1, -1},
		{"two at work: the slower one ends last", []*results.Manifest{fast, slow}, 101 * time.Second, Running, 0.75, 300},
		{"one at work, one has ended", []*results.Manifest{ended, slow}, 101 * time.Second, Running, 0.25, 300},
		{"one at work, one halted: nobody knows", []*results.Manifest{halted, slow}, 101 * time.Second, Running, 0.25, -1},
		{"one of four shards at work", []*results.Manifest{shard}, 101 * time.Second, Running, 0.25, -1},
		{"one halted, one silent", []*results.Manifest{slow, halted}, time.Hour, Stopped, -1, -1},
	} {
		var s Status
		for _, m := range test.parts {
			s.Runs = max(s.Runs, m.Runs)
			if m.Shard != "" {
				s.Runs = 4 * m.Runs
			}
			s.Parts = append(s.Parts, partOf(m, m.Missing, start.Add(test.now)))
			s.Missing += m.Missing
		}
		s.State = stateOf(s.Parts, s.Missing)
		s.PerSecond, s.Left = speedOf(s.Parts, s.Runs)
		null := -1.0
		if rate, left := *cmp.Or(s.PerSecond, &null), *cmp.Or(s.Left, &null); s.State != test.state || rate != test.rate || left != test.left {
			t.Errorf("%s: %s, %v, %v; want %s, %v, %v", test.name, s.State, rate, left, test.state, test.rate, test.left)
		}
	}
}
