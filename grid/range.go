package grid

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/detmath"
)

// The functions below list the values of a range. All arithmetic is exact,
// or more precise than what is kept of it, and rounded once at the end, so
// that 0.5, 0.6, 0.7 are the numbers that these literals denote, on every
// machine. No value occurs twice.

// steps returns from, from+step, and so on to the value to, which a whole
// number of steps must hit.
func steps(from, to, step float64) ([]float64, error) {
	if step == 0 {
		return nil, errors.New("step is 0, want a number that leads from \"from\" to \"to\"")
	}
	f, s := rational(from), rational(step)
	count := new(big.Rat).Sub(rational(to), f)
	count.Quo(count, s)
	if count.Sign() < 0 {
		return nil, fmt.Errorf("step %v leads away from %v", step, to)
	}
	whole := new(big.Int).Quo(count.Num(), count.Denom())
	if !count.IsInt() {
		last := new(big.Rat).Add(f, new(big.Rat).Mul(s, new(big.Rat).SetInt(whole)))
		next := new(big.Rat).Add(last, s)
		return nil, fmt.Errorf("steps of %v from %v do not hit %v, the nearest are %v and %v",
			step, from, to, nearest(last), nearest(next))
	}
	if whole.Add(whole, big.NewInt(1)); whole.Cmp(big.NewInt(mostCells)) > 0 {
		return nil, fmt.Errorf("%.15g values are too many, want at most %d", new(big.Float).SetInt(whole), mostCells)
	}
	return evenly(f, s, whole.Int64())
}

// spaced returns count evenly spaced numbers, both ends included.
func spaced(from, to float64, count int64) ([]float64, error) {
	if err := countable(from, to, count); err != nil {
		return nil, err
	}
	f, step := rational(from), big.NewRat(1, 1)
	if count > 1 {
		step.Sub(rational(to), f)
		step.Quo(step, new(big.Rat).SetInt64(count-1))
	}
	return evenly(f, step, count)
}

// countable judges what linear and logarithmic counts have in common.
func countable(from, to float64, count int64) error {
	switch {
	case count == 1 && from != to:
		return errors.New("count is 1, want at least 2 to include both ends")
	case count > 1 && from == to:
		return fmt.Errorf("count is %d, but both ends are the same number", count)
	case count > mostCells:
		return fmt.Errorf("%d values are too many, want at most %d", count, mostCells)
	}
	return nil
}

func evenly(x, step *big.Rat, n int64) ([]float64, error) {
	values := make([]float64, n)
	for i := range values {
		values[i] = nearest(x)
		if i > 0 && values[i] == values[i-1] {
			return nil, fmt.Errorf("neighbouring values are %v apart, too close to be different numbers near %v",
				nearest(step), values[i])
		}
		x.Add(x, step)
	}
	return values, nil
}

// factors returns from, from·factor, and so on to the value to, which must
// be hit: its nearest float64 must be to.
func factors(from, to, factor float64) ([]float64, error) {
	if factor <= 0 || factor == 1 {
		return nil, fmt.Errorf("factor is %v, want a positive number other than 1", factor)
	}
	if from == 0 || to == 0 || from < 0 != (to < 0) {
		return nil, errors.New("a factor leads only between numbers of one sign, neither 0")
	}
	if from != to && math.Abs(from) < math.Abs(to) != (factor > 1) {
		return nil, fmt.Errorf("factor %v leads away from %v", factor, to)
	}
	// The precision exceeds what a value needs by so much that the errors of
	// thousands of products never reach the float64 that is kept.
	const precision, most = 512, 4096
	x := new(big.Float).SetPrec(precision).SetRat(rational(from))
	ratio := new(big.Float).SetPrec(precision).SetRat(rational(factor))
	var values []float64
	for last := math.NaN(); ; x.Mul(x, ratio) {
		f, _ := x.Float64()
		switch {
		case f == last:
			return nil, fmt.Errorf("factor %v is too close to 1 to change %v", factor, f)
		case f != to && math.Abs(f) > math.Abs(to) == (factor > 1):
			return nil, fmt.Errorf("factors of %v from %v do not hit %v, the nearest are %v and %v",
				factor, from, to, last, f)
		case len(values) == most:
			return nil, fmt.Errorf("factor %v gives more than %d values", factor, most)
		}
		if values, last = append(values, f), f; f == to {
			return values, nil
		}
	}
}

// Values of a logarithmic range have at least leastDigits significant
// digits. What is computed is right to mostDigits.
const leastDigits, mostDigits = 3, 12

// logarithmic returns count numbers with a constant ratio, both ends
// included. Those between are rounded to the fewest significant digits, at
// least leastDigits, with which all differ; integers are whole besides.
func logarithmic(kind experiment.Kind, from, to float64, count int64) ([]float64, error) {
	if err := countable(from, to, count); err != nil {
		return nil, err
	}
	const normal = 0x1p-1022 // below, float64s are not finer as they get smaller
	if from < normal || to < normal {
		return nil, fmt.Errorf("log spacing from %v to %v, want two positive numbers", from, to)
	}
	first := detmath.Log(from)
	span := detmath.Log(to) - first
	between := func(i, digits int) float64 {
		x := detmath.Exp(first + float64(span*(float64(i)/float64(count-1))))
		if kind == experiment.Int && x < math.Pow10(digits) {
			return math.Round(x)
		}
		return detmath.Round(x, digits)
	}
	values := make([]float64, count)
	values[0], values[count-1] = from, to
digits:
	for digits := leastDigits; digits <= mostDigits; digits++ {
		for i := 1; i < len(values); i++ {
			if i < len(values)-1 {
				values[i] = between(i, digits)
			}
			if values[i] == values[i-1] || values[i] < values[i-1] != (to < from) {
				continue digits
			}
		}
		return values, nil
	}
	return nil, fmt.Errorf("%d values from %v to %v are too close to be different numbers", count, from, to)
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

// interval reads two integers such as 1..30.
func interval(text string) (first, last int64, ok bool) {
	from, to, ok := strings.Cut(text, "..")
	first, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	return first, last, ok && err1 == nil && err2 == nil
}
