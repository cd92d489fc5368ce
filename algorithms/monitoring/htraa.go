package monitoring

import (
	"math"

	"sweep/internal/bitset"
)

// htraa is the hierarchy of two-fold resource allocation automata of Granmo and
// Oommen 2010, Solving stochastic nonlinear resource allocation problems using
// a hierarchy of twofold resource allocation automata (IEEE Transactions on
// Computers 59). The nodes are the leaves of a binary tree. At each inner node
// of the tree an automaton in one of the states s = 1…N divides the capacity
// that its parent gives it: q = s/(N+1) goes to the first subtree, 1 − q to the
// second. A hit in the first subtree raises s with probability 1 − q, a hit in
// the second lowers it with probability q, and a miss changes nothing: s rests
// where both subtrees have equally many hits per poll. Every automaton on the
// path to the leaf learns from a poll.
//
// What a leaf gets is the rate of its node's polls, which are made in the order
// of their deadlines, the earliest first.
//
// The tree is kept as a heap: the children of place k are 2k and 2k+1, and the
// leaves are the places R to 2R−1.
type htraa struct {
	task

	state   []uint16 // of the automaton at each place before R
	divides []uint32 // q of each state, in units of 2⁻³²
	amount  []float64
	leaf    []int32   // the place of each node
	worth   []float64 // how often a hit at each node counts, on average

	slot   float64
	due    []float64 // the deadline of each node's next poll, in slots
	nearer []float64 // the index of each node: larger for an earlier deadline
}

func startHTRAA(t *task) scheduler { return newHTRAA(t) }

func newHTRAA(t *task) *htraa {
	r := t.World.Nodes
	a := &htraa{
		task:    *t,
		state:   make([]uint16, r),
		divides: make([]uint32, t.N+1),
		amount:  make([]float64, 2*r),
		leaf:    make([]int32, r),
		worth:   make([]float64, r),
		due:     make([]float64, r),
		nearer:  make([]float64, r),
	}
	for s := range a.divides {
		a.divides[s] = bitset.Fixed(float64(s) / float64(t.N+1))
	}
	for i := range a.leaf {
		a.leaf[i] = int32(r + i)
		j := a.random.below(i + 1)
		a.leaf[i], a.leaf[j] = a.leaf[j], a.leaf[i]
	}
	a.divideEvenly()
	for i := range a.due {
		a.due[i] = float64(a.random.float()*float64(r)) / a.capacity()
	}
	return a
}

// divideEvenly sets the automata to states in which all leaves get about the
// same.
func (a *htraa) divideEvenly() {
	r := len(a.leaf)
	leaves := make([]float64, 2*r) // below each place
	for k := 2*r - 1; k >= r; k-- {
		leaves[k] = 1
	}
	for k := r - 1; k > 0; k-- {
		leaves[k] = leaves[2*k] + leaves[2*k+1]
		s := math.Floor(float64(float64(a.N+1)*leaves[2*k])/leaves[k] + 0.5)
		a.state[k] = uint16(min(max(s, 1), float64(a.N)))
	}
}

// begin keeps what was learned.
func (a *htraa) begin(k known) {
	a.known = k
	mean := 0.0
	for i := range a.worth {
		mean += k.cost.Of(i) / float64(len(a.worth))
	}
	for i, v := range k.importance {
		a.worth[i] = float64(v*mean) / k.cost.Of(i)
	}
}

// divide lets the automata divide the capacity.
func (a *htraa) divide() {
	a.amount[1] = a.capacity()
	whole := float64(a.N + 1)
	for k := 1; k < len(a.leaf); k++ {
		first := float64(a.amount[k]*float64(a.state[k])) / whole
		a.amount[2*k] = first
		a.amount[2*k+1] = a.amount[k] - first
	}
}

// furthest is the longest time between two deadlines of a node, in slots.
const furthest = 1e6

// period returns the slots from one deadline of a node to the next: a node is
// polled once in a slot at most.
func (a *htraa) period(i int) float64 {
	return min(max(a.cost.Of(i)/a.amount[a.leaf[i]], 1), furthest)
}

func (a *htraa) choose(polls bitset.Set) (dropped int) {
	a.slot++
	a.divide()
	// Deadlines become indices that are at least 0 and tell near ones apart.
	turn := float64(a.World.Nodes) / a.capacity()
	for i, due := range a.due {
		late := (a.slot - due) / turn
		if late < 0 {
			late = 1/(1-late) - 1
		}
		a.nearer[i] = 1 + late
	}
	a.pollLargest(a.nearer, polls)
	for i := range polls.All {
		// Where a node is late, what it missed is not made up for.
		a.due[i] = max(a.due[i], a.slot-1) + a.period(i)
	}
	return 0
}

func (a *htraa) learn(polls, hits bitset.Set) {
	for i := range hits.All {
		times := a.worth[i]
		for ; times >= 1; times-- {
			a.reward(a.leaf[i])
		}
		if a.random.chance(bitset.Fixed(times)) {
			a.reward(a.leaf[i])
		}
	}
}

// reward lets a hit at a leaf count for the automata on the path to it.
func (a *htraa) reward(leaf int32) {
	for k := leaf; k > 1; k >>= 1 {
		s := a.state[k>>1]
		toFirst := a.random.chance(a.divides[s]) // with probability q
		switch {
		case k&1 == 0 && !toFirst && int(s) < a.N:
			a.state[k>>1]++
		case k&1 == 1 && toFirst && s > 1:
			a.state[k>>1]--
		}
	}
}
