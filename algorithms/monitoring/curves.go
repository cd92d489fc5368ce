package monitoring

import (
	"math"
	"sync"

	"sweep/internal/detmath"
)

// curves are the functions that rates needs by the million, in tables. They
// are good to one part in a million, which no estimate is.
type curves struct {
	decays [curveSteps * curveEnd]float64 // e^(−x) where a step begins
	logs   [logSteps]struct{ inverse, log float64 }
	ripes  [ripeSteps]float64
	misses [mostSlots]float64
}

const (
	curveSteps = 64   // to 1
	curveEnd   = 24   // from where e^(−x) is 0
	logSteps   = 128  // to an octave
	ripeSteps  = 256  // to 1
	mostSlots  = 1024 // from where the prior is not asked more precisely
)

// curvesOnce computes the tables when they are first needed.
var curvesOnce = sync.OnceValue(func() *curves {
	c := &curves{}
	for k := range c.decays {
		c.decays[k] = detmath.Exp(-float64(k) / curveSteps)
	}
	for k := range c.logs {
		m := 1 + (float64(k)+0.5)/logSteps
		c.logs[k].inverse, c.logs[k].log = 1/m, detmath.Log(m)
	}
	x := 0.0
	for k := range c.ripes {
		for 1-float64(detmath.Exp(-x)*(1+x)) < float64(k)/ripeSteps {
			x += 1. / ripeSteps
		}
		c.ripes[k] = x
	}
	for g := range c.misses {
		c.misses[g] = detmath.Pow(priorSlots/(priorSlots+float64(g)), priorUpdates)
	}
	return c
})

// decay returns e^(−x) for x ≥ 0.
func (c *curves) decay(x float64) float64 {
	if x >= curveEnd {
		return 0
	}
	k := int(x * curveSteps)
	r := x - float64(k)/curveSteps
	return float64(c.decays[k] * (1 - float64(r*(1-float64(r*(0.5-float64(r*(1./6))))))))
}

// log returns the natural logarithm of x, which must be positive and normal.
func (c *curves) log(x float64) float64 {
	const mantissa = 1<<52 - 1
	b := math.Float64bits(x)
	l := &c.logs[b>>45&(logSteps-1)]
	r := float64(math.Float64frombits(b&mantissa|1023<<52)*l.inverse) - 1
	return float64(float64(int(b>>52)-1023)*math.Ln2) + (l.log + float64(r*(1-float64(r*(0.5-float64(r*(1./3)))))))
}

// ripe returns about the x = θ·slots after which the index of a node is a
// share of its worth, where 1 − e^(−x)·(1+x) is; +Inf for a share of 1 or more.
func (c *curves) ripe(share float64) float64 {
	if k := int(share * ripeSteps); k < len(c.ripes) {
		return c.ripes[k]
	}
	return math.Inf(1)
}

// miss returns the probability of a miss after some slots at a node of
// which nothing is known.
func (c *curves) miss(slots int) float64 { return c.misses[min(slots, mostSlots-1)] }
