package grid

import (
	"testing"

	"sweep/experiment"
)

// What a spec declares is the experiment that it asks for.
func TestDeclarationsAreOfTheExperiment(t *testing.T) {
	declared := func(spoil func(e *experiment.Experiment)) *experiment.Experiment {
		e := plainExperiment()
		e.Name, e.Version = "own", 2
		spoil(e)
		return e
	}
	for _, c := range []struct {
		declared *experiment.Experiment
		want     string
	}{
		{declared(func(*experiment.Experiment) {}), ""},
		{nil, `2:2: experiment "own" has made no declaration`},
		{declared(func(e *experiment.Experiment) { e.Name = "other" }),
			`2:2: experiment "own", version 2, declares itself as "other", version 2: want the same name and version`},
		{declared(func(e *experiment.Experiment) { e.Version = 9 }),
			`2:2: experiment "own", version 2, declares itself as "own", version 9: want the same name and version`},
		{declared(func(e *experiment.Experiment) { e.Run = nil }), `2:2: experiment "own": needs Run and at least one metric`},
	} {
		own := &experiment.Experiment{
			Name:    "own",
			Version: 2,
			Declare: func(*experiment.Request) (*experiment.Experiment, error) { return c.declared, nil },
		}
		got := faultOf("experiment = 'own'\n[own]", []*experiment.Experiment{own})
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
