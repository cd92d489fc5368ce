package monitoring

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// BenchmarkQuality prints what the algorithms that are not told p retrieve of nodes
// that change otherwise than a sweep can have them change, in percent of what
// whittle retrieves if it is told p as soon as it changes: rows of READINGS.md. For
// bayes, and for all algorithms in overwrite:
//
//	go test ./algorithms/monitoring -run '^$' -benchtime 1x -bench 'Quality/algorithm=bayes'
//	go test ./algorithms/monitoring -run '^$' -benchtime 1x -bench 'Quality/./model=overwrite'
//
// No constant was chosen on nodes of seeds 3001 to 3004. Times are those of the
// fastest runs, with the environment.
func BenchmarkQuality(b *testing.B) {
	for _, a := range Algorithms() {
		if a.Truth {
			continue
		}
		for _, model := range sources.Models() {
			for _, k := range conditions {
				name := fmt.Sprintf("algorithm=%s/model=%s/nodes=%s", a.Name, model, k.name)
				b.Run(name, func(b *testing.B) {
					c := config(a.Name)
					c.Model, c.Warmup, c.Bin = model, 0, 500
					k.measure(b, c)
				})
			}
		}
	}
}

// measure reports what runs retrieve at three ratios, and how long they take.
func (k *condition) measure(b *testing.B, c Config) {
	var fastest []float64 // ns a node-slot
	for _, ratio := range []float64{1.5, 2, 4} {
		c.World.ChangeRatio = ratio
		got, best, times := 0.0, 0.0, []float64(nil)
		for seed := int64(3001); seed < 3005; seed++ {
			w, p := changing(b, world(c.World, seed), c.Slots, seed, k.change)
			start := time.Now()
			got += k.retrieved(w, c, seed)
			times = append(times, float64(time.Since(start).Nanoseconds())/float64(c.Slots*c.World.Nodes))
			told := c
			told.Algorithm = algorithm("whittle")
			told.Algorithm.start = func(t *task) scheduler {
				return &informed{scheduler: newWhittle(t, t.Model), p: p}
			}
			best += k.retrieved(w, told, seed)
		}
		fastest = append(fastest, slices.Min(times))
		b.ReportMetric(100*got/best, fmt.Sprint("ratio=", ratio))
	}
	b.ReportMetric(0, "ns/op") // which means nothing
	b.ReportMetric(stat.Mean(fastest, nil), "ns/node-slot")
}

// A condition is a kind of drawn nodes.
type condition struct {
	name string
	// change lets nodes change before a slot, otherwise than by a switch, and
	// reports whether they did. Importance-values change before the first only.
	change func(slot int, n *nodes, s *rng.Stream) bool
	from   int // slots that do not count
	ends   int // 0, or: only the last 500 of so many slots count
}

type nodes struct{ p, importance, others []float64 }

var conditions = []condition{
	{name: "reversed", change: reverse, from: 2500},
	{name: "reversed,ends", change: reverse, from: 2500, ends: 2500},
	{name: "redrawn", from: 5000, change: func(_ int, n *nodes, s *rng.Stream) (changed bool) {
		for i := range n.p {
			if s.Chance(1e-4) {
				n.p[i], changed = n.others[s.IntN(len(n.others))], true
			}
		}
		return changed
	}},
	{name: "p÷100", from: 5000, change: func(slot int, n *nodes, _ *rng.Stream) bool {
		for i := range n.p {
			if slot == 0 {
				n.p[i] /= 100
			}
		}
		return slot == 0
	}},
	{name: "lognormal,σ=1", from: 5000, change: lognormal(1)},
	{name: "lognormal,σ=2", from: 5000, change: lognormal(2)},
}

func reverse(slot int, n *nodes, _ *rng.Stream) bool {
	if slot == 0 || slot%2500 != 0 {
		return false
	}
	slices.Reverse(n.p)
	return true
}

// lognormal draws p and importance with the same mean p, but for cutting, and
// independently.
func lognormal(sigma float64) func(int, *nodes, *rng.Stream) bool {
	return func(slot int, n *nodes, s *rng.Stream) bool {
		if slot > 0 {
			return false
		}
		want, sum := 0.0, 0.0
		for _, p := range n.p {
			want += p
		}
		for i := range n.p {
			n.importance[i] = detmath.Exp(sigma * s.Normal())
			n.p[i] = detmath.Exp(sigma * s.Normal())
			sum += n.p[i]
		}
		for i := range n.p {
			n.p[i] = min(n.p[i]*want/sum, 1-1e-6)
		}
		return true
	}
}

// changing returns a world that replays draws of nodes which change, and their p
// from each slot in which they did.
func changing(
	b *testing.B, w *sources.World, slots int, seed int64, change func(int, *nodes, *rng.Stream) bool,
) (*sources.World, [][]float64) {
	n := &nodes{slices.Clone(w.P), slices.Clone(w.Importance), world(w.Law, seed+1000).P}
	s, words, at := rng.New("quality", uint64(seed)), rng.NewWords("quality", uint64(seed)), uint64(0)
	planes, told, changed := bitset.NewPlanes(n.p), make([][]float64, slots), make([]bitset.Set, slots)
	for slot := range slots {
		if change(slot, n, s) || slot == 0 {
			told[slot] = slices.Clone(n.p)
			planes = bitset.NewPlanes(n.p)
		}
		changed[slot] = bitset.NewSet(len(n.p))
		at = planes.DrawAll(changed[slot], words, at)
	}
	return testutil.Must(sources.Replay(n.importance, changed)).WithCapacity(w.Law.Capacity), told
}

// informed is told p when it changes.
type informed struct {
	scheduler
	known
	p    [][]float64 // by slot; nil: as before
	slot int
}

func (s *informed) begin(k known) { s.known = k }

func (s *informed) choose(polls bitset.Set) int {
	if p := s.p[s.slot]; p != nil {
		s.known.p = p
		s.scheduler.begin(s.known)
	}
	s.slot++
	return s.scheduler.choose(polls)
}

// retrieved returns what a run retrieves in the slots that count.
func (k *condition) retrieved(w *sources.World, c Config, seed int64) (sum float64) {
	for _, bin := range runOn(w, c, seed).Bins {
		if bin.End > k.from && (k.ends == 0 || bin.End%k.ends == 0) {
			sum += bin.Retrieved
		}
	}
	return sum
}
