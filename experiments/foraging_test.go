package experiments

import (
	"context"
	"fmt"
	"testing"

	"sweep/experiment"
)

// One run of Table 2: eight simulated days.
func BenchmarkForaging(b *testing.B) {
	e := Foraging(Options{WorldMemory: DefaultWorldMemory})
	for _, algorithm := range []string{"RL", "WL", "WLRL"} {
		b.Run("algorithm="+algorithm, func(b *testing.B) {
			p := defaults(e, algorithm, 1)
			var result experiment.Result
			ok(e.Run(context.Background(), p, &result))
			b.ReportAllocs()
			for b.Loop() {
				ok(e.Run(context.Background(), p, &result))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/result.Metrics[e.Metric("downloaded")], "ns/download")
		})
	}
}

func BenchmarkNewsSite(b *testing.B) {
	e := Foraging(Options{})
	for _, c := range []struct {
		days    int64
		rewired float64
	}{{8, 0}, {18, 0}, {18, 1}} {
		b.Run(fmt.Sprintf("days=%d/rewired=%v", c.days, c.rewired), func(b *testing.B) {
			p := with(defaults(e, "RL", 1), values{"site_days": experiment.IntValue(c.days), "rewired": experiment.FloatValue(c.rewired)})
			b.ReportAllocs()
			for b.Loop() {
				must(NewsSite(p))
			}
		})
	}
}
