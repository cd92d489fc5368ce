package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sweep/experiment"
)

// stateName is the placeholder, and the key, of a directory in which a run
// keeps what it needs to go on: unlike its working directory, it is there again
// at the next attempt, whatever ended the last one.
const stateName = "state"

// readState reads whether runs have a state: the spec says so, or it has
// {state} in an argument. A parameter of that name remains one.
func (p *program) readState(t table, e *experiment.Experiment) {
	p.state = t.bool(stateName)
	if param, _ := e.Param(stateName); param != nil {
		if p.state {
			t.fail(stateName, "give the parameter another name",
				"the spec has a parameter with the name of the directory of a run's state")
		}
		return
	}
	for _, arg := range p.run {
		found := placeholder.FindAllString(arg, -1)
		if slices.Contains(found, "{"+stateName+"}") {
			p.state = true
		}
	}
}

// makeState returns the absolute path of the directory with a run's state,
// which it makes unless an earlier attempt has; empty if runs have none. The
// states of runs are beside their directories, DIR/state beside DIR/runs. What
// runs in a scratch directory begins from nothing. Who keeps the results
// removes the state of a run when its row is safe.
func (p *program) makeState(ctx context.Context, run string) (string, error) {
	if !p.state {
		return "", nil
	}
	path := filepath.Join(filepath.Dir(run), stateName)
	if experiment.Directory(ctx) != "" {
		path = filepath.Join(filepath.Dir(run), "..", stateName, filepath.Base(run))
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	err = os.MkdirAll(path, 0o777)
	if errors.Is(err, fs.ErrNotExist) { // another shard has just removed DIR/state, as it was empty
		err = os.MkdirAll(path, 0o777)
	}
	return path, err
}
