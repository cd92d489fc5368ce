// Package design places points in the unit cube, at which a simulation is run
// instead of on a grid.
package design

import (
	"fmt"
	"slices"
	"strconv"

	"sweep/internal/rng"
)

// The designs.
const (
	LatinHypercube = "lhs"       // McKay, Beckman and Conover, Technometrics 21, 1979
	Sobol          = "sobol"     // Sobol', Zh. Vych. Mat. 7, 1967, with a random digital shift
	Saltelli       = "saltelli"  // Saltelli et al., Comput. Phys. Commun. 181, 2010
	Saltelli2      = "saltelli2" // the same, with what second-order indices need, too
	Morris         = "morris"    // Morris, Technometrics 33, 1991, on 4 levels
)

// Names returns the names of the designs.
func Names() []string { return []string{LatinHypercube, Sobol, Saltelli, Saltelli2, Morris} }

// Rows returns the number of points of a design of n base points in d
// dimensions, and the size of a block: the points that belong to one base
// point. A block is A, B and AB₁ … AB_d for Saltelli, and BA₁ … BA_d for
// Saltelli2, the d+1 points of a trajectory for Morris, and one point for the
// others.
func Rows(name string, n, d int) (rows, block int) {
	sizes := map[string]int{Saltelli: d + 2, Saltelli2: 2*d + 2, Morris: d + 1}
	block = max(1, sizes[name])
	return n * block, block
}

// Label names the k-th point of a block in dimensions that have names: A, B, AB
// and the name, or BA and the name; of a trajectory it is k. It is empty if a
// block has one point.
func Label(name string, k int, dimensions []string) string {
	d := len(dimensions)
	switch {
	case name == Morris:
		return strconv.Itoa(k)
	case name != Saltelli && name != Saltelli2:
		return ""
	case k < 2:
		return []string{"A", "B"}[k]
	case k < d+2:
		return "AB " + dimensions[k-2]
	}
	return "BA " + dimensions[k-2-d]
}

// Most returns the largest number of dimensions of a design.
func Most(name string) int {
	switch name {
	case Sobol:
		return len(directions())
	case Saltelli, Saltelli2:
		return len(directions()) / 2
	}
	return maxDimensions
}

// IsSequence reports whether the base points of a design are a Sobol'
// sequence, which is balanced where their number is a power of two.
func IsSequence(name string) bool {
	return name == Sobol || name == Saltelli || name == Saltelli2
}

// maxDimensions bounds the dimensions of designs that exist for any number.
const maxDimensions = 1 << 10

// Points returns a design of n base points in d ≤ Most(name) dimensions,
// block by block. Coordinates lie in (0, 1), those of Morris in [0, 1]. All
// but the Latin hypercube are extensible: with a larger n the points are those
// of the smaller, and more. It panics if the name is unknown.
func Points(name string, n, d int, seed int64) [][]float64 {
	switch name {
	case LatinHypercube:
		return latinHypercube(n, d, seed)
	case Sobol:
		return shifted(n, d, seed)
	case Saltelli:
		return saltelli(shifted(n, 2*d, seed), d, false)
	case Saltelli2:
		return saltelli(shifted(n, 2*d, seed), d, true)
	case Morris:
		return morris(n, d, seed)
	}
	panic(fmt.Sprintf("design: there is no %q", name))
}

// latinHypercube returns n points, one in each of n equal strata of every
// dimension.
func latinHypercube(n, d int, seed int64) [][]float64 {
	points := make([][]float64, n)
	for k := range d {
		stream := rng.New("latin hypercube", uint64(seed), uint64(k))
		for i, stratum := range shuffled(stream, n) {
			within := (float64(stream.Uint64()>>12) + 0.5) * 0x1p-52 // in (0, 1)
			points[i] = append(points[i], (float64(stratum)+within)/float64(n))
		}
	}
	return points
}

// shuffled returns the numbers below n in random order.
func shuffled(stream *rng.Stream, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	stream.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// shifted returns points of the Sobol' sequence with a random shift.
func shifted(n, d int, seed int64) [][]float64 {
	shift := make([]uint32, d)
	for k := range shift {
		shift[k] = uint32(rng.New("sobol shift", uint64(seed), uint64(k)).Uint64())
	}
	return sobol(n, shift)
}

// saltelli makes blocks A, B, AB₁ … AB_d of points in twice as many dimensions;
// AB_i is A with coordinate i of B. If both is true, BA₁ … BA_d follow, where
// BA_i is B with coordinate i of A.
func saltelli(base [][]float64, d int, both bool) [][]float64 {
	var points [][]float64
	mix := func(into, from []float64) {
		for i := range d {
			mixed := slices.Clone(into)
			mixed[i] = from[i]
			points = append(points, mixed)
		}
	}
	for _, p := range base {
		a := p[:d]
		b := p[d:]
		points = append(points, a, b)
		mix(a, b)
		if both {
			mix(b, a)
		}
	}
	return points
}

// morrisLevels is the number of levels of each coordinate, Morris's p.
// MorrisStep is the length of a step, Δ = p / (2(p-1)).
const (
	morrisLevels = 4
	MorrisStep   = float64(morrisLevels) / (2 * (morrisLevels - 1))
)

// rounding bounds the error of a coordinate, which is a sum of steps.
const rounding = 1e-9

// morris makes trajectories: beginning at a random point, one coordinate after
// the other makes a step, in random order.
func morris(n, d int, seed int64) [][]float64 {
	var points [][]float64
	for i := range n {
		stream := rng.New("morris trajectory", uint64(seed), uint64(i))
		x := make([]float64, d)
		for k := range x {
			x[k] = float64(stream.IntN(morrisLevels)) / (morrisLevels - 1)
		}
		points = append(points, slices.Clone(x))
		for _, k := range shuffled(stream, d) {
			up := x[k] + MorrisStep
			down := x[k] - MorrisStep
			if up <= 1+rounding {
				x[k] = min(1, up)
			} else {
				x[k] = max(0, down)
			}
			points = append(points, slices.Clone(x))
		}
	}
	return points
}
