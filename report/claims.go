package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"sweep/analysis"
	"sweep/internal/table"
)

// A Claim is a claim with its verdict, its most important number and its
// figure.
type Claim struct {
	*analysis.Claim

	// Of the case that decides: the one nearest to the limit, or farthest
	// outside.
	Number string // what was measured
	Wanted string // what that is, and what is accepted of it
	Paper  string // what a paper printed of it, with z; empty if nothing
	Where  string // which case it is; empty if it is the only one

	Figure *Figure // that shows it; nil if none does
	Table  *table.Table
}

func (s *Sweep) claim(c *analysis.Claim) *Claim {
	claim := &Claim{Claim: c, Figure: s.figureOf(c)}
	if len(c.Cases) == 0 {
		return claim
	}
	claim.Table = c.Table()
	claim.Table.Title = c.Text
	claim.Table.Notes = claim.Table.Notes[1:2] // the page tells the others elsewhere
	var deciding []*analysis.Case              // of each place
	for _, place := range c.Places() {
		deciding = append(deciding, slices.MinFunc(place, byDistance))
	}
	k := slices.MaxFunc(deciding, byDistance)
	x := k.Estimate.Value
	decimals := table.Decimals([]float64{x}, []float64{k.Estimate.SE})
	claim.Number = fmt.Sprintf("%s (%s to %s)", table.Fixed(x, decimals),
		table.Fixed(k.Low, decimals), table.Fixed(k.High, decimals))
	claim.Wanted = "wanted " + k.Wanted()
	if k.Quantity != analysis.Value {
		claim.Wanted = k.Quantity + ", " + claim.Wanted
	}
	if z := k.Z(); !math.IsNaN(z) {
		signed := strings.Replace(fmt.Sprintf("%+.1f", z), "-", "−", 1)
		claim.Paper = fmt.Sprintf("%s, z = %s", k.Printed(), signed)
	}
	if len(c.Cases) > 1 {
		claim.Where = fmt.Sprintf("%s decides, of %d cases", k.Where, len(c.Cases))
	}
	return claim
}

// byDistance orders cases by the distance of their limits from what is not
// accepted, in units of their width: those farthest outside come first, after
// those whose limits are not known. cmp.Compare takes NaN for less than any
// number.
func byDistance(a, b *analysis.Case) int {
	relative := cmp.Compare(inside(a)/(a.High-a.Low), inside(b)/(b.High-b.Low))
	if relative != 0 {
		return relative
	}
	return cmp.Compare(inside(a), inside(b))
}

// inside returns how far the limits of a case are within what is accepted,
// negative outside.
func inside(k *analysis.Case) float64 { return min(k.Low-k.Least, k.Most-k.High) }

var words = regexp.MustCompile(`\w+`)

// figureOf returns the figure that shows a claim, nil if none does. Of the
// figures that show what the claim names, that is the one that its source
// names, else one of the paper's, else the first.
func (s *Sweep) figureOf(c *analysis.Claim) (best *Figure) {
	named := words.FindAllString(c.Expect, -1)
	for _, t := range s.Spec.Experiment.Tables {
		for _, row := range t.Rows {
			ofRow := c.Text == c.Claim.Text || strings.HasSuffix(c.Text, ": "+row.Label)
			if ofRow && slices.Contains(named, t.Name) {
				named = append(named, row.Metric)
			}
		}
	}
	bestPoints := 0
	for _, f := range s.Figures {
		points := 0
		for _, name := range slices.Concat(f.Shown(), []string{f.Right}) {
			if slices.Contains(named, name) {
				points = 2 - f.rank()
			}
		}
		_, number, ok := strings.Cut(f.Source, ", Fig")
		if ok && strings.Contains(c.Source, "Fig"+number) {
			points += 2
		}
		if points > bestPoints {
			best = f
			bestPoints = points
		}
	}
	return best
}
