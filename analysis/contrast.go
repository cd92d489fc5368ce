package analysis

import (
	"math"
	"slices"

	"sweep/internal/expr"
	"sweep/internal/inference"
)

// A Contrast is a number that is computed from the means of one or several
// cells, such as the difference of two, with its confidence limits. It is
// estimated from those runs whose seed all of the cells have in common.
type Contrast struct {
	N           int     // runs, or sets of runs with one seed; clusters if it is averaged over such
	Alone       int     // runs left out: failed, undefined, or without a partner
	Left, Right float64 // means of the two sides; NaN if not defined, or if there is no such side
	Estimate    *inference.Location
	Low, High   float64 // limits at level inference.Confidence

	sample []float64 // of which Estimate is the mean
}

// A difference is the contrast of two leaves, the former less the latter.
var (
	former     = &expr.Node{Op: expr.Name, Text: "former"}
	latter     = &expr.Node{Op: expr.Name, Text: "latter"}
	difference = &expr.Node{Op: "-", Args: []*expr.Node{former, latter}}
)

// A joined is the runs that several columns have in common: [run] of each
// leaf of an expression.
type joined struct {
	n       int
	alone   int
	columns map[*expr.Node][]float64
	known   map[*expr.Node]inference.Moments // of columns
}

// newJoined returns the runs with the given values of each leaf.
func newJoined(alone int, leaves []*expr.Node, values [][]float64) *joined {
	j := &joined{n: len(values[0]), alone: alone, columns: map[*expr.Node][]float64{}, known: map[*expr.Node]inference.Moments{}}
	for i, leaf := range leaves {
		j.columns[leaf] = values[i]
	}
	return j
}

// estimate returns a sample whose mean estimates the expression, and whose
// spread its error.
//
// If the expression is linear in the runs, it is computed for each run, and
// these are the sample: of a difference, the paired differences. Of a ratio or
// a variation they are the pseudo-values of the jackknife (Efron and Tibshirani,
// An Introduction to the Bootstrap, section 11.5): n times what all n runs
// give, less n−1 times what all but one give, for each one. Of a linear
// expression these would be the same.
func (j *joined) estimate(n *expr.Node) []float64 {
	if degree(n) <= 1 {
		return j.column(n)
	}
	all := j.value(n, -1)
	sample := make([]float64, j.n)
	for i := range sample {
		sample[i] = float64(float64(j.n)*all) - float64(float64(j.n-1)*j.value(n, i))
	}
	if slices.ContainsFunc(sample, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil
	}
	return sample
}

// degree returns 0 for a constant, 1 for what is linear in the values of the
// runs, and 2 for all else.
func degree(n *expr.Node) int {
	arg := func(i int) int { return degree(n.Args[i]) }
	switch n.Op {
	case expr.Number:
		return 0
	case expr.Negate:
		return arg(0)
	case "+", "-":
		return max(arg(0), arg(1))
	case "*":
		return min(2, arg(0)+arg(1))
	case "/":
		return min(2, arg(0)+2*arg(1))
	}
	if variationOf(n) != nil {
		return 2
	}
	return 1
}

// variationOf returns the argument of cv, nil if the node is something else.
func variationOf(n *expr.Node) *expr.Node {
	if n.Op == expr.Call && n.Text == "cv" {
		return n.Args[0]
	}
	return nil
}

// column computes an expression for each run.
func (j *joined) column(n *expr.Node) []float64 {
	if c, ok := j.columns[n]; ok {
		return c
	}
	c := make([]float64, j.n)
	for i := range c {
		c[i] = n.Arithmetic(func(leaf *expr.Node) float64 { return j.columns[leaf][i] })
	}
	j.columns[n] = c
	return c
}

// value computes an expression from means over the runs, of which one is
// left out unless without is negative.
func (j *joined) value(n *expr.Node, without int) float64 {
	return n.Arithmetic(func(leaf *expr.Node) float64 {
		if arg := variationOf(leaf); arg != nil {
			mean, std := j.moments(arg, without)
			return std / math.Abs(mean)
		}
		mean, _ := j.moments(leaf, without)
		return mean
	})
}

// moments returns mean and standard deviation of an expression over the
// runs.
func (j *joined) moments(n *expr.Node, without int) (mean, std float64) {
	x := j.column(n)
	m, ok := j.known[n]
	if !ok {
		m = inference.Describe(x)
		j.known[n] = m
	}
	if without < 0 {
		return m.Mean, m.Std
	}
	count, d := float64(len(x)), x[without]-m.Mean
	squares := float64(float64(m.Std*m.Std)*(count-1)) - float64(float64(d*d)*count)/(count-1)
	return m.Mean - d/(count-1), math.Sqrt(max(0, squares) / (count - 2))
}

// contrast estimates an expression from several sets of runs. Of one set the
// runs are the sample; of more, such as one for each recorded world, what each
// gives by itself is, so that the limits are those of an average over worlds.
func contrast(sets []*joined, n, left, right *expr.Node) Contrast {
	c := Contrast{}
	var lefts, rights []float64
	for _, j := range sets {
		c.Alone += j.alone
		values := j.estimate(n)
		if len(sets) > 1 && len(values) > 0 {
			values = []float64{inference.Describe(values).Mean}
		}
		c.sample = append(c.sample, values...)
		lefts, rights = append(lefts, side(j, left)), append(rights, side(j, right))
	}
	c.Left, c.Right = inference.Describe(lefts).Mean, inference.Describe(rights).Mean
	c.N, c.Estimate = len(c.sample), inference.Mean(c.sample)
	c.Low, c.High = c.Estimate.Interval(inference.Confidence)
	return c
}

func side(j *joined, n *expr.Node) float64 {
	if n == nil || j.n == 0 {
		return math.NaN()
	}
	return j.value(n, -1)
}

// Doubts tell what to doubt about the limits.
func (c *Contrast) Doubts() []string {
	list := slices.Clone(c.Estimate.Doubts())
	if c.Estimate.Method == inference.Bootstrap {
		list = append(list, "skewed: limits by the bootstrap")
	}
	if c.Alone > 0 {
		list = append(list, "some runs failed, are undefined or have no partner, and are left out")
	}
	return list
}

// A Test is a contrast that is one of a family.
type Test struct {
	Contrast
	P                     float64 // of the hypothesis that it is 0; NaN if there is no test
	AdjustedP             float64 // for the whole family (Holm)
	FamilyLow, FamilyHigh float64 // limits that hold for the whole family together (Bonferroni)
}

// correct sees tests as one family, and returns how many have a p-value.
func correct(family []*Test) int {
	p := make([]float64, len(family))
	n := 0
	for i, t := range family {
		t.P = t.Estimate.P(0)
		if p[i] = t.P; !math.IsNaN(t.P) {
			n++
		}
	}
	level := inference.Simultaneous(inference.Confidence, n)
	for i, adjusted := range inference.Holm(p) {
		family[i].AdjustedP = adjusted
		family[i].FamilyLow, family[i].FamilyHigh = family[i].Estimate.Interval(level)
	}
	return n
}
