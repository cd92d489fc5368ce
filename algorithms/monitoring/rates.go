package monitoring

import (
	"cmp"
	"math"
	"slices"

	"sweep/internal/bitset"
	"sweep/internal/detmath"
)

// The objectives of algorithms that solve for rates.
const (
	forRetrieved = "retrieved"
	forFreshness = "freshness"
)

// Objectives lists the values of Config.Objective.
func Objectives() []string { return []string{forRetrieved, forFreshness} }

// weights returns what a fresh copy of each node is worth: its importance-value
// ω, as published, where ω is the rate of requests for the copy; or ω·p. With
// ω·p the freshness that polls at random reach is proportional to the value
// that they retrieve, since a node yields p times its freshness.
func weights(k *known, objective string) []float64 {
	if objective == forFreshness {
		return k.importance
	}
	w := make([]float64, len(k.p))
	for i, p := range k.p {
		w[i] = float64(k.importance[i] * p)
	}
	return w
}

// A solver returns the number of polls per slot of each node, in [0, 1], that
// is best for the weights of the nodes. Together the polls cost the capacity.
type solver func(k *known, capacity float64) []float64

// solving returns a solver for the objective and the host limit of the
// configuration.
func (t *task) solving(rates solver) solver {
	return func(k *known, capacity float64) []float64 {
		k.weight = weights(k, t.Objective)
		return politely(k, capacity, t.HostLimit, rates)
	}
}

// politely returns the best rates with which the polls of no host cost more
// than the limit (Kolobov et al. 2019, Optimal freshness crawl under politeness
// constraints, Algorithm 2). Hosts that would exceed the limit get rates of
// their own, which cost the limit; the others share the rest; until none
// exceeds it.
func politely(k *known, capacity, limit float64, rates solver) []float64 {
	if limit == 0 || k.host == nil {
		return rates(k, capacity)
	}
	result := make([]float64, len(k.weight))
	free := make([]int, len(k.weight)) // the nodes of hosts within the limit
	for i := range free {
		free[i] = i
	}
	// solve sets the rates of some nodes.
	solve := func(nodes []int, capacity float64) {
		var part known
		for _, i := range nodes {
			part.weight = append(part.weight, k.weight[i])
			part.p = append(part.p, k.p[i])
			part.cost = append(part.cost, k.cost.Of(i))
		}
		for n, rate := range rates(&part, capacity) {
			result[nodes[n]] = rate
		}
	}
	for held := -1; held != len(free); {
		held = len(free)
		solve(free, capacity)
		byHost := make([][]int, 1+slices.Max(k.host))
		load := make([]float64, len(byHost))
		for _, i := range free {
			if h := k.host[i]; h >= 0 {
				byHost[h] = append(byHost[h], i)
				load[h] += float64(result[i] * k.cost.Of(i))
			}
		}
		for h, nodes := range byHost {
			if load[h] > limit*(1+1e-9) {
				solve(nodes, limit)
				capacity -= limit
				free = slices.DeleteFunc(free, func(i int) bool { return k.host[i] == int32(h) })
			}
		}
	}
	return result
}

// solveFee finds the fee for a poll at which the rates of the nodes cost the
// capacity, and returns these rates. A higher fee must give lower rates.
func solveFee(k *known, capacity float64, rate func(i int, fee, cost float64) float64) []float64 {
	rates := make([]float64, len(k.weight))
	fill := func(fee float64) (load float64) {
		for i := range rates {
			c := k.cost.Of(i)
			rates[i] = rate(i, fee, c)
			load += float64(rates[i] * c)
		}
		return load
	}
	// By bisection on the logarithm of the fee.
	low := 1e-300
	high := 1e10
	for range 100 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if fill(middle) > capacity {
			low = middle
		} else {
			high = middle
		}
	}
	load := fill(high)
	if load >= capacity*(1-1e-9) {
		return rates
	}
	// Either all rates are as high as they can be, or they jump at this fee:
	// then the nodes share what is left.
	less := slices.Clone(rates)
	part := (capacity - load) / max(fill(low)-load, capacity-load)
	for i, more := range rates {
		rates[i] = less[i] + float64(part*(more-less[i]))
	}
	return rates
}

// proportionalRates returns the polls per slot in proportion to weights, per
// cost, up to 1 (section 7.3.2, "Weighted proportional", with weights p·ω).
func proportionalRates(k *known, capacity float64) []float64 {
	return solveFee(k, capacity, func(i int, fee, cost float64) float64 {
		return min(k.weight[i]/float64(fee*cost), 1)
	})
}

// refreshRates returns the polls per slot that make the copies freshest
// where updates overwrite, among polls drawn independently at fixed rates
// (Azar et al. 2018, Tractable near-optimal policies for crawling; here with
// slots instead of continuous time). After the polls of a slot the copy of
// node i is fresh with probability x/(x + p − xp); with q = 1 − p and weights w
// the best rates are x = (√(w·p/λc) − p)/q, brought into [0, 1], with the fee λ
// at which they cost the capacity.
//
// With w = ωp they retrieve most: x = (p/q)·(√(ω/λc) − 1). Azar et al. also
// turn them into evenly spaced polls, by a sequence of low discrepancy.
func refreshRates(k *known, capacity float64) []float64 {
	return solveFee(k, capacity, func(i int, fee, cost float64) float64 {
		p := k.p[i]
		x := (math.Sqrt(float64(k.weight[i]*p)/float64(fee*cost)) - p) / (1 - p)
		return min(max(x, 0), 1)
	})
}

// fixedOrderRates returns the polls per slot of the optimal refresh policy of
// Cho and Garcia-Molina 2003, Effective page refresh policies for Web crawlers:
// each copy is refreshed at equal intervals τ = 1/x, here of a real number of
// slots. With q = 1 − p it is then fresh for a share x·(1 − q^τ)/p of the
// slots, whose slope in x is (1 − e^(−u)(1+u))/p, u = −τ·ln q; the best
// intervals make weight times slope equal to the fee λc. A node that changes
// too often for that is not polled at all.
//
// With weights ωp this is the optimum of overwrite, except that intervals need
// not be whole numbers of slots.
func fixedOrderRates(k *known, capacity float64) []float64 {
	theta := make([]float64, len(k.p)) // −ln q
	u := make([]float64, len(k.p))     // the last solution, from where the next is sought
	for i, p := range k.p {
		theta[i] = -detmath.Log(1 - p)
		u[i] = 1
	}
	return solveFee(k, capacity, func(i int, fee, cost float64) float64 {
		share := float64(fee*float64(cost*k.p[i])) / k.weight[i]
		if !(share < 1) {
			return 0
		}
		u[i] = solveSlope(share, u[i])
		return min(theta[i]/u[i], 1)
	})
}

// solveSlope returns u > 0 with 1 − e^(−u)(1+u) = share, for a share in (0, 1),
// by Newton's method from a guess, kept between bounds by bisection.
func solveSlope(share, guess float64) float64 {
	low := 0.0
	high := 750.0 // e^(−750) is 0
	u := guess
	for range 60 {
		m := detmath.Exp(-u)
		excess := 1 - float64(m*(1+u)) - share
		if excess > 0 {
			high = u
		} else {
			low = u
		}
		next := u - excess/float64(m*u)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if change := next - u; change < 1e-12*u && -change < 1e-12*u {
			return next
		}
		u = next
	}
	return u
}

// lambdaRates returns the polls per slot of LambdaCrawl (Kolobov et al. 2019,
// Staying up to date with online content changes using reinforcement learning
// for scheduling, Algorithm 1, sources with incomplete change observations). It
// minimises the harmonic staleness of the copies: a copy that missed n updates
// costs its weight times 1 + 1/2 + … + 1/n. With polls drawn independently the
// n after a slot is geometric, P(n ≥ k) = r^k with r = p(1−x)/(x + p − xp), so
// that a node costs −w·ln(1 − r); the best rates solve q·x² + p·x = w·p/λc,
// with q = 1 − p and the fee λ at which they cost the capacity. (The paper has
// continuous time, where q is 1 and p the rate of changes.) None is 0: every
// node is polled now and then, in the paper at random times.
func lambdaRates(k *known, capacity float64) []float64 {
	return solveFee(k, capacity, func(i int, fee, cost float64) float64 {
		p := k.p[i]
		gain := float64(k.weight[i]*p) / float64(fee*cost)
		// The positive root, without the difference of nearly equal numbers.
		x := 2 * gain / (p + math.Sqrt(float64(p*p)+float64(4*(1-p)*gain)))
		return min(x, 1)
	})
}

// An execution says how rates become polls.
const (
	independent = "independent" // each poll is drawn
	even        = "even"        // as evenly spaced as possible
)

// Executions lists the values of Config.Execution.
func Executions() []string { return []string{independent, even} }

// execution polls at rates, which it solves for when it is told of the nodes.
//
// If it is independent, each poll is drawn with its rate as probability, and
// random polls are dropped where they exceed the capacity. If it is even, the
// polls of each node are spaced as evenly as the others allow: a node earns its
// rate as credit in every slot, the nodes with most credit are polled, and a
// poll costs a credit of 1. Credits start at random phases.
type execution struct {
	task
	solve  solver
	rates  []float64
	drawn  bitset.Planes // independent: the rates
	credit []float64     // nil: independent
}

// executed returns how a scheduler of rates starts, with some execution or, if
// that is empty, the one of the configuration.
func executed(rates solver, execution string) func(*task) scheduler {
	return func(t *task) scheduler { return t.executing(t.solving(rates), execution) }
}

func (t *task) executing(solve solver, how string) *execution {
	e := &execution{task: *t, solve: solve}
	if cmp.Or(how, t.Execution) == even {
		for range e.World.Nodes {
			e.credit = append(e.credit, creditOffset+e.random.float())
		}
	}
	return e
}

// creditOffset keeps credits from becoming negative, which selection forbids:
// without it they would be 1/2 on average.
const creditOffset = 2

func (e *execution) begin(k known) {
	e.known = k
	e.rates = e.solve(&k, e.capacity())
	if e.credit == nil {
		e.drawn = bitset.NewPlanes(e.rates)
	}
}

func (e *execution) choose(polls bitset.Set) (dropped int) {
	if e.credit == nil {
		e.random.at = e.drawn.DrawAll(polls, e.random.words, e.random.at)
		return e.trim(polls)
	}
	for i, rate := range e.rates {
		e.credit[i] += rate
	}
	e.pollLargest(e.credit, polls)
	if e.HostLimit > 0 { // rates may cost less than the capacity: the rest stays unused
		for i := range polls.All {
			if e.credit[i] < creditOffset+1 {
				polls.Remove(i)
			}
		}
	}
	return 0
}

func (e *execution) learn(polls, hits bitset.Set) {
	if e.credit != nil {
		for i := range polls.All {
			e.credit[i]--
		}
	}
}
