package bitset

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"sweep/internal/rng"
)

func TestSetsAgreeWithMaps(t *testing.T) {
	s := rng.New("sets", 1)
	for _, n := range []int{1, 63, 64, 65, 200} {
		set, twin := NewSet(n), map[int]bool{}
		for range 3 * n {
			i := s.IntN(n)
			if s.Chance(0.6) {
				set.Add(i)
				twin[i] = true
			} else {
				set.Remove(i)
				delete(twin, i)
			}
		}
		masked := 0
		for g := range Groups(n) {
			masked += bits.OnesCount64(Mask(n, g))
		}
		if masked != n {
			t.Errorf("the masks of %d nodes have %d bits", n, masked)
		}
		var all []int
		set.All(func(i int) bool { all = append(all, i); return true })
		if len(all) != len(twin) || set.Len() != len(twin) || !slices.IsSorted(all) {
			t.Errorf("n=%d: %d nodes, Len %d, want %d", n, len(all), set.Len(), len(twin))
		}
		for i := range n {
			if set.Has(i) != twin[i] {
				t.Errorf("n=%d: Has(%d) = %v", n, i, set.Has(i))
			}
		}
	}
}

func TestProbabilitiesAreCutAndClamped(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want uint32
	}{
		{0, 0}, {-1, 0}, {math.NaN(), 0}, {0x1p-33, 0}, {0x1p-32, 1},
		{0.5, 1 << 31}, {1 - 0x1p-33, 1<<32 - 1}, {1, 1<<32 - 1}, {7, 1<<32 - 1},
	} {
		if got := Fixed(c.p); got != c.want {
			t.Errorf("Fixed(%v) = %d, want %d", c.p, got, c.want)
		}
	}
}

// naiveDraw reads the same words, node by node: the random number is the
// probability's own bits until a word's bit is set, where it differs.
func naiveDraw(p []float64, among []bool, words rng.Words, at uint64) []bool {
	drawn := make([]bool, len(p))
	for i, x := range p {
		if !among[i] {
			continue
		}
		for k := range uint64(Depth) {
			if words.At(at+k)>>i&1 != 0 {
				drawn[i] = Fixed(x)>>(Depth-1-k)&1 != 0
				break
			}
		}
	}
	return drawn
}

func TestDrawAgreesWithTheNaiveTwin(t *testing.T) {
	s, words := rng.New("draw", 1), rng.NewWords("draw", 1)
	var at uint64
	for range 200 {
		p, among := make([]float64, 64), make([]bool, 64)
		var mask uint64
		for i := range p {
			p[i] = s.Float64() * s.Float64()
			if among[i] = s.Chance(0.7); among[i] {
				mask |= 1 << i
			}
		}
		got, next := NewPlanes(p).Draw(0, mask, words, at)
		for i, want := range naiveDraw(p, among, words, at) {
			if got>>i&1 != 0 != want {
				t.Fatalf("node %d: drawn %v, want %v", i, !want, want)
			}
		}
		at = next
	}
}

func TestDrawAllAgreesWithDraw(t *testing.T) {
	s, words := rng.New("draw all", 1), rng.NewWords("draw all", 1)
	for _, n := range []int{1, 64, 100, 1000} {
		p := make([]float64, n)
		for i := range p {
			p[i] = s.Float64()
		}
		planes, drawn := NewPlanes(p), NewSet(n)
		var at uint64
		for range 100 {
			next := planes.DrawAll(drawn, words, at)
			for g := range planes {
				if want, _ := planes.Draw(g, ^uint64(0), words, at+uint64(g)*Depth); drawn[g] != want {
					t.Fatalf("n=%d, group %d: %#x, want %#x", n, g, drawn[g], want)
				}
			}
			at = next
		}
	}
}
