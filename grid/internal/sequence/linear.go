package sequence

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"sweep/experiment"
)

// Linear is a sequence of evenly spaced numbers: value i is the float64 or
// integer nearest to (start + i·step)/divisor.
type Linear struct {
	kind    experiment.Kind
	n       int64
	start   *big.Int
	step    *big.Int // not zero
	divisor *big.Int // positive

	// small tells that all numerators and the divisor are below 2⁵³ in
	// magnitude. They are then exact as float64s too, and one division,
	// which IEEE 754 rounds correctly, gives the nearest float64.
	small       bool
	first, each int64   // start and step, if small or if kind is Int
	by          float64 // divisor, if small
}

// Steps returns from, from+step, and so on to the value to, which a whole
// number of steps must hit. For the kind Int all must be whole.
func Steps(kind experiment.Kind, from, to, step float64) (*Linear, error) {
	if step == 0 {
		return nil, errors.New("step is 0, want a number that leads from \"from\" to \"to\"")
	}
	f, t, s := rational(from), rational(to), rational(step)
	span := new(big.Rat).Sub(t, f)
	steps := new(big.Rat).Quo(span, s)
	if steps.Sign() < 0 {
		return nil, fmt.Errorf("step %s leads away from %s", text(s), text(t))
	}
	whole := new(big.Int).Quo(steps.Num(), steps.Denom())
	if !steps.IsInt() {
		last := new(big.Rat).Add(f, new(big.Rat).Mul(s, new(big.Rat).SetInt(whole)))
		next := new(big.Rat).Add(last, s)
		return nil, fmt.Errorf("steps of %s from %s do not hit %s, the nearest are %s and %s", text(s), text(f), text(t), text(last), text(next))
	}
	whole.Add(whole, big.NewInt(1))
	if !whole.IsInt64() {
		return nil, fmt.Errorf("%s values are too many, want at most %d", whole, int64(math.MaxInt64))
	}
	return newLinear(kind, f, s, whole.Int64())
}

// Spaced returns count evenly spaced numbers, both ends included. One value
// needs equal ends.
func Spaced(kind experiment.Kind, from, to float64, count int64) (*Linear, error) {
	if err := countable(from, to, count); err != nil {
		return nil, err
	}
	f, step := rational(from), big.NewRat(1, 1)
	if count > 1 {
		step.Sub(rational(to), f)
		step.Quo(step, new(big.Rat).SetInt64(count-1))
	}
	return newLinear(kind, f, step, count)
}

// countable judges what linear and logarithmic counts have in common.
func countable(from, to float64, count int64) error {
	switch {
	case count < 1:
		return fmt.Errorf("count is %d, want at least 1", count)
	case count == 1 && from != to:
		return errors.New("count is 1, want at least 2 to include both ends")
	case count > 1 && from == to:
		return fmt.Errorf("count is %d, but both ends are the same number", count)
	}
	return nil
}

func newLinear(kind experiment.Kind, start, step *big.Rat, n int64) (*Linear, error) {
	// Bring both to their least common denominator.
	common := new(big.Int).GCD(nil, nil, start.Denom(), step.Denom())
	common.Mul(start.Denom(), new(big.Int).Quo(step.Denom(), common))
	scale := func(r *big.Rat) *big.Int {
		return new(big.Int).Mul(r.Num(), new(big.Int).Quo(common, r.Denom()))
	}
	l := &Linear{kind: kind, n: n, start: scale(start), step: scale(step), divisor: common}
	last := new(big.Int).Add(l.start, new(big.Int).Mul(l.step, big.NewInt(n-1)))

	if kind == experiment.Int {
		if n > 1 && !step.IsInt() || !start.IsInt() {
			second := new(big.Rat).Add(start, step)
			return nil, fmt.Errorf("%s and %s are not both whole, want integers", text(start), text(second))
		}
		if !l.start.IsInt64() || !last.IsInt64() {
			return nil, fmt.Errorf("%s is beyond the integers", text(new(big.Rat).SetInt(last)))
		}
		l.first, l.each = l.start.Int64(), l.step.Int64()
		return l, nil
	}
	// If both ends are below 2⁵³, the step between them is below 2⁵⁴.
	if l.start.BitLen() <= 53 && last.BitLen() <= 53 && common.BitLen() <= 53 {
		l.small = true
		l.first, l.each, l.by = l.start.Int64(), l.step.Int64(), float64(common.Int64())
	}
	// If the real numbers are more than the coarsest spacing of float64s
	// apart, no two can have the same nearest float64.
	coarsest := max(ulp(l.At(0).Float()), ulp(l.At(n-1).Float()))
	if apart := new(big.Rat).Abs(step); n > 1 && apart.Cmp(new(big.Rat).SetFloat64(coarsest)) <= 0 {
		return nil, fmt.Errorf("neighbouring values are %s apart, too close to be different numbers near %s", text(apart), l.At(n-1))
	}
	return l, nil
}

// Len implements Sequence.
func (l *Linear) Len() int64 { return l.n }

// At implements Sequence.
func (l *Linear) At(i int64) experiment.Value {
	switch {
	case l.kind == experiment.Int:
		return experiment.IntValue(l.first + i*l.each)
	case l.small:
		return experiment.FloatValue(float64(l.first+i*l.each) / l.by)
	}
	numerator := new(big.Int).Mul(l.step, big.NewInt(i))
	f, _ := new(big.Rat).SetFrac(numerator.Add(numerator, l.start), l.divisor).Float64()
	return experiment.FloatValue(f)
}

// Next implements Sequence.
func (l *Linear) Next(v experiment.Value, from int64) (int64, bool) {
	i, ok := search(l.n, l.At, v)
	return i, ok && i >= from
}

// Distinct implements Sequence.
func (l *Linear) Distinct() bool { return true }

// Offset returns k such that value i of l is value i+k of m, for every i
// for which m has one. It is false if the two are not steps on one ladder,
// or k is beyond int64.
func (l *Linear) Offset(m *Linear) (int64, bool) {
	// (start_l − start_m)/step, with both over the common divisors.
	steps := new(big.Int).Mul(l.step, m.divisor)
	if l.kind != m.kind || steps.Cmp(new(big.Int).Mul(m.step, l.divisor)) != 0 {
		return 0, false
	}
	gap := new(big.Int).Mul(l.start, m.divisor)
	gap.Sub(gap, new(big.Int).Mul(m.start, l.divisor))
	k, rest := gap.QuoRem(gap, steps, new(big.Int))
	return k.Int64(), rest.Sign() == 0 && k.IsInt64()
}

// text writes a rational number for a message, as a decimal if it is one.
func text(r *big.Rat) string {
	if n, exact := r.FloatPrec(); exact && n <= 20 {
		return r.FloatString(n)
	}
	f, _ := r.Float64()
	return fmt.Sprint(f)
}
