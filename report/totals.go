package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweep/analysis"
	"sweep/internal/table"
)

// kinds are columns that count claims by their group and their verdict, which
// is the key. tested are the columns for claims that a sweep tests.
var (
	kinds = []table.Cell{
		{Group: "predictions", Name: "hold", Key: analysis.Holds},
		{Group: "predictions", Name: "fail", Key: analysis.Fails},
		{Group: "predictions", Name: "tied", Key: analysis.Tied},
		{Group: "predictions", Name: "undecided", Key: analysis.Undecided},
		{Group: "calibrated", Name: "hold", Key: analysis.Holds},
		{Group: "calibrated", Name: "fail", Key: analysis.Fails},
		{Group: "calibrated", Name: "tied", Key: analysis.Tied},
		{Group: "calibrated", Name: "undecided", Key: analysis.Undecided},
		{Name: "untested", Key: analysis.Untested},
	}
	tested = kinds[:len(kinds)-1]
)

// withoutTies returns kinds without those of ties, if no claim is tied: few
// claims have a margin.
func withoutTies(kinds []table.Cell, claims []*Claim) []table.Cell {
	isTied := func(c *Claim) bool { return c.Verdict == analysis.Tied }
	if slices.ContainsFunc(claims, isTied) {
		return kinds
	}
	isTie := func(k table.Cell) bool { return k.Key == analysis.Tied }
	return slices.DeleteFunc(slices.Clone(kinds), isTie)
}

// count returns the number of claims of each kind; an empty cell for none.
func count(kinds []table.Cell, claims []*Claim) []table.Cell {
	cells := slices.Clone(kinds)
	for i := range cells {
		k := &cells[i]
		n := 0
		for _, c := range claims {
			if c.Group() == k.Group && c.Verdict == k.Key {
				n++
			}
		}
		k.Value = ""
		if n > 0 {
			k.Value = n
		}
	}
	return cells
}

// index has a row for each sweep.
func index(sweeps []*Sweep) *table.Table {
	t := &table.Table{Title: "sweeps"}
	var all []*Claim
	for _, s := range sweeps {
		all = append(all, s.Claims...)
	}
	columns := withoutTies(tested, all)
	for _, s := range sweeps {
		cells := []table.Cell{
			table.Left("sweep", s.Name),
			table.Right("runs", s.Assigned()),
			table.Right("failed", s.Failed()),
			table.Right("missing", s.Missing()),
			table.Right("computing time", s.Took),
		}
		t.Add(append(cells, count(columns, s.Claims)...))
	}
	return t
}

// totals counts the claims of each source: a paper, or ours.
func totals(sweeps []*Sweep, untested []*analysis.Claim) *table.Table {
	var all []*Claim
	for _, c := range untested {
		all = append(all, &Claim{Claim: c})
	}
	for _, s := range sweeps {
		all = append(all, s.Claims...)
	}
	bySource := map[string][]*Claim{}
	for _, c := range all {
		source, _, _ := strings.Cut(strings.ReplaceAll(c.Source, ";", ","), ",")
		bySource[source] = append(bySource[source], c)
	}
	t := &table.Table{Title: "claims by source and verdict"}
	columns := withoutTies(kinds, all)
	add := func(source string, claims []*Claim) {
		cells := []table.Cell{table.Left("source", source)}
		t.Add(append(cells, count(columns, claims)...))
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		add(source, bySource[source])
	}
	add("all", all)
	return t
}

// far lists the cases that hold although they are more than two of the paper's
// standard deviations away from what it printed.
func far(sweeps []*Sweep) *table.Table {
	t := &table.Table{Title: "held, and more than two of the paper's standard deviations away"}
	for _, s := range sweeps {
		for _, c := range s.Claims {
			for _, k := range c.Cases {
				if k.Verdict == analysis.Holds && math.Abs(k.Z()) > 2 {
					addFar(t, s, c, k)
				}
			}
		}
	}
	return t
}

// prices lists what the undecided claims are likely to need for a verdict.
func prices(sweeps []*Sweep) *table.Table {
	var all []*analysis.Price
	for _, s := range sweeps {
		all = append(all, s.Prices...)
	}
	return analysis.TimelessPriceTable(all)
}

// addFar adds a case to the table of far.
func addFar(t *table.Table, s *Sweep, c *Claim, k *analysis.Case) {
	const share = 10 // of the paper's deviation, which our number is to resolve
	decimals := table.Decimals([]float64{k.Left}, []float64{k.PaperStd / share})
	t.Add([]table.Cell{
		table.Left("sweep", s.Name),
		table.Left("claim", c.Text),
		table.Left("where", k.Where),
		table.Right("ours", table.Fixed(k.Left, decimals)),
		table.Right("paper", k.Printed()),
		{Name: "ratio", Decimals: 3, Value: k.Left / k.PaperMean},
		{Name: "z", Decimals: 1, Signed: true, Value: k.Z()},
	})
}

// Tallies counts a sweep's claims by verdict, predictions before those that
// were calibrated: each verdict with a text, such as "2 hold, calibrated".
func (s *Sweep) Tallies() (list [][2]string) {
	for _, k := range count(tested, s.Claims) {
		if k.Value == "" {
			continue
		}
		text := fmt.Sprint(k.Value, " ", k.Name)
		if k.Value == 1 {
			text = "1 " + k.Key
		}
		if k.Group == "calibrated" {
			text += ", calibrated"
		}
		list = append(list, [2]string{k.Key, text})
	}
	return list
}
