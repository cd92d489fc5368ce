package ancestors

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweep/internal/rng"
)

// The automaton is a birth-and-death chain, whose stationary mean is known
// exactly; with N it approaches λ*, as its source proves, if answers are
// right more often than not.
func TestPointLocationConverges(t *testing.T) {
	for _, point := range []float64{0.1234, 0.5678, 0.9} {
		for _, truth := range []float64{0.6, 0.8, 0.95} {
			last := math.Inf(1)
			for _, n := range []int{10, 40, 160} {
				weight, sum, want := 1.0, 0.0, 0.0
				for phi := range n + 1 {
					lambda := float64(phi) / float64(n)
					sum += weight
					want += weight * lambda
					up, down := 1-truth, truth // from here up, from above down
					if lambda < point {
						up = truth
					}
					if float64(phi+1)/float64(n) < point {
						down = 1 - truth
					}
					weight *= up / down
				}
				want /= sum
				var means, errors []float64
				for seed := range int64(10) {
					found := PointLocation{Point: point, Truth: truth, N: n, Steps: 40_000}.Run(seed)
					means, errors = append(means, found.Mean), append(errors, found.Error)
				}
				mean, std := stat.MeanStdDev(means, nil)
				if math.Abs(mean-want) > 5*std/math.Sqrt(10)+1e-6 {
					t.Errorf("λ*=%v, truth %v, N=%d: mean %.5f, want %.5f", point, truth, n, mean, want)
				}
				if e := stat.Mean(errors, nil); e >= last {
					t.Errorf("λ*=%v, truth %v: error %.4f with N=%d, not below %.4f", point, truth, e, n, last)
				} else {
					last = e
				}
			}
		}
	}
}

// Section 4.2.2, state by state: objects 0 and 1 in class 0, 2 and 3 in 1.
func TestTransitionsOfObjectMigration(t *testing.T) {
	for _, c := range []struct {
		rule   string
		states [4]int
		i, j   int
		want   []string // classes and states, either of which may be drawn
	}{
		{"reward", [4]int{3, 2, 3, 3}, 0, 1, []string{"[0 0 1 1] [2 1 3 3]"}},
		{"reward at the inside", [4]int{1, 2, 3, 3}, 0, 1, []string{"[0 0 1 1] [1 1 3 3]"}},
		{"1: neither at the boundary", [4]int{1, 3, 2, 3}, 0, 2, []string{"[0 0 1 1] [2 3 3 3]"}},
		{"2: one at the boundary", [4]int{3, 3, 1, 3}, 0, 2, []string{"[0 0 1 1] [3 3 2 3]"}},
		{"2: the other", [4]int{1, 3, 3, 3}, 0, 2, []string{"[0 0 1 1] [2 3 3 3]"}},
		// Either 0 goes to 2 in exchange for 3, or 2 to 0 for 1; whoever is exchanged
		// comes to the boundary.
		{"3: both", [4]int{3, 1, 3, 2}, 0, 2, []string{"[1 0 1 0] [3 1 3 3]", "[0 1 0 1] [3 3 3 2]"}},
	} {
		for seed := range uint64(8) { // both ways to move, where one is drawn
			a := &migration{n: 3, class: []int{0, 0, 1, 1}, state: slices.Clone(c.states[:])}
			for _, s := range c.states {
				if s == 1 {
					a.inside++
				}
			}
			a.query(c.i, c.j, rng.New("test", seed))
			if got := fmt.Sprint(a.class, a.state); !slices.Contains(c.want, got) {
				t.Errorf("%s: classes and states %s, want %s", c.rule, got, strings.Join(c.want, " or "))
			}
		}
	}
}

// It recovers the partition from pairs that mostly tell, and not from pairs
// that tell nothing. (That it takes longer where pairs mislead more is not
// so: truthful pairs can send objects in circles, as is known of it.)
func TestEquipartitionConverges(t *testing.T) {
	for _, c := range []struct{ objects, groups int }{{4, 2}, {9, 3}, {12, 3}, {18, 6}} {
		for _, truth := range []float64{1, 0.9, 0.8} {
			for seed := range int64(30) {
				p := Equipartition{Objects: c.objects, Groups: c.groups, N: 10, Truth: truth, Queries: 50_000}.Run(seed)
				if !p.Converged || p.Recovered != 1 {
					t.Errorf("%d objects in %d groups, truth %v, seed %d: %+v", c.objects, c.groups, truth, seed, p)
				}
			}
		}
	}
	var recovered []float64
	for seed := range int64(30) {
		// Any pair is as likely as any other.
		p := Equipartition{Objects: 12, Groups: 3, N: 10, Truth: 3. / 11, Queries: 5000}.Run(seed)
		recovered = append(recovered, p.Recovered)
	}
	if mean := stat.Mean(recovered, nil); math.Abs(mean-3./11) > 0.1 {
		t.Errorf("of pairs that tell nothing %.2f is recovered, want what chance gives", mean)
	}
}
