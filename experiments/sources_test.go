package experiments

import (
	"math"
	"testing"

	"sweep/experiment"
)

// The nodes come by falling probability, and add up to the metrics.
func TestNodesAreOrdered(t *testing.T) {
	e := Sources()
	r := result(with(defaults(e, "", 1), values{"change_ratio": experiment.FloatValue(2.5)}))
	var updates, value float64
	last := 1.0
	for i := 0; i < len(r.Series); i += 3 {
		place, p, importance := r.Series[i], r.Series[i+1], r.Series[i+2]
		if place != float64(i/3+1) || p > last || importance < p {
			t.Fatalf("row %d is node %v with p=%v after %v, ω=%v; want falling p, and ω in [p, 1)", i/3, place, p, last, importance)
		}
		last = p
		updates += p
		value += p * importance
	}
	for name, want := range map[string]float64{"updates_per_slot": updates, "value_per_slot": value, "drawn_ratio": 2.5} {
		if got := r.Metrics[e.Metric(name)]; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(r.Series) != 3*1000 {
		t.Errorf("%d nodes, want 1000", len(r.Series)/3)
	}
}

// They are the nodes that the monitoring experiment meets under this seed.
func TestSourcesAreTheMonitors(t *testing.T) {
	e, monitoring := Sources(), Monitoring(nil)
	small := values{"nodes": experiment.IntValue(100), "capacity": experiment.IntValue(10)}
	r, run := result(with(defaults(e, "", 1), small)), result(with(defaults(monitoring, "uniform", 1), small))
	got, want := r.Metrics[e.Metric("updates_per_slot")], run.Metrics[monitoring.Metric("updates_per_slot")]
	if got != want {
		t.Errorf("updates_per_slot is %v, that of monitoring %v", got, want)
	}
}
