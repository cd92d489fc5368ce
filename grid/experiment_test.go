package grid

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"sweep/experiment"
)

// foraging is a declaration in the shape of the real ones.
func foraging() *experiment.Experiment {
	unit := func(name string, def float64, by ...string) experiment.Param {
		return experiment.Param{Name: name, Kind: experiment.Float, Default: experiment.FloatValue(def), Max: 1, UsedBy: by}
	}
	text := func(name string, choices ...string) experiment.Param {
		return experiment.Param{Name: name, Kind: experiment.String, Default: experiment.StringValue(choices[0]), Choices: choices}
	}
	e := &experiment.Experiment{
		Name:    "foraging",
		Version: 3,
		Params: []experiment.Param{
			text(experiment.Algorithm, "RL", "WL", "WLRL", "CGLA", "FPA"),
			unit("alpha", 0.1, "RL", "WLRL"),
			unit("beta", 0.3, "WL", "WLRL"),
			unit("gamma", 0.9, "RL", "WLRL"),
			{Name: "N", Kind: experiment.Int, Default: experiment.IntValue(32), Min: 1, Max: 1 << 53, UsedBy: []string{"CGLA", "FPA"}},
			unit("f", 0.5, "FPA"),
			{Name: "rewired", Kind: experiment.Bool, Default: experiment.BoolValue(false)},
			text("rhythm", "flat", "daily", "weekly", "7"),
			{Name: "x", Kind: experiment.Float, Default: experiment.FloatValue(0), Min: -1e9, Max: 1e9},
			{Name: "y", Kind: experiment.Float, Default: experiment.FloatValue(1), Max: 1e9, MinOpen: true},
		},
		Metrics: []experiment.Metric{{Name: "sent", Kind: experiment.Int, Meaning: "documents sent"}},
		Tables:  []experiment.Table{{Name: "table2", Column: experiment.Algorithm, Headers: []string{"RL", "WL"}}},
		Run:     func(context.Context, experiment.Point, *experiment.Result) error { return nil },
	}
	for i := range e.Params {
		e.Params[i].Meaning, e.Params[i].Source = "meaning", "source"
	}
	return e
}

// recorded is foraging on recorded sites, or on none: a file takes the place
// of some parameters. What a file holds is its name.
func recorded() *experiment.Experiment {
	e := foraging()
	e.Name = "recorded"
	e.Params = append(e.Params, experiment.Param{
		Name: "record", Kind: experiment.String, Meaning: "meaning", Source: "source",
		Input: &experiment.Input{Accepts: "a CSV file", Columns: []string{"time"}, Read: func(path string, _ map[string]string) (experiment.Value, error) {
			name := filepath.Base(path)
			if filepath.Ext(name) != ".csv" {
				return experiment.Value{}, fmt.Errorf("%s: not a CSV file", path)
			}
			return experiment.StringValue(name), nil
		}},
		Replaces: []string{"rhythm", "x", "N"},
	})
	return e
}

// plainExperiment has neither algorithms nor tables.
func plainExperiment() *experiment.Experiment {
	e := foraging()
	e.Name, e.Params, e.Tables = "plain", e.Params[8:9], nil
	return e
}

func experiments() []*experiment.Experiment {
	return []*experiment.Experiment{foraging(), recorded(), plainExperiment()}
}

// parse reads a spec of the foraging experiment that must be accepted.
func parse(t testing.TB, text string) *Spec {
	t.Helper()
	s, err := Parse("t.toml", []byte("experiment = \"foraging\"\n"+text), experiments())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}
