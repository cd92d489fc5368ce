package rng

import "math/bits"

// Words is a table of 2⁶⁴ random words that is computed where it is read:
// the sequence of a SplitMix64 generator (Steele, Lea and Flood 2014, Fast
// splittable pseudorandom number generators) in random access. It serves
// simulations that need words by the million and would rather count than
// carry a state. Like a Stream it is a pure function of its keys.
//
// The caller does the counting and must not read a word twice for two
// purposes.
type Words struct {
	start, step uint64
}

// NewWords returns the words of a purpose and keys. They have nothing in
// common with those of the Stream of the same purpose and keys.
func NewWords(purpose string, keys ...uint64) Words {
	s := New(purpose, keys...)
	w := Words{start: s.Uint64(), step: s.Uint64() | 1}
	// A step whose bits rarely change from one to the next makes successive
	// arguments of mix alike; the authors' remedy.
	if bits.OnesCount64(w.step^w.step>>1) < 24 {
		w.step ^= 0xaaaaaaaaaaaaaaaa
	}
	return w
}

// At returns word i.
func (w Words) At(i uint64) uint64 {
	x := w.start + i*w.step
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Below maps a random word to an integer in [0, n), n > 0. Some integers
// are likelier than others by at most one part in 2⁶⁴/n.
func Below(word uint64, n int) int {
	hi, _ := bits.Mul64(word, uint64(n))
	return int(hi)
}
