package results

import (
	"math/rand/v2"
	"testing"
)

func TestBitmapAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	b, naive := newBitmap(), map[int64]bool{}
	pick := func() int64 {
		// Around the ends of words and pages, and far out.
		return []int64{0, 63, pageBits, 1 << 40, 1<<63 - 3}[rng.IntN(5)] + int64(rng.IntN(3))
	}
	for range 2000 {
		if i := pick(); rng.IntN(2) == 0 {
			b.set(i)
			naive[i] = true
		} else {
			b.clear(i)
			delete(naive, i)
		}
		if i := pick(); b.has(i) != naive[i] || b.count != int64(len(naive)) {
			t.Fatalf("has(%d) = %v, count = %d; want %v, %d", i, b.has(i), b.count, naive[i], len(naive))
		}
	}
}
