package grid

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"sweep/experiment"
	"sweep/internal/detmath"
)

// A span is a range of numbers.
type span struct {
	from, to float64
	by       string  // how the values follow one another: step, factor or count
	change   float64 // the step or the factor
	count    int64
	isLog    bool // with a count: neighbours have a constant ratio
}

// numbers lists the values of a span for a kind of parameter. The arithmetic
// is exact, or more precise than the result, and is rounded once at the end,
// so that 0.5, 0.6, 0.7 are the numbers that these literals denote, on every
// machine. No value occurs twice.
func (s span) numbers(kind experiment.Kind) ([]float64, error) {
	switch {
	case s.by == "step":
		return steps(s.from, s.to, s.change)
	case s.by == "factor":
		return factors(s.from, s.to, s.change)
	case s.isLog:
		return logarithmic(kind, s.from, s.to, s.count)
	}
	return spaced(s.from, s.to, s.count)
}

// steps returns from, from+step, and so on to the value to, which a whole
// number of steps must hit.
func steps(from, to, step float64) ([]float64, error) {
	if step == 0 {
		return nil, fmt.Errorf("step is 0, want a number that leads from \"from\" to \"to\"")
	}
	first := rational(from)
	increment := rational(step)
	count := new(big.Rat).Sub(rational(to), first)
	count.Quo(count, increment)
	if count.Sign() < 0 {
		return nil, fmt.Errorf("step %v leads away from %v", step, to)
	}
	whole := new(big.Int).Quo(count.Num(), count.Denom())
	if !count.IsInt() {
		last := new(big.Rat).SetInt(whole)
		last.Mul(last, increment)
		last.Add(last, first)
		next := new(big.Rat).Add(last, increment)
		return nil, fmt.Errorf("steps of %v from %v do not hit %v, "+
			"the nearest are %v and %v", step, from, to, nearest(last), nearest(next))
	}
	whole.Add(whole, big.NewInt(1)) // both ends are values
	if whole.Cmp(big.NewInt(maxCells)) > 0 {
		return nil, fmt.Errorf("%.15g values are too many, want at most %d",
			new(big.Float).SetInt(whole), maxCells)
	}
	return evenly(first, increment, whole.Int64())
}

// spaced returns count evenly spaced numbers, both ends included.
func spaced(from, to float64, count int64) ([]float64, error) {
	if err := countable(from, to, count); err != nil {
		return nil, err
	}
	first := rational(from)
	step := new(big.Rat)
	if count > 1 {
		step.Sub(rational(to), first)
		step.Quo(step, new(big.Rat).SetInt64(count-1))
	}
	return evenly(first, step, count)
}

// countable checks what linear and logarithmic spacing have in common.
func countable(from, to float64, count int64) error {
	switch {
	case count == 1 && from != to:
		return fmt.Errorf("count is 1, want at least 2 to include both ends")
	case count > 1 && from == to:
		return fmt.Errorf("count is %d, but both ends are the same number", count)
	case count > maxCells:
		return fmt.Errorf("%d values are too many, want at most %d", count, maxCells)
	}
	return nil
}

// evenly returns n numbers, each a step from the one before.
func evenly(first, step *big.Rat, n int64) ([]float64, error) {
	next := progression(first, step, n)
	values := make([]float64, n)
	for i := range values {
		values[i] = next()
		if i > 0 && values[i] == values[i-1] {
			return nil, fmt.Errorf("neighbouring values are %v apart, "+
				"too close to be different numbers near %v", nearest(step), values[i])
		}
	}
	return values, nil
}

// progression returns a function for n calls, numbered from 0: call i returns
// the float64 nearest to first + i·step. If float64s hold the common
// denominator of these numbers and all numerators, that is their quotient,
// which IEEE 754 rounds to the nearest. Else fractions are added, which takes
// longer.
func progression(first, step *big.Rat, n int64) (next func() float64) {
	denominator := new(big.Int).Mul(first.Denom(), step.Denom())
	begin := new(big.Int).Mul(first.Num(), step.Denom())
	increment := new(big.Int).Mul(step.Num(), first.Denom())
	end := new(big.Int).Mul(increment, big.NewInt(n-1))
	end.Add(end, begin)
	if isExact(denominator) && isExact(begin) && isExact(increment) && isExact(end) {
		numerator := begin.Int64()
		change := increment.Int64()
		divisor := float64(denominator.Int64())
		return func() float64 {
			x := float64(numerator) / divisor
			numerator += change
			return x
		}
	}
	sum := new(big.Rat).Set(first)
	return func() float64 {
		x := nearest(sum)
		sum.Add(sum, step)
		return x
	}
}

// isExact reports whether a float64 holds an integer, and all that are nearer
// to zero.
func isExact(x *big.Int) bool {
	const mantissa = 53 // bits
	return x.BitLen() <= mantissa
}

// factors returns from, from·factor, and so on to the value to, which must be
// the nearest float64 to one of the products.
func factors(from, to, factor float64) ([]float64, error) {
	if factor <= 0 || factor == 1 {
		return nil, fmt.Errorf("factor is %v, want a positive number other than 1", factor)
	}
	if from == 0 || to == 0 || from < 0 != (to < 0) {
		return nil, fmt.Errorf("a factor leads only between numbers of one sign, neither 0")
	}
	if from != to && math.Abs(from) < math.Abs(to) != (factor > 1) {
		return nil, fmt.Errorf("factor %v leads away from %v", factor, to)
	}
	// The precision is so high that the errors of maxValues products never
	// reach the digits of a float64.
	const (
		precision = 512 // bits
		maxValues = 4096
	)
	x := new(big.Float).SetPrec(precision).SetRat(rational(from))
	ratio := new(big.Float).SetPrec(precision).SetRat(rational(factor))
	var values []float64
	last := math.NaN()
	for last != to {
		f, _ := x.Float64()
		isBeyond := math.Abs(f) > math.Abs(to) == (factor > 1)
		switch {
		case f == last:
			return nil, fmt.Errorf("factor %v is too close to 1 to change %v", factor, f)
		case f != to && isBeyond:
			return nil, fmt.Errorf("factors of %v from %v do not hit %v, "+
				"the nearest are %v and %v", factor, from, to, last, f)
		case len(values) == maxValues:
			return nil, fmt.Errorf("factor %v gives more than %d values", factor, maxValues)
		}
		values = append(values, f)
		last = f
		x.Mul(x, ratio)
	}
	return values, nil
}

// Values of a logarithmic range have at least minDigits significant digits.
// The computation is exact to maxDigits.
const (
	minDigits = 3
	maxDigits = 12
)

// logarithmic returns count numbers with a constant ratio, both ends
// included. The numbers between are rounded to the fewest significant digits
// with which all differ, at least minDigits. For integers they are also
// whole.
func logarithmic(kind experiment.Kind, from, to float64, count int64) ([]float64, error) {
	if err := countable(from, to, count); err != nil {
		return nil, err
	}
	const normal = 0x1p-1022 // smaller float64s have fewer digits
	if from < normal || to < normal {
		return nil, fmt.Errorf("log spacing from %v to %v, want two positive numbers", from, to)
	}
	values := make([]float64, count)
	values[0] = from
	values[count-1] = to
	first := detmath.Log(from)
	distance := detmath.Log(to) - first
	for digits := minDigits; digits <= maxDigits; digits++ {
		for i := 1; i < len(values)-1; i++ {
			share := float64(i) / float64(count-1)
			x := detmath.Exp(first + float64(distance*share))
			if kind == experiment.Int && x < math.Pow10(digits) {
				values[i] = math.Round(x)
			} else {
				values[i] = detmath.Round(x, digits)
			}
		}
		if areMonotonic(values) {
			return values, nil
		}
	}
	return nil, fmt.Errorf("%d values from %v to %v are too close to be different numbers",
		count, from, to)
}

// areMonotonic reports whether all values are in ascending or all in
// descending order, without repetition.
func areMonotonic(values []float64) bool {
	isFalling := values[len(values)-1] < values[0]
	for i := 1; i < len(values); i++ {
		if values[i] == values[i-1] || values[i] < values[i-1] != isFalling {
			return false
		}
	}
	return true
}

// rational returns the decimal number that a float64 is written as: 1/10
// for 0.1, though the float64 is a little more.
func rational(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64)) // f is finite
	return r
}

// nearest returns the float64 nearest to a number.
func nearest(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
