package design

import (
	_ "embed"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The direction numbers of dimensions 2, 3, … of S. Joe and F. Y. Kuo, new-joe-
// kuo-6.21201 (Constructing Sobol sequences with better two-dimensional
// projections, SIAM J. Sci. Comput. 30, 2008): a line each, the coefficients of
// the polynomial and then m₁, m₂, … They may be used freely if the source is
// named.
//
//go:embed joe-kuo.txt
var joeKuo string

// sobolBits is how many bits a coordinate has.
const sobolBits = 32

// directions returns the direction numbers of all dimensions that are known.
var directions = sync.OnceValue(func() [][sobolBits]uint32 {
	var all [][sobolBits]uint32
	var first [sobolBits]uint32
	for k := range first {
		first[k] = 1 << (sobolBits - 1 - k)
	}
	all = append(all, first)
	for line := range strings.Lines(joeKuo) {
		var numbers []uint32
		for _, word := range strings.Fields(line) {
			n, err := strconv.ParseUint(word, 10, 32)
			if err != nil {
				panic("design: " + err.Error()) // embedded: cannot be
			}
			numbers = append(numbers, uint32(n))
		}
		all = append(all, recurrence(numbers[0], numbers[1:]))
	}
	return all
})

// recurrence continues direction numbers by their polynomial, of degree
// len(m), whose inner coefficients are the bits of a.
func recurrence(a uint32, m []uint32) (v [sobolBits]uint32) {
	s := len(m)
	for k := range v {
		if k < s {
			v[k] = m[k] << (sobolBits - 1 - k)
			continue
		}
		v[k] = v[k-s] ^ v[k-s]>>s
		for j := 1; j < s; j++ {
			if a>>(s-1-j)&1 == 1 {
				v[k] ^= v[k-j]
			}
		}
	}
	return v
}

// sobol returns the first n points of the sequence in Gray-code order
// (Antonov and Saleev), each coordinate combined with the bits of a shift: a
// random digital shift keeps how even the points are. A coordinate is the
// middle of an interval of length 2⁻³².
func sobol(n int, shift []uint32) [][]float64 {
	points := make([][]float64, n)
	x := slices.Clone(shift)
	for i := range points {
		for d := range x {
			middle := float64(x[d]) + 0.5
			points[i] = append(points[i], middle*0x1p-32)
			x[d] ^= directions()[d][bits.TrailingZeros32(^uint32(i))]
		}
	}
	return points
}
