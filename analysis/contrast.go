// Package analysis asks what the results of sweeps say: which of two cells
// is better and how surely, whether a claim holds, what differs between two
// sets of results.
//
//   - contrast.go pairs the runs of several cells that met the same random
//     numbers, and estimates from them whatever is compared: a number computed
//     from the means of cells, with its limits;
//   - compare.go makes contrasts of cells with a baseline, a family of them;
//   - claim.go finds out what the expressions of claims mean, cases.go about
//     which cells they are, verdict.go judges them;
//   - diff.go matches the runs of two directories, whatever their specs;
//   - sensitivity.go shares the variance of a sampled sweep out to parameters;
//   - table.go sets the means of a sweep beside those of a paper;
//   - print.go has what their tables share.
//
// The statistics are those of package inference, the language of claims is
// that of package expr. What casts doubt on a number stands beside it.
package analysis

import (
	"math"
	"slices"

	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/results"
)

// A Contrast is a number that is computed from the means of one or several
// cells, such as the difference of two, with its confidence limits. It is
// estimated from those runs whose seed all of the cells have in common. These are
// the sample or, averaged over sets of cells, such as one for each recorded world,
// what each set gives by itself is: the limits are those of an average over worlds.
type Contrast struct {
	N           int     // runs, or sets of runs with one seed; clusters if it is averaged over such
	Unpaired    int     // runs left out: failed, undefined, or without a partner
	Left, Right float64 // means of the two sides; NaN if not defined, or if there is no such side
	Estimate    *inference.Location
	Low, High   float64 // limits at level inference.Confidence

	terms               []*term
	sets                [][]int64  // each the cells of terms
	over                bool       // whether it is averaged over sets, be there only one
	number, left, right *expr.Node // what is computed of terms, and its sides; nil if there is none
	sample              []float64  // of which Estimate is the mean

	// Of the set at hand: how many runs its cells have in common, and what terms,
	// and other expressions once they are computed, are in these.
	n       int
	columns map[*expr.Node][]float64
	known   map[*expr.Node]inference.Moments
}

// join pairs the runs of the cells of the terms that have a seed in common and in
// which all terms are defined; the others, failed ones included, are left out.
// Runs of one seed meet the same environment: their values belong together, on
// common random numbers.
func (c *Contrast) join(cells []*results.Sample) {
	c.n, c.columns, c.known = 0, map[*expr.Node][]float64{}, map[*expr.Node]inference.Moments{}
	if slices.Contains(cells, nil) { // a cell without runs
		return
	}
	row := make([]float64, len(c.terms))
next:
	for _, seed := range cells[0].Seeds {
		for i, t := range c.terms {
			at, there := slices.BinarySearch(cells[i].Seeds, seed)
			if !there || math.IsNaN(cells[i].Values[t.measure][at]) {
				continue next
			}
			row[i] = cells[i].Values[t.measure][at]
		}
		c.n++
		for i, t := range c.terms {
			c.columns[t.node] = append(c.columns[t.node], row[i])
		}
	}
	for i, s := range cells {
		if !slices.Contains(cells[:i], s) {
			c.Unpaired += len(s.Seeds) + int(s.Failed) - c.n
		}
	}
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
func (c *Contrast) estimate(n *expr.Node) []float64 {
	if degree(n) <= 1 {
		return c.column(n)
	}
	all := c.value(n, -1)
	sample := make([]float64, c.n)
	for i := range sample {
		sample[i] = float64(float64(c.n)*all) - float64(float64(c.n-1)*c.value(n, i))
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
	if isVariation(n) {
		return 2
	}
	return 1
}

// isVariation tells cv from the functions of a series, which are leaves.
func isVariation(n *expr.Node) bool { return n.Op == expr.Call && n.Text == "cv" }

// column computes an expression for each run.
func (c *Contrast) column(n *expr.Node) []float64 {
	x, ok := c.columns[n]
	if !ok {
		x = make([]float64, c.n)
		for i := range x {
			x[i] = n.Arithmetic(func(leaf *expr.Node) float64 { return c.columns[leaf][i] })
		}
		c.columns[n] = x
	}
	return x
}

// value computes an expression from means over the runs, of which one is
// left out unless without is negative.
func (c *Contrast) value(n *expr.Node, without int) float64 {
	return n.Arithmetic(func(leaf *expr.Node) float64 {
		if isVariation(leaf) {
			mean, std := c.moments(leaf.Args[0], without)
			return std / math.Abs(mean)
		}
		mean, _ := c.moments(leaf, without)
		return mean
	})
}

// moments returns mean and standard deviation of an expression over the
// runs.
func (c *Contrast) moments(n *expr.Node, without int) (mean, std float64) {
	x := c.column(n)
	m, ok := c.known[n]
	if !ok {
		m = inference.Describe(x)
		c.known[n] = m
	}
	if without < 0 {
		return m.Mean, m.Std
	}
	count, d := float64(len(x)), x[without]-m.Mean
	_, exponent := math.Frexp(m.Std) // as of Describe
	std, part := math.Ldexp(m.Std, -exponent), math.Ldexp(d, -exponent)
	squares := float64(float64(std*std)*(count-1)) - float64(float64(part*part)*count)/(count-1)
	std = math.Ldexp(math.Sqrt(max(0, squares)/(count-2)), exponent)
	return m.Mean - d/(count-1), std
}

// compute estimates the number from the samples of all cells of the sweep.
func (c *Contrast) compute(samples []*results.Sample) {
	var lefts, rights []float64
	for _, set := range c.sets {
		c.join(lists.Map(set, func(cell int64) *results.Sample { return samples[cell] }))
		values := c.estimate(c.number)
		if c.over && len(values) == 0 { // its sides do not count either
			continue
		} else if c.over {
			values = []float64{inference.Describe(values).Mean}
		}
		c.sample = append(c.sample, values...)
		lefts, rights = append(lefts, c.side(c.left)), append(rights, c.side(c.right))
	}
	c.columns, c.known = nil, nil
	c.Left, c.Right = inference.Describe(lefts).Mean, inference.Describe(rights).Mean
	m, side := inference.Describe(c.sample), max(math.Abs(c.Left), math.Abs(c.Right))
	if c.number.Op == "-" && c.number.Args[0] == c.left && m.Std < 1e-14*side { // by rounding errors
		c.sample = slices.Repeat([]float64{m.Mean}, m.N)
	}
	c.N, c.Estimate = len(c.sample), inference.Mean(c.sample)
	c.Low, c.High = c.Estimate.Interval(inference.Confidence)
}

func (c *Contrast) side(n *expr.Node) float64 {
	if n == nil || c.n == 0 {
		return math.NaN()
	}
	return c.value(n, -1)
}

// Warnings tell what to doubt about the limits.
func (c *Contrast) Warnings() []string {
	list := slices.Clone(c.Estimate.Warnings)
	if c.Estimate.Method == inference.Bootstrap {
		list = append(list, "skewed: limits by the bootstrap")
	}
	if c.Unpaired > 0 {
		list = append(list, "some runs failed, are undefined or have no partner, and are left out")
	}
	return list
}
