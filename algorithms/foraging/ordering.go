package foraging

import (
	"cmp"
	"math"
	"slices"

	"sweep/environments/newssite"
	"sweep/internal/rng"
)

// stateTable holds the distinct state vectors of a site by their
// components that are not −1. The classifier saturates (newssite), so
// these are few, and the value of a state, Σ weight·state, is
//
//	Σ over those components of weight·(state+1), less Σ of all weights,
//
// the same number but for rounding, found in a step or two instead of
// fifty.
type stateTable struct {
	dimension int
	from      []int32   // the components of state s are from[s] … from[s+1]−1 of
	index     []int32   // component
	excess    []float64 // its value plus 1, in (0, 2]
	total     []float64 // for each state, the sum of its excesses

	disjoint bool // no two states have a component in common
	changing bool // some URL has versions in different states
}

func newStateTable(site *newssite.Site) *stateTable {
	t := &stateTable{
		dimension: site.Dimension,
		from:      make([]int32, 1, len(site.States)+1),
		disjoint:  true,
	}
	taken := make([]bool, site.Dimension)
	for _, state := range site.States {
		total := 0.0
		for i, x := range state {
			if x != -1 {
				t.disjoint = t.disjoint && !taken[i]
				taken[i] = true
				t.index = append(t.index, int32(i))
				t.excess = append(t.excess, x+1)
				total += x + 1
			}
		}
		t.from = append(t.from, int32(len(t.index)))
		t.total = append(t.total, total)
	}
	for u := range site.URLs() {
		history := site.History(int32(u))
		for i := range history {
			t.changing = t.changing || history[i].State != history[0].State
		}
	}
	return t
}

func (t *stateTable) states() int { return len(t.from) - 1 }

// ordering is the linear estimator of the long-term cumulated profit by
// which a forager orders URLs (Algorithm 3). Component i of the weight
// vector is common + own[i]: an update by a saturated state moves nearly
// all components by the same amount, which is one addition to common.
type ordering struct {
	states *stateTable
	common float64
	own    []float64
	sum    float64 // of own

	// parts holds Σ excess·own of each state, if an update changes that of one
	// state only, as these are disjoint; else it is nil.
	parts []float64

	moved float64 // common and each own have never been further from 0 than this
	risen float64 // no own has risen by more than this since any earlier moment
}

// newOrdering draws a random weight vector, each component uniform in
// [−1, 1). The paper says random; the scale matters little to a learner
// and not at all to a fixed ordering.
func newOrdering(states *stateTable, s *rng.Stream) ordering {
	own := make([]float64, states.dimension)
	for i := range own {
		own[i] = 2*s.Float64() - 1
	}
	return orderingOf(states, own)
}

// orderingOf returns an ordering with the given weights, which it keeps.
func orderingOf(states *stateTable, weight []float64) ordering {
	o := ordering{states: states, own: weight}
	for _, w := range weight {
		o.sum += w
		o.moved = max(o.moved, math.Abs(w))
	}
	if states.disjoint {
		parts := make([]float64, states.states())
		for s := range parts {
			parts[s] = o.part(int32(s))
		}
		o.parts = parts
	}
	return o
}

func (o *ordering) clone() ordering {
	c := *o
	c.own = slices.Clone(o.own)
	c.parts = slices.Clone(o.parts)
	return c
}

// value returns the estimated long-term cumulated profit of a page in the
// given state, in reward units (Algorithm 3).
func (o *ordering) value(state int32) float64 {
	return o.rank(state) - (float64(float64(o.states.dimension)*o.common) + o.sum)
}

// rank returns the value of a state up to a number that is the same for all
// states.
func (o *ordering) rank(state int32) float64 {
	return float64(o.states.total[state]*o.common) + o.part(state)
}

// part returns Σ excess·own of a state.
func (o *ordering) part(state int32) float64 {
	if o.parts != nil {
		return o.parts[state]
	}
	t := o.states
	part := 0.0
	for i := t.from[state]; i < t.from[state+1]; i++ {
		part += float64(t.excess[i] * o.own[t.index[i]])
	}
	return part
}

// update moves the weights after the step from a page in one state to a
// page in the next, which brought the given profit (Algorithm 4).
func (o *ordering) update(state, next int32, profit, alpha, gamma float64) {
	delta := profit + float64(gamma*o.value(next)) - o.value(state)
	move := float64(alpha * delta)
	o.common -= move
	o.moved += 2 * math.Abs(move) // no excess is above 2
	t := o.states
	part := 0.0
	rise := 0.0
	for i := t.from[state]; i < t.from[state+1]; i++ {
		own := &o.own[t.index[i]]
		change := float64(move * t.excess[i])
		*own += change
		rise = max(rise, change)
		o.sum += change
		part += float64(t.excess[i] * *own)
	}
	o.risen += rise
	if t.disjoint {
		o.parts[state] = part
	}
}

// base returns a number b that bounds what is learned: since any earlier
// moment, the rank of a state has risen by at most total·(b now − b then) and,
// as all this is rounded, total·slack. That holds for at least 2²⁸ updates.
func (o *ordering) base() (b, slack float64) {
	return o.common + o.risen, o.moved * 0x1p-24
}

// finite tells whether all values are numbers. An infinite value makes the
// next update's δ, and with it common, infinite or NaN.
func (o *ordering) finite() bool { return !math.IsInf(o.common, 0) && !math.IsNaN(o.common) }

// sort puts the states, all of them, into descending order of value.
func (o *ordering) sort(states []int32) {
	value := make([]float64, len(states))
	for s := range value {
		value[s] = o.value(int32(s))
	}
	// A stable sort takes longer with many states.
	slices.SortFunc(states, func(a, b int32) int {
		if c := cmp.Compare(value[b], value[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
}
