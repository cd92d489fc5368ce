package experiments

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sweep/experiment"
)

// defaults returns the point of an algorithm with all other parameters at
// their defaults.
func defaults(e *experiment.Experiment, algorithm string, seed int64) experiment.Point {
	p := experiment.Point{Experiment: e, Seed: seed}
	for i := range e.Params {
		param := &e.Params[i]
		v := param.Default
		switch {
		case param.Name == experiment.Algorithm:
			v = experiment.StringValue(algorithm)
		case !param.Uses(algorithm):
			v = experiment.Value{}
		}
		p.Values = append(p.Values, v)
	}
	return p
}

// A simulation does not run on beyond the recording.
func TestDaysAreRecorded(t *testing.T) {
	e := Foraging(Options{})
	p := defaults(e, "WL", 1)
	_, i := e.Param("days")
	p.Values[i] = experiment.FloatValue(18.5)
	if err := e.Run(context.Background(), p, new(experiment.Result)); err == nil || !strings.Contains(err.Error(), "site_days 18") {
		t.Errorf("error %v, want one that names site_days 18", err)
	}
}

// One run of Table 2: eight simulated days.
func BenchmarkForaging(b *testing.B) {
	e := Foraging(Options{WorldMemory: DefaultWorldMemory})
	for _, algorithm := range []string{"RL", "WL", "WLRL"} {
		b.Run("algorithm="+algorithm, func(b *testing.B) {
			p := defaults(e, algorithm, 1)
			var result experiment.Result
			if err := e.Run(context.Background(), p, &result); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Run(context.Background(), p, &result); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/result.Metrics[e.Metric("downloaded")], "ns/download")
		})
	}
}

func BenchmarkNewsSite(b *testing.B) {
	e := Foraging(Options{})
	_, days := e.Param("site_days")
	_, rewired := e.Param("rewired")
	for _, c := range []struct {
		days    int64
		rewired bool
	}{{8, false}, {18, false}, {18, true}} {
		b.Run(fmt.Sprintf("days=%d/rewired=%v", c.days, c.rewired), func(b *testing.B) {
			p := defaults(e, "RL", 1)
			p.Values[days] = experiment.IntValue(c.days)
			p.Values[rewired] = experiment.BoolValue(c.rewired)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewsSite(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
