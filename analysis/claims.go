package analysis

import (
	"fmt"
	"math"

	"sweep/grid"
	"sweep/internal/inference"
	"sweep/results"
)

// A Verdict says what became of a claim.
type Verdict string

// The verdicts. Undecided means that the confidence interval straddles the
// rule, or that there are too few runs for one.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "fails"
	Undecided Verdict = "undecided"
	Untested  Verdict = "untested"
)

// Verdicts returns the verdicts in the order of reports.
func Verdicts() []Verdict { return []Verdict{Holds, Fails, Undecided, Untested} }

// A Check holds the verdicts on the claims about one directory.
type Check struct {
	Name     string // the spec's name
	Claims   []Judged
	Warnings []string // what the directory lacks
}

// A Judged is a claim with its verdict.
//
// A claim about every case holds if each case does at level
// inference.Confidence: an intersection–union test needs no correction. It
// fails if any case does at the level that Bonferroni asks for with so many
// cases. A claim about some case is the reverse.
type Judged struct {
	Claim   *grid.Claim
	Verdict Verdict
	Cases   []JudgedCase
}

// A Quantity is what the limits of a case are about.
type Quantity string

// The quantities: the left side itself, its difference from the right side,
// its ratio to the right side.
const (
	Value      Quantity = "value"
	Difference Quantity = "difference"
	Ratio      Quantity = "ratio"
)

// A JudgedCase is a case with what was measured. Numbers that are not
// defined are NaN.
type JudgedCase struct {
	Case        *grid.Case
	Verdict     Verdict // of this case alone, at level inference.Confidence
	Runs        int     // or pairs of runs
	Left, Right float64 // means of the sides; Right is the case's number if it has one
	Quantity    Quantity
	Measured    float64
	Low, High   float64 // limits of Measured
	Least, Most float64 // what the rule accepts of Measured; infinite if open
	PaperRatio  float64 // Left over the number that a paper printed
	Z           float64 // Left less that number, in units of the standard deviation printed beside it
	Doubts      []string

	open   bool // Least and Most themselves are not accepted
	family Verdict
}

// CheckClaims judges claims about the runs of a view, which must be of the
// claims' plan.
func CheckClaims(v *results.Reader, claims []grid.Claim) (*Check, error) {
	j := judge{claims: claims, view: v, at: map[measureKey]int{}, wanted: map[int64]bool{}}
	j.prepare()
	var err error
	if j.samples, err = gather(v, j.series, j.measures, func(c int64) bool { return j.wanted[c] }); err != nil {
		return nil, err
	}
	check := &Check{Name: v.Name, Warnings: incomplete(v)}
	for i := range claims {
		check.Claims = append(check.Claims, j.claim(&claims[i]))
	}
	return check, nil
}

// ListClaims returns a check of claims that nothing tests.
func ListClaims(name string, claims []grid.Claim) *Check {
	c := &Check{Name: name}
	for i := range claims {
		c.Claims = append(c.Claims, Judged{Claim: &claims[i], Verdict: Untested})
	}
	return c
}

// Count returns how many claims have the verdict.
func (c *Check) Count(v Verdict) int {
	n := 0
	for _, j := range c.Claims {
		if j.Verdict == v {
			n++
		}
	}
	return n
}

// A judge knows the samples that the claims speak of.
type judge struct {
	claims []grid.Claim
	view   *results.Reader

	series   bool
	measures []measure
	at       map[measureKey]int // in measures
	wanted   map[int64]bool     // cells
	samples  *samples
}

// A measureKey tells measures apart.
type measureKey struct {
	grid.Measure
	after, to float64
}

func key(m grid.Measure, t grid.Term) measureKey { return measureKey{m, t.After, t.To} }

// prepare lists the measures and cells that the claims need.
func (j *judge) prepare() {
	e := j.view.Plan.Experiment()
	for i := range j.claims {
		for k := range j.claims[i].Cases {
			c := &j.claims[i].Cases[k]
			m := j.claims[i].Measures[c.Measure]
			for _, t := range terms(c) {
				j.wanted[t.Cell] = true
				if _, ok := j.at[key(m, t)]; ok {
					continue
				}
				j.at[key(m, t)] = len(j.measures)
				take := metric(m.Index)
				if m.Take != "" {
					take = over(&e.Series, m.Index, m.Take, t.After, t.To)
					j.series = true
				}
				j.measures = append(j.measures, take)
			}
		}
	}
}

// terms returns the terms of a case: left, what is taken off, right, what is
// taken off.
func terms(c *grid.Case) []grid.Term {
	var list []grid.Term
	for _, s := range []*grid.Side{&c.Left, c.Right} {
		if s == nil {
			continue
		}
		list = append(list, s.Of)
		if s.Minus != nil {
			list = append(list, *s.Minus)
		}
	}
	return list
}

func (j *judge) claim(c *grid.Claim) Judged {
	judged := Judged{Claim: c}
	if c.Untested != "" {
		judged.Verdict = Untested
		return judged
	}
	for i := range c.Cases {
		judged.Cases = append(judged.Cases, j.judgeCase(c, &c.Cases[i]))
	}
	judged.Verdict = verdict(c.Some, judged.Cases)
	return judged
}

// verdict joins the verdicts of cases.
func verdict(some bool, cases []JudgedCase) Verdict {
	one, all := Fails, Holds // what a single case decides, what takes all of them
	if some {
		one, all = Holds, Fails
	}
	every := true
	for _, c := range cases {
		if c.family == one {
			return one
		}
		every = every && c.Verdict == all
	}
	if every {
		return all
	}
	return Undecided
}

// sides returns the two sides of a case in each run; right is nil if it is
// a number.
func (j *judge) sides(m grid.Measure, c *grid.Case) (left, right []float64, alone int) {
	var columns []column
	for _, t := range terms(c) {
		columns = append(columns, j.samples.column(t.Cell, j.at[key(m, t)]))
	}
	values, alone := aligned(columns...)
	next := 0
	side := func(s *grid.Side) []float64 {
		x := values[next]
		next++
		if s.Minus != nil {
			x = differences(x, values[next])
			next++
		}
		return x
	}
	left = side(&c.Left)
	if c.Right != nil {
		right = side(c.Right)
	}
	return left, right, alone
}

func (j *judge) judgeCase(claim *grid.Claim, c *grid.Case) JudgedCase {
	left, right, alone := j.sides(claim.Measures[c.Measure], c)
	r := JudgedCase{
		Case: c, Runs: len(left), Left: inference.Describe(left).Mean, Right: c.Number,
		PaperRatio: math.NaN(), Z: math.NaN(),
	}
	var estimate inference.Estimate
	rule, center := claim.Rule, c.Number
	switch {
	case c.Right == nil && claim.Statistic == grid.StatisticVariation:
		r.Quantity, estimate = Value, inference.CoefficientOfVariation(left)
		r.Left = estimate.Point()
	case c.Right == nil:
		r.Quantity, estimate = Value, inference.Mean(left)
	case rule.Times != 1 || rule.Relative:
		r.Quantity, estimate, center = Ratio, inference.RatioOfMeans(left, right), rule.Times
		r.Right = inference.Describe(right).Mean
	default:
		r.Quantity, estimate, center = Difference, inference.Mean(differences(left, right)), 0
		r.Right = inference.Describe(right).Mean
	}
	if c.Std > 0 {
		r.PaperRatio, r.Z = r.Left/c.Number, (r.Left-c.Number)/c.Std
	}
	r.accept(rule, center)
	r.Measured = estimate.Point()
	r.Low, r.High = estimate.Interval(inference.Confidence)
	r.Verdict = r.judge(r.Low, r.High)
	r.family = r.judge(estimate.Interval(inference.Simultaneous(inference.Confidence, len(claim.Cases))))
	r.Doubts = estimate.Doubts()
	if r.Quantity == Ratio && !(r.Right > 0) {
		// The sides change places with the sign of the denominator.
		r.Verdict, r.family = Undecided, Undecided
		r.Doubts = append(r.Doubts, "a ratio to what is not positive")
	}
	if l, ok := estimate.(*inference.Location); ok && l.Method == inference.Bootstrap {
		r.Doubts = append(r.Doubts, "skewed: limits by the bootstrap")
	}
	if alone > 0 {
		r.Doubts = append(r.Doubts, fmt.Sprintf("runs left out, failed, undefined or without a partner: %d", alone))
	}
	return r
}

// accept sets what the rule accepts of the measured quantity.
func (r *JudgedCase) accept(rule grid.Rule, center float64) {
	r.Least, r.Most = math.Inf(-1), math.Inf(1)
	switch rule.Relation {
	case grid.Above:
		r.Least, r.open = center+rule.By, true
	case grid.Below:
		r.Most, r.open = center-rule.By, true
	case grid.Near:
		within := rule.Within
		if rule.Relative {
			within = float64(rule.Within * math.Abs(center))
		}
		r.Least, r.Most = center-within, center+within
	}
}

// judge says how limits stand to what the rule accepts.
func (r *JudgedCase) judge(low, high float64) Verdict {
	switch {
	case math.IsNaN(low) || math.IsNaN(high):
		return Undecided
	case r.open && low > r.Least && high < r.Most, !r.open && low >= r.Least && high <= r.Most:
		return Holds
	case r.open && (high <= r.Least || low >= r.Most), !r.open && (high < r.Least || low > r.Most):
		return Fails
	}
	return Undecided
}
