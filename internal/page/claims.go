package page

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"sweep/analysis"
	"sweep/internal/report"
	"sweep/results"
)

// A Claim is one with its verdict, and with where to look.
type Claim struct {
	*analysis.Claim
	ID     string
	Number string  // what was measured: of the case that decides, which is the nearest to the limit, or the farthest outside
	Wanted string  // what that is, and what is accepted of it
	Paper  string  // what a paper printed of it, with z; empty if nothing
	Where  string  // which case it is; empty if it is the only one
	Figure *Figure // that shows it; nil if none does
	Table  *report.Table
}

// readClaims judges the claims.
func (s *Sweep) readClaims(r *results.Reader) error {
	check, err := analysis.Judge(r)
	if err != nil {
		return err
	}
	for _, c := range check.Claims {
		s.Claims = append(s.Claims, s.claim(c))
	}
	return nil
}

func (s *Sweep) claim(c *analysis.Claim) *Claim {
	claim := &Claim{Claim: c, Figure: s.figureOf(c)}
	if len(c.Cases) == 0 {
		return claim
	}
	claim.Table = c.Table(s.Name)
	claim.Table.Title = c.Text
	claim.Table.Notes = claim.Table.Notes[1:2] // the source, and that it was calibrated, is told elsewhere
	decides := slices.MinFunc[[]*analysis.Case]
	if c.Some != nil {
		decides = slices.MaxFunc
	}
	best := decides(c.Cases, func(a, b *analysis.Case) int {
		return cmp.Or(cmp.Compare(inside(a)/width(a), inside(b)/width(b)), cmp.Compare(inside(a), inside(b)))
	})
	decimals := report.Decimals([]float64{best.Estimate.Value}, []float64{best.Estimate.SE})
	claim.Number = fmt.Sprintf("%s (%s to %s)", report.Fixed(best.Estimate.Value, decimals), report.Fixed(best.Low, decimals), report.Fixed(best.High, decimals))
	claim.Wanted = "wanted " + best.Wanted()
	if best.Quantity != analysis.Value {
		claim.Wanted = string(best.Quantity) + ", " + claim.Wanted
	}
	if z := best.Z(); !math.IsNaN(z) {
		sign := ""
		if z > 0 {
			sign = "+"
		}
		claim.Paper = fmt.Sprintf("%s ± %s, z = %s%s", report.Exact(best.PaperMean), report.Exact(best.PaperStd), sign, report.Fixed(z, 1))
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
	named := words.FindAllString(c.Expect.Text, -1)
	for _, t := range s.Experiment.Tables {
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
	t := &report.Table{Title: "held, and more than two of the paper's standard deviations away", Columns: []report.Column{{Name: "sweep", Left: true}, {Name: "claim", Left: true}, {Name: "where", Left: true},
		{Name: "ours"}, {Name: "paper"}, {Name: "ratio", Decimals: 3}, {Name: "z", Decimals: 1, Signed: true}}}
	for _, s := range sweeps {
		for _, c := range s.Claims {
			for _, k := range c.Cases {
				if k.Verdict == analysis.Holds && math.Abs(k.Z()) > 2 {
					paper := report.Exact(k.PaperMean) + " ± " + report.Exact(k.PaperStd)
					t.Rows = append(t.Rows, []any{s.Name, c.Text, k.Where, report.Fixed(k.Left, report.Decimals([]float64{k.Left}, []float64{k.PaperStd / 10})), paper, k.Left / k.PaperMean, k.Z()})
				}
			}
		}
	}
	return t
}

// A tally counts claims by kind and verdict.
type tally struct{ predicted, fitted [3]int }

var judged = []analysis.Verdict{analysis.Holds, analysis.Fails, analysis.Undecided}

func (t *tally) add(c *Claim) {
	counts := &t.predicted
	if c.Calibrated {
		counts = &t.fitted
	}
	if at := slices.Index(judged, c.Verdict); at >= 0 {
		counts[at]++
	}
}

// cells returns the counts for columns of verdictColumns; nothing for none.
func (t *tally) cells() (list []any) {
	for _, n := range slices.Concat(t.predicted[:], t.fitted[:]) {
		list = append(list, some(n))
	}
	return list
}

// some returns a count as a cell; nothing for none.
func some(n int) any {
	if n == 0 {
		return ""
	}
	return n
}

func verdictColumns() (list []report.Column) {
	for _, group := range []string{"predictions", "calibrated"} {
		for _, v := range judged {
			list = append(list, report.Column{Group: group, Name: strings.TrimSuffix(string(v), "s")})
		}
	}
	return list
}

// totals counts the claims of each source: a paper, or ours.
func (r *Report) totals() *report.Table {
	t := &report.Table{Title: "claims by source and verdict", Columns: append([]report.Column{{Name: "source", Left: true}}, verdictColumns()...)}
	t.Columns = append(t.Columns, report.Column{Name: "untested"})
	counts, untested, sum, none := map[string]*tally{}, map[string]int{}, &tally{}, 0
	var sources []string
	count := func(c *Claim) {
		source, _, _ := strings.Cut(strings.ReplaceAll(c.Source, ";", ","), ",")
		if counts[source] == nil {
			sources, counts[source] = append(sources, source), &tally{}
		}
		counts[source].add(c)
		sum.add(c)
		if c.Verdict == analysis.Untested {
			untested[source]++
			none++
		}
	}
	for _, s := range r.Sweeps {
		for _, c := range s.Claims {
			count(c)
		}
	}
	for _, c := range r.Untested {
		count(&Claim{Claim: c})
	}
	slices.Sort(sources)
	for _, source := range sources {
		t.Rows = append(t.Rows, slices.Concat([]any{source}, counts[source].cells(), []any{some(untested[source])}))
	}
	t.Rows = append(t.Rows, slices.Concat([]any{"all"}, sum.cells(), []any{some(none)}))
	return t
}

// Counts returns the numbers of the sweep's claims by verdict, for badges:
// of predictions, then of what was calibrated.
func (s *Sweep) Counts() (list []struct {
	Verdict, Text string
}) {
	t := &tally{}
	for _, c := range s.Claims {
		t.add(c)
	}
	for k, n := range slices.Concat(t.predicted[:], t.fitted[:]) {
		v := judged[k%len(judged)]
		text := fmt.Sprintf("%d %s", n, v)
		if n != 1 && v != analysis.Undecided {
			text = strings.TrimSuffix(text, "s")
		}
		if k >= len(judged) {
			text += ", calibrated"
		}
		if n > 0 {
			list = append(list, struct{ Verdict, Text string }{string(v), text})
		}
	}
	return list
}
