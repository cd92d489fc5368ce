package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"sweep/internal/rng"
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
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

func TestStudentsSleepPaired(t *testing.T) {
	var d []float64
	for i := range sleep1 {
		d = append(d, sleep1[i]-sleep2[i])
	}
	l := Mean(d)
	l.Method, l.t = Student, nil // the published numbers are Student's
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
	d := []float64{1, 1, 1, 1, 1, 1, 1, 0, 0, -1}
	p := Superiority(d, 0.95)
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

// Moments are gonum's. By Cochran's rule the skewness of the mean, not of the sample,
// decides whether it is resampled.
func TestMomentsAgainstGonum(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	methods := map[string]int{}
	for range 100 {
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
	if methods[Student] < 20 || methods[Bootstrap] < 20 {
		t.Errorf("the samples try one method only: %v", methods)
	}
	if m := Describe([]float64{0.1, 0.1, 0.1}); m.Mean != 0.1 || m.Std != 0 || m.Skew != 0 {
		t.Errorf("of equal values: %+v", m)
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
	if low, high := equal.Interval(0.95); low != 2 || high != 2 || equal.P(2) != 1 || equal.P(1) != 0 {
		t.Errorf("of equal values: %v to %v", low, high)
	}
	if d := Mean([]float64{1, 2, 3}).Warnings; len(d) != 1 {
		t.Errorf("of three values: warnings %q, want one", d)
	}
	mostly := slices.Repeat([]float64{0}, 20) // is not resampled
	mostly[0], mostly[1] = 1, 1
	if l := Mean(mostly); l.Method != Student || len(l.Warnings) != 1 {
		t.Errorf("of mostly equal values: method %s, warnings %q; want student and one warning", l.Method, l.Warnings)
	}
}

func fill(n int, draw func() float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = draw()
	}
	return x
}

// A skewed sample is resampled by a stream that all of its bits decide on: the values
// of t are what their definition says.
func TestBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := fill(30, func() float64 { return math.Exp(1.5 * random.NormFloat64()) })
	a, keys := Mean(x), []uint64{30}
	for _, v := range x {
		keys = append(keys, math.Float64bits(v))
	}
	stream := rng.New("bootstrap", keys...)
	want := fill(resamples, func() float64 {
		mean, std := stat.MeanStdDev(fill(30, func() float64 { return x[stream.IntN(30)] }), nil)
		return (mean - a.Value) / stat.StdErr(std, 30)
	})
	slices.Sort(want)
	if a.Method != Bootstrap || !slices.EqualFunc(a.t, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
		t.Errorf("by %s the values of t are not those of their definition", a.Method)
	}
	if low, high := a.Interval(0.95); !(high-a.Value > a.Value-low) {
		t.Errorf("limits %v and %v around %v: want the longer arm on the side of the tail", low, high, a.Value)
	}
	// p and limits agree.
	for _, level := range []float64{0.8, 0.95} {
		low, high := a.Interval(level)
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
// up to 20,000 with gonum's, the twelfth digit of which is noise, and their
// bits with those of every other processor.
func TestStudentBits(t *testing.T) {
	hash := sha256.New()
	for df := 1.0; df <= 20000; df++ {
		raw := studentQuantile(0.025, df)
		if want := (distuv.StudentsT{Sigma: 1, Nu: df}).Quantile(0.975); math.Abs(raw/want-1) > 2e-11 {
			t.Errorf("df %v: %v, gonum has %v", df, raw, want)
		}
		for _, x := range []float64{raw, StudentFactor(df, 0.95), studentP(1.5, df)} {
			hash.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))
		}
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
