package analysis

import (
	"math"
	"slices"

	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/results"
)

// A Contrast is a number computed from the means of one or several cells, such
// as the difference of two, with its confidence limits. It is estimated from
// the runs whose seed all of the cells have in common: their values are the
// sample. If it is averaged over sets of cells, such as one set for each
// recorded world, the sample has one value of each set, and the limits are
// those of an average over worlds.
type Contrast struct {
	N        int     // values of the sample
	Unpaired int     // runs left out: failed, undefined, or without a partner
	Left     float64 // means of the sides; NaN if not defined, or if there is no such side
	Right    float64
	Estimate *inference.Location
	Low      float64 // limits at level inference.Confidence
	High     float64

	terms  []*term
	sets   [][]int64  // each has a cell for each term
	over   bool       // the contrast is averaged over sets, even if there is only one
	number *expr.Node // what is computed from the terms
	left   *expr.Node // its sides; nil if there is none
	right  *expr.Node
	sample []float64 // Estimate is its mean

	// isRounded says that the sample was made equal: its values differed by
	// rounding alone.
	isRounded bool

	// until is how many of the plan's first seeds count, or allSeeds, or
	// noSeeds. If seeds are counted, all of them have ended.
	until      int64
	sequential bool // the limits hold at all looks

	// Of the set at hand: the number of runs that its cells have in common, and
	// the values in these of terms and of other expressions already computed.
	n       int
	columns map[*expr.Node][]float64
	known   map[*expr.Node]inference.Moments
}

// Values of Contrast.until that are no numbers of seeds.
const (
	allSeeds = 0
	noSeeds  = -1
)

// join pairs the runs of the cells of the terms that have a seed in common and
// in which all terms are defined. All other runs, also failed ones, are left
// out. Runs of one seed meet the same environment: their values belong
// together, on common random numbers.
func (c *Contrast) join(cells []*results.Sample) {
	c.n = 0
	c.columns = map[*expr.Node][]float64{}
	c.known = map[*expr.Node]inference.Moments{}
	if slices.Contains(cells, nil) { // a cell without runs
		return
	}
	row := make([]float64, len(c.terms))
next:
	for _, seed := range cells[0].Seeds {
		if c.until != allSeeds && seed >= c.until {
			break
		}
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
		if slices.Contains(cells[:i], s) {
			continue
		}
		if c.until == allSeeds {
			c.Unpaired += len(s.Seeds) + int(s.Failed) - c.n
		} else {
			c.Unpaired += int(max(0, c.until)) - c.n
		}
	}
}

// estimate returns a sample whose mean estimates the expression, and whose
// spread its error.
//
// If the expression is linear in the runs, the sample is its value in each run:
// the paired differences, for example. For a ratio or a variation, the sample
// is the pseudo-values of the jackknife (Efron and Tibshirani, An Introduction
// to the Bootstrap, section 11.5): for each run, n times the value from all n
// runs less n−1 times the value from all but this one. For a linear expression
// both are the same.
func (c *Contrast) estimate(n *expr.Node) []float64 {
	if degree(n) <= 1 {
		return c.column(n)
	}
	all := c.value(n, -1)
	sample := make([]float64, c.n)
	for i := range sample {
		sample[i] = float64(float64(c.n)*all) - float64(float64(c.n-1)*c.value(n, i))
	}
	if slices.ContainsFunc(sample, isNotFinite) {
		return nil
	}
	return sample
}

func isNotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// degree returns 0 for a constant, 1 for what is linear in the values of the
// runs, and 2 for all else.
func degree(n *expr.Node) int {
	arg := func(i int) int {
		return degree(n.Args[i])
	}
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
			x[i] = n.Arithmetic(func(leaf *expr.Node) float64 {
				return c.columns[leaf][i]
			})
		}
		c.columns[n] = x
	}
	return x
}

// value computes an expression from means over the runs. It leaves one of them
// out unless without is negative.
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
	count := float64(len(x))
	d := x[without] - m.Mean
	_, exponent := math.Frexp(m.Std) // squares must not overflow, as in Describe
	scaled := math.Ldexp(m.Std, -exponent)
	part := math.Ldexp(d, -exponent)
	all := float64(float64(scaled*scaled) * (count - 1))
	own := float64(float64(part*part)*count) / (count - 1)
	std = math.Ldexp(math.Sqrt(max(0, all-own)/(count-2)), exponent)
	return m.Mean - d/(count-1), std
}

// inputRounding is the standard deviation of differences, in parts of the
// larger side, up to which they may differ only because their terms are rounded
// to 64-bit floating-point numbers.
const inputRounding = 4 * 0x1p-52

// computedRounding is the same where the terms are computed: means over runs,
// or the metrics of two versions of a program, which may compute them in
// another order.
const computedRounding = 1e-14

// areWhole reports whether numbers are whole: counts and times in whole units
// are not rounded, however large they are.
func areWhole(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != math.Trunc(v) })
}

// compute estimates the number from the samples of all cells of the sweep.
func (c *Contrast) compute(samples []*results.Sample) {
	var lefts, rights []float64
	for _, set := range c.sets {
		cells := make([]*results.Sample, len(set))
		for i, cell := range set {
			cells[i] = samples[cell]
		}
		c.join(cells)
		values := c.estimate(c.number)
		if c.over && len(values) == 0 { // its sides do not count either
			continue
		}
		if c.over {
			values = []float64{mean(values)}
		}
		c.sample = append(c.sample, values...)
		lefts = append(lefts, c.side(c.left))
		rights = append(rights, c.side(c.right))
	}
	c.columns = nil
	c.known = nil
	c.Left = mean(lefts)
	c.Right = mean(rights)
	m := inference.Describe(c.sample)
	side := max(math.Abs(c.Left), math.Abs(c.Right))
	isDifference := c.number.Op == "-" && c.number.Args[0] == c.left
	rounding := inputRounding * side
	if c.over {
		rounding = computedRounding * side
	}
	if isDifference && m.Std < rounding && !areWhole(c.sample) {
		c.isRounded = true
		common := m.Mean
		if math.Abs(common) < rounding {
			common = 0
		}
		c.sample = slices.Repeat([]float64{common}, m.N)
	}
	c.N = len(c.sample)
	c.infer()
}

// infer estimates the mean of the sample, with its limits.
func (c *Contrast) infer() {
	if c.sequential {
		c.Estimate = inference.Sequential(c.sample)
	} else {
		c.Estimate = inference.Mean(c.sample)
	}
	c.Low, c.High = c.Estimate.Interval(inference.Confidence)
}

// countOnce makes one value of a sample whose seeds make no difference: it has
// no limits, and tests nothing. Means over several worlds stay as they are.
func (c *Contrast) countOnce() {
	if !c.over && c.N > 1 {
		c.sample = c.sample[:1]
		c.infer()
	}
}

func (c *Contrast) side(n *expr.Node) float64 {
	if n == nil || c.n == 0 {
		return math.NaN()
	}
	return c.value(n, -1)
}

// Warnings say why the limits may be wrong.
func (c *Contrast) Warnings() []string {
	var list []string
	if c.Estimate.Warning != "" {
		list = append(list, c.Estimate.Warning)
	}
	if c.Estimate.Method == inference.Bootstrap {
		list = append(list, "skewed: limits by the bootstrap")
	}
	if c.Unpaired > 0 {
		list = append(list, "some runs failed, are undefined or have no partner, and are left out")
	}
	return list
}
