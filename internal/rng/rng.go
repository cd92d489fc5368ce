// Package rng draws the random numbers of simulations.
//
// A Stream is a pure function of its keys: a purpose, and numbers such as
// a seed. Streams of different keys are independent, so that what one part
// of a simulation draws never shifts what another part meets. The
// generator is PCG-DXSM (math/rand/v2's PCG, whose sequence is specified);
// everything on top of its words is defined here, so that no change of
// the standard library's distributions can alter a result.
package rng

import (
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
)

// A Stream is a sequence of random numbers. It is not safe for concurrent
// use.
type Stream struct {
	pcg   rand.PCG
	spare float64 // the second of a pair of normal numbers
	ready bool    // whether spare holds one
}

// New returns the stream of a purpose, for example "foraging run", and
// keys, for example the run's seed.
func New(purpose string, keys ...uint64) *Stream {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	a := mix(h.Sum64())
	b := mix(a ^ 0x9e3779b97f4a7c15)
	for _, k := range keys {
		a = mix(a ^ mix(k))
		b = mix(b + mix(k^0x94d049bb133111eb))
	}
	s := &Stream{}
	s.pcg.Seed(a, b)
	return s
}

// mix is the finaliser of SplitMix64, a bijection that changes about half
// of the bits of its result for any change of its argument.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 returns a number in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 { return float64(s.pcg.Uint64()>>11) * 0x1p-53 }

// Chance returns true with probability p.
func (s *Stream) Chance(p float64) bool { return s.Float64() < p }

// IntN returns an integer in [0, n), each equally likely. It panics if
// n < 1.
func (s *Stream) IntN(n int) int {
	if n < 1 {
		panic("rng: IntN of a number below 1")
	}
	bound := uint64(n)
	hi, lo := bits.Mul64(s.pcg.Uint64(), bound)
	if lo < bound {
		// Lemire's rejection of the words that would favour some results.
		for reject := -bound % bound; lo < reject; {
			hi, lo = bits.Mul64(s.pcg.Uint64(), bound)
		}
	}
	return int(hi)
}

// Shuffle puts n elements into random order by calls of swap.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.IntN(i+1))
	}
}

// Words is a table of 2⁶⁴ random words that is computed where it is read:
// the sequence of the generator wyrand (Wang Yi), which the Go runtime uses
// too, in random access. It serves simulations that need words by the
// million: several can be computed side by side, at half the cost of a
// Stream's. Like a Stream it is a pure function of its keys.
//
// The caller does the counting and must not read a word twice for two
// purposes.
type Words struct {
	start uint64
}

// NewWords returns the words of a purpose and keys. They have nothing in
// common with those of the Stream of the same purpose and keys.
func NewWords(purpose string, keys ...uint64) Words {
	return Words{start: New(purpose, keys...).Uint64()}
}

// wyrand's constants.
const (
	wordStep   = 0xa0761d6478bd642f
	wordSecret = 0xe7037ed1a0b428db
)

// At returns word i.
func (w Words) At(i uint64) uint64 {
	x := w.start + i*wordStep
	hi, lo := bits.Mul64(x, x^wordSecret)
	return hi ^ lo
}

// Below maps a random word to an integer in [0, n), n > 0. Some integers
// are likelier than others by at most one part in 2⁶⁴/n.
func Below(word uint64, n int) int {
	hi, _ := bits.Mul64(word, uint64(n))
	return int(hi)
}
