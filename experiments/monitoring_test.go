package experiments

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
)

// with returns a point with some parameters changed, those it uses.
func with(p experiment.Point, values map[string]experiment.Value) experiment.Point {
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
	algorithm, _ := e.Param(experiment.Algorithm)
	for _, spread := range []float64{0, 0.5} {
		bounds := map[float64]bool{}
		for _, name := range algorithm.Choices {
			p := with(defaults(e, name, 3), map[string]experiment.Value{
				"nodes": experiment.IntValue(120), "capacity": experiment.IntValue(12), "slots": experiment.IntValue(1000),
				"switch_every": experiment.IntValue(400), "cost_spread": experiment.FloatValue(spread),
				"model": experiment.StringValue("overwrite"),
			})
			var r experiment.Result
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
	for want, values := range map[string]map[string]experiment.Value{
		"capacity 100 is above nodes 50":      {"nodes": experiment.IntValue(50)},
		"change_ratio 12: 1200 updates":       {"change_ratio": experiment.FloatValue(12)},
		"warmup 10000 leaves nothing of slot": {"warmup": experiment.IntValue(10_000)},
	} {
		var r experiment.Result
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
			var result experiment.Result
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Run(context.Background(), p, &result); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
