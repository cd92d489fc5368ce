package grid

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

func TestRanges(t *testing.T) {
	type list = func(from, to, x float64) ([]float64, error)
	count := func(from, to, n float64) ([]float64, error) { return spaced(from, to, int64(n)) }
	log := func(kind experiment.Kind) list {
		return func(from, to, n float64) ([]float64, error) { return logarithmic(kind, from, to, int64(n)) }
	}
	floats, integers := log(experiment.Float), log(experiment.Int)
	for _, c := range []struct {
		list          list
		from, to, arg float64
		want          string // values, or the beginning of the error
	}{
		{steps, 0.5, 0.9, 0.1, "0.5 0.6 0.7 0.8 0.9"},
		{steps, 0, 1, 0.1, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"},
		{steps, 0.3, -0.3, -0.3, "0.3 0 -0.3"},
		{steps, 1e-7, 3e-7, 1e-7, "1e-07 2e-07 3e-07"},
		{steps, 8, 20, 4, "8 12 16 20"},
		{steps, 0.5, 0.9, -0.1, "step -0.1 leads away from 0.9"},
		{steps, 0.5, 0.9, 0, "step is 0"},
		{steps, 0, 1, 1e-19, "1e+19 values are too many, want at most 4194304"},
		{steps, 1, 1.0000000000000003, 1e-16, "neighbouring values are 1e-16 apart, too close"},
		{count, 1, 1, 2, "count is 2, but both ends are the same number"},
		{count, 1, 2, 1, "count is 1, want at least 2"},
		{count, 1, 2, 1 << 62, "4611686018427387904 values are too many"},
		{factors, 8, 128, 2, "8 16 32 64 128"},
		{factors, 128, 8, 0.5, "128 64 32 16 8"},
		{factors, 8, 27, 1.5, "8 12 18 27"},
		{factors, 0.001, 10, 10, "0.001 0.01 0.1 1 10"},
		{factors, 1, 2.5937424601, 1.1, "1 1.1 1.21 1.331 1.4641 1.61051 1.771561 1.9487171 2.14358881 2.357947691 2.5937424601"},
		{factors, -1, -4, 2, "-1 -2 -4"},
		{factors, 8, 100, 2, "factors of 2 from 8 do not hit 100, the nearest are 64 and 128"},
		{factors, 1, 10, 0.5, "factor 0.5 leads away from 10"},
		{factors, 1, 10, 1, "factor is 1, want"},
		{factors, -1, 10, 2, "a factor leads only between"},
		{factors, 1, 1e9, 1.0001, "factor 1.0001 gives more than 4096 values"},
		{factors, 1, 2, 1 + 0x1p-52, "factor 1.0000000000000002 is too close to 1"},
		{factors, 0.3, 1e308, 10, "factors of 10 from 0.3 do not hit 1e+308, the nearest are 3e+307 and +Inf"},
		{floats, 1, 1000, 4, "1 10 100 1000"},
		{floats, 0.02, 0.5, 6, "0.02 0.0381 0.0725 0.138 0.263 0.5"},
		{floats, 0.001, 0.1, 5, "0.001 0.00316 0.01 0.0316 0.1"},
		{floats, 1.234, 1.23601, 3, "1.234 1.235 1.23601"}, // three digits are outside
		{floats, 1e-300, 1e300, 3, "1e-300 1 1e+300"},
		{integers, 1, 1000, 7, "1 3 10 32 100 316 1000"},
		{integers, 1000000000, 1000000004, 3, "1e+09 1.000000002e+09 1.000000004e+09"},
		{floats, 7, 7, 1, "7"},
		{integers, 1, 3, 4, "4 values from 1 to 3 are too close to be different numbers"},
		{floats, 5e-324, 3, 2, "log spacing from 5e-324"},
		{floats, 1, 1 + 0x1p-50, 3, "3 values from 1 to 1.0000000000000009 are too close"},
	} {
		values, err := c.list(c.from, c.to, c.arg)
		got := strings.Trim(fmt.Sprint(values), "[]")
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("from %v to %v by %v:\n got %s\nwant %s", c.from, c.to, c.arg, got, c.want)
		}
	}
}

// TestRoundedOnce compares every value with the nearest float64 of the
// exact rational number.
func TestRoundedOnce(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		n        int64
	}{
		{0, 1, 7},
		{0.1, 0.7, 13},
		{-1e-3, 1e3, 1001},
		{1e17, 3e17, 9},
		{0.1234567890123456, 5, 11},
		{0.123456789, 1234567.891234567, 101},
		{1<<53 - 11, 1<<53 - 1, 11}, // the last numerators that are exact
		{1 << 53, 1<<53 + 20, 11},
		{1 - 1<<53, 1<<53 - 1, 3},
		{5e-324, 1e308, 5},
	} {
		values := testutil.Must(spaced(c.from, c.to, c.n))
		from, _ := new(big.Rat).SetString(fmt.Sprint(c.from))
		to, _ := new(big.Rat).SetString(fmt.Sprint(c.to))
		for i, got := range values {
			x := new(big.Rat).Sub(to, from)
			x.Mul(x, big.NewRat(int64(i), c.n-1))
			want, _ := x.Add(x, from).Float64()
			if got != want {
				t.Errorf("%d values from %v to %v: value %d is %v, want %v", c.n, c.from, c.to, i, got, want)
			}
		}
	}
}

// BenchmarkRanges lists evenly spaced numbers: those that are quotients of
// integers, and others.
func BenchmarkRanges(b *testing.B) {
	for _, c := range []struct {
		name string
		from float64
	}{
		{"quotients", 1},
		{"fractions", 0.1234567890123456},
	} {
		for _, count := range []int64{1e3, 1e6} {
			b.Run(fmt.Sprintf("%s/%d", c.name, count), func(b *testing.B) {
				for b.Loop() {
					testutil.Must(spaced(c.from, 2e6, count))
				}
			})
		}
	}
}
