package sources

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// θmax = 2 without a prescribed ratio gives about 1.56 (FINDINGS of the
// prototypes, for both sizes of the thesis); a prescribed one is met exactly.
func TestTheLawOfTheThesis(t *testing.T) {
	check := func(law Law, first, end int64, want, tolerance float64) { // seeds first … end−1
		mean, n := 0.0, 0.0
		for seed := first; seed < end; seed++ {
			w := testutil.Must(Draw(law, seed))
			for i, p := range w.P {
				mean += p
				n++
				if p < 0x1p-32 || p > 1-0x1p-32 || w.Importance[i] < p || w.Importance[i] >= 1 {
					t.Fatalf("node %d: p %v, importance %v", i, p, w.Importance[i])
				}
				if bitset.Round(p) != p || bitset.Round(w.Importance[i]) != w.Importance[i] {
					t.Fatalf("node %d: not multiples of 2^-32", i)
				}
			}
			if w.P[0] != 1-0x1p-32 {
				t.Errorf("the first rank has p = %v", w.P[0])
			}
		}
		if ratio := mean / n * 10; math.Abs(ratio-want) > tolerance {
			t.Errorf("%+v: mean ratio %.8f, want %v", law, ratio, want)
		}
	}
	check(Law{Nodes: 100, Capacity: 10}, 0, 200, 1.56, 0.02)
	check(Law{Nodes: 1000, Capacity: 100}, 0, 200, 1.56, 0.02)
	for _, ratio := range []float64{0.5, 1.5, 2, 2.5, 3, 3.5, 4, 9} {
		for seed := range int64(5) {
			check(Law{Nodes: 1000, Capacity: 100, ChangeRatio: ratio}, seed, seed+1, ratio, 1e-7)
		}
	}
	for _, ratio := range []float64{0.1, 10, 11} {
		_, err := Draw(Law{Nodes: 1000, Capacity: 100, ChangeRatio: ratio}, 1)
		if err == nil || !strings.Contains(err.Error(), "change_ratio") {
			t.Errorf("ratio %v: %v", ratio, err)
		}
	}
}

// naive is the environment node by node, by section 3.2; it shares only the
// updates.
type naive struct {
	model   string
	pending []int // updates that a poll would find
}

func TestCosts(t *testing.T) {
	w := testutil.Must(Draw(Law{Nodes: 10_000, Capacity: 100, CostSpread: 0.5}, 1))
	plain := testutil.Must(Draw(Law{Nodes: 10_000, Capacity: 100}, 1))
	if !slices.Equal(w.P, plain.P) || plain.Cost != nil || plain.Cost.Of(3) != 1 {
		t.Error("costs alter the other nodes")
	}
	if mean := stat.Mean(w.Cost, nil); w.Cost.Of(3) != w.Cost[3] || math.Abs(mean-1) > 0.015 || slices.Min(w.Cost) < 0.5 || slices.Max(w.Cost) > 1.5 {
		t.Errorf("costs in [%v, %v] with mean %v", slices.Min(w.Cost), slices.Max(w.Cost), mean)
	}
}

func (n *naive) step(updated []bool, polled []bool, importance []float64) (hits []bool, value float64) {
	hits = make([]bool, len(updated))
	for i := range updated {
		switch n.model {
		case Disappear:
			n.pending[i] = 0
			if updated[i] {
				n.pending[i] = 1
			}
		case Overwrite:
			if updated[i] {
				n.pending[i] = 1
			}
		case Accumulate:
			if updated[i] {
				n.pending[i]++
			}
		}
		if polled[i] && n.pending[i] > 0 {
			hits[i] = true
			value += importance[i] * float64(n.pending[i])
		}
		if polled[i] {
			n.pending[i] = 0
		}
	}
	return hits, value
}

// agree compares an environment with the twin; updated tells whether a node has
// an update in a slot, and the world of then.
func agree(t *testing.T, e *Environment, slots, nodes int, updated func(slot, i int) (bool, *World)) {
	t.Helper()
	twin, s := &naive{model: e.model, pending: make([]int, nodes)}, rng.New("polls")
	polls, hits := bitset.NewSet(nodes), bitset.NewSet(nodes)
	owed := 0.0
	for slot := range slots {
		every := e.switchEvery
		if switched := e.Next(); switched != (every > 0 && slot > 0 && slot%every == 0) {
			t.Fatalf("slot %d: switched = %v", slot, switched)
		}
		updates, polled := make([]bool, nodes), make([]bool, nodes)
		var now *World
		clear(polls)
		for i := range updates {
			updates[i], now = updated(slot, i)
			if polled[i] = i == 0 || s.Chance(0.2); polled[i] { // node 0 is hit in every slot
				polls.Add(i)
			}
		}
		wantHits, want := twin.step(updates, polled, now.Importance)
		e.Poll(polls, hits)
		if owed += want; slot%50 < 10 || slot%50 == 49 { // at times every slot, at times none
			if got := e.Retrieved(); got != owed {
				t.Fatalf("%s, slot %d: retrieved %v, want %v", e.model, slot, got, owed)
			}
			owed = 0
		}
		fresh, all := 0.0, 0.0
		for i, w := range now.Importance {
			all += w
			if twin.pending[i] == 0 {
				fresh += w
			}
		}
		if got := e.Freshness(); e.model != Disappear && math.Abs(got-fresh/all) > 1e-12 {
			t.Fatalf("%s, slot %d: freshness %v, want %v", e.model, slot, got, fresh/all)
		}
		for i, hit := range wantHits {
			if hits.Has(i) != hit {
				t.Fatalf("%s, slot %d, node %d: hit %v", e.model, slot, i, !hit)
			}
		}
	}
}

func TestEnvironmentAgreesWithTheNaiveTwin(t *testing.T) {
	const nodes, slots = 150, 400
	for _, model := range Models() {
		for _, every := range []int{0, 130} {
			world, words := testutil.Must(Draw(Law{Nodes: nodes, Capacity: 15}, 8)), rng.NewWords("source updates", 8)
			world.kept = world.kept[:2] // the other slots are drawn as they come
			worlds := []*World{world, world.Reversed()}
			if worlds[1].Total != world.Total {
				t.Error("the order of nodes changes the last bit of a sum")
			}
			agree(t, NewEnvironment(world, model, every), slots, nodes, func(slot, i int) (bool, *World) {
				now := world
				if every > 0 {
					now = worlds[slot/every%2]
				}
				for k := range bitset.Depth {
					word := words.At(uint64((slot*bitset.Groups(nodes)+i/64)*bitset.Depth + k))
					if word>>(i%64)&1 != 0 {
						return bitset.Fixed(now.P[i])>>(bitset.Depth-1-k)&1 != 0, now
					}
				}
				return false, now
			})
		}
	}
}

// However many updates were missed, none is lost.
func TestAccumulatedUpdatesDoNotOverflow(t *testing.T) {
	world := testutil.Must(Draw(Law{Nodes: 70, Capacity: 7}, 1))
	e := NewEnvironment(world, Accumulate, 0)
	e.Next()
	polls, hits := bitset.NewSet(70), bitset.NewSet(70)
	want := 0.0
	for i := range 70 {
		e.missed[i] = 1<<32 - 1
		e.pending.Add(i)
		polls.Add(i)
		want += world.Importance[i] * (1<<32 - 1)
	}
	e.Poll(polls, hits)
	if got := e.Retrieved(); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("retrieved %v, want %v", got, want)
	}
	if again := e.Retrieved(); again != 0 {
		t.Errorf("and then %v again", again)
	}
}

// of returns the set of nodes.
func of(n int, nodes ...int) bitset.Set {
	s := bitset.NewSet(n)
	for _, i := range nodes {
		s.Add(i)
	}
	return s
}

func TestHistoryCountsChanges(t *testing.T) {
	changed := []bitset.Set{of(70, 0, 69), of(1, 0), nil, of(70, 0, 69)}
	importance := make([]float64, 70)
	importance[0], importance[1], importance[69] = 8, 16, 4
	h := testutil.Must(Replay(importance, changed))
	if h.Law.Nodes != 70 || h.Slots() != 4 {
		t.Fatalf("%d nodes, %d slots", h.Law.Nodes, h.Slots())
	}
	if h.P[0] != 0.75 || h.P[69] != 0.5 || h.P[1] != 0x1p-32 {
		t.Errorf("p = %v, %v, %v", h.P[0], h.P[69], h.P[1])
	}
	if h.Importance[0] != 0.5 || h.Importance[1] != 1-0x1p-32 || h.Importance[69] != 0.25 {
		t.Errorf("importance = %v, %v, %v", h.Importance[0], h.Importance[1], h.Importance[69])
	}
	if h, err := Replay([]float64{0.5, 0.25}, []bitset.Set{of(2, 0)}); err != nil || h.Importance[0] != 0.5 || h.P[0] != 1-0x1p-32 {
		t.Errorf("importance up to 1 is altered, or p of 1 is not cut: %v, %v", h, err)
	}
	if _, err := Replay([]float64{1, 0}, []bitset.Set{of(2, 1)}); err == nil || err.Error() != "no node of importance ever changes" {
		t.Errorf("error %v", err)
	}
}

// A history is replayed slot by slot, in every model, whatever the seed.
func TestReplayAgreesWithTheNaiveTwin(t *testing.T) {
	const nodes, slots = 150, 300
	s := rng.New("a history")
	importance := make([]float64, nodes)
	for i := range importance {
		importance[i] = s.Float64()
	}
	var changed []bitset.Set
	for range slots {
		set := bitset.NewSet(1 + s.IntN(nodes)) // may end early
		for i := range 64 * len(set) {
			if i < nodes && s.Chance(0.3) {
				set.Add(i)
			}
		}
		changed = append(changed, set)
	}
	world := testutil.Must(Replay(slices.Clone(importance), changed)).WithCapacity(15)
	for _, model := range Models() {
		agree(t, NewEnvironment(world, model, 0), slots, nodes, func(slot, i int) (bool, *World) {
			return i/64 < len(changed[slot]) && changed[slot].Has(i), world
		})
	}
}
