package bayes

import (
	"math"
	"sync"

	"sweep/internal/detmath"
)

// curves are the functions that beliefs need by the million, in tables. They
// are good to one part in a million, which no estimate is.
type curves struct {
	decays [curveSteps*curveEnd + 1]float64 // e^(−x)
	logs   [logSteps]struct{ inverse, log float64 }
	waits  [shapeRows][oddsColumns]float32 // a·wait
}

// sharedCurves computes the tables when they are first needed.
var sharedCurves = sync.OnceValue(func() *curves {
	c := &curves{}
	for k := range c.decays {
		c.decays[k] = detmath.Exp(-float64(k) / curveSteps)
	}
	for k := range c.logs {
		middle := 1 + (float64(k)+0.5)/logSteps
		c.logs[k].inverse = 1 / middle
		c.logs[k].log = detmath.Log(middle)
	}
	for i := range c.waits {
		for j := range c.waits[i] {
			a := entry(i, minShapeExponent)
			odds := entry(j, minOddsExponent)
			c.waits[i][j] = float32(a * solveWait(a, odds))
		}
	}
	return c
})

// solveWait returns y of wait. With u = ln(1+y) and L = ln(1 + odds) the
// equation is au − ln(1 + a(1−e^(−u))) = L, whose left side is convex, so that
// Newton's method falls to the solution from above.
func solveWait(a, odds float64) float64 {
	rest := detmath.Log(1 + odds)
	u := (rest + detmath.Log(1+a)) / a
	for range newtonSteps {
		e := detmath.Exp(-u)
		inner := 1 + float64(a*(1-e))
		u -= (float64(a*u) - detmath.Log(inner) - rest) / (a - float64(a*e)/inner)
	}
	return detmath.Exp(min(u, maxLogWait)) - 1
}

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
	octaves := float64(float64(int(b>>52)-1023) * math.Ln2)
	return octaves + (l.log + float64(r*(1-float64(0.5*r))))
}

// wait returns about the g/b at which Whittle's index of a gamma belief of
// shape a is odds/(1 + odds) of the importance-value, where slots are short:
// the y with (1+y)^(−a)·(1 + ay/(1+y)) = 1/(1 + odds). Between the entries of
// the table it is linear.
func (c *curves) wait(a, odds float64) float64 {
	i, x := locate(a, minShapeExponent, shapeRows)
	j, y := locate(odds, minOddsExponent, oddsColumns)
	low := &c.waits[i]
	high := &c.waits[i+1]
	l := float64(low[j]) + float64(y*float64(low[j+1]-low[j]))
	h := float64(high[j]) + float64(y*float64(high[j+1]-high[j]))
	return (l + float64(x*(h-l))) / a
}

// The entries of a table stand for two numbers in each octave: 2^k and 1.5·2^k,
// for k from some exponent on.

// entry returns the number that entry k stands for.
func entry(k, exponent int) float64 {
	return math.Ldexp(1+0.5*float64(k&1), k>>1+exponent)
}

// locate returns the entry that precedes x, and the part of the way from there
// to the next entry at which x is. A number outside of the table is at its end.
func locate(x float64, exponent, entries int) (k int, part float64) {
	exact := int(math.Float64bits(x)>>51) - 2*(exponent+1023)
	k = min(max(exact, 0), entries-2)
	if k != exact {
		return k, 0
	}
	return k, float64(math.Float64bits(x)&(1<<51-1)) / (1 << 51)
}
