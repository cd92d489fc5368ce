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

// naive draws for node i of a group: the random number is the probability's own
// bits until a word's bit is set, where it differs.
func naive(p float64, i int, words rng.Words, at uint64) bool {
	for k := range uint64(Depth) {
		if words.At(at+k)>>i&1 != 0 {
			return Fixed(p)>>(Depth-1-k)&1 != 0
		}
	}
	return false
}

func TestDrawsAgreeWithTheNaiveTwin(t *testing.T) {
	s, words := rng.New("draw", 1), rng.NewWords("draw", 1)
	var at uint64
	for _, n := range []int{1, 64, 100, 1000} {
		p := make([]float64, n)
		for i := range p {
			p[i] = s.Float64() * s.Float64()
		}
		planes, all := NewPlanes(p), NewSet(n)
		for range 100 {
			next := planes.DrawAll(all, words, at)
			for g := range planes {
				first, among := at+uint64(g)*Depth, s.Uint64()
				some, _ := planes.Draw(g, among, words, first)
				for i := range min(64, n-64*g) {
					want := naive(p[64*g+i], i, words, first)
					if all.Has(64*g+i) != want || some>>i&1 != 0 != (want && among>>i&1 != 0) {
						t.Fatalf("node %d of %d: drawn %#x, of %#x %#x; want %v", 64*g+i, n, all[g], among, some, want)
					}
				}
			}
			at = next
		}
	}
}
