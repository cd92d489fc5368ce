package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sweep/environments/newssite/archive"
	"sweep/experiment"
)

// docsSite is a line of a spec: a real site that comes with the program.
const docsSite = "site_tables = '../sweeps/records/docs-site'\n"

// Runs on the tables of a generated site are those on the site, rewired or not.
func TestTablesAreTheSite(t *testing.T) {
	for _, e := range []*experiment.Experiment{Foraging(nil), Structure(nil)} {
		p := defaults(e, map[string]string{"foraging": "RL"}[e.Name], 1)
		small := values{"archive_pages": experiment.IntValue(500), "new_per_day": experiment.FloatValue(100), "site_days": experiment.IntValue(2)}
		site := must(NewsSite(with(defaults(Foraging(nil), "RL", 1), small)))
		if e.Name == "foraging" {
			small["days"] = experiment.FloatValue(2)
		}
		dir := filepath.Join(t.TempDir(), "site")
		ok(archive.Write(dir, site))
		tables, _ := e.Param("site_tables")
		read := must(tables.Input.Read(dir))
		if got := tables.Input.Describe(read); !strings.HasSuffix(got, " states, 2 days") {
			t.Errorf("described as %s", got)
		}
		for _, rewired := range []float64{0, 0.5} {
			p := with(with(p, small), values{"rewired": experiment.FloatValue(rewired)})
			q := with(p, values{"site_tables": read})
			for _, name := range tables.Replaces {
				q = with(q, values{name: experiment.Value{}})
			}
			if a, b := digest(result(p)), digest(result(q)); a != b {
				t.Errorf("%s, rewired=%v: %x on tables, %x on the site", e.Name, rewired, b, a)
			}
		}
	}
}

// One run of Table 2: eight simulated days.
func BenchmarkForaging(b *testing.B) {
	e := Foraging(nil)
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
	e := Foraging(nil)
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
