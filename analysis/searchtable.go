package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/internal/detmath"
	"sweep/internal/table"
	"sweep/results"
)

// SearchTables returns what a search has found, and how that was judged: the
// parameters; the rounds; what was fitted, by the runs of the search; what
// comes of it with the sealed seeds and worlds; and, apart from that, what was
// not fitted. A search that has not ended has no judgement. The error is a
// *grid.Error, or one of reading.
func SearchTables(v *results.Reader) ([]*table.Table, error) {
	f, err := NewFit(v)
	if err != nil {
		return nil, err
	}
	tables := []*table.Table{f.parameterTable(), f.roundTable(), f.fittedTable()}
	if f.search.Found == nil {
		last := tables[len(tables)-1]
		last.Warnings = append(last.Warnings, "the search has not ended: nothing is judged yet")
		return tables, nil
	}
	if !f.isInPlan(f.search.Found, true) {
		last := tables[len(tables)-1]
		last.Warnings = append(last.Warnings,
			"a condition of the spec drops what was found, which cannot be judged")
		return tables, nil
	}
	cases, of := f.judged(f.search.Found, true)
	var fitted, predicted []*Case
	for i, k := range cases {
		if f.search.Targets[of[i]].Weight > 0 {
			fitted = append(fitted, k)
		} else {
			predicted = append(predicted, k)
		}
	}
	judged := judgedTable("judged with what was sealed: targets that were fitted", fitted)
	judged.Notes = append(judged.Notes, f.sealedNote(cases))
	judged.Warnings = f.nearerCentre(cases)
	tables = append(tables, judged)
	if predicted != nil {
		tables = append(tables,
			judgedTable("judged with what was sealed: predictions, not fitted", predicted))
	}
	last := tables[len(tables)-1]
	last.Warnings = append(last.Warnings, incompleteRuns(v)...)
	return tables, nil
}

// parameterTable has what was found.
func (f *Fit) parameterTable() *table.Table {
	s := f.search
	what := "found"
	found := s.Found
	if found == nil {
		what = "so far"
		found = s.Centres[len(s.Centres)-1].At
	}
	t := &table.Table{
		Title: fmt.Sprintf("%s: %s for %s", f.reader.Name,
			table.Count(int64(len(s.Free)), "free parameter"),
			table.Count(int64(f.fitted()), "target")),
		Lead: 1,
	}
	for i, free := range s.Free {
		from, to := free.Range()
		t.Add([]table.Cell{
			table.Left("parameter", f.reader.Plan.Experiment().Params[free.Param].Name),
			table.Left("scale", free.Scale),
			table.Right("from", from),
			table.Right("to", to),
			table.Right("start", s.Centres[0].At[i]),
			{Name: what, Key: "found", Value: found[i]},
		})
	}
	return t
}

// fitted returns how many numbers are fitted.
func (f *Fit) fitted() (n int) {
	for _, w := range f.weights {
		if w > 0 {
			n++
		}
	}
	return n
}

// roundTable has a row for each round.
func (f *Fit) roundTable() *table.Table {
	t := &table.Table{
		Title: "rounds",
		Notes: []string{"error: the root mean square of ln(result / wanted), by weight; " +
			"of the centre, which is one of the points, and of the median and the best point"},
		Warnings: append(f.coinciding(), f.undefined()...),
	}
	for k, c := range f.search.Centres {
		points := 0
		centre := math.NaN()
		var losses []float64 // of the points with a result
		for _, p := range f.points {
			if p.round != k {
				continue
			}
			loss := f.loss(p.gaps)
			if slices.Equal(p.values, c.At) {
				centre = loss
			}
			points++
			if isNumeric(loss) {
				losses = append(losses, loss)
			}
		}
		slices.Sort(losses)
		median := math.NaN()
		best := math.NaN()
		if len(losses) > 0 {
			median = losses[len(losses)/2]
			best = losses[0]
		}
		t.Add([]table.Cell{
			table.Right("round", k+1),
			table.Right("points", points),
			{Name: "spread", Value: c.Spread, Decimals: table.Significant},
			lossCell("centre", centre),
			lossCell("median", median),
			lossCell("best", best),
		})
	}
	return t
}

// coinciding warns of rounds with fewer points than were asked for.
func (f *Fit) coinciding() (warnings []string) {
	var parts []string
	for k := range f.search.Centres {
		n := len(f.search.PointsOf(k))
		if n < f.search.Points {
			parts = append(parts, fmt.Sprintf("%d in round %d", n, k+1))
		}
	}
	if parts == nil {
		return nil
	}
	return []string{fmt.Sprintf("of %d points, fewer are different: %s; others coincide when they "+
		"are rounded, as to integers; a larger spread or wider ranges part them",
		f.search.Points, strings.Join(parts, ", "))}
}

// undefined warns of each fitted target that has no result at some points, of
// whose errors it is no part.
func (f *Fit) undefined() (warnings []string) {
	cases, _ := f.judged(f.search.Centres[0].At, false)
	for i, k := range cases {
		without := 0
		for _, p := range f.points {
			if !isNumeric(p.gaps[i]) {
				without++
			}
		}
		if without == 0 || f.weights[i] == 0 {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s has no result with the sign of what is wanted "+
			"at %d of %s, which tell nothing of it: the errors leave it out there",
			k.Where, without, table.Count(int64(len(f.points)), "point")))
	}
	return warnings
}

func lossCell(name string, x float64) table.Cell {
	return table.Cell{Group: "error", Name: name, Value: x, Decimals: 4}
}

// fittedTable has what was wanted, at the start and by the last surface at what
// was found.
func (f *Fit) fittedTable() *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("fitted, with %s of the search",
			table.Count(f.reader.Plan.Own(), "seed")),
		Lead: 1,
		Notes: []string{"ratio: result / wanted, of the first centre, and by the response " +
			"surface at what was found"},
	}
	s := f.surface()
	at := s.Centre
	if f.search.Found != nil {
		at = nil
		for i, free := range f.search.Free {
			at = append(at, free.Share(f.search.Found[i]))
		}
	}
	cases, of := f.judged(f.search.Centres[0].At, false)
	for i, k := range cases {
		if f.weights[i] == 0 {
			continue
		}
		t.Add([]table.Cell{
			table.Left("target", k.Where),
			{Name: "weight", Value: f.search.Targets[of[i]].Weight, Decimals: table.Significant},
			{Name: "wanted", Value: k.wanted(), Decimals: table.Significant},
			ratioCell("start", f.points[0].gaps[i]),
			ratioCell("found", s.At(i, at)),
		})
	}
	return t
}

// ratioCell returns the cell of a ratio whose logarithm is known.
func ratioCell(name string, gap float64) table.Cell {
	ratio := math.NaN()
	if isNumeric(gap) {
		ratio = detmath.Exp(gap)
	}
	return table.Cell{Group: "ratio", Name: name, Key: "ratio_" + name, Value: ratio, Decimals: 3}
}

// judgedTable has what came of what was found.
func judgedTable(title string, cases []*Case) *table.Table {
	held := 0
	t := &table.Table{Lead: 1}
	for _, k := range cases {
		if k.Verdict == Holds {
			held++
		}
		result := table.Cell{Name: "result", Value: k.Estimate.Value}
		result.Decimals = table.Significant
		limit := result
		limit.Group = "95 % limits"
		limit.Key = "ci"
		t.Add([]table.Cell{
			table.Left("target", k.Where),
			table.Right("n", k.N),
			{Name: "wanted", Value: k.wanted(), Decimals: table.Significant},
			result,
			lowLimit(limit, k.Low),
			highLimit(limit, k.High),
			{Name: "ratio", Value: k.Estimate.Value / k.wanted(), Decimals: 3},
			{Name: "allowed", Value: (k.Most - k.Least) / 2 / math.Abs(k.wanted()), Decimals: 3},
			table.Left("verdict", k.Verdict),
		})
	}
	t.Title = fmt.Sprintf("%s; %d of %d hold", title, held, len(cases))
	return t
}

// nearerCentre warns if the centre of a round was clearly nearer to the targets
// than what was found, to which the last step led, and that is not as near as
// wanted. Centres are compared, and not all points: the least error of many
// that are noisy is small by chance.
func (f *Fit) nearerCentre(cases []*Case) (warnings []string) {
	const clearly = 2 // times the error
	var gaps []float64
	isNear := true
	for i, k := range cases {
		gaps = append(gaps, k.gap())
		isWithin := k.Least <= k.Estimate.Value && k.Estimate.Value <= k.Most
		isNear = isNear && (isWithin || f.weights[i] == 0)
	}
	var best *fitPoint
	for i := range f.points {
		p := &f.points[i]
		isCentre := slices.Equal(p.values, f.search.Centres[p.round].At)
		if isCentre && f.isFull(p) && (best == nil || f.loss(p.gaps) < f.loss(best.gaps)) {
			best = p
		}
	}
	if isNear || best == nil || slices.Equal(best.values, f.search.Found) {
		return nil
	}
	least := f.loss(best.gaps)
	found := f.loss(gaps)
	if !(found > clearly*least) {
		return nil
	}
	var at []string
	for i, free := range f.search.Free {
		name := f.reader.Plan.Experiment().Params[free.Param].Name
		at = append(at, fmt.Sprintf("%s = %v", name, best.values[i]))
	}
	return []string{fmt.Sprintf("what was found has an error of %.4f with what is sealed, and the "+
		"centre of round %d, %s, had %.4f in the search: the last step may have led away from the "+
		"targets; search again with that start and a smaller spread",
		found, best.round+1, strings.Join(at, ", "), least)}
}

// isFull reports whether each fitted target has a result at a point.
func (f *Fit) isFull(p *fitPoint) bool {
	for i, g := range p.gaps {
		if f.weights[i] > 0 && !isNumeric(g) {
			return false
		}
	}
	return true
}

// sealedNote says what was sealed, and how near the results came.
func (f *Fit) sealedNote(cases []*Case) string {
	var gaps []float64
	within := 0
	fitted := 0
	for i, k := range cases {
		gaps = append(gaps, k.gap())
		if f.weights[i] == 0 {
			continue
		}
		fitted++
		if k.Least <= k.Estimate.Value && k.Estimate.Value <= k.Most {
			within++
		}
	}
	parts := append([]string{"seeds"}, f.search.Sealed()...)
	note := fmt.Sprintf("sealed: %s; %d of %d results are as near as wanted; error %.4f",
		strings.Join(parts, ", "), within, fitted, f.loss(gaps))
	over := f.reader.Plan.Experiment().NamesOf(f.resolver.over)
	if len(over) > 0 && cases[0].N == 1 {
		note += "; a mean over one value of " + strings.Join(over, ", ") +
			" has no limits: seal more of its values"
	}
	return note
}
