package results

import (
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
