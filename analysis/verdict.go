package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
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

// A Claim is a claim of a spec, or what it says about a row of a paper's table,
// with its verdict.
//
// A claim about each case holds if every case does at level
// inference.Confidence: an intersection–union test needs no correction. It
// fails if any case does at the level that Bonferroni asks for with so many
// cases. A claim about some is the reverse: it holds if all the cases of one
// place do, at the level for so many places, and fails if every place does.
type Claim struct {
	*grid.Claim
	Sweep   string   // the spec's name
	Missing []string // what the sweep's directory lacks
	Text    string   // the claim's, and the row's of a table
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
	place           []experiment.Value // values of the parameters of some
}

// Judge judges the claims of the spec of a directory by the runs that are
// there.
func Judge(v *results.Reader) ([]*Claim, error) {
	claims, r, err := understand(v.Spec)
	if err != nil {
		return nil, err
	}
	samples, err := v.Samples(r.series, r.measures, nil)
	if err != nil {
		return nil, err
	}
	missing := incomplete(v.Assigned(), v.OK(), v.Failed(), v.Plan.Stop())
	for _, c := range claims {
		for _, k := range c.Cases {
			k.judge(samples)
		}
		c.Sweep, c.Missing, c.Verdict = v.Name, missing, c.verdict()
	}
	return claims, nil
}

// ListClaims returns claims that nothing tests, under a name for all of them.
func ListClaims(name string, claims []grid.Claim) []*Claim {
	return lists.Map(claims, func(c grid.Claim) *Claim {
		return &Claim{Claim: &c, Sweep: name, Text: c.Text, Verdict: Untested}
	})
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
func Count(claims []*Claim, v string) int {
	return lists.Count(claims, func(c *Claim) bool { return c.Verdict == v })
}

// Places returns the cases at each combination of the values of some; else all of them.
func (c *Claim) Places() [][]*Case {
	agree := func(v, w experiment.Value) bool { return v == w || v.IsNull() || w.IsNull() }
	places := grouped(c.Cases, func(k *Case) string { return fmt.Sprint(k.place) })
	return lists.Map(places, func(p []*Case) []*Case {
		elsewhere := func(k *Case) bool { return !slices.EqualFunc(k.place, p[0].place, agree) }
		return slices.DeleteFunc(slices.Clone(c.Cases), elsewhere)
	})
}

// verdict joins the verdicts of the cases: the best that one place has.
func (c *Claim) verdict() string {
	if c.Untested != "" {
		return Untested
	}
	best, places := Fails, c.Places()
	for _, p := range places {
		if v := together(p, len(places)); v == Holds || best == Fails {
			best = v
		}
	}
	return best
}

// together returns the verdict on all cases of one of so many places.
func together(cases []*Case, places int) string {
	joined := Holds
	for _, k := range cases {
		if k.at(len(cases)) == Fails {
			return Fails
		}
		if k.at(places) != Holds {
			joined = Undecided
		}
	}
	return joined
}

// judge estimates the case and judges it alone.
func (k *Case) judge(samples []*results.Sample) {
	k.compute(samples)
	k.number.Walk(func(n *expr.Node) {
		if degree(n) > 1 && (n.Op == "/" || isVariation(n)) {
			d := Contrast{terms: k.terms, sets: k.sets, over: k.over, number: n.Args[len(n.Args)-1]}
			d.compute(samples)
			k.mayDivideByZero = k.mayDivideByZero || !(d.Low > 0 || d.High < 0)
		}
	})
	k.Verdict = k.at(1)
}

// at returns the verdict at the level that Bonferroni asks for with so many cases.
func (k *Case) at(cases int) string {
	low, high := k.Estimate.Interval(inference.Simultaneous(inference.Confidence, cases))
	switch {
	case k.mayDivideByZero || math.IsNaN(low) || math.IsNaN(high):
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
func tally(claims []*Claim) string {
	var parts []string
	for _, v := range []string{Holds, Fails, Undecided, Untested} {
		n := Count(claims, v)
		if n > 1 {
			v = strings.TrimSuffix(v, "s")
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return report.Count(int64(len(claims)), "claim") + ": " + strings.Join(parts, ", ")
}

// Tables returns claims as tables: in JSON a record for each with its cases, in
// CSV a record for each case, and for people a table for each claim and, after
// those of several sweeps, one of the totals.
func Tables(claims []*Claim, f string) (list []*report.Table) {
	if f == report.JSON {
		return []*report.Table{records(claims)}
	}
	forPeople := slices.Contains(report.People, f)
	sweeps := grouped(claims, func(c *Claim) string { return c.Sweep })
	for _, sweep := range sweeps {
		if forPeople {
			list = append(list, &report.Table{Title: sweep[0].Sweep + ", " + tally(sweep)})
		}
		for _, c := range sweep {
			t := c.Table()
			if forPeople && t.Rows == nil {
				t.Columns = nil
			}
			list = append(list, t)
		}
		if missing := sweep[0].Missing; forPeople && missing != nil {
			list = append(list, &report.Table{Warnings: missing})
		}
	}
	if forPeople && len(sweeps) > 1 {
		list = append(list, totals(claims))
	}
	return list
}

// records returns a record for each claim.
func records(claims []*Claim) *report.Table {
	t := &report.Table{Columns: report.Texts("sweep", "verdict", "claim", "source", "expect", "each", "some",
		"over", "calibrated", "untested", "cases", "warnings")}
	list := func(names []string) []string { return append([]string{}, names...) } // none is [] in JSON
	for _, c := range claims {
		t.Rows = append(t.Rows, []any{c.Sweep, c.Verdict, c.Text, c.Source, c.Expect, list(c.Each),
			list(c.Some), list(c.Over), c.Calibrated, c.Untested, c.Table(), list(c.Missing)})
	}
	return t
}

// Table returns the cases of a claim.
func (c *Claim) Table() *report.Table {
	contrasts := lists.Map(c.Cases, func(k *Case) *Contrast { return &k.Contrast })
	var what string
	several, z, paper := report.Programs, report.Programs, []string{} // who sees these columns
	for _, k := range c.Cases {
		if k.Where != "" {
			several = nil
		}
		if k.PaperStd > 0 {
			z, paper = nil, report.People
		}
		if what = cmp.Or(what, k.Quantity); what != k.Quantity {
			what = "measured"
		}
	}
	csv := []string{report.CSV}
	t := &report.Table{Title: fmt.Sprintf("%-11s%s", c.Verdict, c.Text), Lead: 1}
	t.Columns = slices.Concat(
		[]report.Column{{Name: "sweep", In: csv}, {Name: "claim", In: csv}, {Name: "claim_verdict", In: csv},
			{Name: "where", Left: true, In: several}},
		contrastColumns(contrasts, "left", "right", what, "estimate"),
		report.Data("quantity", "least", "most", "paper_mean", "paper_std"),
		[]report.Column{{Name: "wanted", Left: true, In: report.People}, {Name: "paper", In: paper},
			{Name: "z", Decimals: 1, Signed: true, In: z}, {Name: "verdict", Left: true}}, footnoteColumns)
	for _, k := range c.Cases {
		wanted := []any{k.Quantity, k.Least, k.Most, k.PaperMean, k.PaperStd, k.Wanted(), k.Printed(), k.Z()}
		t.Rows = append(t.Rows, slices.Concat([]any{c.Sweep, c.Text, c.Verdict, k.Where}, k.Contrast.cells(),
			wanted, []any{k.Verdict}, footnotes(&t.Warnings, k.Warnings())))
	}
	t.Notes = []string{c.Source, c.tested()}
	if c.Calibrated {
		t.Notes = append(t.Notes, "calibrated: what was fitted, no prediction")
	}
	return t
}

// tested says how the claim is tested.
func (c *Claim) tested() string {
	if c.Verdict == Untested {
		return "untested: " + c.Untested
	}
	text := "tested as " + c.Expect
	words := []string{", for each ", ", for some ", ", averaged over "}
	for i, names := range [][]string{c.Each, c.Some, c.Over} {
		if names != nil {
			text += words[i] + strings.Join(names, ", ")
		}
	}
	return text
}

// Wanted says what is accepted of a case.
func (k *Case) Wanted() string {
	show := func(x float64) string { return strings.Replace(fmt.Sprintf("%.6g", x), "-", "−", 1) }
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

// totals counts the verdicts on all claims, those on calibrated ones apart.
func totals(claims []*Claim) *report.Table {
	groups := map[string][]*Claim{}
	for _, c := range claims {
		groups[c.Group()] = append(groups[c.Group()], c)
	}
	return &report.Table{Title: "totals", Notes: []string{"predictions: " + tally(groups["predictions"]),
		"calibrated: " + tally(groups["calibrated"]), "not tested: " + tally(groups[""])}}
}
