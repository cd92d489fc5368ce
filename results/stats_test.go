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
	for range 500 {
		values := make([]float64, rng.IntN(40))
		level := math.Pow(10, float64(rng.IntN(9)-4))
		for i := range values {
			values[i] = level * (5 + rng.NormFloat64())
		}
		d := statistics(slices.Clone(values))
		if len(values) == 0 {
			if d.N != 0 || !math.IsNaN(d.Mean) || !math.IsNaN(d.Min) || !math.IsNaN(d.Std) {
				t.Errorf("of no values: %+v", d)
			}
			continue
		}
		mean, std := stat.MeanStdDev(values, nil)
		n := float64(len(values))
		want := Statistics{N: int64(n), Mean: mean, Std: std, SEM: stat.StdErr(std, n), Min: slices.Min(values), Max: slices.Max(values)}
		margin := distuv.StudentsT{Sigma: 1, Nu: max(n-1, 1)}.Quantile(0.975) * want.SEM
		want.CILow, want.CIHigh = mean-margin, mean+margin
		sorted := slices.Sorted(slices.Values(values))
		want.Median = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		if len(values) == 1 {
			want.Std, want.SEM, want.CILow, want.CIHigh = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		}
		numbers := func(s Statistics) []float64 {
			return []float64{float64(s.N), s.Mean, s.Std, s.SEM, s.CILow, s.CIHigh, s.Min, s.Median, s.Max}
		}
		for i, x := range numbers(d) {
			y := numbers(want)[i]
			if math.Abs(x-y) > 1e-10*level || math.IsNaN(x) != math.IsNaN(y) {
				t.Fatalf("of %v: got %+v, want %+v", values, d, want)
			}
		}
	}
}
