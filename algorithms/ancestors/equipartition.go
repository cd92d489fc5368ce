package ancestors

import (
	"fmt"

	"sweep/internal/rng"
)

// Equipartition is the task of equipartitioning (Oommen and Ma 1988,
// Deterministic learning automata solutions to the equipartitioning
// problem): to recover a partition into groups of equal size from pairs
// of objects that are used together.
type Equipartition struct {
	Objects int     // W, a multiple of Groups, and at least twice as many
	Groups  int     // R, at least 2
	N       int     // states of each class
	Truth   float64 // the probability that a pair is of one group
	Queries int     // pairs at most
}

// CheckGroups returns an error if the objects do not divide into groups of
// at least two.
func (t *Equipartition) CheckGroups() error {
	if t.Objects%t.Groups != 0 || t.Objects < 2*t.Groups {
		return fmt.Errorf("objects %d is not a multiple of groups %d, at least twice as many",
			t.Objects, t.Groups)
	}
	return nil
}

// Partitioned is what a run of an Equipartition measured.
type Partitioned struct {
	// Queries is how many pairs it took until every object was in the most
	// internal state of its class, for the first time; Converged is false,
	// and Queries all there were, if that did not happen.
	Queries   int
	Converged bool

	// Recovered is the share of the pairs of one group that are in one
	// class at the end.
	Recovered float64
}

// Run lets the automaton partition the objects from a random partition, all in
// boundary states, until it converges or the queries are used up. It is a pure
// function of its arguments.
func (t Equipartition) Run(seed int64) Partitioned {
	s := rng.New("equipartition", uint64(seed))
	a := newMigration(t.Objects, t.Groups, t.N, s)
	size := t.Objects / t.Groups
	var p Partitioned
	for p.Queries < t.Queries && !p.Converged {
		p.Queries++
		i := s.IntN(t.Objects)
		j := i
		if s.Chance(t.Truth) {
			for j == i { // another of i's group
				j = i/size*size + s.IntN(size)
			}
		} else {
			for j/size == i/size {
				j = s.IntN(t.Objects)
			}
		}
		a.query(i, j, s)
		p.Converged = a.inside == t.Objects
	}
	pairs := 0
	together := 0
	for i := range t.Objects {
		for j := i/size*size + i%size + 1; j < (i/size+1)*size; j++ {
			pairs++
			if a.class[i] == a.class[j] {
				together++
			}
		}
	}
	p.Recovered = float64(together) / float64(pairs)
	return p
}

// migration is the object migration automaton of section 4.2.2: each
// object is in a class, and there in a state from 1, the most internal, to N,
// at the boundary.
type migration struct {
	n      int
	class  []int
	state  []int
	inside int // objects in state 1
}

func newMigration(objects, classes, n int, s *rng.Stream) *migration {
	a := &migration{n: n, class: make([]int, objects), state: make([]int, objects)}
	for i := range a.class {
		a.class[i] = i % classes
		a.state[i] = n
	}
	s.Shuffle(objects, func(i, j int) {
		a.class[i], a.class[j] = a.class[j], a.class[i]
	})
	if n == 1 {
		a.inside = objects
	}
	return a
}

// set puts an object into a state.
func (a *migration) set(i, state int) {
	if a.state[i] == 1 {
		a.inside--
	}
	a.state[i] = state
	if state == 1 {
		a.inside++
	}
}

// query rewards two objects that are used together and in one class, and
// punishes them if they are not.
func (a *migration) query(i, j int, s *rng.Stream) {
	if a.class[i] == a.class[j] {
		a.set(i, max(a.state[i]-1, 1))
		a.set(j, max(a.state[j]-1, 1))
		return
	}
	if a.state[i] < a.n || a.state[j] < a.n {
		// One at the boundary stays there.
		a.set(i, min(a.state[i]+1, a.n))
		a.set(j, min(a.state[j]+1, a.n))
		return
	}
	// Both are at the boundary: one of them, it does not say which, goes to
	// the other's class, in exchange for an object from there.
	if s.Chance(0.5) {
		i, j = j, i
	}
	k := a.nearest(a.class[j], j, s)
	a.class[i], a.class[k] = a.class[k], a.class[i]
	a.set(k, a.n)
}

// nearest returns an object of a class, other than one, in the state
// nearest to the boundary, each equally likely. The thesis wants one at the
// boundary and says nothing of classes without; this is its source's rule.
func (a *migration) nearest(class, but int, s *rng.Stream) int {
	nearest := -1
	ties := 0
	for k, c := range a.class {
		switch {
		case c != class || k == but:
		case nearest < 0 || a.state[k] > a.state[nearest]:
			nearest = k
			ties = 1
		case a.state[k] == a.state[nearest]:
			ties++
			if s.IntN(ties) == 0 {
				nearest = k
			}
		}
	}
	return nearest
}
