package analysis

import (
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/results"
)

// The verdicts on claims. Undecided means that the confidence interval
// straddles what is accepted, or that there are too few runs for an interval.
// Tied means that it straddles a bound, and lies within the claim's margin on
// both sides of it: what is compared is equivalent (Schuirmann, A comparison
// of the two one-sided tests procedure and the power approach, 1987).
const (
	Holds     = "holds"
	Fails     = "fails"
	Tied      = "tied"
	Undecided = "undecided"
	Untested  = "untested"
)

// A Claim is a claim of a spec, or what it says about a row of a paper's table,
// with its verdict.
//
// A claim about each case holds if every case does at level
// inference.Confidence: an intersection–union test needs no correction. It
// fails if any case does at the level that Bonferroni asks for with that number
// of cases. A claim about some is the reverse: it holds if all the cases of one
// place do, at the level for the number of places, and fails if every place
// does. A claim is tied if cases are tied, and no other verdict on them could
// become another one with more runs.
type Claim struct {
	*grid.Claim
	Sweep   string   // the spec's name
	Missing []string // what the sweep's directory lacks
	Text    string   // the claim's, and the row's of a table
	Verdict string
	Cases   []*Case
}

// The quantities that a case estimates: the left side itself, its difference
// from the right side, its ratio to the right side.
const (
	Value      = "value"
	Difference = "difference"
	Ratio      = "ratio"
)

// A Case is one comparison of a claim, in one combination of the values of
// the parameters over which it ranges.
type Case struct {
	Where     string  // what sets the case apart, such as "N = 32, f = 0.1"; empty if it is alone
	Quantity  string  // what is estimated
	Least     float64 // what is accepted of it, up to Most; infinite if open
	Most      float64
	Margin    float64 // how near to the bound it is tied; 0 without a margin
	PaperMean float64 // what a paper printed; NaN if nothing
	PaperStd  float64
	Contrast
	Verdict string // of this case alone, at level inference.Confidence

	node            *expr.Node // the comparison
	row             string     // what it adds to the text of the claim
	open            bool       // Least and Most themselves are not accepted
	mayDivideByZero bool
	place           []experiment.Value // values of the parameters of some
}

// A Judge judges the claims of the spec of a directory by the runs that Add
// gets.
type Judge struct {
	*results.Sampler
	Series bool // whether the runs must have their series

	reader  *results.Reader
	claims  []*Claim
	seconds int // the measure of how long runs took
}

// NewJudge returns the judge of a directory. The error is a *grid.Error about
// its claims.
func NewJudge(v *results.Reader) (*Judge, error) {
	claims, r, err := understand(v.Spec)
	if err != nil {
		return nil, err
	}
	seconds := r.measure("seconds", func(run *results.Row) float64 { return run.Seconds })
	return &Judge{
		Sampler: v.NewSampler(r.measures),
		Series:  r.series,
		reader:  v,
		claims:  claims,
		seconds: seconds,
	}, nil
}

// Claims returns the claims with their verdicts.
func (j *Judge) Claims() []*Claim {
	v := j.reader
	missing := incompleteRuns(v)
	for _, c := range j.claims {
		for _, k := range c.Cases {
			if v.Plan.Bought() != nil {
				j.look(k)
			}
			k.judge(j.Cells)
		}
		c.Sweep = v.Name
		c.Missing = missing
		c.Verdict = c.verdict()
	}
	return j.claims
}

// Claims judges the claims of the spec of a directory by the runs that are
// there, and prices those that are undecided.
func Claims(v *results.Reader) (claims []*Claim, prices []*Price, err error) {
	j, err := NewJudge(v)
	if err != nil {
		return nil, nil, err
	}
	if err := j.AddAll(v.Runs(j.Series)); err != nil {
		return nil, nil, err
	}
	return j.Claims(), j.Prices(), nil
}

// ListClaims returns claims that nothing tests, under a name for all of them.
func ListClaims(name string, claims []grid.Claim) (list []*Claim) {
	for i := range claims {
		c := &claims[i]
		list = append(list, &Claim{Claim: c, Sweep: name, Text: c.Text, Verdict: Untested})
	}
	return list
}

// Group returns with which others a claim is counted: "predictions", or
// "calibrated", which were fitted; empty if it is untested.
func (c *Claim) Group() string {
	switch {
	case c.Verdict == Untested:
		return ""
	case c.Calibrated:
		return "calibrated"
	}
	return "predictions"
}

// Count returns how many claims have the verdict.
func Count(claims []*Claim, verdict string) (n int) {
	for _, c := range claims {
		if c.Verdict == verdict {
			n++
		}
	}
	return n
}

// Places returns the cases at each combination of the values of some; without
// some, all cases as one place.
func (c *Claim) Places() (places [][]*Case) {
	known := map[string]bool{}
	for _, first := range c.Cases {
		key := experiment.Key(first.place)
		if known[key] {
			continue
		}
		known[key] = true
		var here []*Case
		for _, k := range c.Cases {
			if agree(k.place, first.place) {
				here = append(here, k)
			}
		}
		places = append(places, here)
	}
	return places
}

// agree reports whether two places are one, but for parameters that one of them
// does not use.
func agree(a, b []experiment.Value) bool {
	for i := range a {
		if isSet(a[i]) && isSet(b[i]) && a[i] != b[i] {
			return false
		}
	}
	return true
}

// verdict joins the verdicts of the cases: the best that one place has.
func (c *Claim) verdict() string {
	if c.Untested != "" {
		return Untested
	}
	places := c.Places()
	best := Fails
	order := []string{Fails, Tied, Undecided, Holds} // the best is last
	for _, cases := range places {
		v := together(cases, len(places))
		if slices.Index(order, v) > slices.Index(order, best) {
			best = v
		}
	}
	return best
}

// together returns the verdict on all cases of one place, of which there are
// several.
func together(cases []*Case, places int) string {
	joined := Holds
	for _, k := range cases {
		if k.at(len(cases)) == Fails {
			return Fails
		}
		switch k.at(places) {
		case Holds:
		case Tied:
			if joined == Holds {
				joined = Tied
			}
		default:
			joined = Undecided
		}
	}
	return joined
}

// judge estimates the case and judges it alone.
func (k *Case) judge(samples []*results.Sample) {
	k.compute(samples)
	k.number.Walk(func(n *expr.Node) {
		if degree(n) < 2 || n.Op != "/" && !isVariation(n) {
			return
		}
		divisor := Contrast{
			terms:  k.terms,
			sets:   k.sets,
			over:   k.over,
			number: n.Args[len(n.Args)-1],

			until:      k.until,
			sequential: k.sequential,
		}
		divisor.compute(samples)
		mayBeNegative := n == k.number && k.Quantity == Ratio && k.Margin > 0
		if !(divisor.Low > 0 || divisor.High < 0 && !mayBeNegative) {
			k.mayDivideByZero = true
		}
	})
	k.Verdict = k.at(1)
}

// at returns the verdict at the level that Bonferroni asks for with a number of
// cases.
func (k *Case) at(cases int) string {
	low, high := k.Estimate.Interval(inference.Simultaneous(inference.Confidence, cases))
	switch {
	case k.mayDivideByZero || math.IsNaN(low) || math.IsNaN(high):
		return Undecided
	case k.accepts(low) && k.accepts(high):
		return Holds
	case high < k.Least || low > k.Most:
		return Fails
	case k.open && (high == k.Least || low == k.Most):
		return Fails
	case k.Margin > 0 && k.isNear(low) && k.isNear(high):
		return Tied
	}
	return Undecided
}

// accepts reports whether a number meets the comparison.
func (k *Case) accepts(x float64) bool {
	if k.open && (x == k.Least || x == k.Most) {
		return false
	}
	return x >= k.Least && x <= k.Most
}

// isNear reports whether a number is within the margin of the bound.
func (k *Case) isNear(x float64) bool {
	bound := k.Least
	if math.IsInf(bound, -1) {
		bound = k.Most
	}
	return math.Abs(x-bound) <= k.Margin
}

// Printed returns what a paper printed.
func (k *Case) Printed() string {
	return table.Exact(k.PaperMean) + " ± " + table.Exact(k.PaperStd)
}

// Z returns the difference from what a paper printed, in units of the
// standard deviation that it printed; NaN if it printed none.
func (k *Case) Z() float64 {
	if !(k.PaperStd > 0) {
		return math.NaN()
	}
	return (k.Left - k.PaperMean) / k.PaperStd
}

// maxZ is the number of the paper's standard deviations beyond which a case has
// a warning.
const maxZ = 2

// Warnings tell what to doubt about the case.
func (k *Case) Warnings() []string {
	list := k.Contrast.Warnings()
	if k.mayDivideByZero {
		text := "what is divided by may be 0"
		if k.Margin > 0 {
			text += ", or is below it"
		}
		list = append(list, text)
	}
	if math.Abs(k.Z()) > maxZ {
		list = append(list, "more than 2 of the paper's standard deviations away")
	}
	return list
}
