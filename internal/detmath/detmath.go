// Package detmath has the elementary functions whose results are the same
// bits on every machine.
//
// The functions of package math are written in assembly on some architectures,
// and elsewhere the compiler may fuse their products and sums; either changes
// last bits, and with them the course of a whole simulation. Here every product
// is rounded explicitly, which forbids fusing, also where a function is inlined
// into its caller. Arguments are reduced and polynomials chosen as in the
// well-known fdlibm and Cephes libraries; errors stay below 2 units in the last
// place over the stated domains.
//
// math.Sqrt, Floor, Frexp, Ldexp and Abs are exact everywhere. frexp and ldexp
// give the same bits as theirs, in less time.
package detmath

import (
	"math"
	"strconv"
)

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Log returns the natural logarithm of x, for finite x > 0; it panics
// otherwise, since no simulation has a use for the special cases.
func Log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		panic("detmath: Log of a number that is not positive and finite")
	}
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	// x = 2^k · (1+f) with √½ ≤ 1+f < √2
	f, exponent := frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k := float64(exponent)

	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	t2 := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	r := t1 + t2
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// Exp returns e to the power x. It underflows to 0 and overflows to +Inf
// as math.Exp does; NaN panics.
func Exp(x float64) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	switch {
	case math.IsNaN(x):
		panic("detmath: Exp of NaN")
	case x > 709.782712893383973096:
		return math.Inf(1)
	case x < -745.1332191019412:
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return ldexp(y, int(k))
}

// The bits of a number: a sign, the exponent plus a bias, and the mantissa.
const (
	mantissaBits = 52
	bias         = 1023
	minNormal    = 1 - bias // the smallest exponent of a normal number
	maxExponent  = bias
)

// frexp is math.Frexp for x > 0, in less time where x is normal.
func frexp(x float64) (fraction float64, exponent int) {
	const half = (bias - 1) << mantissaBits // the bits of ½
	b := math.Float64bits(x)
	e := int(b >> mantissaBits)
	if e == 0 {
		return math.Frexp(x)
	}
	return math.Float64frombits(b&(1<<mantissaBits-1) | half), e - (bias - 1)
}

// ldexp is math.Ldexp for y in (½, 2), in less time where 2^exponent and the
// result are normal.
func ldexp(y float64, exponent int) float64 {
	if exponent <= minNormal || exponent >= maxExponent {
		return math.Ldexp(y, exponent)
	}
	return y * math.Float64frombits(uint64(exponent+bias)<<mantissaBits)
}

// Pow returns x to the power y for x ≥ 0, as Exp(y·Log x): the relative
// error grows with |y·Log x| to about 1e-13 at the ends of the range. Pow(0, y)
// is 0 for y > 0 and 1 for y = 0.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x == 0 && y > 0:
		return 0
	}
	return Exp(float64(y * Log(x)))
}

// Cos2Pi returns cos(2π·x), the cosine of x turns, for |x| below 2⁵⁰. A
// reduction by whole turns is exact, which one by multiples of π is not.
func Cos2Pi(x float64) float64 {
	x = math.Abs(x)
	x -= math.Floor(x)
	if x > 0.5 {
		x = 1 - x
	}
	sign := 1.0
	if x > 0.25 {
		x = 0.5 - x
		sign = -1
	}
	if x > 0.125 {
		return sign * sinPoly(float64(2*math.Pi*(0.25-x)))
	}
	return sign * cosPoly(float64(2*math.Pi*x))
}

// sinPoly and cosPoly hold for 0 ≤ x ≤ π/4.
func sinPoly(x float64) float64 {
	z := float64(x * x)
	p := float64(z*1.58962301576546568060e-10) - 2.50507477628578072866e-8
	p = float64(z*p) + 2.75573136213857245213e-6
	p = float64(z*p) - 1.98412698295895385996e-4
	p = float64(z*p) + 8.33333333332211858878e-3
	p = float64(z*p) - 1.66666666666666307295e-1
	return x + float64(float64(x*z)*p)
}

func cosPoly(x float64) float64 {
	z := float64(x * x)
	p := float64(z*-1.13585365213876817300e-11) + 2.08757008419747316778e-9
	p = float64(z*p) - 2.75573141792967388112e-7
	p = float64(z*p) + 2.48015872888517045348e-5
	p = float64(z*p) - 1.38888888888730564116e-3
	p = float64(z*p) + 4.16666666666665929218e-2
	return 1 - float64(0.5*z) + float64(float64(z*z)*p)
}

// Round returns x to so many significant digits; NaN and infinities stay.
func Round(x float64, digits int) float64 {
	text := strconv.FormatFloat(x, 'e', digits-1, 64)
	x, _ = strconv.ParseFloat(text, 64) // what was just formatted is valid
	return x
}
