package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"sweep/grid/design"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// Student's own data: extra hours of sleep of ten patients under two drugs
// (The Probable Error of a Mean, Biometrika 6, 1908), as R's t.test takes
// it for its example.
func TestStudentsSleepPaired(t *testing.T) {
	d := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	floats.Sub(d, []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4})
	l := Mean(d)
	l.Method, l.bootstrap = Student, nil // the published numbers are Student's
	near(t, "mean", l.Value, -1.58, 1e-12)
	near(t, "t", l.Value/l.SE, -4.062127683, 1e-8)
	near(t, "p", l.P(0), 0.00283289, 1e-8)
	low, high := l.Interval(0.95)
	near(t, "low", low, -2.4598858, 1e-7)
	near(t, "high", high, -0.7001142, 1e-7)
}

// R: p.adjust(c(0.01, 0.04, 0.03, 0.02, 0.05), "holm").
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.02, 0.05})
	for i, want := range []float64{0.05, 0.09, math.NaN(), 0.09, 0.08, 0.09} {
		if math.IsNaN(want) != math.IsNaN(got[i]) || math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("p[%d] = %v, want %v", i, got[i], want)
		}
	}
	near(t, "Simultaneous", Simultaneous(0.95, 10), 0.995, 1e-15)
}

// Wilson's limits, worked by hand for 8 of 10 with z = 1.95996398454:
// (8 + z²/2)/(10 + z²) ∓ z·√(1.6 + z²/4)/(10 + z²).
func TestSuperiority(t *testing.T) {
	if z := normalFactor(0.95); z != 1.95996398454 {
		t.Errorf("factor %v, want twelve digits", z)
	}
	p := Superiority([]float64{1, 1, 1, 1, 1, 1, 1, 0, 0, -1}, 0.95)
	near(t, "p", p.Value, 0.8, 1e-15)
	near(t, "low", p.Low, 0.4901624715, 1e-9)
	near(t, "high", p.High, 0.9433178485, 1e-9)
	all := Superiority([]float64{1, 2, 3}, 0.95)
	if all.Value != 1 || all.High != 1 || !(all.Low > 0.4 && all.Low < 0.5) {
		t.Errorf("three wins of three: %+v", all)
	}
	if none := Superiority(nil, 0.95); !math.IsNaN(none.Value) || !math.IsNaN(none.Low) {
		t.Errorf("no pairs: %+v", none)
	}
}

// Moments are gonum's. By Cochran's rule the skewness of the mean, not of the
// sample, decides whether it is resampled.
func TestMomentsAgainstGonum(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	methods := map[string]int{}
	samples := testutil.IfThorough(100, 40)
	for range samples {
		n := 3 + random.IntN(97)
		x := fill(n, func() float64 { return 100 + random.ExpFloat64() })
		m := Describe(x)
		mean, std := stat.MeanStdDev(x, nil)
		near(t, "mean", m.Mean, mean, 1e-11)
		near(t, "std", m.Std, std, 1e-9)
		near(t, "se", m.SE(), stat.StdErr(std, float64(len(x))), 1e-9)
		near(t, "skew", m.Skew, stat.MomentAbout(3, x, mean, nil)/math.Pow(stat.MomentAbout(2, x, mean, nil), 1.5), 1e-9)
		want := Student
		if n >= 10 && math.Abs(m.Skew) > 0.2*math.Sqrt(float64(n)) {
			want = Bootstrap
		}
		methods[want]++
		if got := Mean(x).Method; got != want {
			t.Errorf("%d values with skewness %.2f: %s, want %s", n, m.Skew, got, want)
		}
	}
	if methods[Student] < samples/5 || methods[Bootstrap] < samples/5 {
		t.Errorf("the samples try one method only: %v", methods)
	}
	if m := Describe([]float64{0.1, 0.1, 0.1}); m.Mean != 0.1 || m.Std != 0 || m.Skew != 0 {
		t.Errorf("of equal values: %+v", m)
	}
	if s := NewStatistics([]float64{1e308, 1.5e308}); s.Median != 1.25e308 {
		t.Errorf("the median of large values is %v", s.Median)
	}
	if m := Describe(nil); m.N != 0 || !math.IsNaN(m.Mean) || !math.IsNaN(m.Skew) {
		t.Errorf("of nothing: %+v", m)
	}
}

func TestSmallAndEqualSamples(t *testing.T) {
	one := Mean([]float64{3})
	if low, _ := one.Interval(0.95); one.Value != 3 || !math.IsNaN(low) || !math.IsNaN(one.P(0)) {
		t.Errorf("of one value: %+v", one)
	}
	equal := Mean([]float64{2, 2, 2, 2, 2, 2})
	if low, high := equal.Interval(0.95); low != 2 || high != 2 || equal.P(2) != 1 || equal.P(1) != 1./32 {
		t.Errorf("of equal values: %v to %v", low, high)
	}
	if d := Mean([]float64{1, 2, 3}).Warning; d == "" {
		t.Errorf("of three values: warning %q, want one", d)
	}
	mostly := append([]float64{1, 1}, make([]float64, 18)...) // is not resampled
	if l := Mean(mostly); l.Method != Student || l.Warning == "" {
		t.Errorf("of mostly equal values: method %s, warning %q; want student and a warning", l.Method, l.Warning)
	}
}

func fill(n int, draw func() float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = draw()
	}
	return x
}

// A skewed sample is resampled at places that its size decides on: the values
// of t are what their definition says, and so are limits and p of any level.
func TestBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range testutil.IfThorough([]int{30, maxSmall + 44}, []int{30}) {
		x := fill(n, func() float64 { return math.Exp(2 * random.NormFloat64()) })
		stream := rng.New("resamples", uint64(n))
		mean := stat.Mean(x, nil)
		want := fill(resamples, func() float64 {
			m, s := stat.MeanStdDev(fill(n, func() float64 { return x[stream.IntN(n)] }), nil)
			return (m - mean) / stat.StdErr(s, float64(n))
		})
		for i := range x {
			x[i] *= 0x1p-600 // whose squares vanish
		}
		l := Mean(x)
		if l.Method != Bootstrap || !slices.EqualFunc(l.bootstrap.values(), want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%d values: by %s the values of t are not those of their definition", n, l.Method)
			continue
		}
		slices.Sort(want)
		for _, beyond := range []int{0, 1, 100, beyondTwo, beyondTwo + 1, beyondLimits, beyondLimits + 1, resamples / 2, resamples} {
			low, high := l.bootstrap.quantiles(beyond)
			at := min(beyond, resamples-1)
			near(t, "low quantile", low, want[at], 1e-9)
			near(t, "high quantile", high, want[resamples-1-at], 1e-9)
		}
		// p of 0 is counted when the sample is resampled, that of others later.
		moved := Mean(slices.Collect(func(yield func(float64) bool) {
			for _, v := range x {
				yield(v - l.Value/2)
			}
		}))
		near(t, "p of half the mean", moved.P(0), l.P(l.Value/2), 1e-12)
	}
}

// If first values do not tell where the tails begin, all are sorted.
func TestTails(t *testing.T) {
	var falling []float64
	for i := range resamples {
		falling = append(falling, float64(resamples-i))
	}
	for _, values := range [][]float64{falling, make([]float64, resamples)} {
		lowest, highest := tails(values)
		sorted := slices.Sorted(slices.Values(values))
		for i := range beyondTwo + 1 {
			if lowest[i] != sorted[i] || highest[i] != sorted[resamples-1-i] {
				t.Fatalf("values beyond which %d are: %v and %v", i, lowest[i], highest[i])
			}
		}
		if lowest[beyondTwo+1] != sorted[beyondLimits] || highest[beyondTwo+1] != sorted[resamples-1-beyondLimits] {
			t.Errorf("limits of 95 %%: %v and %v", lowest[beyondTwo+1], highest[beyondTwo+1])
		}
	}
}

func TestLimitsOfBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	a := Mean(fill(30, func() float64 { return math.Exp(1.5 * random.NormFloat64()) }))
	// p and limits agree.
	for _, level := range []float64{0.8, 0.95} {
		low, high := a.Interval(level)
		if !(high-a.Value > a.Value-low) {
			t.Errorf("limits %v and %v around %v: want the longer arm on the side of the tail", low, high, a.Value)
		}
		near(t, "p at the low limit", a.P(low), 1-level, 0.0003)
		near(t, "p at the high limit", a.P(high), 1-level, 0.0003)
	}
	// Far in the tails the limits are no narrower than Student's.
	low, high := a.Interval(1 - 1e-9)
	if margin := StudentFactor(29, 1-1e-9) * a.SE; a.Value-low < margin || high-a.Value < margin {
		t.Error("limits beyond the resamples are narrower than Student's")
	}
}

// TestStudentBits compares the factors of every number of degrees of freedom
// up to 20,000 with gonum's, the twelfth digit of which is noise (without
// -thorough beyond 200 every 20th), and their bits with those of every other
// processor.
func TestStudentBits(t *testing.T) {
	hash := sha256.New()
	for df := 1.0; df <= 20000; df++ {
		raw := studentQuantile(0.025, df)
		if df < 200 || int(df)%20 == 0 || testutil.Thorough() {
			want := (distuv.StudentsT{Sigma: 1, Nu: df}).Quantile(0.975)
			if math.Abs(raw/want-1) > 2e-11 {
				t.Errorf("df %v: %v, gonum has %v", df, raw, want)
			}
		}
		_ = binary.Write(hash, binary.BigEndian, []float64{raw, StudentFactor(df, 0.95), studentP(1.5, df)})
	}
	const want = "86e4d3e9e17567e6a018a94729afa31259769740c30765331b7709de42ed0304"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("the bits are %s, want %s", got, want)
	}
}

func TestStudentP(t *testing.T) {
	for _, df := range []float64{1, 2.5, 10, 1e3} {
		for _, x := range []float64{0, 0.1, 1, 5, 40, 1e200, math.Inf(1)} {
			got, want := studentP(x, df), 2*(distuv.StudentsT{Sigma: 1, Nu: df}).CDF(-x)
			if math.Abs(got-want) > 1e-11*want {
				t.Errorf("p(%v, %v) = %v, gonum has %v", x, df, got, want)
			}
		}
	}
	if p := studentP(math.NaN(), 3); !math.IsNaN(p) {
		t.Errorf("p of NaN is %v", p)
	}
}

// blocks measures a function on a design, block by block.
func blocks(name string, n, d int, f func(x []float64) float64) [][]float64 {
	var list [][]float64
	_, size := design.Rows(name, n, d)
	for block := range slices.Chunk(design.Points(name, n, d, 1), size) {
		var y []float64
		for _, x := range block {
			y = append(y, f(x))
		}
		list = append(list, y)
	}
	return list
}

// The indices of two functions are known in closed form: of Ishigami and Homma
// (1990) with a = 7, b = 0.1, and of Sobol's G (Saltelli and Sobol' 1995) with
// a = 0, 1, 4.5, 9.
func TestSobolIndices(t *testing.T) {
	cases := []struct {
		name string
		f    func([]float64) float64
		want []float64 // first-order indices, then total ones
		pair []float64 // second-order ones
	}{
		{"Ishigami", ishigami, []float64{0.313905, 0.442411, 0, 0.557589, 0.442411, 0.243684}, []float64{0, 0.243684, 0}},
		{"G", g, []float64{0.716493, 0.179123, 0.023686, 0.007165, 0.787370, 0.242268, 0.034327, 0.010463},
			[]float64{0.059708, 0.007895, 0.002388, 0.001974, 0.000597, 0.000079}},
	}
	for _, c := range cases[:testutil.IfThorough(2, 1)] {
		for i, got := range Blocks(blocks(design.Saltelli, 4096, len(c.want)/2, c.f), Sobol) {
			if math.Abs(got.Value-c.want[i]) > 0.005 || got.Low > got.Value || got.High < got.Value || got.High-got.Low > 0.2 {
				t.Errorf("%s: index %d is %+v, want %.4f", c.name, i, got, c.want[i])
			}
		}
		// Blocks that allow second-order indices have the same others.
		one := blocks(design.Saltelli, 4096, len(c.want)/2, c.f)
		two := blocks(design.Saltelli2, 4096, len(c.want)/2, c.f)
		both := SobolPairs(two)
		if !slices.Equal(both[:len(c.want)], Sobol(one)) {
			t.Errorf("%s: first-order and total indices are others", c.name)
		}
		for i, got := range both[len(c.want):] {
			if math.Abs(got-c.pair[i]) > 0.015 {
				t.Errorf("%s: second-order index %d is %.4f, want %.4f", c.name, i, got, c.pair[i])
			}
		}
	}
}

func ishigami(x []float64) float64 {
	angle := func(u float64) float64 { return math.Pi * (2*u - 1) }
	s := math.Sin(angle(x[1]))
	return math.Sin(angle(x[0]))*(1+0.1*math.Pow(angle(x[2]), 4)) + 7*s*s
}

func g(x []float64) float64 {
	y := 1.0
	for i, a := range []float64{0, 1, 4.5, 9} {
		y *= (math.Abs(4*x[i]-2) + a) / (1 + a)
	}
	return y
}

// Limits hold the truth in about 95 of 100 designs: here of random points,
// which, unlike those of a sequence, are a sample.
func TestLimitsOfShares(t *testing.T) {
	testutil.NeedsThorough(t, "fewer limits than 240 tell too little")
	held := 0 // of the limits of two first-order and two total shares
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
		}
	}
	if share := float64(held) / (60 * 4); share < 0.88 || share > 0.99 {
		t.Errorf("%d of 240 limits hold the truth", held)
	}
}

// Noise of variance 1 beside means of variance 3 has a quarter of the whole.
func TestNoiseShare(t *testing.T) {
	stream := rng.New("test of noise")
	var list [][]float64
	for range 4000 {
		mean := math.Sqrt(3) * stream.Normal()
		m := Describe(fill(5, func() float64 { return mean + stream.Normal() }))
		list = append(list, []float64{m.Mean, m.Std * m.Std})
	}
	if s := Blocks(list, Noise(5))[0]; math.Abs(s.Value-0.25) > 0.01 || s.Low > 0.25 || s.High < 0.25 {
		t.Errorf("the share is %+v, want 0.25", s)
	}
	of := Sobol([][]float64{{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}})
	if s := Blocks([][]float64{{0.1, 0}, {0.1, 0}, {0.1, 0}}, Noise(2))[0]; s.Value == s.Value || s.Low == s.Low || of[0] == of[0] || of[1] == of[1] {
		t.Errorf("without variance the share is %+v, and indices are %v", s, of)
	}
}

// mu* is the mean of magnitudes, sigma the deviation of what has a sign.
func TestMorrisMeasures(t *testing.T) {
	shares := Blocks([][]float64{{1, -2, 5}, {3, 2, 5}, {2, -3, 5}, {2, 3, 5}}, Morris)
	for i, want := range []float64{2, 2.5, 5, math.Sqrt(2. / 3), math.Sqrt(26. / 3), 0} {
		s := shares[i]
		if math.Abs(s.Value-want) > 1e-12 || i < 3 && (s.Low > s.Value || s.High < s.Value) {
			t.Errorf("measure %d of 3 of mu*, 3 of sigma: %+v, want %v", i, s, want)
		}
	}
}
