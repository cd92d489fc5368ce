package rng

import "math/bits"

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
