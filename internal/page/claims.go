package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"sweep/analysis"
	"sweep/internal/lists"
	"sweep/internal/report"
)

// A Claim is one with its verdict, and with where to look.
type Claim struct {
	*analysis.Claim
	Number string  // what was measured: of the case that decides, which is the nearest to the limit, or the farthest outside
	Wanted string  // what that is, and what is accepted of it
	Paper  string  // what a paper printed of it, with z; empty if nothing
	Where  string  // which case it is; empty if it is the only one
	Figure *Figure // that shows it; nil if none does
	Table  *report.Table
}

func (s *Sweep) claim(c *analysis.Claim) *Claim {
	claim := &Claim{Claim: c, Figure: s.figureOf(c)}
	if len(c.Cases) == 0 {
		return claim
	}
	claim.Table = c.Table()
	claim.Table.Title = c.Text
	claim.Table.Notes = claim.Table.Notes[1:2] // the source, and that it was calibrated, is told elsewhere
	nearer := func(a, b *analysis.Case) int {
		return cmp.Or(cmp.Compare(inside(a)/width(a), inside(b)/width(b)), cmp.Compare(inside(a), inside(b)))
	}
	decides := func(place []*analysis.Case) *analysis.Case { return slices.MinFunc(place, nearer) }
	best := slices.MaxFunc(lists.Map(c.Places(), decides), nearer)
	decimals := report.Decimals([]float64{best.Estimate.Value}, []float64{best.Estimate.SE})
	claim.Number = fmt.Sprintf("%s (%s to %s)", report.Fixed(best.Estimate.Value, decimals), report.Fixed(best.Low, decimals), report.Fixed(best.High, decimals))
	claim.Wanted = "wanted " + best.Wanted()
	if best.Quantity != analysis.Value {
		claim.Wanted = best.Quantity + ", " + claim.Wanted
	}
	if z := best.Z(); !math.IsNaN(z) {
		claim.Paper = fmt.Sprintf("%s, z = %s", best.Printed(), strings.Replace(fmt.Sprintf("%+.1f", z), "-", "−", 1))
	}
	if len(c.Cases) > 1 {
		claim.Where = fmt.Sprintf("%s decides, of %d cases", best.Where, len(c.Cases))
	}
	return claim
}

// inside returns how far the limits of a case are within what is accepted,
// negative outside; width how far they are apart. Limits that are not known come
// first: cmp.Compare takes NaN for less than any number.
func inside(k *analysis.Case) float64 { return min(k.Low-k.Least, k.Most-k.High) }
func width(k *analysis.Case) float64  { return k.High - k.Low }

var words = regexp.MustCompile(`\w+`)

// figureOf returns the figure that shows a claim: of those that show what the
// claim names the one that its source names, else one of the paper's, else the
// first.
func (s *Sweep) figureOf(c *analysis.Claim) (best *Figure) {
	named := words.FindAllString(c.Expect, -1)
	for _, t := range s.Spec.Experiment.Tables {
		for _, row := range t.Rows {
			if slices.Contains(named, t.Name) && (c.Text == c.Claim.Text || strings.HasSuffix(c.Text, ": "+row.Label)) {
				named = append(named, row.Metric)
			}
		}
	}
	least := 0
	for _, f := range s.Figures {
		points := 0
		if slices.ContainsFunc(f.Y, func(name string) bool { return slices.Contains(named, name) }) {
			points = 2 - f.rank()
		}
		if _, number, ok := strings.Cut(f.Source, ", Fig"); ok && strings.Contains(c.Source, "Fig"+number) {
			points += 2
		}
		if points > least {
			best, least = f, points
		}
	}
	return best
}

// far lists the cases that hold though they are more than two of the paper's
// standard deviations away from what it printed.
func far(sweeps []*Sweep) *report.Table {
	t := &report.Table{Title: "held, and more than two of the paper's standard deviations away", Columns: append(report.Texts("sweep", "claim", "where"),
		report.Column{Name: "ours"}, report.Column{Name: "paper"}, report.Column{Name: "ratio", Decimals: 3}, report.Column{Name: "z", Decimals: 1, Signed: true})}
	for _, s := range sweeps {
		for _, c := range s.Claims {
			for _, k := range c.Cases {
				if k.Verdict == analysis.Holds && math.Abs(k.Z()) > 2 {
					ours := report.Fixed(k.Left, report.Decimals([]float64{k.Left}, []float64{k.PaperStd / 10}))
					t.Rows = append(t.Rows, []any{s.Name, c.Text, k.Where, ours, k.Printed(), k.Left / k.PaperMean, k.Z()})
				}
			}
		}
	}
	return t
}

// kinds are the columns that count claims by group and verdict, which is their key;
// tested are those of what a sweep can test.
var (
	kinds = []report.Column{
		{Group: "predictions", Name: "hold", Key: analysis.Holds},
		{Group: "predictions", Name: "fail", Key: analysis.Fails},
		{Group: "predictions", Name: "undecided", Key: analysis.Undecided},
		{Group: "calibrated", Name: "hold", Key: analysis.Holds},
		{Group: "calibrated", Name: "fail", Key: analysis.Fails},
		{Group: "calibrated", Name: "undecided", Key: analysis.Undecided},
		{Name: "untested", Key: analysis.Untested},
	}
	tested = kinds[:len(kinds)-1]
)

// count appends to a row how many claims are of each kind; nothing for none.
func count(row []any, kinds []report.Column, claims []*Claim) []any {
	for _, k := range kinds {
		n := lists.Count(claims, func(c *Claim) bool { return c.Group() == k.Group && c.Verdict == k.Key })
		if row = append(row, ""); n > 0 {
			row[len(row)-1] = n
		}
	}
	return row
}

// totals counts the claims of each source: a paper, or ours.
func totals(sweeps []*Sweep, untested []*analysis.Claim) *report.Table {
	t := &report.Table{Title: "claims by source and verdict", Columns: append(report.Texts("source"), kinds...)}
	all := lists.Map(untested, func(c *analysis.Claim) *Claim { return &Claim{Claim: c} })
	for _, s := range sweeps {
		all = append(all, s.Claims...)
	}
	bySource := map[string][]*Claim{}
	for _, c := range all {
		source, _, _ := strings.Cut(strings.ReplaceAll(c.Source, ";", ","), ",")
		bySource[source] = append(bySource[source], c)
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		t.Rows = append(t.Rows, count([]any{source}, kinds, bySource[source]))
	}
	t.Rows = append(t.Rows, count([]any{"all"}, kinds, all))
	return t
}

// Tallies tells how many of a sweep's claims have which verdict, as in "2 hold,
// calibrated", each after the verdict: of predictions, then of what was calibrated.
func (s *Sweep) Tallies() (list [][2]string) {
	for i, n := range count(nil, tested, s.Claims) {
		k := tested[i]
		text := fmt.Sprint(n, " ", k.Name)
		if n == 1 {
			text = "1 " + k.Key
		}
		if k.Group == "calibrated" {
			text += ", calibrated"
		}
		if n != "" {
			list = append(list, [2]string{k.Key, text})
		}
	}
	return list
}
