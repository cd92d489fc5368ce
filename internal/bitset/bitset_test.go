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

func TestMaskCoversTheNodes(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 128, 1000} {
		sum := 0
		for g := range Groups(n) {
			sum += bits.OnesCount64(Mask(n, g))
		}
		if sum != n {
			t.Errorf("the masks of %d nodes have %d bits", n, sum)
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

// Each node has its own probability, to five standard errors; equal pairs
// of neighbours show that lanes are independent.
func TestDrawHasTheProbabilities(t *testing.T) {
	p := make([]float64, 64)
	for i := range p {
		p[i] = float64(i) / 63
	}
	planes, words := NewPlanes(p), rng.NewWords("draw", 2)
	const n = 100_000
	var count, both [64]float64
	var at uint64
	for range n {
		var drawn uint64
		drawn, at = planes.Draw(0, ^uint64(0), words, at)
		for i := range p {
			count[i] += float64(drawn >> i & 1)
			both[i] += float64(drawn >> i & (drawn >> ((i + 1) % 64)) & 1)
		}
	}
	check := func(what string, i int, count, p float64) {
		if math.Abs(count-n*p) > 5*math.Sqrt(n*p*(1-p))+1e-3 {
			t.Errorf("%s %d: %v of %d draws, want about %v", what, i, count, n, n*p)
		}
	}
	for i := range p {
		check("node", i, count[i], p[i])
		check("pair", i, both[i], p[i]*p[(i+1)%64])
	}
	if mean := float64(at) / n; math.Abs(mean-7.3) > 0.1 {
		t.Errorf("%v words for 64 draws, want about 7.3", mean)
	}
}

func BenchmarkDrawAll(b *testing.B) {
	const n = 1024
	p := make([]float64, n)
	for i := range p {
		p[i] = float64(i) / n
	}
	planes, drawn, words := NewPlanes(p), NewSet(n), rng.NewWords("draw", 3)
	var at uint64
	for b.Loop() {
		at = planes.DrawAll(drawn, words, at)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/node")
}
