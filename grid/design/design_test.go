package design

import (
	"fmt"
	"slices"
	"testing"
)

// The first points are those that every implementation with these direction
// numbers has.
func TestSobolSequence(t *testing.T) {
	want := [][]float64{
		{0, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.25, 0.25}, {0.25, 0.75, 0.75, 0.75},
		{0.375, 0.375, 0.625, 0.875}, {0.875, 0.875, 0.125, 0.375}, {0.625, 0.125, 0.875, 0.625}, {0.125, 0.625, 0.375, 0.125},
	}
	for i, p := range sobol(len(want), make([]uint32, 4)) {
		for d, x := range p {
			if got := x - 0x1p-33; got != want[i][d] {
				t.Errorf("point %d: coordinate %d is %v, want %v", i, d, got, want[i][d])
			}
		}
	}
}

// Of 2^k points one lies in each of 2^k strata of every dimension: of the
// Sobol' sequence, shifted or not, and of n strata for a Latin hypercube.
func TestStrata(t *testing.T) {
	for name, n := range map[string]int{LatinHypercube: 100, Sobol: 256} {
		points := Points(name, n, Most(Sobol), 7)
		for d := range points[0] {
			var strata []int
			for _, p := range points {
				strata = append(strata, int(p[d]*float64(n)))
			}
			slices.Sort(strata)
			for i, s := range strata {
				if s != i {
					t.Fatalf("%s: dimension %d has no point in stratum %d of %d", name, d, i, n)
				}
			}
		}
	}
}

func TestExtensible(t *testing.T) {
	for _, name := range Names() {
		small, large := Points(name, 10, 3, 1), Points(name, 25, 3, 1)
		rows, block := Rows(name, 10, 3)
		if len(small) != rows || rows != 10*block {
			t.Errorf("%s: %d points, want %d", name, len(small), rows)
		}
		same := fmt.Sprint(small) == fmt.Sprint(large[:rows])
		if same == (name == LatinHypercube) {
			t.Errorf("%s: more points keep the old ones: %v", name, same)
		}
		if fmt.Sprint(small) == fmt.Sprint(Points(name, 10, 3, 2)) {
			t.Errorf("%s: another seed gives the same points", name)
		}
	}
}
