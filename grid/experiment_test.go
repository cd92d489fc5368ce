package grid

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"sweep/internal/schema"
)

// foraging is a declaration in the shape of the real ones.
func foraging() *schema.Experiment {
	unit := func(name string, def float64, by ...string) schema.Param {
		return schema.Param{Name: name, Kind: schema.Float, Default: schema.FloatValue(def), Max: 1, UsedBy: by}
	}
	text := func(name string, choices ...string) schema.Param {
		return schema.Param{Name: name, Kind: schema.String, Default: schema.StringValue(choices[0]), Choices: choices}
	}
	e := &schema.Experiment{
		Name:    "foraging",
		Version: 3,
		Params: []schema.Param{
			text(schema.Algorithm, "RL", "WL", "WLRL", "CGLA", "FPA"),
			unit("alpha", 0.1, "RL", "WLRL"),
			unit("beta", 0.3, "WL", "WLRL"),
			unit("gamma", 0.9, "RL", "WLRL"),
			{Name: "N", Kind: schema.Int, Default: schema.IntValue(32), Min: 1, Max: 1 << 40, UsedBy: []string{"CGLA", "FPA"}},
			unit("f", 0.5, "FPA"),
			{Name: "rewired", Kind: schema.Bool, Default: schema.BoolValue(false)},
			text("rhythm", "flat", "daily", "weekly"),
			{Name: "x", Kind: schema.Float, Default: schema.FloatValue(0), Min: -1e9, Max: 1e9},
			{Name: "y", Kind: schema.Float, Default: schema.FloatValue(1), Max: 1e9, MinOpen: true},
		},
		Metrics: []schema.Metric{{Name: "sent", Kind: schema.Int, Meaning: "documents sent"}},
		Tables:  []schema.Table{{Name: "table2", Column: schema.Algorithm, Headers: []string{"RL", "WL"}}},
		Run:     func(context.Context, schema.Point, *schema.Result) error { return nil },
	}
	for i := range e.Params {
		e.Params[i].Meaning, e.Params[i].Source = "meaning", "source"
	}
	return e
}

// recorded is foraging on recorded sites, or on none: a file takes the place
// of some parameters. What a file holds is its name.
func recorded() *schema.Experiment {
	e := foraging()
	e.Name = "recorded"
	e.Params = append(e.Params, schema.Param{
		Name: "record", Kind: schema.String, Meaning: "meaning", Source: "source",
		Input: &schema.Input{Accepts: "a CSV file", Read: func(path string) (schema.Value, error) {
			name := filepath.Base(path)
			if filepath.Ext(name) != ".csv" {
				return schema.Value{}, fmt.Errorf("%s: not a CSV file", path)
			}
			return schema.StringValue(name), nil
		}},
		Replaces: []string{"rhythm", "x", "N"},
	})
	return e
}

// plainExperiment has no algorithms.
func plainExperiment() *schema.Experiment {
	return &schema.Experiment{
		Name:    "plain",
		Version: 1,
		Params: []schema.Param{
			{Name: "k", Kind: schema.Int, Default: schema.IntValue(1), Min: 0, Max: 9, Meaning: "meaning", Source: "source"},
		},
		Metrics: []schema.Metric{{Name: "sent", Kind: schema.Int, Meaning: "documents sent"}},
		Run:     func(context.Context, schema.Point, *schema.Result) error { return nil },
	}
}

func experiments() []*schema.Experiment {
	return []*schema.Experiment{foraging(), recorded(), plainExperiment()}
}

func TestDeclarations(t *testing.T) {
	for _, e := range experiments() {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
	}
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
