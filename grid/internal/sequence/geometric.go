package sequence

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"sweep/experiment"
)

// precision of the arithmetic on ratios, in bits. It exceeds what a value
// needs by so much that the errors of a few dozen operations never reach
// the float64 that is kept.
const precision = 512

// most is the largest number of values that a constant factor may give.
// Doubling covers all float64s in 2,098 values.
const most = 4096

// Geometric is a sequence of Float values with a constant ratio.
type Geometric struct {
	from, to float64
	n        int64
	powers   []*big.Float // ratio^(2^k)
}

// Factors returns from, from·factor, and so on to the value to, which must
// be hit: its nearest float64 must be to. For the kind Int all values
// must be whole.
func Factors(kind experiment.Kind, from, to, factor float64) (Sequence, error) {
	if factor <= 0 || factor == 1 {
		return nil, fmt.Errorf("factor is %v, want a positive number other than 1", factor)
	}
	if from == 0 || to == 0 || from < 0 != (to < 0) {
		return nil, errors.New("a factor leads only between numbers of one sign, neither 0")
	}
	if from != to && math.Abs(from) < math.Abs(to) != (factor > 1) {
		return nil, fmt.Errorf("factor %v leads away from %v", factor, to)
	}
	x, ratio := float(rational(from)), float(rational(factor))
	var values []experiment.Value
	for {
		v, err := round(kind, x)
		if err != nil {
			return nil, err
		}
		if n := len(values); n > 0 && values[n-1] == v {
			return nil, fmt.Errorf("factor %v is too close to 1 to change %s", factor, v)
		}
		values = append(values, v)
		switch f := v.Float(); {
		case f == to:
			return NewList(values), nil
		case math.Abs(f) > math.Abs(to) == (factor > 1):
			n := len(values)
			return nil, fmt.Errorf("factors of %v from %v do not hit %v, the nearest are %s and %s",
				factor, from, to, values[n-2], v)
		case len(values) == most:
			return nil, fmt.Errorf("factor %v gives more than %d values", factor, most)
		}
		x = new(big.Float).Mul(x, ratio)
	}
}

// Logarithmic returns count numbers with a constant ratio, both ends
// included. For the kind Int all must be whole.
func Logarithmic(kind experiment.Kind, from, to float64, count int64) (Sequence, error) {
	if err := countable(from, to, count); err != nil {
		return nil, err
	}
	// Below the normal numbers float64s are not finer as they get smaller.
	const normal = 0x1p-1022
	if from < normal || to < normal {
		return nil, fmt.Errorf("log spacing from %v to %v, want two positive numbers", from, to)
	}
	g := &Geometric{from: from, to: to, n: count}
	if count > 1 {
		ratio := new(big.Float).Quo(float(rational(to)), float(rational(from)))
		r := root(ratio, count-1)
		for k := count - 1; k > 0; k /= 2 {
			g.powers = append(g.powers, r)
			r = new(big.Float).Mul(r, r)
		}
		if r, _ := g.powers[0].Float64(); math.Abs(r-1) <= 4*ulp(1) {
			return nil, fmt.Errorf("%d values from %v to %v are too close to be different numbers", count, from, to)
		}
	}
	if kind != experiment.Int && count > most {
		return g, nil
	}
	// A short sequence is looked up faster than computed. Whole numbers
	// are checked one by one, which ends at the first that is not whole.
	var values []experiment.Value
	for i := range count {
		v, err := round(kind, g.exact(i))
		if err != nil {
			return nil, err
		}
		if len(values) == most {
			return nil, fmt.Errorf("log spacing gives more than %d integers", most)
		}
		values = append(values, v)
	}
	return NewList(values), nil
}

// Len implements Sequence.
func (g *Geometric) Len() int64 { return g.n }

// At implements Sequence.
func (g *Geometric) At(i int64) experiment.Value {
	f, _ := g.exact(i).Float64()
	return experiment.FloatValue(f)
}

// Next implements Sequence.
func (g *Geometric) Next(v experiment.Value, from int64) (int64, bool) {
	i, ok := search(g.n, g.At, v)
	return i, ok && i >= from
}

// Distinct implements Sequence.
func (g *Geometric) Distinct() bool { return true }

// exact returns value i before rounding; the ends are given, not computed.
func (g *Geometric) exact(i int64) *big.Float {
	switch i {
	case 0:
		return float(rational(g.from))
	case g.n - 1:
		return float(rational(g.to))
	}
	x := float(rational(g.from))
	for k := 0; i > 0; k, i = k+1, i/2 {
		if i%2 == 1 {
			x.Mul(x, g.powers[k])
		}
	}
	return x
}

// round returns x as a value of the kind; an error if an integer is wanted
// and x is not one.
func round(kind experiment.Kind, x *big.Float) (experiment.Value, error) {
	if kind == experiment.Float {
		f, _ := x.Float64()
		if math.IsInf(f, 0) {
			return experiment.Value{}, errors.New("the values grow beyond all numbers")
		}
		return experiment.FloatValue(f), nil
	}
	half := big.NewFloat(math.Copysign(0.5, float64(x.Sign())))
	whole, _ := new(big.Float).Add(x, half).Int(nil)
	rest := new(big.Float).Sub(x, new(big.Float).SetInt(whole))
	// A whole number may come out of a root with an error in its last bits.
	if rest.Sign() != 0 && rest.MantExp(nil) > x.MantExp(nil)-precision/2 || !whole.IsInt64() {
		return experiment.Value{}, fmt.Errorf("%s is not whole, want integers", x.Text('g', 10))
	}
	return experiment.IntValue(whole.Int64()), nil
}

func float(r *big.Rat) *big.Float {
	return new(big.Float).SetPrec(precision).SetRat(r)
}

// root returns the n-th root of y by Newton's method.
func root(y *big.Float, n int64) *big.Float {
	// The guess is right to 40 bits or more of x − 1. Its last bits differ
	// between machines, but each step doubles the correct bits, and after
	// eight nothing is left of the guess that a float64 could show.
	mantissa := new(big.Float)
	exponent := y.MantExp(mantissa)
	m, _ := mantissa.Float64()
	log := (math.Log(m) + float64(float64(exponent)*math.Ln2)) / float64(n)
	one := new(big.Float).SetPrec(precision).SetInt64(1)
	x := new(big.Float).SetPrec(precision).SetFloat64(math.Expm1(log))
	x.Add(x, one)
	if n == 1 {
		return new(big.Float).Set(y)
	}
	for range 8 {
		// x ← x·(1 + (y/xⁿ − 1)/n)
		change := new(big.Float).Quo(y, power(x, n))
		change.Sub(change, one)
		change.Quo(change, new(big.Float).SetPrec(precision).SetInt64(n))
		x = new(big.Float).Mul(x, change.Add(change, one))
	}
	return x
}

// power returns xⁿ for n ≥ 1.
func power(x *big.Float, n int64) *big.Float {
	result := new(big.Float).SetPrec(precision).SetInt64(1)
	for square := x; n > 0; n /= 2 {
		if n%2 == 1 {
			result.Mul(result, square)
		}
		square = new(big.Float).Mul(square, square)
	}
	return result
}
