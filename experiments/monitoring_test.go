package experiments

import (
	"math"
	"testing"

	"sweep/experiment"
)

// Rivals of one seed meet the same nodes, so that pairs may be compared;
// every metric that is defined is a number, also where costs differ.
func TestRivalsMeetTheSameNodes(t *testing.T) {
	e := Monitoring(nil)
	algorithm, _ := e.Param(experiment.Algorithm)
	for _, spread := range []float64{0, 0.5} {
		bounds := map[float64]bool{}
		for _, name := range algorithm.Choices {
			p := with(defaults(e, name, 3), values{
				"nodes": experiment.IntValue(120), "capacity": experiment.IntValue(12), "slots": experiment.IntValue(1000),
				"switch_every": experiment.IntValue(400), "cost_spread": experiment.FloatValue(spread),
				"model": experiment.StringValue("overwrite"),
			})
			r := result(p)
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
