package experiments

import (
	"context"
	"math"
	"testing"

	"sweep/experiment"
)

func drawn(t *testing.T, set map[string]experiment.Value) (*experiment.Experiment, experiment.Result) {
	t.Helper()
	e := Sources()
	p := defaults(e, "", 1)
	for name, v := range set {
		_, i := e.Param(name)
		p.Values[i] = v
	}
	var r experiment.Result
	if err := e.Run(context.Background(), p, &r); err != nil {
		t.Fatal(err)
	}
	return e, r
}

// The nodes come by falling probability, and add up to the metrics.
func TestNodesAreOrdered(t *testing.T) {
	e, r := drawn(t, map[string]experiment.Value{"change_ratio": experiment.FloatValue(2.5)})
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
	e, r := drawn(t, map[string]experiment.Value{"nodes": experiment.IntValue(100), "capacity": experiment.IntValue(10)})
	monitoring := Monitoring(Options{})
	p := defaults(monitoring, "uniform", 1)
	for name, v := range map[string]experiment.Value{
		"nodes": experiment.IntValue(100), "capacity": experiment.IntValue(10), "slots": experiment.IntValue(100),
	} {
		_, i := monitoring.Param(name)
		p.Values[i] = v
	}
	var run experiment.Result
	if err := monitoring.Run(context.Background(), p, &run); err != nil {
		t.Fatal(err)
	}
	got, want := r.Metrics[e.Metric("updates_per_slot")], run.Metrics[monitoring.Metric("updates_per_slot")]
	if got != want {
		t.Errorf("updates_per_slot is %v, that of monitoring %v", got, want)
	}
}

// Bit by bit, as in bits_test.go.
func TestBitsOfSources(t *testing.T) {
	if sourcesVersion != 1 {
		t.Fatal("a new version has new digests")
	}
	const want uint64 = 0x66e67e87d598d1c0
	_, r := drawn(t, map[string]experiment.Value{"change_ratio": experiment.FloatValue(2.5)})
	if got := digest(r); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}
