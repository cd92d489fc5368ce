package inference

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// A family draws values of mean 0 and standard deviation 1. If it is a ratio,
// values are drawn two at a time, and the ratio of their means is estimated.
type family struct {
	name    string
	draw    func(s *rng.Stream) float64
	isRatio bool
}

var families = []family{
	{name: "normal", draw: (*rng.Stream).Normal},
	{name: "Student's t, 3 degrees of freedom", draw: heavy},
	{name: "exponential", draw: skewed},
	{name: "lognormal, σ = ½", draw: func(s *rng.Stream) float64 { return lognormal(s, 0.5) }},
	{name: "lognormal, σ = 1", draw: func(s *rng.Stream) float64 { return lognormal(s, 1) }},
	{name: "binary, p = 0.5", draw: func(s *rng.Stream) float64 { return event(s, 0.5) }},
	{name: "binary, p = 0.1", draw: func(s *rng.Stream) float64 { return event(s, 0.1) }},
	{name: "paired differences, skewed", draw: func(s *rng.Stream) float64 {
		common := s.Exp() // of the seed
		return common * (lognormal(s, 0.5) - lognormal(s, 0.5)) / 2
	}},
	{name: "paired differences, binary", draw: func(s *rng.Stream) float64 {
		return (event(s, 0.1) - event(s, 0.1)) / math.Sqrt2
	}},
	{name: "ratio of skewed means", draw: skewed, isRatio: true},
}

func skewed(s *rng.Stream) float64 { return s.Exp() - 1 }

func heavy(s *rng.Stream) float64 {
	squares := 0.0
	for range 3 {
		z := s.Normal()
		squares += z * z
	}
	return s.Normal() / math.Sqrt(squares)
}

func lognormal(s *rng.Stream, sigma float64) float64 {
	v := math.Exp(sigma * sigma)
	return (math.Exp(sigma*s.Normal()) - math.Sqrt(v)) / math.Sqrt(v*(v-1))
}

func event(s *rng.Stream, p float64) float64 {
	x := 0.0
	if s.Chance(p) {
		x = 1
	}
	return (x - p) / math.Sqrt(p*(1-p))
}

// sample draws n values of which the mean, or the ratio less 1, is truth.
func (f *family) sample(s *rng.Stream, truth float64, n int64) func(n int64) []float64 {
	x := make([]float64, n)
	y := make([]float64, n)
	for i := range x {
		if f.isRatio {
			x[i] = (1 + truth) * (1 + f.draw(s)/2)
			y[i] = 1 + f.draw(s)/2
		} else {
			x[i] = truth + f.draw(s)
		}
	}
	return func(n int64) []float64 {
		if !f.isRatio {
			return x[:n]
		}
		return jackknifed(x[:n], y[:n])
	}
}

// jackknifed returns the pseudo-values of a ratio of means, less 1.
func jackknifed(x, y []float64) []float64 {
	a, b, n := 0.0, 0.0, float64(len(x))
	for i := range x {
		a += x[i]
		b += y[i]
	}
	values := make([]float64, len(x))
	for i := range x {
		values[i] = n*a/b - (n-1)*(a-x[i])/(b-y[i]) - 1
	}
	return values
}

// In a study, it is claimed that a mean is above 0 or, if below, below 0. A
// margin that is not 0 lets it be tied.
type study struct {
	below         bool
	truth, margin float64
}

// isWrong judges limits; it reports whether that decides the claim, and whether
// the verdict is wrong.
func (c *study) isWrong(low, high float64) (decided, wrong bool) {
	truth := c.truth
	if c.below {
		low, high, truth = -high, -low, -truth
	}
	switch {
	case low > 0: // holds
		return true, !(truth > 0)
	case high < 0: // fails
		return true, truth > 0
	case low >= -c.margin && high <= c.margin: // tied
		return true, math.Abs(truth) > c.margin
	}
	return false, false
}

// A tally counts wrong verdicts among studies, of sequential limits and of
// those for a single look.
type tally struct{ studies, sequential, single int }

func (t *tally) add(c *study, sizes []int64, sample func(n int64) []float64) {
	t.studies++
	var done, doneBySingle bool
	for _, n := range sizes {
		l := Sequential(sample(n))
		var wrong bool
		if !done {
			if done, wrong = c.isWrong(l.Interval(Confidence)); wrong {
				t.sequential++
			}
		}
		if !doneBySingle {
			if doneBySingle, wrong = c.isWrong(l.limits(Confidence)); wrong {
				t.single++
			}
		}
		if done && doneBySingle {
			return
		}
	}
}

// wrong returns the share of wrong verdicts in percent, with its limits.
func wrong(k, n int) (share, low, high float64) {
	high = 100
	if k > 0 {
		low = 100 * mathext.InvRegIncBeta(float64(k), float64(n-k+1), 0.025)
	}
	if k < n {
		high = 100 * mathext.InvRegIncBeta(float64(k+1), float64(n-k), 0.975)
	}
	return 100 * float64(k) / float64(n), low, high
}

// Who looks again and again, and ends at the first verdict, is wrong in at most
// 5 % of studies by sequential limits. The table is in docs/analysis.md.
func TestVerdictsAtAllLooks(t *testing.T) {
	each := testutil.IfThorough(600, 100)
	sizes := LookSizes(20)
	var all, hardest tally
	for _, f := range families {
		if f.name != "normal" && f.name != "binary, p = 0.1" && !testutil.Thorough() {
			continue
		}
		const margin = 0.5
		var own, bound tally
		for k, truth := range []float64{0, 0, 0.5, 1, -1, 2, -2} {
			for i := range each {
				c := study{below: i%2 == 1, truth: truth * margin, margin: margin}
				in := &own
				if k == 0 { // no tie is possible, and no verdict right but the other one
					c.margin = 0
					in = &bound
				}
				s := rng.New("study", uint64(k), uint64(i))
				in.add(&c, sizes, f.sample(s, c.truth, sizes[len(sizes)-1]))
			}
		}
		for _, x := range []struct {
			name string
			tally
		}{{"at the bound", bound}, {"with a margin", own}} {
			share, low, high := wrong(x.sequential, x.studies)
			today, _, _ := wrong(x.single, x.studies)
			t.Logf("| %s, %s | %d | %.1f %% (%.1f to %.1f) | %.1f %% |", f.name, x.name, x.studies, share, low, high, today)
			if low > 5 {
				t.Errorf("%s, %s: %.1f %% wrong verdicts, at least %.1f", f.name, x.name, share, low)
			}
		}
		for _, x := range []struct{ to, from *tally }{{&all, &own}, {&all, &bound}, {&hardest, &bound}} {
			x.to.studies += x.from.studies
			x.to.sequential += x.from.sequential
			x.to.single += x.from.single
		}
	}
	for _, x := range []tally{all, hardest} {
		share, low, high := wrong(x.sequential, x.studies)
		today, _, _ := wrong(x.single, x.studies)
		t.Logf("| all | %d | %.2f %% (%.2f to %.2f) | %.1f %% |", x.studies, share, low, high, today)
		if high > 5 && testutil.Thorough() || today < 2 {
			t.Errorf("%.1f %% wrong verdicts (to %.1f), and %.1f %% by limits for a single look", share, high, today)
		}
	}
}

// Limits are those of Clopper and Pearson for values of two kinds, by Student's
// t at least otherwise, and none where the sample cannot tell.
func TestSequentialLimits(t *testing.T) {
	values := func(counts ...int) (x []float64) {
		for v, n := range counts {
			for range n {
				x = append(x, float64(v))
			}
		}
		return x
	}
	for _, c := range []struct {
		x         []float64
		low, high float64
	}{
		{values(20, 19), math.NaN(), math.NaN()},   // too few
		{values(0, 96), math.NaN(), math.NaN()},    // 0.95^96 is above 0.05/7
		{values(0, 97), 1, 1},                      // and this is below
		{values(38, 1, 1), math.NaN(), math.NaN()}, // all but two are equal
		{values(99, 1), -0.017472, 0.075501},       // Student's low, Clopper and Pearson's high
		{values(20, 20, 20), 0.7037, 1.2963},       // Student's
	} {
		l := Sequential(c.x)
		low, high := l.Interval(0.95)
		if math.IsNaN(c.low) != math.IsNaN(low) || math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%d values, by %s: %v to %v, want %v to %v", l.N, l.Method, low, high, c.low, c.high)
		}
	}
	// Limits of as many values are at that distance: 1, of 100 values whose
	// standard deviation is 5, or 50 for the normal distribution.
	for deviation, distance := range map[float64]float64{5: 1, 50: 1, 0.1: 1} {
		n := (&Location{N: 100, SE: deviation / 10}).Needed(distance, 0.95)
		margin := StudentFactor(math.Ceil(n)-1, 0.95) * deviation / math.Sqrt(n)
		if n > 2 && math.Abs(margin-distance) > 0.002 {
			t.Errorf("%v values have a margin of %v, want %v", n, margin, distance)
		}
	}
	if got := LookSizes(50); len(got) != Looks || got[0] != 50 || got[6] != 3200 || LookSizes(5)[0] != FewSequential {
		t.Errorf("looks at %d values", got)
	}
}
