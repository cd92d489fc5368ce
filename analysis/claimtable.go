package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/internal/inference"
	"sweep/internal/table"
)

// tally counts the verdicts: "12 claims: 11 hold, 1 undecided".
func tally(claims []*Claim) string {
	var parts []string
	for _, v := range []string{Holds, Fails, Tied, Undecided, Untested} {
		n := Count(claims, v)
		if n > 1 {
			v = strings.TrimSuffix(v, "s")
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return table.Count(int64(len(claims)), "claim") + ": " + strings.Join(parts, ", ")
}

// Tables returns claims as tables. JSON has a record for each claim, with its
// cases; CSV has a record for each case. People see a table for each claim and,
// if there are several sweeps, one of the totals.
func Tables(claims []*Claim, format string) (list []*table.Table) {
	if format == table.JSON {
		return []*table.Table{records(claims)}
	}
	forPeople := slices.Contains(table.People, format)
	sweeps := grouped(claims, func(c *Claim) string { return c.Sweep })
	for _, sweep := range sweeps {
		if forPeople {
			list = append(list, &table.Table{Title: sweep[0].Sweep + ", " + tally(sweep)})
		}
		for _, c := range sweep {
			t := c.Table()
			if forPeople && t.Rows == nil {
				t.Columns = nil
			}
			list = append(list, t)
		}
		if missing := sweep[0].Missing; forPeople && missing != nil {
			list = append(list, &table.Table{Warnings: missing})
		}
	}
	if forPeople && len(sweeps) > 1 {
		list = append(list, totals(claims))
	}
	return list
}

// records returns a record for each claim.
func records(claims []*Claim) *table.Table {
	t := &table.Table{}
	for _, c := range claims {
		t.Add([]table.Cell{
			table.Left("sweep", c.Sweep),
			table.Left("verdict", c.Verdict),
			table.Left("claim", c.Text),
			table.Left("source", c.Source),
			table.Left("expect", c.Expect),
			table.Left("each", notNil(c.Each)),
			table.Left("some", notNil(c.Some)),
			table.Left("over", notNil(c.Over)),
			table.Left("calibrated", c.Calibrated),
			table.Left("untested", c.Untested),
			table.Left("cases", c.Table()),
			table.Left("warnings", notNil(c.Missing)),
		})
	}
	return t
}

// notNil returns a list that is [] in JSON if it is empty.
func notNil(list []string) []string { return append([]string{}, list...) }

// Table returns the cases of a claim.
func (c *Claim) Table() *table.Table {
	t := &table.Table{Title: fmt.Sprintf("%-11s%s", c.Verdict, c.Text), Lead: 1}
	columns := c.columns()
	for _, k := range c.Cases {
		t.Add(columns.cells(c, k, &t.Warnings))
	}
	if c.Cases == nil {
		none := &Case{Contrast: Contrast{Estimate: &inference.Location{}}}
		t.Columns = columns.cells(c, none, nil)
	}
	t.Notes = []string{c.Source, c.tested()}
	isSequential := func(k *Case) bool { return k.sequential }
	if slices.ContainsFunc(c.Cases, isSequential) {
		note := fmt.Sprintf("seeds were bought: the limits hold at all of %d looks",
			inference.Looks)
		t.Notes = append(t.Notes, note)
	}
	if c.Calibrated {
		t.Notes = append(t.Notes, "calibrated: what was fitted, no prediction")
	}
	return t
}

// caseColumns are the columns of the cases of a claim.
type caseColumns struct {
	contrast contrastColumns
	where    []string // formats that have the column, as in table.Cell
	margin   []string
	paper    []string
	z        []string
}

// columns returns the columns that a claim needs.
func (c *Claim) columns() *caseColumns {
	columns := &caseColumns{
		where:  table.Programs,
		margin: []string{}, // no format
		paper:  []string{},
		z:      table.Programs,
	}
	quantity := ""
	var contrasts []*Contrast
	for _, k := range c.Cases {
		contrasts = append(contrasts, &k.Contrast)
		if k.Where != "" {
			columns.where = nil
		}
		if k.PaperStd > 0 {
			columns.z = nil
			columns.paper = table.People
		}
		if k.Margin > 0 {
			columns.margin = table.Programs
		}
		if quantity == "" {
			quantity = k.Quantity
		}
		if quantity != k.Quantity {
			quantity = "measured"
		}
	}
	columns.contrast = contrastColumns{
		left:     "left",
		right:    "right",
		estimate: quantity,
		key:      "estimate",
	}
	columns.contrast.fit(contrasts)
	return columns
}

// cells returns the cells of a case of a claim. It adds the warnings about the
// case to those about the table.
func (f *caseColumns) cells(c *Claim, k *Case, warnings *[]string) []table.Cell {
	forCSV := []string{table.CSV}
	lead := []table.Cell{
		{Name: "sweep", In: forCSV, Value: c.Sweep},
		{Name: "claim", In: forCSV, Value: c.Text},
		{Name: "claim_verdict", In: forCSV, Value: c.Verdict},
		{Name: "where", Left: true, In: f.where, Value: k.Where},
	}
	judged := []table.Cell{
		table.ForPrograms("quantity", k.Quantity),
		table.ForPrograms("least", k.Least),
		table.ForPrograms("most", k.Most),
		{Name: "margin", In: f.margin, Value: k.Margin},
		table.ForPrograms("paper_mean", k.PaperMean),
		table.ForPrograms("paper_std", k.PaperStd),
		{Name: "wanted", Left: true, In: table.People, Value: k.Wanted()},
		{Name: "paper", In: f.paper, Value: k.Printed()},
		{Name: "z", Decimals: 1, Signed: true, In: f.z, Value: k.Z()},
		table.Left("verdict", k.Verdict),
	}
	marks := footnotes(warnings, k.Warnings())
	return slices.Concat(lead, f.contrast.cells(&k.Contrast), judged, marks)
}

// tested says how the claim is tested.
func (c *Claim) tested() string {
	if c.Verdict == Untested {
		return "untested: " + c.Untested
	}
	text := "tested as " + c.Expect
	if c.Each != nil {
		text += ", for each " + strings.Join(c.Each, ", ")
	}
	if c.Some != nil {
		text += ", for some " + strings.Join(c.Some, ", ")
	}
	if c.Over != nil {
		text += ", averaged over " + strings.Join(c.Over, ", ")
	}
	return text
}

// Wanted says what is accepted of a case.
func (k *Case) Wanted() string {
	least := shortNumber(k.Least)
	most := shortNumber(k.Most)
	tie := ""
	if k.Margin > 0 {
		tie = ", tied within " + shortNumber(k.Margin)
	}
	switch {
	case k.Least == k.Most:
		return least
	case math.IsInf(k.Most, 1):
		return "above " + least + tie
	case math.IsInf(k.Least, -1):
		return "below " + most + tie
	}
	return least + " to " + most
}

func shortNumber(x float64) string {
	return strings.Replace(fmt.Sprintf("%.6g", x), "-", "−", 1)
}

// totals counts the verdicts on all claims, those on calibrated ones apart.
func totals(claims []*Claim) *table.Table {
	groups := map[string][]*Claim{}
	for _, c := range claims {
		groups[c.Group()] = append(groups[c.Group()], c)
	}
	return &table.Table{
		Title: "totals",
		Notes: []string{
			"predictions: " + tally(groups["predictions"]),
			"calibrated: " + tally(groups["calibrated"]),
			"not tested: " + tally(groups[""]),
		},
	}
}
