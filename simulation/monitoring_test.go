package simulation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/internal/schema"
)

// with returns a point with some parameters changed, those it uses.
func with(p schema.Point, values map[string]schema.Value) schema.Point {
	p.Values = slices.Clone(p.Values)
	for name, v := range values {
		if _, i := p.Experiment.Param(name); !p.Values[i].IsNull() {
			p.Values[i] = v
		}
	}
	return p
}

// Rivals of one seed meet the same nodes, so that pairs may be compared;
// every metric that is defined is a number, also where costs differ.
func TestRivalsMeetTheSameNodes(t *testing.T) {
	e := Monitoring(Options{WorldMemory: DefaultWorldMemory})
	algorithm, _ := e.Param(schema.Algorithm)
	for _, spread := range []float64{0, 0.5} {
		bounds := map[float64]bool{}
		for _, name := range algorithm.Choices {
			p := with(defaults(e, name, 3), map[string]schema.Value{
				"nodes": schema.IntValue(120), "capacity": schema.IntValue(12), "slots": schema.IntValue(1000),
				"switch_every": schema.IntValue(400), "cost_spread": schema.FloatValue(spread),
				"model": schema.StringValue("overwrite"),
			})
			var r schema.Result
			if err := e.Run(context.Background(), p, &r); err != nil {
				t.Fatal(err)
			}
			if len(r.Metrics) != len(e.Metrics) || len(r.Series) != 10*(1+len(e.Series.Columns)) {
				t.Fatalf("%s: %d metrics, %d numbers of series", name, len(r.Metrics), len(r.Series))
			}
			for i, x := range r.Metrics {
				if math.IsNaN(x) {
					t.Errorf("%s: %s is not defined", name, e.Metrics[i].Name)
				}
			}
			bounds[r.Metrics[e.Metric("bound")]] = true
		}
		if len(bounds) != 1 {
			t.Errorf("spread %v: the algorithms of one seed have bounds %v", spread, bounds)
		}
	}
}

func TestMonitoringRefusesWhatCannotBe(t *testing.T) {
	e := Monitoring(Options{})
	for want, values := range map[string]map[string]schema.Value{
		"capacity 100 is above nodes 50":      {"nodes": schema.IntValue(50)},
		"change_ratio 12: 1200 updates":       {"change_ratio": schema.FloatValue(12)},
		"warmup 10000 leaves nothing of slot": {"warmup": schema.IntValue(10_000)},
	} {
		var r schema.Result
		if err := e.Run(context.Background(), with(defaults(e, "CGLA", 1), values), &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// One run of the thesis through its declaration, on nodes that are kept.
func BenchmarkMonitoring(b *testing.B) {
	e := Monitoring(Options{WorldMemory: DefaultWorldMemory})
	for _, algorithm := range []string{"CGLA", "FPA", "bayes"} {
		b.Run("algorithm="+algorithm, func(b *testing.B) {
			p := defaults(e, algorithm, 1)
			var result schema.Result
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Run(context.Background(), p, &result); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
