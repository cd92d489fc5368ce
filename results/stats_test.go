package results

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestDescribeAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := newStatistician()
	for range 500 {
		values := make([]float64, 1+rng.IntN(40))
		level := math.Pow(10, float64(rng.IntN(9)-4))
		for i := range values {
			values[i] = level * (5 + rng.NormFloat64())
		}
		d := s.describe(values)
		mean, std := stat.MeanStdDev(values, nil)
		n := float64(len(values))
		want := statistics{n: int64(n), mean: mean, std: std, sem: stat.StdErr(std, n), min: slices.Min(values), max: slices.Max(values)}
		margin := distuv.StudentsT{Sigma: 1, Nu: max(n-1, 1)}.Quantile(0.975) * want.sem
		want.ciLow, want.ciHigh = mean-margin, mean+margin
		sorted := slices.Sorted(slices.Values(values))
		want.median = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		if len(values) == 1 {
			want.std, want.sem, want.ciLow, want.ciHigh = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"n", float64(d.n), float64(want.n)}, {"mean", d.mean, want.mean}, {"std", d.std, want.std}, {"sem", d.sem, want.sem},
			{"ci_low", d.ciLow, want.ciLow}, {"ci_high", d.ciHigh, want.ciHigh},
			{"min", d.min, want.min}, {"median", d.median, want.median}, {"max", d.max, want.max},
		} {
			if math.Abs(c.got-c.want) > 1e-10*level && !(math.IsNaN(c.got) && math.IsNaN(c.want)) || math.IsNaN(c.got) != math.IsNaN(c.want) {
				t.Fatalf("%s of %v: got %v, want %v", c.name, values, c.got, c.want)
			}
		}
	}
}

func TestDescribeEqualValues(t *testing.T) {
	// The naive mean of thirty times 0.1 is not 0.1.
	d := newStatistician().describe(slices.Repeat([]float64{0.1}, 30))
	if d.mean != 0.1 || d.std != 0 || d.ciLow != 0.1 || d.ciHigh != 0.1 {
		t.Errorf("thirty times 0.1: mean %v, std %v, limits %v and %v", d.mean, d.std, d.ciLow, d.ciHigh)
	}
}

func TestDescribeNothing(t *testing.T) {
	d := newStatistician().describe(nil)
	if d.n != 0 || !math.IsNaN(d.mean) || !math.IsNaN(d.min) || !math.IsNaN(d.std) {
		t.Errorf("of no values: %+v", d)
	}
}
