package inference

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"sweep/grid/design"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// sampleOf measures a function at points, and returns columns of inputs.
func sampleOf(points [][]float64, f func(x []float64) float64) (inputs [][]float64, outputs []float64) {
	inputs = make([][]float64, len(points[0]))
	for _, p := range points {
		for j, x := range p {
			inputs[j] = append(inputs[j], x)
		}
		outputs = append(outputs, f(p))
	}
	return inputs, outputs
}

// The first-order indices of two functions are known in closed form (see
// TestSobolIndices); the scale of inputs does not matter.
func TestFirstOrderOfSamples(t *testing.T) {
	testutil.NeedsThorough(t, "limits of indices take long")
	cases := []struct {
		name string
		f    func([]float64) float64
		want []float64
	}{
		{"Ishigami", ishigami, []float64{0.313905, 0.442411, 0}},
		{"G", g, []float64{0.716493, 0.179123, 0.023686, 0.007165}},
	}
	for _, c := range cases {
		for _, name := range []string{design.LatinHypercube, design.Sobol} {
			inputs, outputs := sampleOf(design.Points(name, 512, len(c.want), 1), c.f)
			for _, x := range inputs {
				for i := range x {
					x[i] = math.Exp(5 * x[i])
				}
			}
			for j, got := range NewSampled(inputs, outputs).First {
				if math.Abs(got.Value-c.want[j]) > 0.06 || got.Low > c.want[j] || got.High < c.want[j] || got.High-got.Low > 0.2 {
					t.Errorf("%s, %s: index %d is %+v, want %.4f", c.name, name, j, got, c.want[j])
				}
			}
		}
	}
}

// Of random points and outputs with noise, limits hold the truth, and indices
// of inputs without effect are 0 but for chance.
func TestLimitsOfSamples(t *testing.T) {
	if !testutil.Thorough() {
		t.Skip("few studies tell little of limits: -thorough has 200")
	}
	const studies = 200
	held := 0
	mean := 0.0
	for seed := range uint64(studies) {
		stream := rng.New("test of samples", seed)
		points := make([][]float64, 150)
		for i := range points {
			points[i] = []float64{stream.Float64(), stream.Float64(), stream.Float64()}
		}
		inputs, outputs := sampleOf(points, func(x []float64) float64 {
			return math.Sqrt(12)*(x[0]+2*x[1]) + 2*stream.Normal() // shares of 1/9, 4/9, 0
		})
		s := NewSampled(inputs, outputs)
		for j, want := range []float64{1. / 9, 4. / 9, 0} {
			if s.First[j].Low <= want && want <= s.First[j].High {
				held++
			}
		}
		mean += s.First[2].Value / float64(studies)
	}
	t.Logf("%d of %d limits hold the truth", held, 3*studies)
	if share := float64(held) / float64(3*studies); share < 0.9 || share > 0.99 {
		t.Errorf("%d of %d limits hold the truth", held, 3*studies)
	}
	if math.Abs(mean) > 0.02 {
		t.Errorf("without effect the mean index is %.4f", mean)
	}
}

// Coefficients are those of gonum's least squares on standardised ranks, and the
// fit is its share of the variance.
func TestRankRegression(t *testing.T) {
	stream := rng.New("test of ranks")
	points := make([][]float64, 80)
	for i := range points {
		u := stream.Float64()
		points[i] = []float64{u, u + stream.Float64(), math.Floor(4 * stream.Float64())} // correlated; tied
	}
	inputs, outputs := sampleOf(points, func(x []float64) float64 { return math.Exp(x[0]) - x[1] + x[2]/4 + stream.Normal()/9 })
	s := NewSampled(inputs, outputs)
	standard := func(x []float64) []float64 {
		ranks := midRanks(x)
		mean, std := stat.MeanStdDev(ranks, nil)
		return fill(len(x), func() float64 { r := ranks[0]; ranks = ranks[1:]; return (r - mean) / std })
	}
	a := mat.NewDense(80, 3, nil)
	for j, x := range inputs {
		a.SetCol(j, standard(x))
	}
	b := mat.NewVecDense(80, standard(outputs))
	var want, left mat.VecDense
	if err := want.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	left.MulVec(a, &want)
	left.SubVec(b, &left)
	for j, got := range s.SRRC {
		near(t, "coefficient", got.Value, want.AtVec(j), 1e-9)
	}
	near(t, "fit", s.RankR2, 1-mat.Dot(&left, &left)/79, 1e-9)
	if got := midRanks([]float64{3, 1, 3, 2, 3}); !slices.Equal(got, []float64{4, 1, 4, 2, 4}) {
		t.Errorf("ranks with ties: %v", got)
	}
}

// PAWN is the median of the largest distances between distribution functions,
// at any output.
func TestPAWN(t *testing.T) {
	stream := rng.New("test of pawn")
	points := make([][]float64, 95)
	for i := range points {
		points[i] = []float64{stream.Float64(), math.Floor(3 * stream.Float64())} // the second has 3 classes
	}
	inputs, outputs := sampleOf(points, func(x []float64) float64 { return math.Floor(9*x[0]*x[0]) + x[1] + stream.Float64() })
	outputs[7] = outputs[8] // a tie
	share := func(of []int, y float64) float64 {
		n := 0.0
		for _, i := range of {
			if outputs[i] <= y {
				n++
			}
		}
		return n / float64(len(of))
	}
	got := NewSampled(inputs, outputs).PAWN
	for j, x := range inputs {
		members := map[int][]int{}
		var all []int
		for i, rank := range midRanks(x) {
			class := min(int((rank-1)*10/94), 9)
			members[class] = append(members[class], i)
			all = append(all, i)
		}
		var distances []float64
		for _, of := range members {
			d := 0.0
			for _, y := range outputs {
				d = max(d, math.Abs(share(of, y)-share(all, y)))
			}
			distances = append(distances, d)
		}
		slices.Sort(distances)
		n := len(distances)
		near(t, "PAWN", got[j].Value, (distances[(n-1)/2]+distances[n/2])/2, 1e-12)
	}
}

// Without effect PAWN is about InertPAWN, in the mean of samples.
func TestInertPAWN(t *testing.T) {
	mean := 0.0
	for seed := range uint64(40) {
		stream := rng.New("test of inert", seed)
		x := fill(500, stream.Float64)
		y := fill(500, stream.Float64)
		gv := newGiven([][]float64{x}, y)
		mean += gv.statistics(indicesBelow(500))[2] / 40
	}
	if want := InertPAWN(500); math.Abs(mean/want-1) > 0.05 {
		t.Errorf("PAWN without effect is %.4f, want about %.4f", mean, want)
	}
}

func indicesBelow(n int) []int { return orderOf(make([]float64, n)) }

// What is not defined is NaN: too few points, equal outputs or inputs.
func TestPoorSamples(t *testing.T) {
	few := NewSampled([][]float64{{1, 2}, {2, 1}, {1, 1}}, []float64{3, 4})
	for _, s := range slices.Concat(few.First, few.SRRC) {
		if !math.IsNaN(s.Value) {
			t.Errorf("of two points: %+v", few)
		}
	}
	equal := NewSampled([][]float64{fill(30, func() float64 { return 1 }), fill(30, rng.New("x").Float64)}, fill(30, rng.New("y").Float64))
	if !math.IsNaN(equal.First[0].Value) || math.IsNaN(equal.First[1].Value) || !math.IsNaN(equal.RankR2) {
		t.Errorf("of an input that does not change: %+v", equal)
	}
	flat := NewSampled([][]float64{fill(30, rng.New("x").Float64)}, make([]float64, 30))
	if !math.IsNaN(flat.First[0].Value) || !math.IsNaN(flat.SRRC[0].Value) || flat.PAWN[0].Value != 0 {
		t.Errorf("of equal outputs: %+v", flat)
	}
}

// Outputs that vary by small parts of themselves, such as times since 1970, have
// the indices of what varies; up to rounding errors they have none.
func TestSmallVariance(t *testing.T) {
	inputs := [][]float64{fill(100, rng.New("x").Float64)}
	noise := fill(100, rng.New("noise").Float64)
	sample := func(base, size float64) Sampled {
		var outputs []float64
		for i, x := range inputs[0] {
			outputs = append(outputs, base+size*(3*x+noise[i]))
		}
		return NewSampled(inputs, outputs)
	}
	want := sample(0, 1).First[0]
	for _, base := range []float64{1e7, 1.7e9, -1e11} {
		got := sample(base, 1).First[0]
		near(t, "index", got.Value, want.Value, 1e-5)
		if math.IsNaN(got.Low) || math.IsNaN(got.High) {
			t.Errorf("from %g on: %+v", base, got)
		}
	}
	if got := sample(1, 1e-15).First[0]; !math.IsNaN(got.Value) {
		t.Errorf("of rounding errors: %+v", got)
	}
}
