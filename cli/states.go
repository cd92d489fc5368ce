package cli

import (
	"os"
	"path/filepath"

	"sweep/internal/command"
	"sweep/results"
	"sweep/runner"
)

// statesDir is where runs of programs keep their state, in a sweep's directory.
const statesDir = "state"

// states removes the state of runs that have succeeded, once their rows are on
// disk for good: before that, a power cut could cost a run of days.
type states struct {
	dir   string
	ended []string // runs whose rows were appended, and perhaps not committed
}

// dropStates removes what an earlier process has left of runs that have
// succeeded, and returns what removes the others when Sweep tells of them. It
// is nil if runs of this experiment have no state.
func (j *job) dropStates() *states {
	plan := j.store.Plan
	if plan.Experiment().Name != command.Name {
		return nil
	}
	s := &states{dir: filepath.Join(j.dir, statesDir)}
	left, err := os.ReadDir(s.dir)
	if err != nil || len(left) == 0 {
		return s // there is none
	}
	has := map[string]bool{}
	for _, entry := range left {
		has[entry.Name()] = true
	}
	for i := range plan.Runs() {
		if id := plan.ID(i).String(); has[id] && j.store.Status(i) == results.OK {
			s.ended = append(s.ended, id)
		}
	}
	s.drop()
	return s
}

// tell notes a run that succeeded, and drops states after a commit.
func (s *states) tell(e runner.Event) {
	switch {
	case e.Kind == runner.RunEnded && e.Outcome.Row.Status == results.OK:
		s.ended = append(s.ended, e.Outcome.Row.ID.String())
	case e.Kind == runner.Committed:
		s.drop()
	}
}

// drop removes the states of runs whose rows are committed.
func (s *states) drop() {
	ended := s.ended
	s.ended = nil
	if _, err := os.Stat(s.dir); err != nil {
		return // no run has one
	}
	for _, id := range ended {
		_ = os.RemoveAll(filepath.Join(s.dir, id)) // at the worst it is left
	}
}
