package sequence

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"sweep/experiment"
)

// join writes the values of a sequence.
func join(s Sequence) string {
	var b []string
	for i := range s.Len() {
		b = append(b, s.At(i).String())
	}
	return strings.Join(b, " ")
}

// steps, spaced, factors and logarithmic give the constructors one type.
func steps(k experiment.Kind, from, to, by float64) (Sequence, error) { return Steps(k, from, to, by) }
func spaced(k experiment.Kind, from, to, n float64) (Sequence, error) {
	return Spaced(k, from, to, int64(n))
}
func logarithmic(k experiment.Kind, from, to, n float64) (Sequence, error) {
	return Logarithmic(k, from, to, int64(n))
}

func TestValues(t *testing.T) {
	const F, I = experiment.Float, experiment.Int
	for _, c := range []struct {
		make          func(experiment.Kind, float64, float64, float64) (Sequence, error)
		kind          experiment.Kind
		from, to, arg float64
		want          string // values, or the beginning of the error
	}{
		{steps, F, 0.5, 0.9, 0.1, "0.5 0.6 0.7 0.8 0.9"},
		{steps, F, 0, 1, 0.1, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"},
		{steps, F, 0.3, -0.3, -0.3, "0.3 0 -0.3"},
		{steps, F, 1e-7, 3e-7, 1e-7, "1e-07 2e-07 3e-07"},
		{steps, F, 1e300, 3e300, 1e300, "1e+300 2e+300 3e+300"},
		{steps, F, 2, 2, 1, "2"},
		{steps, I, 8, 20, 4, "8 12 16 20"},
		{steps, I, 3, 1, -1, "3 2 1"},
		{steps, F, 0.5, 0.95, 0.1, "steps of 0.1 from 0.5 do not hit 0.95, the nearest are 0.9 and 1"},
		{steps, F, 0.5, 0.9, -0.1, "step -0.1 leads away from 0.9"},
		{steps, F, 0.5, 0.9, 0, "step is 0"},
		{steps, F, 0, 1, 1e-19, "10000000000000000001 values are too many"},
		{steps, F, 1, 2, 1e-16, "neighbouring values are 0.0000000000000001 apart, too close"},
		{steps, I, 1, 2, 0.5, "1 and 1.5 are not both whole"},
		{spaced, F, 0.1, 0.8, 8, "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8"},
		{spaced, F, 0, 1, 4, "0 0.3333333333333333 0.6666666666666666 1"},
		{spaced, F, 1, 0, 3, "1 0.5 0"},
		{spaced, F, 3, 3, 1, "3"},
		{spaced, I, 1, 9, 3, "1 5 9"},
		{spaced, I, 1, 9, 4, "1 and 3.6666666666666665 are not both whole"},
		{spaced, F, 1, 1, 2, "count is 2, but both ends are the same number"},
		{spaced, F, 1, 2, 1, "count is 1, want at least 2"},
		{spaced, F, 1, 2, 0, "count is 0, want at least 1"},
		{Factors, I, 8, 128, 2, "8 16 32 64 128"},
		{Factors, I, 128, 8, 0.5, "128 64 32 16 8"},
		{Factors, I, 8, 27, 1.5, "8 12 18 27"},
		{Factors, I, 8, 41, 1.5, "40.5 is not whole"},
		{Factors, F, 0.001, 10, 10, "0.001 0.01 0.1 1 10"},
		{Factors, F, 1, 2.5937424601, 1.1, "1 1.1 1.21 1.331 1.4641 1.61051 1.771561 1.9487171 2.14358881 2.357947691 2.5937424601"},
		{Factors, F, -1, -4, 2, "-1 -2 -4"},
		{Factors, F, 5, 5, 2, "5"},
		{Factors, I, 8, 100, 2, "factors of 2 from 8 do not hit 100, the nearest are 64 and 128"},
		{Factors, F, 1, 10, 0.5, "factor 0.5 leads away from 10"},
		{Factors, F, 1, 10, 1, "factor is 1, want"},
		{Factors, F, 1, 10, -2, "factor is -2, want"},
		{Factors, F, 0, 10, 2, "a factor leads only between"},
		{Factors, F, -1, 10, 2, "a factor leads only between"},
		{Factors, F, 1, 1e9, 1.0001, "factor 1.0001 gives more than 4096 values"},
		{Factors, F, 1, 2, 1 + 0x1p-52, "factor 1.0000000000000002 is too close to 1"},
		{Factors, F, 0.3, 1e308, 10, "the values grow beyond all numbers"},
		{logarithmic, F, 1, 1000, 4, "1 10 100 1000"},
		{logarithmic, F, 0.001, 0.1, 5, "0.001 0.0031622776601683794 0.01 0.03162277660168379 0.1"},
		{logarithmic, F, 100, 1, 3, "100 10 1"},
		{logarithmic, I, 1, 1000, 4, "1 10 100 1000"},
		{logarithmic, I, 1, 10, 3, "3.16227766 is not whole"},
		{logarithmic, F, 7, 7, 1, "7"},
		{logarithmic, F, 2, 3, 2, "2 3"},
		{logarithmic, F, 0, 3, 2, "log spacing from 0 to 3, want two positive numbers"},
		{logarithmic, F, 5e-324, 3, 2, "log spacing from 5e-324"},
		{logarithmic, F, 1, 2, 1 << 62, "4611686018427387904 values from 1 to 2 are too close"},
		{logarithmic, I, 1000000000, 1000000004, 3, "1000000002 is not whole"},
	} {
		s, err := c.make(c.kind, c.from, c.to, c.arg)
		var got string
		if err != nil {
			got = err.Error()
		} else if got = join(s); got == c.want {
			checkInverse(t, s)
			continue
		}
		if err == nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v from %v to %v by %v:\n got %s\nwant %s", c.kind, c.from, c.to, c.arg, got, c.want)
		}
	}
}

// checkInverse: Next finds what At returns, and nothing else.
func checkInverse(t *testing.T, s Sequence) {
	t.Helper()
	for _, i := range []int64{0, 1, s.Len() / 3, s.Len() / 2, s.Len() - 2, s.Len() - 1} {
		if i < 0 || i >= s.Len() {
			continue
		}
		v := s.At(i)
		if k, ok := s.Next(v, 0); !ok || k != i {
			t.Errorf("Next(At(%d) = %v, 0) = %d, %v", i, v, k, ok)
		}
		if k, ok := s.Next(v, i+1); ok {
			t.Errorf("%v is at %d and again at %d", v, i, k)
		}
	}
	for _, v := range []experiment.Value{experiment.FloatValue(0.12345), experiment.IntValue(-7), experiment.StringValue("x"), {},
		experiment.FloatValue(math.MaxFloat64), experiment.FloatValue(-math.MaxFloat64)} {
		if i, ok := s.Next(v, 0); ok && s.At(i) != v {
			t.Errorf("Next(%v) = %d, which holds %v", v, i, s.At(i))
		}
	}
}

func TestBillions(t *testing.T) {
	const n = 1_000_000_000
	lin, err := Steps(experiment.Float, 0, 1, 1e-9)
	if err != nil || lin.Len() != n+1 {
		t.Fatal(lin, err)
	}
	if got := lin.At(123456789).Float(); got != 0.123456789 {
		t.Errorf("At(123456789) = %v", got)
	}
	thirds, err := Spaced(experiment.Float, 0, 1.0/3, n)
	if err != nil {
		t.Fatal(err)
	}
	log, err := Logarithmic(experiment.Float, 1e-3, 1e6, n+1)
	if err != nil {
		t.Fatal(err)
	}
	if got := log.At(n / 3).Float(); math.Abs(got-1) > 1e-7 {
		t.Errorf("a third of the way from 1e-3 to 1e6 is %v", got)
	}
	if got := log.At(n / 9 * 3); math.Abs(got.Float()-1) > 1e-7 {
		t.Errorf("At = %v", got)
	}
	integers, err := Steps(experiment.Int, -1<<53, 1<<53, 1)
	if err != nil || integers.Len() != 1<<54+1 {
		t.Fatal(integers, err)
	}
	for _, s := range []Sequence{lin, thirds, log, integers} {
		checkInverse(t, s)
	}
}

// TestRoundedOnce compares every value with the nearest float64 of the
// exact rational number.
func TestRoundedOnce(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		n        int64
	}{{0, 1, 7}, {0.1, 0.7, 13}, {-1e-3, 1e3, 1001}, {1e17, 3e17, 9}, {0.1234567890123456, 5, 11},
		// Numerators, then a divisor, that a float64 cannot hold.
		{0.123456789, 1234567.891234567, 101}, {0, 0.00010001, 40_000_000_002}} {
		s, err := Spaced(experiment.Float, c.from, c.to, c.n)
		if err != nil {
			t.Fatal(err)
		}
		from, _ := new(big.Rat).SetString(fmt.Sprint(c.from))
		to, _ := new(big.Rat).SetString(fmt.Sprint(c.to))
		for k := range min(c.n, 1001) {
			i := k * ((c.n-1)/1000 + 1) % c.n
			x := new(big.Rat).Sub(to, from)
			x.Mul(x, big.NewRat(i, c.n-1))
			want, _ := x.Add(x, from).Float64()
			if got := s.At(i).Float(); got != want {
				t.Errorf("%d values from %v to %v: At(%d) = %v, want %v", c.n, c.from, c.to, i, got, want)
			}
		}
	}
}

// TestLogOnTheFly: computed values equal listed ones, and rise.
func TestLogOnTheFly(t *testing.T) {
	s, err := Logarithmic(experiment.Float, 0.02, 3, most+1)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.(*Geometric); !ok {
		t.Fatalf("%d values are a %T", s.Len(), s)
	}
	short, _ := Logarithmic(experiment.Float, 0.02, 3, most/2+1)
	for i := range short.Len() {
		if s.At(2*i) != short.At(i) {
			t.Errorf("At(%d) = %v, want %v", 2*i, s.At(2*i), short.At(i))
		}
		if i > 0 && short.At(i).Float() <= short.At(i-1).Float() {
			t.Errorf("value %d does not rise", i)
		}
	}
}

func TestRepeatedValues(t *testing.T) {
	v := func(f float64) experiment.Value { return experiment.FloatValue(f) }
	l := NewList([]experiment.Value{v(1), v(2), v(1), v(1)})
	if l.Distinct() || !NewList([]experiment.Value{v(1), v(2)}).Distinct() {
		t.Error("Distinct is wrong")
	}
	for _, c := range []struct {
		from, want int64
		ok         bool
	}{{0, 0, true}, {1, 2, true}, {3, 3, true}, {4, 0, false}} {
		if got, ok := l.Next(v(1), c.from); got != c.want || ok != c.ok {
			t.Errorf("Next(1, %d) = %d, %v, want %d, %v", c.from, got, ok, c.want, c.ok)
		}
	}
}

func TestOffset(t *testing.T) {
	make := func(from, to, by float64) *Linear {
		l, err := Steps(experiment.Float, from, to, by)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, c := range []struct {
		l, m *Linear
		want int64
		ok   bool
	}{
		{make(0, 1, 0.1), make(0, 1, 0.1), 0, true},
		{make(0.5, 1, 0.1), make(0, 1, 0.1), 5, true},
		{make(0, 1, 0.1), make(0.5, 1, 0.1), -5, true},
		{make(0.05, 1.05, 0.1), make(0, 1, 0.1), 0, false},
		{make(0, 1, 0.1), make(0, 1, 0.2), 0, false},
		{make(1, 0, -0.1), make(0.5, 0, -0.1), -5, true},
	} {
		if k, ok := c.l.Offset(c.m); ok != c.ok || ok && k != c.want {
			t.Errorf("Offset = %d, %v, want %d, %v", k, ok, c.want, c.ok)
		}
	}
}

func BenchmarkAt(b *testing.B) {
	small, _ := Steps(experiment.Float, 0, 1, 1e-9)
	large, _ := Spaced(experiment.Float, 0, 1.0/3, 1_000_000_000)
	log, _ := Logarithmic(experiment.Float, 1e-3, 1e6, 1_000_000_000)
	for _, c := range []struct {
		name string
		s    Sequence
	}{{"kind=decimal", small}, {"kind=rational", large}, {"kind=log", log}} {
		b.Run(c.name, func(b *testing.B) {
			for i := range b.N {
				c.s.At(int64(i) * 7919 % c.s.Len())
			}
		})
	}
}
