// Package sequence holds the values of an axis, found by index.
//
// List holds given values (list.go), Linear evenly spaced ones (linear.go)
// and Geometric those with a constant ratio (geometric.go). The latter two
// take the same memory for 3 values as for 10⁹. All arithmetic is exact,
// or far more precise than a float64, and rounded once at the end, so that
// 0.5, 0.6, 0.7 are the numbers that these literals denote, on every
// machine.
package sequence

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"

	"sweep/experiment"
)

// A Sequence is the values of an axis in order. It is immutable.
type Sequence interface {
	// Len returns the number of values, at least 1.
	Len() int64

	// At returns the value at 0 ≤ i < Len.
	At(i int64) experiment.Value

	// Next returns the least index, at least from, that holds v.
	Next(v experiment.Value, from int64) (int64, bool)

	// Distinct reports whether no value occurs twice.
	Distinct() bool
}

// rational returns the decimal number that a float64 is written as: 1/10
// for 0.1, though the float64 is a little more.
func rational(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("sequence: %v is not a finite number", f))
	}
	return r
}

// search finds v among n ascending or descending numbers.
func search(n int64, at func(int64) experiment.Value, v experiment.Value) (int64, bool) {
	kind := at(0).Kind()
	if v.Kind() != kind {
		return 0, false
	}
	// Int values beyond 2⁵³ must not be compared as floats.
	less := func(a, b experiment.Value) bool { return a.Float() < b.Float() }
	if kind == experiment.Int {
		less = func(a, b experiment.Value) bool { return a.Int() < b.Int() }
	}
	descends := less(at(n-1), at(0))
	i := int64(sort.Search(int(n), func(i int) bool {
		if descends {
			return !less(v, at(int64(i)))
		}
		return !less(at(int64(i)), v)
	}))
	return i, i < n && at(i) == v
}

// ulp returns the distance from |f| to the next float64 above.
func ulp(f float64) float64 {
	f = math.Abs(f)
	return math.Nextafter(f, math.Inf(1)) - f
}
