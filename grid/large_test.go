package grid

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"sweep/experiment"
)

// large are grids that could not be listed.
var large = map[string]struct {
	text string
	runs int64
}{
	"one axis": {"[grid]\nx = { from = 0, to = 1, step = 1e-9 }", 1_000_000_001},
	"three axes of a thousand": {"[grid]\nx = { from = 1, to = 1000, step = 1 }\nN = { from = 1, to = 1000, count = 1000 }\n" +
		"y = { from = 0.001, to = 1, step = 0.001 }\nalgorithm = 'CGLA'", 1_000_000_000},
	"seeds": {"seeds = 1000000000\n[grid]\nx = [1, 2]", 2_000_000_000},
	"irrelevant axes": {"[grid]\nalgorithm = ['RL', 'FPA', 'WL']\nalpha = { from = 0, to = 1, step = 1e-9 }\n" +
		"N = { from = 1, to = 1000000000000, step = 1 }\nf = { from = 0, to = 1, count = 1001 }\nbeta = { from = 0, to = 1, step = 1e-9 }",
		1_000_000_001 + 1001*1_000_000_000_000 + 1_000_000_001},
	"excludes and includes": {"[grid]\nx = { from = 0, to = 1, step = 1e-6 }\ny = { from = 0.001, to = 1, step = 0.001 }\n" +
		"exclude = [{ x = 0.5 }, { y = 0.007 }, { x = 0.25, y = 0.5 }]\ninclude = [{ x = 0.5 }, { x = 7 }]",
		1_000_001*1000 - 1000 - 1_000_001 + 1 - 1 + 2},
	"overlapping blocks": {"[[grid]]\nx = { from = 0, to = 1, step = 1e-9 }\n[[grid]]\nx = { from = 0.5, to = 1.5, step = 1e-9 }\n" +
		"[[grid]]\nx = { from = 7, to = 8, step = 1e-8 }", 1_500_000_001 + 100_000_001},
	"long zip": {"[grid]\nx = { from = 0, to = 1, step = 1e-9 }\ny = { from = 1, to = 2, step = 1e-9 }\nzip = [['x', 'y']]", 1_000_000_001},
	"long log": {"[grid]\nx = { from = 1e-3, to = 1e6, count = 1000000000, scale = 'log' }", 1_000_000_000},
}

func TestLargeGrids(t *testing.T) {
	for name, c := range large {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		s := parse(t, c.text)
		runtime.ReadMemStats(&after)
		if n := s.Plan().Runs(); n != c.runs {
			t.Errorf("%s: %d runs, want %d", name, n, c.runs)
		}
		// Far more than it takes, far less than any list would.
		if d := time.Since(start); d > time.Second {
			t.Errorf("%s: parsed in %v", name, d)
		}
		if b := after.TotalAlloc - before.TotalAlloc; b > 1<<20 {
			t.Errorf("%s: parsing allocates %d bytes", name, b)
		}
		checkPlan(t, s)
	}
}

// TestManyPatterns: thousands of excludes, includes and blocks are counted
// in reasonable time.
func TestManyPatterns(t *testing.T) {
	var b strings.Builder
	b.WriteString("[grid]\nx = { from = 0, to = 99, step = 1 }\ny = { from = 1, to = 100, step = 1 }\n")
	for _, key := range []string{"exclude", "include"} {
		b.WriteString(key + " = [")
		for i := range 5000 {
			b.WriteString("{ x = " + strconv.Itoa(i/50) + ", y = " + strconv.Itoa(i%50*2+1) + " },\n")
		}
		b.WriteString("]\n")
	}
	p := parse(t, b.String()).Plan()
	if p.Cells() != 10000 {
		t.Errorf("%d cells, want 10000", p.Cells())
	}
	b.Reset()
	for i := range mostBlocks {
		b.WriteString("[[grid]]\nx = { from = " + strconv.Itoa(i) + ", to = " + strconv.Itoa(i+10) + ", step = 1 }\n")
	}
	if p := parse(t, b.String()).Plan(); p.Cells() != mostBlocks+10 {
		t.Errorf("%d cells, want %d", p.Cells(), mostBlocks+10)
	}
}

func BenchmarkParse(b *testing.B) {
	for name, c := range large {
		source := []byte("experiment = 'foraging'\n" + c.text)
		b.Run("grid="+strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse("t.toml", source, experiments()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// usual is a grid such as the papers' figures need.
const usual = `seeds = 30
[grid]
algorithm = ["RL", "WL", "WLRL", "CGLA", "FPA"]
alpha = [0.1, 0.2, 0.4]
beta = [0.1, 0.3, 0.5]
gamma = { from = 0.5, to = 0.9, step = 0.1 }
N = { from = 8, to = 128, factor = 2 }
f = { from = 0.1, to = 0.8, count = 8 }
rewired = [false, true]
exclude = [{ N = 8, f = 0.8 }]
`

func BenchmarkPoint(b *testing.B) {
	texts := map[string]string{"usual": usual}
	for name, c := range large {
		texts[strings.ReplaceAll(name, " ", "_")] = c.text
	}
	for name, text := range texts {
		p := parse(b, text).Plan()
		b.Run("grid="+name, func(b *testing.B) {
			b.ReportAllocs()
			n := p.Runs()
			i := int64(0)
			for b.Loop() {
				p.Point(i)
				i = (i + 7919) % n
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	p := parse(b, usual).Plan()
	q := p.Point(p.Runs() / 2)
	b.ReportAllocs()
	for b.Loop() {
		p.Find(q.Values, q.Seed)
	}
}

func BenchmarkIdentify(b *testing.B) {
	for _, n := range []int{10, 60} {
		q := parse(b, usual).Plan().Point(0)
		e := *q.Experiment
		for len(q.Values) < n {
			k := len(q.Values)
			e.Params = append(e.Params, experiment.Param{Name: "site_parameter_" + strconv.Itoa(k*37%100)})
			q.Values = append(q.Values, experiment.FloatValue(float64(k)/8))
		}
		q.Experiment = &e
		b.Run("params="+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Identify(q)
			}
		})
	}
}
