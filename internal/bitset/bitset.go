// Package bitset works on 64 nodes at a time: a Set has one bit for each
// node, and Planes hold one number in [0, 1) for each, bit by bit, so that
// 64 Bernoulli draws with 64 different probabilities cost about seven
// random words.
package bitset

import (
	"math/bits"

	"sweep/internal/rng"
)

// A Set is a set of nodes: node i is bit i%64 of word i/64. Bits beyond
// the last node are zero.
type Set []uint64

// NewSet returns an empty set that has room for n nodes.
func NewSet(n int) Set { return make(Set, Groups(n)) }

// Groups returns the number of words that n nodes take.
func Groups(n int) int { return (n + 63) / 64 }

// Mask returns the bits of group g that belong to one of n nodes.
func Mask(n, g int) uint64 {
	if n-64*g >= 64 {
		return ^uint64(0)
	}
	return 1<<(n-64*g) - 1
}

// Has reports whether node i is in the set.
func (s Set) Has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Add adds node i.
func (s Set) Add(i int) { s[i>>6] |= 1 << (i & 63) }

// Remove removes node i.
func (s Set) Remove(i int) { s[i>>6] &^= 1 << (i & 63) }

// Len returns the number of nodes in the set.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the nodes of the set in ascending order.
func (s Set) All(yield func(int) bool) {
	for g, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(g<<6 + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// Depth is the number of bits of a probability: all are multiples of
// 2^-Depth.
const Depth = 32

// Planes hold the probabilities of nodes: bit i%64 of planes[i/64][k] is
// worth 2^-(k+1) to node i.
type Planes [][Depth]uint64

// NewPlanes returns the planes of the probabilities p. Each is cut to a
// multiple of 2^-Depth and brought into [0, 1): 1 becomes 1 − 2^-Depth.
func NewPlanes(p []float64) Planes {
	planes := make(Planes, Groups(len(p)))
	for i, x := range p {
		group := &planes[i>>6]
		lane := i & 63
		for word := Fixed(x); word != 0; word &= word - 1 {
			group[Depth-1-bits.TrailingZeros32(word)] |= 1 << lane
		}
	}
	return planes
}

// Fixed returns the probability p in units of 2^-Depth, rounded as NewPlanes
// does.
func Fixed(p float64) uint32 {
	x := p * (1 << Depth)
	if !(x > 0) {
		return 0
	}
	return uint32(min(x, 1<<Depth-1))
}

// Round returns p rounded as NewPlanes does.
func Round(p float64) float64 { return float64(Fixed(p)) / (1 << Depth) }

// Draw sets, for each node of group g in among, the bit with the node's
// probability, and returns them. It reads the words from number at on, at
// least 4 and no more than Depth, and returns the number of the first word
// unread.
//
// The random number that a node's probability is compared with is revealed
// from its first bit on. A word r decides the nodes whose bits are set: up
// to there the random number agreed with the probability, and here it
// differs, so that it is below exactly if the probability has a 1.
func (planes Planes) Draw(g int, among uint64, words rng.Words, at uint64) (drawn, next uint64) {
	group := &planes[g]
	// Four words decide a few nodes in most cases, so that they are read at
	// once. From the last to the first, each overrides what the later ones
	// decided.
	r0 := words.At(at)
	r1 := words.At(at + 1)
	r2 := words.At(at + 2)
	r3 := words.At(at + 3)
	at += 4
	d := group[3] & r3
	d ^= (d ^ group[2]) & r2
	d ^= (d ^ group[1]) & r1
	d ^= (d ^ group[0]) & r0
	d &= among
	among &^= r0 | r1 | r2 | r3
	for k := 4; among != 0 && k < Depth; k++ {
		r := words.At(at)
		at++
		d |= among & r & group[k]
		among &^= r
	}
	return d, at
}

// DrawAll draws for all nodes, as Draw does, but reads the words of group g
// from number at + g·Depth on, so that eight of them can be computed side
// by side: in three groups of four that decides all nodes. It returns the
// number of the first word that belongs to no group.
func (planes Planes) DrawAll(drawn Set, words rng.Words, at uint64) (next uint64) {
	for g := range planes {
		group := &planes[g]
		r0 := words.At(at)
		r1 := words.At(at + 1)
		r2 := words.At(at + 2)
		r3 := words.At(at + 3)
		r4 := words.At(at + 4)
		r5 := words.At(at + 5)
		r6 := words.At(at + 6)
		r7 := words.At(at + 7)
		d := group[7] & r7
		d ^= (d ^ group[6]) & r6
		d ^= (d ^ group[5]) & r5
		d ^= (d ^ group[4]) & r4
		d ^= (d ^ group[3]) & r3
		d ^= (d ^ group[2]) & r2
		d ^= (d ^ group[1]) & r1
		d ^= (d ^ group[0]) & r0
		undecided := ^(r0 | r1 | r2 | r3 | r4 | r5 | r6 | r7)
		for k := 8; undecided != 0 && k < Depth; k++ {
			r := words.At(at + uint64(k))
			d |= undecided & r & group[k]
			undecided &^= r
		}
		drawn[g] = d
		at += Depth
	}
	return at
}
