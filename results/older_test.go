package results

import (
	"errors"
	"slices"
	"testing"

	"sweep/experiment"
)

// The declaration of an earlier version has no rule, figure or table for which
// its parameters and metrics do not do.
func TestRecordedDeclaration(t *testing.T) {
	now := &experiment.Experiment{
		Name:    "toy",
		Version: 2,
		Params: []experiment.Param{
			{Name: "x", Kind: experiment.Float, Max: 1},
			{Name: "later", Kind: experiment.Float, Max: 1},
		},
		Metrics: []experiment.Metric{
			{Name: "total", Kind: experiment.Float},
			{Name: "mean", Kind: experiment.Float},
		},
		Rules: []experiment.Rule{
			{Params: []string{"x"}},
			{Params: []string{"x", "later"}},
		},
		Figures: []experiment.Figure{
			{Name: "old", Kind: experiment.Lines, X: []string{"x"}, Y: []string{"total"}},
			{Name: "new", Kind: experiment.Lines, X: []string{"x"}, Y: []string{"mean"}},
		},
		Tables: []experiment.Table{
			{Name: "old", Rows: []experiment.TableRow{{Metric: "total"}}},
			{Name: "new", Rows: []experiment.TableRow{{Metric: "total"}, {Metric: "mean"}}},
		},
	}
	then := *now
	then.Version = 1
	then.Params = now.Params[:1]
	then.Metrics = now.Metrics[:1]
	h := &header{Experiment: then.Name, Version: then.Version, Columns: recordColumns(&then)}
	got := h.declarations([]*experiment.Experiment{now})[0]
	if got.Version != 1 || len(got.Params) != 1 || len(got.Metrics) != 1 {
		t.Errorf("version %d, parameters %v, metrics %v, want those of version 1",
			got.Version, got.ParamNames(), got.MetricNames())
	}
	if len(got.Rules) != 1 || len(got.Rules[0].Params) != 1 {
		t.Errorf("rules %v, want the one about x", got.Rules)
	}
	if len(got.Figures) != 1 || got.Figures[0].Name != "old" {
		t.Errorf("figures %v, want the one of total", got.Figures)
	}
	if len(got.Tables) != 1 || got.Tables[0].Name != "old" {
		t.Errorf("tables %v, want the one of total", got.Tables)
	}

	h = &header{Experiment: now.Name, Version: now.Version, Columns: recordColumns(now)}
	if got := h.declarations([]*experiment.Experiment{now})[0]; got != now {
		t.Error("runs of today's version are not read with today's declaration")
	}
}

// An experiment that declares itself from a spec makes the declaration of the
// recorded version, with what a later spec names.
func TestRecordedDeclarationOfASpec(t *testing.T) {
	number := func(name string, def float64) experiment.Param {
		return experiment.Param{Name: name, Kind: experiment.Float, Default: experiment.FloatValue(def), Max: 1}
	}
	declared := &experiment.Experiment{
		Name:    "own",
		Version: 2,
		Params:  []experiment.Param{number("x", 0.5), number("later", 0), number("y", 0)},
		Metrics: []experiment.Metric{{Name: "total", Kind: experiment.Float}, {Name: "mean", Kind: experiment.Float}},
	}
	var fault error
	now := &experiment.Experiment{
		Name:    "own",
		Version: 2,
		Declare: func(*experiment.Request) (*experiment.Experiment, error) { return declared, fault },
	}
	h := &header{Experiment: "own", Version: 1, Columns: recordColumns(&experiment.Experiment{
		Params:  []experiment.Param{number("x", 0.25)},
		Metrics: declared.Metrics[:1],
	})}
	then := h.declarations([]*experiment.Experiment{now})[0]
	r := &experiment.Request{Grid: []experiment.GridParam{{Param: number("x", 1)}, {Param: number("y", 1)}}}
	got, err := then.Declare(r)
	if err != nil || then.Version != 1 || got.Version != 1 {
		t.Fatalf("version %d, %+v, %v, want version 1", then.Version, got, err)
	}
	if !slices.Equal(got.ParamNames(), []string{"x", "y"}) || len(got.Metrics) != 1 {
		t.Errorf("parameters %v, metrics %v, want x and y, and total", got.ParamNames(), got.MetricNames())
	}
	if got.Params[0].Default != experiment.FloatValue(0.25) {
		t.Errorf("the default of x is %s, want the recorded one", got.Params[0].Default)
	}
	if declared.Version != 2 || len(declared.Params) != 3 || now.Version != 2 {
		t.Errorf("the declaration of now has become %+v", declared)
	}
	fault = errors.New("no table")
	if got, err := then.Declare(r); got != nil || err != fault {
		t.Errorf("got %v, %v, want the fault of the declaration", got, err)
	}
	h.Version = 2
	if got := h.declarations([]*experiment.Experiment{now})[0]; got != now {
		t.Error("runs of today's version are not read with today's declaration")
	}
}
