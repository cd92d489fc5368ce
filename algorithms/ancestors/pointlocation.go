// Package ancestors has the two automata that those of the monitoring
// experiment extend, each with the small task its authors set it: chapter 4
// of Myrer and Olsen, Incremental Web Crawling as a Competitive Game of
// Learning Automata ("the thesis").
//
//	pointlocation.go   section 4.1, ancestor of CGLA (Oommen 1997)
//	equipartition.go   section 4.2, ancestor of FPA (Oommen and Ma 1988)
package ancestors

import (
	"math"

	"sweep/internal/rng"
)

// PointLocation is the task of stochastic point location (Oommen 1997,
// Stochastic searching on the line): to find a point of [0, 1] by asking
// an environment that may lie.
type PointLocation struct {
	Point float64 // λ*, in [0, 1]
	Truth float64 // the probability that an answer is right, above 1/2
	N     int     // resolution: the automaton's states are 0, 1/N, …, 1
	Steps int     // answers taken, at least 2
}

// Located is what a run of a PointLocation measured, over the second half of
// its steps.
type Located struct {
	Mean  float64 // of λ
	Error float64 // mean of |λ − λ*|
}

// Run lets the automaton search from state 0. It is a pure function of its
// arguments.
func (t PointLocation) Run(seed int64) Located {
	s := rng.New("point location", uint64(seed))
	var found Located
	phi := 0
	lambda := 0.0
	first := t.Steps / 2 // the first step that counts
	for step := range t.Steps {
		more := lambda < t.Point
		if !s.Chance(t.Truth) {
			more = !more
		}
		phi = move(phi, t.N, more)
		lambda = float64(phi) / float64(t.N)
		if step >= first {
			found.Mean += lambda
			found.Error += math.Abs(lambda - t.Point)
		}
	}
	found.Mean /= float64(t.Steps - first)
	found.Error /= float64(t.Steps - first)
	return found
}

// move is the automaton of section 4.1.2: it returns the state that follows
// φ = 0…N. β = 1 suggests more, β = 0 less. The printed bounds of the first
// rule, 0 < φ < N−1, would trap the automaton in 0 and keep it from N; as in
// its source it moves up below N and down above 0.
func move(phi, n int, more bool) int {
	if more {
		return min(phi+1, n)
	}
	return max(phi-1, 0)
}
