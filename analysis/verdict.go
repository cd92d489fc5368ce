package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweep/grid"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/results"
)

// The verdicts on claims. Undecided means that the confidence interval straddles
// what is accepted, or that there are too few runs for one.
const (
	Holds     = "holds"
	Fails     = "fails"
	Undecided = "undecided"
	Untested  = "untested"
)

// A Check holds the verdicts on the claims about one directory.
type Check struct {
	Name     string // the spec's name
	Claims   []*Claim
	Warnings []string // what the directory lacks
}

// A Claim is a claim of a spec, or what it says about a row of a paper's table,
// with its verdict.
//
// A claim about each case holds if every case does at level
// inference.Confidence: an intersection–union test needs no correction. It
// fails if any case does at the level that Bonferroni asks for with so many
// cases. A claim about some case is the reverse.
type Claim struct {
	*grid.Claim
	Text    string // the claim's, and the row's of a table
	Verdict string
	Cases   []*Case
}

// The quantities that a case estimates: the left side itself, its difference from
// the right side, its ratio to the right side.
const (
	Value      = "value"
	Difference = "difference"
	Ratio      = "ratio"
)

// A Case is one comparison of a claim, in one combination of the values of
// the parameters over which it ranges.
type Case struct {
	Where               string  // what sets the case apart, as "N = 32, f = 0.1"; empty if it is the only one
	Quantity            string  // what is estimated
	Least, Most         float64 // what is accepted of it; infinite if open
	PaperMean, PaperStd float64 // what a paper printed; NaN if nothing
	Contrast
	Verdict string // of this case alone, at level inference.Confidence

	node            *expr.Node // the comparison
	row             string     // what it adds to the text of the claim
	open            bool       // Least and Most themselves are not accepted
	mayDivideByZero bool
	family          string // the verdict as one of a family of cases
}

// Judge judges the claims of the spec of a directory by the runs that are
// there.
func Judge(v *results.Reader) (*Check, error) {
	claims, r, err := understand(v.Spec)
	if err != nil {
		return nil, err
	}
	samples, err := v.Samples(r.series, r.measures, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		for _, k := range c.Cases {
			k.judge(samples, len(c.Cases))
		}
		c.Verdict = c.verdict()
	}
	return &Check{v.Name, claims, incomplete(v.Assigned(), v.OK(), v.Failed(), v.Plan.Stop())}, nil
}

// ListClaims returns a check of claims that nothing tests.
func ListClaims(name string, claims []grid.Claim) *Check {
	return &Check{Name: name, Claims: lists.Map(claims, func(c grid.Claim) *Claim {
		return &Claim{Claim: &c, Text: c.Text, Verdict: Untested}
	})}
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
func (c *Check) Count(v string) int {
	n := 0
	for _, j := range c.Claims {
		if j.Verdict == v {
			n++
		}
	}
	return n
}

// verdict joins the verdicts of the cases.
func (c *Claim) verdict() string {
	if c.Untested != "" {
		return Untested
	}
	one, all := Fails, Holds // what a single case decides, what takes all of them
	if c.Some != nil {
		one, all = Holds, Fails
	}
	joined := all
	for _, k := range c.Cases {
		if k.family == one {
			return one
		}
		if k.Verdict != all {
			joined = Undecided
		}
	}
	return joined
}

// judge estimates the case and judges it, alone and as one of so many.
func (k *Case) judge(samples []*results.Sample, family int) {
	k.compute(samples)
	k.Verdict = k.stands(k.Low, k.High)
	k.family = k.stands(k.Estimate.Interval(inference.Simultaneous(inference.Confidence, family)))
	k.number.Walk(func(n *expr.Node) {
		if n.Op != "/" || degree(n.Args[1]) == 0 {
			return
		}
		d := Contrast{terms: k.terms, sets: k.sets, number: n.Args[1]}
		if d.compute(samples); !(d.Low > 0 || d.High < 0) {
			k.mayDivideByZero, k.Verdict, k.family = true, Undecided, Undecided
		}
	})
}

// stands says how limits stand to what is accepted.
func (k *Case) stands(low, high float64) string {
	switch {
	case math.IsNaN(low) || math.IsNaN(high):
		return Undecided
	case k.open && low > k.Least && high < k.Most, !k.open && low >= k.Least && high <= k.Most:
		return Holds
	case k.open && (high <= k.Least || low >= k.Most), !k.open && (high < k.Least || low > k.Most):
		return Fails
	}
	return Undecided
}

// Printed returns what a paper printed.
func (k *Case) Printed() string { return report.Exact(k.PaperMean) + " ± " + report.Exact(k.PaperStd) }

// Z returns the difference from what a paper printed, in units of the
// standard deviation that it printed; NaN if it printed none.
func (k *Case) Z() float64 {
	if !(k.PaperStd > 0) {
		return math.NaN()
	}
	return (k.Left - k.PaperMean) / k.PaperStd
}

// Warnings tell what to doubt about the case.
func (k *Case) Warnings() []string {
	list := k.Contrast.Warnings()
	if k.mayDivideByZero {
		list = append(list, "what is divided by may be 0")
	}
	if math.Abs(k.Z()) > 2 {
		list = append(list, "more than 2 of the paper's standard deviations away")
	}
	return list
}

// tally counts the verdicts, as in "12 claims: 11 hold, 1 undecided".
func (c *Check) tally() string {
	var parts []string
	for _, v := range []string{Holds, Fails, Undecided, Untested} {
		n := c.Count(v)
		if n > 1 {
			v = strings.TrimSuffix(v, "s")
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return report.Count(int64(len(c.Claims)), "claim") + ": " + strings.Join(parts, ", ")
}

// Tables returns checks as tables: in JSON a record for each claim with its
// cases, in CSV a record for each case, and for people a table for each claim
// and, after several checks, one of the totals.
func Tables(checks []*Check, f string) (list []*report.Table) {
	forPeople := slices.Contains(report.People, f)
	for _, c := range checks {
		if f == report.JSON {
			list = append(list, c.records())
			continue
		}
		if forPeople {
			list = append(list, &report.Table{Title: c.Name + ", " + c.tally()})
		}
		for _, j := range c.Claims {
			t := j.Table(c.Name)
			if forPeople && t.Rows == nil {
				t.Columns = nil
			}
			list = append(list, t)
		}
		if forPeople && c.Warnings != nil {
			list = append(list, &report.Table{Warnings: c.Warnings})
		}
	}
	if forPeople && len(checks) > 1 {
		list = append(list, totals(checks))
	}
	return list
}

// records returns a record for each claim.
func (c *Check) records() *report.Table {
	t := &report.Table{Columns: report.Texts("sweep", "verdict", "claim", "source", "expect", "each", "some", "over",
		"calibrated", "untested", "cases", "warnings")}
	for _, j := range c.Claims {
		t.Rows = append(t.Rows, []any{c.Name, j.Verdict, j.Text, j.Source, j.Expect.Text, texts(j.Each), texts(j.Some), texts(j.Over),
			j.Calibrated, j.Untested, j.Table(c.Name), append([]string{}, c.Warnings...)})
	}
	return t
}

func texts(list []grid.Quoted) []string {
	return lists.Map(list, func(q grid.Quoted) string { return q.Text })
}

// Table returns the cases of a claim of a sweep.
func (j *Claim) Table(sweep string) *report.Table {
	var contrasts []*Contrast
	var what string
	several, z, paper := report.Programs, report.Programs, []string{} // who sees these columns
	for i, k := range j.Cases {
		contrasts = append(contrasts, &k.Contrast)
		if k.Where != "" {
			several = nil
		}
		if k.PaperStd > 0 {
			z, paper = nil, report.People
		}
		if i == 0 {
			what = k.Quantity
		} else if what != k.Quantity {
			what = "measured"
		}
	}
	csv := []string{report.CSV}
	t := &report.Table{Title: fmt.Sprintf("%-11s%s", j.Verdict, j.Text), Lead: 1}
	t.Columns = slices.Concat([]report.Column{{Name: "sweep", In: csv}, {Name: "claim", In: csv}, {Name: "claim_verdict", In: csv},
		{Name: "where", Left: true, In: several}}, contrastColumns(contrasts, "left", "right", what, "estimate"),
		report.Data("quantity", "least", "most", "paper_mean", "paper_std"), []report.Column{{Name: "wanted", Left: true, In: report.People},
			{Name: "paper", In: paper}, {Name: "z", Decimals: 1, Signed: true, In: z}, {Name: "verdict", Left: true}}, footnoteColumns)
	for _, k := range j.Cases {
		t.Rows = append(t.Rows, slices.Concat([]any{sweep, j.Text, j.Verdict, k.Where}, k.Contrast.cells(),
			[]any{k.Quantity, k.Least, k.Most, k.PaperMean, k.PaperStd, k.Wanted(), k.Printed(), k.Z(), k.Verdict}, footnotes(&t.Warnings, k.Warnings())))
	}
	t.Notes = []string{j.Source, j.tested()}
	if j.Calibrated {
		t.Notes = append(t.Notes, "calibrated: what was fitted, no prediction")
	}
	return t
}

// tested says how the claim is tested.
func (j *Claim) tested() string {
	if j.Verdict == Untested {
		return "untested: " + j.Untested
	}
	text := "tested as " + j.Expect.Text
	for i, names := range [][]grid.Quoted{j.Each, j.Some, j.Over} {
		if names != nil {
			text += [...]string{", for each ", ", for some ", ", averaged over "}[i] + strings.Join(texts(names), ", ")
		}
	}
	return text
}

// Wanted says what is accepted of a case.
func (k *Case) Wanted() string {
	show := func(x float64) string { return strings.Replace(strconv.FormatFloat(x, 'g', 6, 64), "-", "−", 1) }
	switch {
	case k.Least == k.Most:
		return show(k.Least)
	case math.IsInf(k.Most, 1):
		return "above " + show(k.Least)
	case math.IsInf(k.Least, -1):
		return "below " + show(k.Most)
	}
	return show(k.Least) + " to " + show(k.Most)
}

// totals counts the verdicts of all checks, those on calibrated claims
// apart.
func totals(checks []*Check) *report.Table {
	groups := map[string]*Check{"predictions": {}, "calibrated": {}, "": {}}
	for _, c := range checks {
		for _, j := range c.Claims {
			g := groups[j.Group()]
			g.Claims = append(g.Claims, j)
		}
	}
	return &report.Table{Title: "totals", Notes: []string{"predictions: " + groups["predictions"].tally(),
		"calibrated: " + groups["calibrated"].tally(), "not tested: " + groups[""].tally()}}
}
