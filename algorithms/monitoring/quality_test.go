package monitoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
	"sweep/internal/rng"
)

// BenchmarkQuality prints what the algorithms that are not told p retrieve, in
// percent of what is retrieved by those that are told it as soon as it changes, and
// on a record by the best of those that are told how often each node changes: the
// tables of READINGS.md. For bayes, and for all algorithms in overwrite:
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
				b.Run(fmt.Sprintf("algorithm=%s/model=%s/nodes=%s", a.Name, model, k.name), func(b *testing.B) {
					q := &quality{condition: k}
					for label, law := range k.laws {
						for seed := int64(3001); seed < 3005; seed++ {
							c := config(b, a.Name)
							c.World, c.Model, c.SwitchEvery, c.Warmup, c.Bin = law, model, k.switchEvery, 0, 500
							w, told := world(b, law, seed), algorithm(b, "whittle")
							if k.change != nil {
								var p [][]float64
								w, p = changing(b, w, c.Slots, seed, k.change)
								told.start = func(t *task) scheduler { return &informed{scheduler: startWhittle(t), p: p} }
							}
							q.compare(b, w, c, seed, told)
						}
						q.report(b, label)
					}
				})
			}
			for n := range 2 * len(windows) {
				r, linked := windows[n/2], n%2 == 1
				name := "crates-" + r.From[:4] + "-" + r.To[2:4] + "-" + r.SlotLength
				if linked {
					name += "-linked"
				}
				if linked && model != sources.Overwrite {
					continue
				}
				b.Run(fmt.Sprintf("algorithm=%s/model=%s/record=%s", a.Name, model, name), func(b *testing.B) {
					h, q := record(b, r), &quality{}
					for _, capacity := range []int{1, 3, 10, 30} {
						c := config(b, a.Name)
						c.World, c.Model = sources.Law{Nodes: h.Law.Nodes, Capacity: capacity}, model
						c.Slots, c.Warmup, c.Bin = h.Slots(), 0, h.Slots()
						if linked {
							c.Links = h.Links
						}
						for seed := range int64(4) {
							q.compare(b, h.WithCapacity(capacity), c, seed,
								algorithm(b, "whittle"), algorithm(b, "fixed_order"), algorithm(b, "refresh"), algorithm(b, "topC"))
						}
						q.report(b, fmt.Sprintf("C=%02d", capacity))
					}
				})
			}
		}
	}
}

// quality compares runs of an algorithm with the best of those that are told p.
type quality struct {
	condition
	got, best float64
	times     []float64 // ns a node-slot
	fastest   []float64 // by label
}

func (q *quality) compare(b *testing.B, w *sources.World, c Config, seed int64, told ...Algorithm) {
	start := time.Now()
	q.got += q.retrieved(b, w, c, seed)
	q.times = append(q.times, float64(time.Since(start).Nanoseconds())/float64(c.Slots*c.World.Nodes))
	best := 0.0
	for _, c.Algorithm = range told {
		best = max(best, q.retrieved(b, w, c, seed))
	}
	q.best += best
}

func (q *quality) report(b *testing.B, label string) {
	q.fastest = append(q.fastest, slices.Min(q.times))
	b.ReportMetric(0, "ns/op") // which means nothing
	b.ReportMetric(100*q.got/q.best, label)
	b.ReportMetric(stat.Mean(q.fastest, nil), "ns/node-slot")
	q.got, q.best, q.times = 0, 0, q.times[:0]
}

// A condition is a kind of drawn nodes.
type condition struct {
	name        string
	laws        map[string]sources.Law
	switchEvery int // told of
	// change lets nodes change before a slot, otherwise than by a switch, and
	// reports whether they did. Importance-values change before the first only.
	change func(slot int, n *nodes, s *rng.Stream) bool
	from   int // slots that do not count
	ends   int // 0, or: only the last 500 of so many slots count
}

type nodes struct{ p, importance, others []float64 }

var (
	ratios = map[string]sources.Law{
		"ratio=1.5": {Nodes: 1000, Capacity: 100, ChangeRatio: 1.5},
		"ratio=2":   {Nodes: 1000, Capacity: 100, ChangeRatio: 2},
		"ratio=4":   {Nodes: 1000, Capacity: 100, ChangeRatio: 4},
	}
	few = map[string]sources.Law{"C=1": {Nodes: 10, Capacity: 1}, "C=3": {Nodes: 10, Capacity: 3}}
)

var conditions = []condition{
	{name: "staying", laws: ratios, from: 5000},
	{name: "ten", laws: few, from: 5000},
	{name: "switching", laws: ratios, switchEvery: 2500, from: 2500},
	{name: "reversed", laws: ratios, change: reverse, from: 2500},
	{name: "reversed,ends", laws: ratios, change: reverse, from: 2500, ends: 2500},
	{name: "redrawn", laws: ratios, from: 5000, change: func(_ int, n *nodes, s *rng.Stream) (changed bool) {
		for i := range n.p {
			if s.Chance(1e-4) {
				n.p[i], changed = n.others[s.IntN(len(n.others))], true
			}
		}
		return changed
	}},
	{name: "p÷100", laws: ratios, from: 5000, change: func(slot int, n *nodes, _ *rng.Stream) bool {
		for i := range n.p {
			if slot == 0 {
				n.p[i] /= 100
			}
		}
		return slot == 0
	}},
	{name: "lognormal,σ=1", laws: ratios, from: 5000, change: lognormal(1)},
	{name: "lognormal,σ=2", laws: ratios, from: 5000, change: lognormal(2)},
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
func changing(b *testing.B, w *sources.World, slots int, seed int64, change func(int, *nodes, *rng.Stream) bool) (*sources.World, [][]float64) {
	n := &nodes{slices.Clone(w.P), slices.Clone(w.Importance), world(b, w.Law, seed+1000).P}
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
	replay, err := sources.Replay(n.importance, changed)
	if err != nil {
		b.Fatal(err)
	}
	return replay.WithCapacity(w.Law.Capacity), told
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
func (k *condition) retrieved(b *testing.B, w *sources.World, c Config, seed int64) (sum float64) {
	m, err := Run(context.Background(), w, c, seed)
	if err != nil {
		b.Fatal(err)
	}
	for _, bin := range m.Bins {
		if bin.End > k.from && (k.ends == 0 || bin.End%k.ends == 0) {
			sum += bin.Retrieved
		}
	}
	return sum
}

// windows are parts of the record that is shipped, each with links and without.
var windows = []history.Window{
	{SlotLength: "6h", From: "2020-11-01", To: "2024-11-01"}, {SlotLength: "24h", From: "2020-11-01", To: "2024-11-01"},
	{SlotLength: "6h", From: "2024-11-01", To: "2026-11-01"}, {SlotLength: "24h", From: "2024-11-01", To: "2026-11-01"},
}

// record reads a part of the record.
func record(b *testing.B, w history.Window) *sources.World {
	const folder = "../../sweeps/records/crates_"
	var files history.Files
	log, _, err := files.Read(folder + "changes.csv.gz")
	pages, _, unpaged := files.ReadPages(folder + "pages.csv.gz")
	links, _, unlinked := files.ReadLinks(folder + "links.csv.gz")
	if err := cmp.Or(err, unpaged, unlinked); err != nil {
		b.Fatal(err)
	}
	h, err := log.World(w, pages, links)
	if err != nil {
		b.Fatal(err)
	}
	return h
}
