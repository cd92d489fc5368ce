package inference

import (
	"math"
	"testing"

	"sweep/internal/design"
	"sweep/internal/rng"
)

// blocks measures a function on Saltelli's design.
func blocks(n, d int, f func(x []float64) float64) [][]float64 {
	points := design.Points(design.Saltelli, n, d, 1)
	var list [][]float64
	for len(points) > 0 {
		var y []float64
		for _, x := range points[:d+2] {
			y = append(y, f(x))
		}
		list, points = append(list, y), points[d+2:]
	}
	return list
}

// The indices of two functions are known in closed form: of Ishigami and Homma
// (1990) with a = 7, b = 0.1, and of Sobol's G (Saltelli and Sobol' 1995) with
// a = 0, 1, 4.5, 9.
func TestSobolIndices(t *testing.T) {
	ishigami := func(x []float64) float64 {
		angle := func(u float64) float64 { return math.Pi * (2*u - 1) }
		s := math.Sin(angle(x[1]))
		return math.Sin(angle(x[0]))*(1+0.1*math.Pow(angle(x[2]), 4)) + 7*s*s
	}
	a := []float64{0, 1, 4.5, 9}
	g := func(x []float64) float64 {
		y := 1.0
		for i, u := range x {
			y *= (math.Abs(4*u-2) + a[i]) / (1 + a[i])
		}
		return y
	}
	for _, c := range []struct {
		name string
		f    func([]float64) float64
		want []float64 // first-order indices, then total ones
	}{
		{"Ishigami", ishigami, []float64{0.313905, 0.442411, 0, 0.557589, 0.442411, 0.243684}},
		{"G", g, []float64{0.716493, 0.179123, 0.023686, 0.007165, 0.787370, 0.242268, 0.034327, 0.010463}},
	} {
		for i, got := range Blocks(blocks(4096, len(c.want)/2, c.f), Sobol) {
			if math.Abs(got.Value-c.want[i]) > 0.005 || got.Low > got.Value || got.High < got.Value || got.High-got.Low > 0.2 {
				t.Errorf("%s: index %d is %+v, want %.4f", c.name, i, got, c.want[i])
			}
		}
	}
}

// Limits hold the truth in about 95 of 100 designs: here of random points,
// which, unlike those of a sequence, are a sample.
func TestLimitsOfShares(t *testing.T) {
	held, of := 0, 0
	for seed := range uint64(60) {
		stream := rng.New("test of shares", seed)
		var list [][]float64
		for range 200 {
			a, b := []float64{stream.Normal(), stream.Normal()}, []float64{stream.Normal(), stream.Normal()}
			f := func(x, y float64) float64 { return x + 2*y } // shares of 0.2 and 0.8
			list = append(list, []float64{f(a[0], a[1]), f(b[0], b[1]), f(b[0], a[1]), f(a[0], b[1])})
		}
		for i, s := range Blocks(list, Sobol) {
			if want := []float64{0.2, 0.8}[i%2]; s.Low <= want && want <= s.High {
				held++
			}
			of++
		}
	}
	if share := float64(held) / float64(of); share < 0.88 || share > 0.99 {
		t.Errorf("%d of %d limits hold the truth", held, of)
	}
}

// Noise of variance 1 beside means of variance 3 has a quarter of the whole.
func TestNoiseShare(t *testing.T) {
	stream := rng.New("test of noise")
	var list [][]float64
	for range 4000 {
		mean := math.Sqrt(3) * stream.Normal()
		runs := make([]float64, 5)
		for i := range runs {
			runs[i] = mean + stream.Normal()
		}
		m := Describe(runs)
		list = append(list, []float64{m.Mean, m.Std * m.Std})
	}
	if s := Blocks(list, Noise(5))[0]; math.Abs(s.Value-0.25) > 0.01 || s.Low > 0.25 || s.High < 0.25 {
		t.Errorf("the share is %+v, want 0.25", s)
	}
	if s := Blocks([][]float64{{1, 0}, {1, 0}}, Noise(2))[0]; s.Value == s.Value || s.Low == s.Low {
		t.Errorf("without variance the share is %+v", s)
	}
}

// mu* is the mean of magnitudes, sigma the deviation of what has a sign.
func TestMorrisMeasures(t *testing.T) {
	shares := Blocks([][]float64{{1, -2, 5}, {3, 2, 5}, {2, -3, 5}, {2, 3, 5}}, Morris)
	size, deviation := shares[:3], shares[3:]
	for i, want := range [][2]float64{{2, math.Sqrt(2. / 3)}, {2.5, math.Sqrt(26. / 3)}, {5, 0}} {
		if math.Abs(size[i].Value-want[0]) > 1e-12 || math.Abs(deviation[i].Value-want[1]) > 1e-12 {
			t.Errorf("input %d: mu* %v, sigma %v, want %v", i, size[i], deviation[i], want)
		}
		if size[i].Low > size[i].Value || size[i].High < size[i].Value {
			t.Errorf("input %d: limits %v", i, size[i])
		}
	}
}
