package rng

import (
	"math"
	"math/bits"
	"testing"
)

func TestWordsArePureFunctionsOfTheirKeys(t *testing.T) {
	a, b, other := NewWords("x", 1), NewWords("x", 1), NewWords("x", 2)
	same := 0
	for i := range uint64(1000) {
		if a.At(i) != b.At(i) {
			t.Fatal("two tables of equal keys differ")
		}
		same += bits.OnesCount64(^(a.At(i) ^ other.At(i)))
	}
	if math.Abs(float64(same)-32000) > 5*math.Sqrt(64000)/2 {
		t.Errorf("tables of different keys agree in %d of 64000 bits", same)
	}
}

// A published result depends on these words.
func TestWordsAreFixed(t *testing.T) {
	w := NewWords("monitoring", 1)
	for i, want := range []uint64{0xd953ce673a821bc3, 0x71aac2f8bd99a370, 0x47e39cb1b7dcc441} {
		if got := w.At(uint64(i)); got != want {
			t.Errorf("word %d = %#x, want %#x", i, got, want)
		}
	}
}

// Every bit of a word is fair, and independent of the same and the next
// bit of the word after.
func TestBitsOfWords(t *testing.T) {
	const n = 200_000
	w := NewWords("bits", 1)
	var ones, equal, next [64]int
	for i := range uint64(n) {
		x, y := w.At(i), w.At(i+1)
		for b := range 64 {
			ones[b] += int(x >> b & 1)
			equal[b] += int((x ^ y) >> b & 1)
			next[b] += int((x ^ bits.RotateLeft64(y, 1)) >> b & 1)
		}
	}
	for b := range 64 {
		for _, count := range []int{ones[b], equal[b], next[b]} {
			if math.Abs(float64(count)-n/2) > 5*math.Sqrt(n)/2 {
				t.Errorf("bit %d: a fair count of %d came out as %d", b, n, count)
			}
		}
	}
}

func TestBelowIsUniform(t *testing.T) {
	w := NewWords("below", 1)
	var count [6]int
	const n = 60_000
	for i := range uint64(n) {
		count[Below(w.At(i), 6)]++
	}
	for x, c := range count {
		if math.Abs(float64(c)-n/6) > 5*math.Sqrt(n/6) {
			t.Errorf("%d came %d times of %d", x, c, n)
		}
	}
}
