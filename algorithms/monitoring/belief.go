package monitoring

import (
	"math"
	"sync"

	"sweep/internal/detmath"
)

// What is believed of a node is a gamma distribution of the rate θ = −ln(1−p) at which it changes,
// with density in proportion to θ^(a−1)·e^(−bθ): a changes were seen in b slots. A poll g slots
// after the last one finds nothing with probability e^(−gθ), so that
//
//	M(g) = E e^(−gθ) = (b/(b+g))^a
//
// is what is believed of a miss, and of nothing waiting after g slots.
//
//   - A miss multiplies the density by e^(−gθ): b grows by g.
//   - A hit multiplies it by 1 − e^(−gθ). It is followed by the gamma
//     distribution of the same mean and variance (afterHit).
//   - The polls of a lease are taken at once by the tangent of the
//     logarithm of the likelihood (afterMany).
//
// a and b are those of a prior, which is common to all nodes, and evidence,
// which fades: nodes change. The prior is learned from all nodes (renew).

// evidence is what was seen of a node. With the prior it makes a belief.
type evidence struct {
	weight float64 // importance-value per cost, which is told
	a, b   float32 // changes and slots, beyond those of the prior
	odds   float32 // that the node became another: the ratio of Shiryaev and Roberts
	polled int32   // the slot of the last poll that is part of the evidence, or of forgetting
	slope  float32 // by which its index rises in a slot, about; 0: that is to be computed
	start  float32 // the index at no slots, in the line of that slope
	gap    int8    // of its lease; 0: it has none
}

const (
	changeRate = 2e-5 // the probability with which a node becomes another in a slot
	replaced   = 3    // the odds at which it is taken to have become another

	// The prior at first; and how many nodes like that were seen before all others.
	firstShape, firstSlots, pseudoNodes = 0.5, 20, 3

	mostBonus  = 1.5     // changes, in disappear
	mostNodes  = 1 << 15 // that the prior is learned from
	leastShape = 0.5     // of the prior: below, nodes are given up after a few misses
	leastSum   = 0.05    // of a and b, which evidence of surprising hits may make smaller than the prior's
)

// prior is what is believed of a node of which nothing was seen.
type prior struct {
	a, b                  float64
	once                  float64 // M(1)
	disappear, accumulate bool    // the model, if it is not overwrite

	// Where only polled nodes are learned of, they are given so many changes more
	// than were seen, lest they be given up too early. To explore pays if there is
	// time to learn: as much as there was till now, but no more than evidence lasts.
	bonus  float64
	polls  float64 // of a node in a slot, a mean
	fading float64 // the part of evidence that fades in a slot

	*curves
}

// renew learns the prior from all nodes that were polled, by a step of expectation maximisation:
// the gamma distribution whose mean of θ and mean of ln θ are those of the nodes. With d the
// difference of their logarithms its shape is about (3 − d + √((d − 3)² + 24d)) / 12d (Minka 2002,
// Estimating a gamma distribution).
func (p *prior) renew(nodes []evidence, slot int) {
	count := float64(pseudoNodes)
	mean := count * firstShape / firstSlots
	logs := count * p.meanLog(firstShape, firstSlots)
	for i := 0; i < len(nodes); i += 1 + len(nodes)/mostNodes {
		if e := &nodes[i]; e.a != 0 || e.b != 0 {
			a, b, _ := p.with(e, slot)
			mean += a / b
			logs += p.meanLog(a, b)
			count++
		}
	}
	mean /= count
	d := detmath.Log(mean) - logs/count
	a := (3 - d + math.Sqrt(float64((d-3)*(d-3))+float64(24*d))) / float64(12*d)
	p.a = max(a, leastShape)
	p.b = p.a / mean
	p.once = p.miss(p.a, p.b, 1)
	learnable := float64(p.polls*min(float64(slot), 1/p.fading)) / p.b
	p.bonus = float64(mostBonus*learnable) / (1 + learnable)
}

// with returns the belief of evidence in a slot, and the slots since the last poll.
func (p *prior) with(e *evidence, slot int) (a, b, ago float64) {
	ago = float64(slot - int(e.polled))
	keep := max(1-float64(p.fading*ago), 0)
	a, b = p.a+float64(keep*float64(e.a)), p.b+float64(keep*float64(e.b))
	if a < leastSum || b < leastSum { // which is rare
		a, b = max(a, leastSum), max(b, leastSum)
	}
	return a, b, ago
}

// miss returns M(g).
func (c *curves) miss(a, b, g float64) float64 { return c.decay(float64(a * c.log(1+g/b))) }

// changing returns about the probability of a change in a slot, if there was none
// in the g slots before: 1 − M(g+1)/M(g).
func (c *curves) changing(a, b, g float64) float64 { return 1 - c.decay(a/(b+g+0.5)) }

// meanLog returns about the mean of ln θ, ψ(a) − ln b, with ψ(a) = ψ(a+1) − 1/a
// and e^ψ(a+1) ≈ a + ½ + 1/(24a + 12).
func (c *curves) meanLog(a, b float64) float64 {
	return c.log((a+0.5+1/(12+float64(24*a)))/b) - 1/a
}

// afterHit returns the gamma distribution that has the mean and the variance
// of θ after a hit: those of the distribution of a and b, less what a miss
// would have left, which has probability miss and the parameters a and b+g.
func afterHit(a, b, g, miss float64) (afterA, afterB float64) {
	if 1-miss < 1e-9 {
		return a + 1, b // the limit for small rates
	}
	shrink := b / (b + g)
	scale := 1 / float64(b*(1-miss))
	mean := float64(a*(1-float64(miss*shrink))) * scale
	square := float64(float64(a*(a+1)) / b * (1 - float64(float64(miss*shrink)*shrink)) * scale)
	afterB = mean / (square - float64(mean*mean))
	return float64(mean * afterB), afterB
}

// afterMany returns the gamma distribution after n polls of gap g with some hits. The logarithm of
// a hit's likelihood, ln(1 − e^(−gθ)), is replaced by the α·ln θ − βθ of the same slope and
// curvature where the mean of θ comes to lie.
func (c *curves) afterMany(a, b, g, n, hits float64) (afterA, afterB float64) {
	b += float64(g * (n - hits))
	afterA, afterB = a, b
	for step := 0; step < 2 && hits > 0; step++ {
		theta := afterA / afterB
		x := max(float64(g*theta), 1e-3)
		e := c.decay(x)
		slope := float64(hits * (float64(x*e) / (1 - e)))
		alpha := float64(slope * (x / (1 - e)))
		afterA, afterB = a+alpha, b+(alpha-slope)/theta
	}
	return afterA, afterB
}

// curves are the functions that beliefs need by the million, in tables. They
// are good to one part in a million, which no estimate is.
type curves struct {
	decays [curveSteps*curveEnd + 1]float64 // e^(−x)
	logs   [logSteps]struct{ inverse, log float64 }
	gaps   [36][60]float32 // ripe times a
}

const (
	curveSteps = 32 // to 1
	curveEnd   = 24 // from where e^(−x) is 0
	logSteps   = 64 // to an octave

	leastA, leastOdds = -5, -15 // of a table: 2 to this power
)

// curvesOnce computes the tables when they are first needed. In that of a·ripe it is
// au − ln(1 + a(1−e^(−u))) = L with u = ln(1+y) and L = −ln(1−share), convex, so that
// Newton's method falls to the solution from above.
var curvesOnce = sync.OnceValue(func() *curves {
	c := &curves{}
	for k := range c.decays {
		c.decays[k] = detmath.Exp(-float64(k) / curveSteps)
	}
	for k := range c.logs {
		m := 1 + (float64(k)+0.5)/logSteps
		c.logs[k].inverse, c.logs[k].log = 1/m, detmath.Log(m)
	}
	at := func(k, least int) float64 { return math.Ldexp(1+0.5*float64(k&1), k>>1+least) }
	for i := range c.gaps {
		for j := range c.gaps[i] {
			a, rest := at(i, leastA), detmath.Log(1+at(j, leastOdds))
			u := (rest + detmath.Log(1+a)) / a
			for range 20 {
				e := detmath.Exp(-u)
				inner := 1 + float64(a*(1-e))
				u -= (float64(a*u) - detmath.Log(inner) - rest) / (a - float64(a*e)/inner)
			}
			c.gaps[i][j] = float32(a * (detmath.Exp(min(u, 50)) - 1))
		}
	}
	return c
})

// decay returns e^(−x) for x ≥ 0.
func (c *curves) decay(x float64) float64 {
	if x >= curveEnd {
		return 0
	}
	k := int(float64(x*curveSteps) + 0.5)
	r := x - float64(k)/curveSteps
	return float64(c.decays[k] * (1 - float64(r*(1-float64(0.5*r)))))
}

// log returns the natural logarithm of x, which must be positive and normal.
func (c *curves) log(x float64) float64 {
	const mantissa = 1<<52 - 1
	b := math.Float64bits(x)
	l := &c.logs[b>>46&(logSteps-1)]
	r := float64(math.Float64frombits(b&mantissa|1023<<52)*l.inverse) - 1
	return float64(float64(int(b>>52)-1023)*math.Ln2) + (l.log + float64(r*(1-float64(0.5*r))))
}

// ripe returns about the g/b at which Whittle's index of a gamma belief of shape a is some part of
// the rest of the importance-value, where slots are short: the y with (1+y)^(−a)·(1 + ay/(1+y)) =
// 1/(1 + odds). Between the places of a table that is linear.
func (c *curves) ripe(a, odds float64) float64 {
	i, x := place(a, leastA, len(c.gaps))
	j, y := place(odds, leastOdds, len(c.gaps[0]))
	low, high := &c.gaps[i], &c.gaps[i+1]
	l := float64(low[j]) + float64(y*float64(low[j+1]-low[j]))
	h := float64(high[j]) + float64(y*float64(high[j+1]-high[j]))
	return (l + float64(x*(h-l))) / a
}

// place returns the place in a table, with two to an octave from 2^least on, that
// precedes x, and how far x is on the way to the next.
func place(x float64, least, places int) (int, float64) {
	b := int(math.Float64bits(x)>>51) - 2*(least+1023)
	k := min(max(b, 0), places-2)
	if k != b {
		return k, 0
	}
	return k, float64(math.Float64bits(x)&(1<<51-1)) / (1 << 51)
}

// gap returns about how many slots after a poll the index of a belief is a cutoff, if the
// node has some weight; in disappear, how many polls that find nothing bring it down to that.
func (p *prior) gap(a, b, cutoff, weight float64) float64 {
	switch {
	case p.accumulate:
		return cutoff / float64(weight*p.changing(a, b, 0))
	case p.disappear:
		return (a+p.bonus)/-p.log(max(1-cutoff/weight, 1e-9)) - b
	case cutoff >= weight:
		return math.Inf(1)
	}
	return float64(b*p.ripe(a, cutoff/(weight-cutoff))) - 0.5 // slots are ahead of continuous time by half of one
}

// share returns the index of a belief g slots after a poll, as a share of the importance-value.
func (p *prior) share(a, b, g float64) float64 {
	if p.disappear {
		return 1 - p.decay((a+p.bonus)/b)
	} else if p.accumulate {
		return float64(g * p.changing(a, b, 0))
	}
	none, later := p.decay(float64(a*p.log(1+g/b))), b+g+0.5
	// Of the rate x = a/later it is 1 − e^(−x), about x/(1 + x/2 + x²/12).
	soon := float64(12*a*later) / (float64(12*later*later) + float64(a*(float64(6*later)+a)))
	return math.Abs(1 - float64(none*(1+float64(g*soon))))
}

// surprise returns how much likelier hits of n polls of gap g are with an
// unknown miss probability, uniform in (0, 1), than with a belief; its logarithm
// is about n·KL(hits/n, p) − ln(n+1), where p is that of the mean of θ. As θ is
// known from a changes only, the divergence is smaller by 1 + hits/a.
func (c *curves) surprise(a, b, g, n, hits float64) float64 {
	miss := min(max(c.decay(float64(g*a)/b), 1e-6), 1-1e-6)
	h := min(max(hits, 0.1), n-0.1)
	divergence := float64(h*c.log(h/float64(n*(1-miss)))) + float64((n-h)*c.log((n-h)/float64(n*miss)))
	x := divergence/(1+h/a) - c.log(n+1)
	root := c.decay(min(math.Abs(x), 50) / 4) // which is above 0
	if x > 0 {
		root = 1 / root
	}
	return root * root * root * root
}
