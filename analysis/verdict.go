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
	"sweep/internal/report"
	"sweep/results"
)

// A Verdict says what became of a claim.
type Verdict string

// The verdicts. Undecided means that the confidence interval straddles what
// is accepted, or that there are too few runs for one.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "fails"
	Undecided Verdict = "undecided"
	Untested  Verdict = "untested"
)

// verdicts in the order of reports.
var verdicts = []Verdict{Holds, Fails, Undecided, Untested}

// A Check holds the verdicts on the claims about one directory.
type Check struct {
	Name     string // the spec's name
	Claims   []Judged
	Warnings []string // what the directory lacks
}

// A Judged is a claim with its verdict.
//
// A claim about each case holds if every case does at level
// inference.Confidence: an intersection–union test needs no correction. It
// fails if any case does at the level that Bonferroni asks for with so many
// cases. A claim about some case is the reverse.
type Judged struct {
	*grid.Claim
	Text    string // the claim's, and the row's of a table
	Verdict Verdict
	Cases   []*Case
}

// A Quantity is what a case estimates.
type Quantity string

// The quantities: the left side itself, its difference from the right side,
// its ratio to the right side.
const (
	Value      Quantity = "value"
	Difference Quantity = "difference"
	Ratio      Quantity = "ratio"
)

// A Case is one comparison of a claim, in one combination of the values of
// the parameters over which it ranges.
type Case struct {
	Where string // what sets the case apart, as "N = 32, f = 0.1"; empty if it is the only one
	Contrast
	Quantity            Quantity
	Least, Most         float64 // what is accepted of it; infinite if open
	PaperMean, PaperStd float64 // what a paper printed; NaN if nothing
	Verdict             Verdict // of this case alone, at level inference.Confidence

	open                   bool                      // Least and Most themselves are not accepted
	estimated, left, right *expr.Node                // right: the number, or the number of the paper
	before                 map[*expr.Node]*expr.Node // in a trend: the terms of left to those of right
	leaves                 []*expr.Node              // of estimated
	measures               []int                     // of leaves
	sets                   []map[*expr.Node]int64    // the cells of leaves; several if averaged over a parameter
	mayDivideByZero        bool
	family                 Verdict
}

// Judge judges the claims of the spec of a directory by the runs that are
// there.
func Judge(v *results.Reader) (*Check, error) {
	list, m, err := understand(v.Spec)
	if err != nil {
		return nil, err
	}
	check := &Check{Name: v.Name, Warnings: incomplete(v)}
	if len(list) == 0 {
		return check, nil
	}
	wanted := map[int64]bool{}
	for _, a := range list {
		for _, k := range a.cases {
			for _, set := range k.sets {
				for _, cell := range set {
					wanted[cell] = true
				}
			}
		}
	}
	samples, err := gather(v, m.series, m.list, func(c int64) bool { return wanted[c] })
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		for _, k := range a.cases {
			k.judge(samples, len(a.cases))
		}
		check.Claims = append(check.Claims, Judged{a.claim, a.text, verdict(a), a.cases})
	}
	return check, nil
}

// ListClaims returns a check of claims that nothing tests.
func ListClaims(name string, claims []grid.Claim) *Check {
	c := &Check{Name: name}
	for i := range claims {
		c.Claims = append(c.Claims, Judged{Claim: &claims[i], Text: claims[i].Text, Verdict: Untested})
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

// verdict joins the verdicts of an assertion's cases.
func verdict(a assertion) Verdict {
	if a.claim.Untested != "" {
		return Untested
	}
	one, all := Fails, Holds // what a single case decides, what takes all of them
	if a.claim.Some != nil {
		one, all = Holds, Fails
	}
	every := true
	for _, c := range a.cases {
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

// judge estimates the case and judges it, alone and as one of so many.
func (k *Case) judge(samples map[int64]*cellSample, family int) {
	var sets []*joined
	for _, cells := range k.sets {
		columns := make([]column, len(k.leaves))
		for i, leaf := range k.leaves {
			columns[i] = column{samples[cells[leaf]], k.measures[i]}
		}
		values, alone := aligned(columns...)
		sets = append(sets, newJoined(alone, k.leaves, values))
	}
	k.Contrast = contrast(sets, k.estimated, k.left, k.right)
	k.Verdict = k.stands(k.Low, k.High)
	k.family = k.stands(k.Estimate.Interval(inference.Simultaneous(inference.Confidence, family)))
	k.estimated.Walk(func(n *expr.Node) {
		if n.Op != "/" || degree(n.Args[1]) == 0 {
			return
		}
		if d := contrast(sets, n.Args[1], nil, nil); !(d.Low > 0 || d.High < 0) {
			k.mayDivideByZero, k.Verdict, k.family = true, Undecided, Undecided
		}
	})
}

// stands says how limits stand to what is accepted.
func (k *Case) stands(low, high float64) Verdict {
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

// Z returns the difference from what a paper printed, in units of the
// standard deviation that it printed; NaN if it printed none.
func (k *Case) Z() float64 {
	if !(k.PaperStd > 0) {
		return math.NaN()
	}
	return (k.Left - k.PaperMean) / k.PaperStd
}

// Doubts tell what to doubt about the case.
func (k *Case) Doubts() []string {
	list := k.Contrast.Doubts()
	if k.mayDivideByZero {
		list = append(list, "what is divided by may be 0")
	}
	if math.Abs(k.Z()) > 2 {
		list = append(list, "more than 2 of the paper's standard deviations away")
	}
	return list
}

// summary counts the verdicts, as in "12 claims: 11 hold, 1 undecided".
func (c *Check) summary() string {
	var parts []string
	for _, v := range verdicts {
		switch n := c.Count(v); {
		case n == 0:
		case v == Holds && n > 1:
			parts = append(parts, fmt.Sprintf("%d hold", n))
		case v == Fails && n > 1:
			parts = append(parts, fmt.Sprintf("%d fail", n))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	noun := "claims"
	if len(c.Claims) == 1 {
		noun = "claim"
	}
	return fmt.Sprintf("%s, %d %s: %s", c.Name, len(c.Claims), noun, strings.Join(parts, ", "))
}

// Tables returns checks as tables: in JSON a record for each claim with its
// cases, in CSV a record for each case, and for people a table for each claim
// and, after several checks, one of the totals.
func Tables(checks []*Check, f report.Format) []*report.Table {
	var list []*report.Table
	for _, c := range checks {
		switch f {
		case report.JSON:
			list = append(list, c.records())
		case report.CSV:
			for i := range c.Claims {
				list = append(list, c.table(&c.Claims[i], f))
			}
		default:
			list = append(list, &report.Table{Title: c.summary()})
			for i := range c.Claims {
				list = append(list, c.table(&c.Claims[i], f))
			}
			if c.Warnings != nil {
				list = append(list, &report.Table{Warnings: c.Warnings})
			}
		}
	}
	if len(checks) > 1 && f != report.JSON && f != report.CSV {
		list = append(list, totals(checks))
	}
	return list
}

// records returns a record for each claim.
func (c *Check) records() *report.Table {
	t := &report.Table{}
	for _, name := range []string{"sweep", "verdict", "claim", "source", "expect", "each", "some", "over", "calibrated", "untested", "cases", "warnings"} {
		t.Columns = append(t.Columns, report.Column{Name: name, In: []report.Format{report.JSON}})
	}
	for i := range c.Claims {
		j := &c.Claims[i]
		t.Rows = append(t.Rows, []any{c.Name, string(j.Verdict), j.Text, j.Source, j.Expect.Text, texts(j.Each), texts(j.Some), texts(j.Over),
			j.Calibrated, j.Untested, c.table(j, report.JSON), append([]string{}, c.Warnings...)})
	}
	return t
}

func texts(list []grid.Quoted) []string {
	names := []string{}
	for _, q := range list {
		names = append(names, q.Text)
	}
	return names
}

// table returns the cases of a claim.
func (c *Check) table(j *Judged, f report.Format) *report.Table {
	var contrasts []*Contrast
	several, paper := false, false
	what := "measured"
	for i, k := range j.Cases {
		contrasts = append(contrasts, &k.Contrast)
		several, paper = several || k.Where != "", paper || k.PaperStd > 0
		if i == 0 {
			what = string(k.Quantity)
		} else if string(k.Quantity) != what {
			what = "measured"
		}
	}
	shown := func(column report.Column, people bool) report.Column {
		if !people {
			column.In = report.Programs
		}
		return column
	}
	printed := report.Column{Name: "paper", In: []report.Format{}}
	if paper {
		printed.In = report.People
	}
	csv := func(name string) report.Column { return report.Column{Name: name, In: []report.Format{report.CSV}} }
	t := &report.Table{Title: fmt.Sprintf("%-11s%s", j.Verdict, j.Text), Lead: 1}
	t.Columns = append([]report.Column{csv("sweep"), csv("claim"), csv("claim_verdict"),
		shown(report.Column{Name: "where", Left: true}, several)}, contrastColumns(contrasts, "left", "right", what, "estimate")...)
	t.Columns = append(t.Columns, data("quantity"), report.Column{Name: "wanted", Left: true, In: report.People}, data("least"), data("most"),
		data("paper_mean"), printed, data("paper_std"),
		shown(report.Column{Name: "z", Decimals: 1, Signed: true}, paper),
		report.Column{Name: "verdict", Left: true}, report.Column{Left: true, In: report.People}, data("warnings"))
	var notes footnotes
	for _, k := range j.Cases {
		printed := report.Exact(k.PaperMean) + " ± " + report.Exact(k.PaperStd)
		row := append([]any{c.Name, j.Text, string(j.Verdict), k.Where}, k.Contrast.cells()...)
		t.Rows = append(t.Rows, append(row, string(k.Quantity), k.wanted(), k.Least, k.Most, k.PaperMean, printed, k.PaperStd, k.Z(),
			string(k.Verdict), notes.marks(k.Doubts()), strings.Join(k.Doubts(), ", ")))
	}
	if len(j.Cases) == 0 && slices.Contains(report.People, f) {
		t.Columns = nil
	}
	tested := "tested as " + j.Expect.Text + scope(j.Claim)
	if j.Verdict == Untested {
		tested = "untested: " + j.Untested
	}
	if t.Notes = []string{j.Source, tested}; j.Calibrated {
		t.Notes = append(t.Notes, "calibrated: what was fitted, no prediction")
	}
	t.Warnings = notes.warnings()
	return t
}

// scope says over what a claim ranges.
func scope(c *grid.Claim) string {
	text := ""
	for _, s := range []struct {
		word  string
		names []grid.Quoted
	}{{", for each ", c.Each}, {", for some ", c.Some}, {", averaged over ", c.Over}} {
		if s.names != nil {
			text += s.word + strings.Join(texts(s.names), ", ")
		}
	}
	return text
}

// wanted says what is accepted of a case.
func (k *Case) wanted() string {
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
	t := &report.Table{Title: "totals", Columns: []report.Column{{Name: "claims", Left: true}, {Name: "number"}}}
	for _, v := range verdicts {
		t.Columns = append(t.Columns, report.Column{Name: string(v)})
	}
	for _, kind := range []struct {
		name  string
		takes func(j *Judged) bool
	}{
		{"predictions", func(j *Judged) bool { return j.Verdict != Untested && !j.Calibrated }},
		{"calibrated", func(j *Judged) bool { return j.Verdict != Untested && j.Calibrated }},
		{"tested", func(j *Judged) bool { return j.Verdict != Untested }},
		{"not tested", func(j *Judged) bool { return j.Verdict == Untested }},
	} {
		all, counts := 0, map[Verdict]int{}
		for _, c := range checks {
			for i := range c.Claims {
				if j := &c.Claims[i]; kind.takes(j) {
					all++
					counts[j.Verdict]++
				}
			}
		}
		row := []any{kind.name, all}
		for _, v := range verdicts {
			row = append(row, counts[v])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
