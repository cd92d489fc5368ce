package inference

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"

	"sweep/internal/detmath"
)

// StudentFactor returns the factor by which a standard error with df
// degrees of freedom becomes the margin of two-sided limits of the given
// level. It is rounded like all quantiles here.
func StudentFactor(df, level float64) float64 {
	key := [2]float64{df, level}
	factor, known := factors.Load(key)
	if !known {
		factor = rounded(studentQuantile((1-level)/2, df))
		factors.Store(key, factor)
	}
	return factor.(float64)
}

// factors caches what StudentFactor has computed: few factors are used, each
// again and again.
var factors sync.Map

// studentP returns the probability that Student's t with df degrees of
// freedom is at least as far from 0 as t.
func studentP(t, df float64) float64 {
	tail, _ := studentTail(math.Abs(t), df)
	return rounded(2 * tail)
}

func normalFactor(level float64) float64 {
	return rounded(mathext.NormalQuantile(1 - (1-level)/2))
}

// rounded returns x to twelve digits: the last ones of what comes from
// exponentials and logarithms depend on the processor.
func rounded(x float64) float64 { return detmath.Round(x, 12) }

// studentQuantile returns the t that Student's t with df degrees of freedom
// exceeds with probability p, 0 < p ≤ ½. It is correct to about 14 digits and
// the same bits on every processor, which gonum's quantile is not: that
// subtracts logarithms of the gamma function, of which with 20,000 degrees
// of freedom the twelfth digit is noise.
//
// Newton's method on the probability, which is convex in t, climbs to the
// root from any t below it, such as the normal quantile.
func studentQuantile(p, df float64) float64 {
	t := normalBelow(p)
	for range 1000 {
		tail, density := studentTail(t, df)
		step := (tail - p) / density
		t += step
		if !(step > float64(1e-15*t)) {
			break
		}
	}
	return t
}

// normalBelow returns a number somewhat below the normal quantile of p:
// Hastings' approximation (Abramowitz and Stegun 26.2.23), the error of which
// is below 4.5e-4.
func normalBelow(p float64) float64 {
	if p >= 0.5 {
		return 0
	}
	t := math.Sqrt(-2 * detmath.Log(p))
	up := 2.515517 + float64(t*(0.802853+float64(t*0.010328)))
	down := 1 + float64(t*(1.432788+float64(t*(0.189269+float64(t*0.001308)))))
	return max(0, t-up/down-1e-3)
}

// studentTail returns the probability that Student's t exceeds t ≥ 0, and
// its density there.
func studentTail(t, df float64) (tail, density float64) {
	a := df / 2
	y := float64(t*t) / df
	switch {
	case math.IsNaN(y) || !(df > 0):
		return math.NaN(), math.NaN()
	case math.IsInf(y, 1):
		return 0, 0
	}
	x := 1 / (1 + y)
	power := detmath.Exp(-float64(a * log1p(y))) // x^a
	ratio := gammaRatio(a) / math.Sqrt(math.Pi)  // 1/B(a, ½)
	density = float64(float64(ratio*power)*math.Sqrt(x)) / math.Sqrt(df)
	// The tail is I_x(a, ½)/2. The front factor is the same for both ends.
	front := float64(float64(ratio*power) * math.Sqrt(float64(y*x)))
	if x < (a+1)/(a+2.5) {
		return float64(front*betaFraction(a, 0.5, x)) / float64(2*a), density
	}
	return 0.5 - float64(front*betaFraction(0.5, a, float64(y*x))), density
}

// log1p returns log(1+y) for y ≥ 0.
func log1p(y float64) float64 {
	if y > 0.5 {
		return detmath.Log(1 + y)
	}
	s := y / (2 + y) // log(1+y) = 2·artanh(s) = 2·(s + s³/3 + s⁵/5 + …)
	square := float64(s * s)
	power := s
	sum := 0.0
	for k := 1.0; k < 60; k += 2 {
		sum += power / k
		power = float64(power * square)
	}
	return float64(2 * sum)
}

// gammaSeries are the coefficients of the asymptotic series of gammaRatio in
// 1/a, from that of the sixth power to that of the first.
var gammaSeries = []float64{
	869. / 4194304,
	-399. / 262144,
	-21. / 32768,
	5. / 1024,
	1. / 128,
	-1. / 8,
}

// gammaRatio returns Γ(a+½)/Γ(a): the asymptotic series from a = 40 on, and
// below it the recurrence.
func gammaRatio(a float64) float64 {
	scale := 1.0
	for ; a < 40; a++ {
		scale = float64(scale * (a / (a + 0.5)))
	}
	series := 0.0
	for _, c := range gammaSeries {
		series = c + series/a
	}
	return float64(float64(scale*math.Sqrt(a)) * (1 + series/a))
}

// betaFraction returns the continued fraction of the incomplete beta
// function I_x(a, b), by the method of Lentz (Press et al., Numerical Recipes,
// 6.4), for x below (a+1)/(a+b+2).
func betaFraction(a, b, x float64) float64 {
	c := 1.0
	d := 1 / awayFromZero(1-float64((a+b)*x)/(a+1))
	h := d
	for m := 1.0; m < 100_000; m++ {
		even := float64(float64(m*(b-m))*x) / float64((a+2*m-1)*(a+2*m))
		d = 1 / awayFromZero(1+float64(even*d))
		c = awayFromZero(1 + even/c)
		h = float64(h * float64(d*c))
		odd := -float64(float64((a+m)*(a+b+m))*x) / float64((a+2*m)*(a+2*m+1))
		d = 1 / awayFromZero(1+float64(odd*d))
		c = awayFromZero(1 + odd/c)
		change := float64(d * c)
		h = float64(h * change)
		if math.Abs(change-1) < 1e-16 {
			break
		}
	}
	return h
}

// awayFromZero returns v, or a tiny number in its place: Lentz's method divides
// by it.
func awayFromZero(v float64) float64 {
	const tiny = 1e-300
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}
