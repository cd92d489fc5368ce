package monitoring

import (
	"slices"
	"sort"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// whittle polls the nodes of largest Whittle index.
//
// What is expected to wait at a node g slots after a poll obeys
// X(g) = α·X(g−1) + ωp, where α is what a slot leaves of it: 1 − p where updates
// overwrite, as the next one makes the last one worthless; 0 where they disappear.
// That is the content which loses value with time of Avrachenkov and Borkar 2018,
// Whittle index policy for crawling ephemeral content, and its index is
//
//	W(g) = X(g) − g·(X(g+1) − X(g)) = ωp·(1 − α^g·(1 + g·(1−α))) / (1−α),
//
// what the poll after g slots adds to the yield X(g)/g for each poll that an
// interval of g instead of g+1 costs. So the index is the fee for polls at which
// waiting and polling are equally good. With α = 0 it is ω·p: the same nodes are
// polled in every slot, which is the algorithm topC, whatever the model. Where updates
// accumulate, α = 1, nothing is lost by waiting and W is 0: there nodes are polled by
// what is expected to wait, ω·p·g.
type whittle struct {
	task
	selection
	model  string
	best   bitset.Set // disappear: the nodes that are polled
	index  []float64
	age    []float64 // slots since the last poll; after a switch, as many as leave at the new p as much unchanged
	intact []float64 // q^age: the probability of no update since
}

func startWhittle(t *task) scheduler { return newWhittle(t, t.Model) }

func newWhittle(t *task, model string) *whittle {
	n := t.World.Nodes
	return &whittle{
		task: *t, model: model, best: bitset.NewSet(n),
		index: make([]float64, n), age: make([]float64, n), intact: slices.Repeat([]float64{1}, n),
	}
}

func (s *whittle) begin(k known) {
	s.known = k
	if s.model == sources.Disappear {
		s.selection.choose(k.values(), k.cost, float64(s.World.Capacity), s.best)
		return
	}
	for i, m := range s.intact {
		s.age[i] = detmath.Log(m) / detmath.Log(1-k.p[i])
	}
}

// leastIntact stands for 0, so that ages remain numbers, and products do
// not become denormal, which are slow.
const leastIntact = 1e-300

func (s *whittle) choose(polls bitset.Set) int {
	if s.model == sources.Disappear {
		copy(polls, s.best)
		return 0
	}
	for i, p := range s.p {
		m := max(float64(s.intact[i]*(1-p)), leastIntact)
		g := s.age[i] + 1
		s.intact[i], s.age[i] = m, g
		worth := float64(g * p)
		if s.model == sources.Overwrite {
			worth = max(1-float64(m*(1+worth)), 0) // rounding may leave less than nothing
		}
		s.index[i] = float64(s.importance[i]*worth) / s.costOf(i)
	}
	s.selection.choose(s.index, s.cost, float64(s.World.Capacity), polls)
	return 0
}

func (s *whittle) learn(polls, hits bitset.Set) {
	for i := range polls.All {
		s.age[i], s.intact[i] = 0, 1
	}
}

// Bound returns the share of Σωp that no algorithm can exceed in the long
// run, told p or not, if the nodes do not switch.
//
//   - disappear: the most valuable nodes that fit, the last one cut to fit.
//   - overwrite: the capacity holds on average only, which separates the
//     nodes. A fee λ for each poll makes node i poll every τ slots, the least
//     τ with W(τ) ≥ λ (see whittle), and Σ (its yield − its fees) + λC is a
//     bound for every λ ≥ 0; the least of them is returned. τ is an integer:
//     real intervals would overstate the bound by some 0.002.
//   - accumulate: 1, since nothing is ever lost.
func Bound(w *sources.World, model string) float64 {
	switch model {
	case sources.Disappear:
		return boundDisappear(w) / w.Total
	case sources.Overwrite:
		return boundOverwrite(w) / w.Total
	}
	return 1
}

func boundDisappear(w *sources.World) float64 {
	value := (&known{importance: w.Importance, cost: w.Cost, p: w.P}).values()
	left, sum := float64(w.Law.Capacity), 0.0
	for _, i := range falling(nil, value) {
		cost := min(w.CostOf(i), left)
		sum += float64(value[i] * cost)
		left -= cost
	}
	return sum
}

// never is the interval of a node that is not worth its fee.
const never = 1 << 62

func boundOverwrite(w *sources.World) float64 {
	n := len(w.P)
	logQ := make([]float64, n)
	for i, p := range w.P {
		logQ[i] = detmath.Log(1 - p)
	}
	// The fee is bracketed by bisection, and with it the interval of each node, as W
	// grows with τ.
	low, high, tau := slices.Repeat([]int64{1}, n), slices.Repeat([]int64{never}, n), make([]int64, n)
	least, most := 0.0, 0.0
	for i, v := range w.Importance {
		most = max(most, v/w.CostOf(i))
	}
	for range 48 {
		fee := (least + most) / 2
		load := 0.0
		for i, v := range w.Importance {
			own := float64(fee * w.CostOf(i))
			if tau[i] = never; v > own { // W stays below ω: no interval is worth a fee of that
				all := int64(-50/logQ[i]) + 1 // where W is ω, but for rounding
				tau[i] = low[i] + int64(sort.Search(int(min(high[i], all)-low[i]), func(k int) bool {
					t := float64(low[i] + int64(k))
					m := detmath.Exp(float64(t * logQ[i]))
					return float64(v*(1-float64(m*(1+float64(t*w.P[i]))))) >= own
				}))
			}
			load += w.CostOf(i) / float64(tau[i])
		}
		if load > float64(w.Law.Capacity) {
			least, low, tau = fee, tau, low
		} else {
			most, high, tau = fee, tau, high
		}
	}
	bound := float64(most * float64(w.Law.Capacity))
	for i, t := range high {
		if t < never {
			caught := 1 - detmath.Exp(float64(float64(t)*logQ[i]))
			bound += (float64(w.Importance[i]*caught) - float64(most*w.CostOf(i))) / float64(t)
		}
	}
	return bound
}
