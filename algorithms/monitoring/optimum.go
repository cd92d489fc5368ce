package monitoring

import (
	"slices"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// whittle polls the nodes of largest Whittle index.
//
// What is expected to wait at a node g slots after a poll obeys X(g) = α·X(g−1)
// + ωp, where α is what a slot leaves of it: 1 − p where updates overwrite, as
// the next one makes the last one worthless; 0 where they disappear. That is
// content that loses value with time, as in Avrachenkov and Borkar 2018,
// Whittle index policy for crawling ephemeral content, and its index is
//
//	W(g) = X(g) − g·(X(g+1) − X(g)) = ωp·(1 − α^g·(1 + g·(1−α))) / (1−α),
//
// what the poll after g slots adds to the yield X(g)/g for each poll that an
// interval of g instead of g+1 costs. So the index is the fee for polls at
// which waiting and polling are equally good. With α = 0 it is ω·p: the same
// nodes are polled in every slot, which is the algorithm topC, whatever the
// model. Where updates accumulate, α = 1, nothing is lost by waiting and W is
// 0: there nodes are polled by what is expected to wait, ω·p·g.
type whittle struct {
	task
	model  string
	best   bitset.Set // disappear: the nodes that are polled
	index  []float64
	intact []float64 // q^age: the probability of no update since the last poll

	// age is the slots since the last poll; after a switch, those that make
	// intact q^age with the new q.
	age []float64
}

// whittleShare returns the index of a node with p as a share of its
// importance-value, gap slots after its last poll, if intact is the probability
// that it was not updated since.
func whittleShare(model string, p, gap, intact float64) float64 {
	switch model {
	case sources.Disappear:
		return p
	case sources.Accumulate:
		return float64(gap * p)
	}
	return 1 - float64(intact*(1+float64(gap*p)))
}

func startWhittle(t *task) scheduler { return newWhittle(t, t.Model) }

func startTopC(t *task) scheduler {
	return newWhittle(t, sources.Disappear)
}

func newWhittle(t *task, model string) *whittle {
	n := t.World.Nodes
	s := &whittle{task: *t, model: model}
	if model == sources.Disappear {
		s.best = bitset.NewSet(n)
		return s
	}
	s.index = make([]float64, n)
	s.age = make([]float64, n)
	s.intact = slices.Repeat([]float64{1}, n)
	return s
}

func (s *whittle) begin(k known) {
	s.known = k
	if s.model == sources.Disappear {
		s.pollLargest(k.values(), s.best)
		return
	}
	for i, m := range s.intact {
		s.age[i] = detmath.Log(m) / detmath.Log(1-k.p[i])
	}
}

// minIntact stands for 0, so that ages remain numbers, and products do not
// become denormal, which makes them slow.
const minIntact = 1e-300

func (s *whittle) choose(polls bitset.Set) int {
	if s.model == sources.Disappear {
		copy(polls, s.best)
		return 0
	}
	for i, p := range s.p {
		m := max(float64(s.intact[i]*(1-p)), minIntact)
		s.intact[i] = m
		g := s.age[i] + 1
		s.age[i] = g
		worth := float64(g * p)
		if s.model == sources.Overwrite {
			worth = max(1-float64(m*(1+worth)), 0) // rounding may leave less than nothing
		}
		s.index[i] = float64(s.importance[i]*worth) / s.cost.Of(i)
	}
	s.pollLargest(s.index, polls)
	return 0
}

func (s *whittle) learn(polls, hits bitset.Set) {
	if s.model == sources.Disappear {
		return
	}
	for i := range polls.All {
		s.age[i] = 0
		s.intact[i] = 1
	}
}

// Bound returns the share of Σωp that no algorithm can exceed in the long run,
// whether it is told p or not, if the nodes do not switch.
//
//   - disappear: the most valuable nodes that fit, the last one cut to fit.
//   - overwrite: the capacity has to hold on average only, which separates the
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
	left := float64(w.Law.Capacity)
	sum := 0.0
	for _, i := range falling(nil, value) {
		cost := min(w.Cost.Of(i), left)
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
	// The fee is bracketed by bisection, and with it the interval of each node,
	// as W grows with τ.
	low := slices.Repeat([]int64{1}, n)
	high := slices.Repeat([]int64{never}, n)
	tau := make([]int64, n)
	least := 0.0
	most := 0.0
	for i, v := range w.Importance {
		most = max(most, v/w.Cost.Of(i))
	}
	for range 48 {
		fee := (least + most) / 2
		load := 0.0
		for i := range tau {
			tau[i] = bestInterval(w, i, logQ[i], fee, low[i], high[i])
			load += w.Cost.Of(i) / float64(tau[i])
		}
		if load > float64(w.Law.Capacity) {
			least = fee
			copy(low, tau)
		} else {
			most = fee
			copy(high, tau)
		}
	}
	bound := float64(most * float64(w.Law.Capacity))
	for i, t := range high {
		if t < never {
			caught := 1 - detmath.Exp(float64(float64(t)*logQ[i]))
			bound += (float64(w.Importance[i]*caught) - float64(most*w.Cost.Of(i))) / float64(t)
		}
	}
	return bound
}

// bestInterval returns the smallest τ from low to high at which W(τ) of node i
// reaches its fee, or never. logQ is ln(1 − p).
func bestInterval(w *sources.World, i int, logQ, fee float64, low, high int64) int64 {
	value := w.Importance[i]
	own := float64(fee * w.Cost.Of(i))
	if value <= own {
		return never // W stays below ω
	}
	end := min(high, int64(-50/logQ)+1) // there W is ω, but for rounding
	for low < end {
		middle := low + (end-low)/2
		t := float64(middle)
		m := detmath.Exp(float64(t * logQ))
		if float64(value*(1-float64(m*(1+float64(t*w.P[i]))))) >= own {
			end = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
