// Package design lays points into the unit cube: where a simulation is to be
// looked at if not on a grid.
package design

import (
	"fmt"
	"slices"

	"sweep/internal/lists"
	"sweep/internal/rng"
)

// The designs.
const (
	LatinHypercube = "lhs"      // McKay, Beckman and Conover, Technometrics 21, 1979
	Sobol          = "sobol"    // Sobol', Zh. Vych. Mat. 7, 1967, with a random digital shift
	Saltelli       = "saltelli" // Saltelli et al., Comput. Phys. Commun. 181, 2010
	Morris         = "morris"   // Morris, Technometrics 33, 1991, on 4 levels
)

// Names returns the names of the designs.
func Names() []string { return []string{LatinHypercube, Sobol, Saltelli, Morris} }

// Rows returns how many points a design of n base points has in d
// dimensions. A block is the points that belong to one base point: one of a
// plain design; A, B and AB₁ … AB_d of Saltelli; the d+1 of a trajectory.
func Rows(name string, n, d int) (rows, block int) {
	block = max(1, map[string]int{Saltelli: d + 2, Morris: d + 1}[name])
	return n * block, block
}

// Most returns in how many dimensions a design is known.
func Most(name string) int {
	switch name {
	case Sobol:
		return len(directions())
	case Saltelli:
		return len(directions()) / 2
	}
	return 1 << 10
}

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
		return saltelli(shifted(n, 2*d, seed), d)
	case Morris:
		return morris(n, d, seed)
	}
	panic(fmt.Sprintf("design: there is no %q", name))
}

// latinHypercube has in each dimension one point in each of n equal strata.
func latinHypercube(n, d int, seed int64) [][]float64 {
	points := make([][]float64, n)
	for k := range d {
		stream := rng.New("latin hypercube", uint64(seed), uint64(k))
		strata := lists.Indices(n)
		stream.Shuffle(n, func(i, j int) { strata[i], strata[j] = strata[j], strata[i] })
		for i, s := range strata {
			points[i] = append(points[i], (float64(s)+(float64(stream.Uint64()>>12)+0.5)*0x1p-52)/float64(n))
		}
	}
	return points
}

// shifted returns points of the Sobol' sequence, with a random shift.
func shifted(n, d int, seed int64) [][]float64 {
	shift := make([]uint32, d)
	for k := range shift {
		shift[k] = uint32(rng.New("sobol shift", uint64(seed), uint64(k)).Uint64())
	}
	return sobol(n, shift)
}

// saltelli makes blocks A, B, AB₁ … AB_d of points in twice as many
// dimensions; AB_i is A with coordinate i of B.
func saltelli(base [][]float64, d int) [][]float64 {
	var points [][]float64
	for _, p := range base {
		points = append(points, p[:d], p[d:])
		for i := range d {
			ab := slices.Clone(p[:d])
			ab[i] = p[d+i]
			points = append(points, ab)
		}
	}
	return points
}

// morrisLevels is the number of levels of each coordinate, and MorrisStep
// how far one step leads: Morris's p and Δ = p / (2(p-1)).
const (
	morrisLevels = 4
	MorrisStep   = float64(morrisLevels) / (2 * (morrisLevels - 1))
)

// morris makes trajectories: from a random point one coordinate after the
// other, in random order, makes a step.
func morris(n, d int, seed int64) [][]float64 {
	var points [][]float64
	for i := range n {
		stream := rng.New("morris trajectory", uint64(seed), uint64(i))
		x, order := make([]float64, d), lists.Indices(d)
		for k := range x {
			x[k] = float64(stream.IntN(morrisLevels)) / (morrisLevels - 1)
		}
		stream.Shuffle(d, func(i, j int) { order[i], order[j] = order[j], order[i] })
		points = append(points, slices.Clone(x))
		for _, k := range order {
			if x[k]+MorrisStep <= 1+1e-9 {
				x[k] = min(1, x[k]+MorrisStep)
			} else {
				x[k] = max(0, x[k]-MorrisStep)
			}
			points = append(points, slices.Clone(x))
		}
	}
	return points
}
