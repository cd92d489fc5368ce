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
	"sweep/internal/lists"
)

// cases finds the cells that a comparison is about, and makes of each
// combination of values of each or some a case.
func (r *resolver) cases(c *Case) []*Case {
	var points [][]int64
	shown := r.each // the parameters whose values tell cases apart
	if c.node.Op == expr.Trend {
		points, shown = r.steps(c)
	} else {
		points = r.points(c, slices.Concat(r.each, r.over))
	}
	n := len(c.terms)
	r.complete(c)
	where := func(cells []int64) string {
		text := c.Where
		for i, v := range r.values(c, cells[:n], shown) {
			if !v.IsNull() {
				text += fmt.Sprintf(", %s = %s", r.experiment.Params[shown[i]].Name, v)
			}
			if i == len(r.each) { // of a trend
				text += " after " + r.values(c, cells[n:], shown)[i].String()
			}
		}
		return strings.TrimPrefix(text, ", ")
	}
	return lists.Map(grouped(points, where), func(sets [][]int64) *Case {
		one := *c
		one.Where, one.sets = where(sets[0]), sets
		one.place = r.values(c, sets[0][:n], r.each[len(r.claim.Each):])
		one.over = !cmp.Or(r.values(c, sets[0][:n], r.over)...).IsNull()
		return &one
	})
}

// steps returns what a trend compares: the cells at each value of its parameter,
// and then those at the one before.
func (r *resolver) steps(c *Case) (steps [][]int64, shown []int) {
	axis := c.node.Args[1]
	p, along := r.experiment.Param(axis.Text)
	if p == nil {
		panic(r.unknown(axis, "parameter", r.experiment.ParamNames()))
	}
	if p.Kind != experiment.Int && p.Kind != experiment.Float {
		panic(r.fault(axis, "the values of %s have no order, want a parameter that is a number", axis.Text))
	}
	others := slices.Concat(r.each, r.over)
	line := func(cells []int64) string { return fmt.Sprint(r.values(c, cells, others)) }
	at := func(cells []int64) float64 { return r.values(c, cells, []int{along})[0].Float() }
	for _, line := range grouped(r.points(c, append(others, along)), line) {
		slices.SortFunc(line, func(a, b []int64) int { return cmp.Compare(at(a), at(b)) })
		for i, before := range line[:len(line)-1] {
			steps = append(steps, slices.Concat(line[i+1], before))
		}
	}
	if steps == nil {
		panic(r.fault(axis, "%s along %s, which has one value only", c.node.Text, axis.Text))
	}
	return steps, append(slices.Clone(r.each), along)
}

// complete says of a comparison what is estimated, and what is accepted of it.
func (r *resolver) complete(c *Case) {
	sign, center := "", 0.0
	if c.node.Op == expr.Compare {
		sign = c.node.Text
	}
	switch {
	case c.node.Op == expr.Trend:
		c.Quantity, c.right = Difference, clone(c.left) // at the value before
		c.terms = append(c.terms, r.resolve(c.right)...)
		sign = map[string]string{"rises": ">", "falls": "<"}[c.node.Text]
	case degree(c.right) == 0:
		c.Quantity, center = Value, c.right.Arithmetic(nil)
	case c.node.Relative:
		c.Quantity, center = Ratio, 1
	case degree(c.left) == 0:
		c.Quantity, c.left, c.right = Value, c.right, c.left
		sign, center = flipped[sign], c.right.Arithmetic(nil)
	default:
		c.Quantity = Difference
	}
	c.number = c.left
	if op := map[string]string{Difference: "-", Ratio: "/"}[c.Quantity]; op != "" {
		c.number = &expr.Node{Op: op, Args: []*expr.Node{c.left, c.right}}
	}
	tolerance := c.node.Value // 0 unless within
	if c.node.Relative {
		tolerance = float64(tolerance * math.Abs(center))
	}
	c.Least, c.Most = center-tolerance, center+tolerance
	switch sign {
	case "<", "<=":
		c.Least = math.Inf(-1)
	case ">", ">=":
		c.Most = math.Inf(1)
	}
	c.open = sign == "<" || sign == ">"
}

// points returns the cells of the terms, once for each combination of values of
// some parameters for which there are cells. The first term has all of its own;
// what these leave open, because its cells do not use a parameter, the others fill
// in.
func (r *resolver) points(c *Case, params []int) [][]int64 {
	if len(c.terms) == 0 {
		panic(r.fault(c.left, "the claim says nothing about results, want the name of a metric"))
	}
	points := [][]int64{nil}
	for _, t := range c.terms {
		var longer [][]int64
		known := map[string][]int64{} // by values
		for _, cells := range points {
			key := r.values(c, cells, params)
			fitting := r.fitting(t, key, params)
			if fitting == nil {
				panic(r.noCell(t, key, params))
			}
			for _, cell := range fitting {
				with := append(slices.Clip(cells), cell)
				values := fmt.Sprint(r.values(c, with, params))
				if other, ok := known[values]; ok {
					panic(r.ambiguous(c, other, with))
				}
				known[values], longer = with, append(longer, with)
			}
		}
		points = longer
	}
	return points
}

// values returns the values of some parameters in the cells of the first terms,
// null for one that none of them uses or all of them fix.
func (r *resolver) values(c *Case, cells []int64, params []int) []experiment.Value {
	values := make([]experiment.Value, len(params))
	for k, cell := range cells {
		for i, p := range params {
			if v := r.cells[cell][p]; !c.terms[k].fixes(p) && !v.IsNull() {
				values[i] = v
			}
		}
	}
	return values
}

// fitting returns the cells that a term is about at a combination of values.
// A parameter that the term fixes, or the cell does not use, has no part in
// that.
func (r *resolver) fitting(t *term, key []experiment.Value, params []int) (list []int64) {
next:
	for c, cell := range r.cells {
		for i, p := range params {
			if !key[i].IsNull() && key[i] != cell[p] && !cell[p].IsNull() && !t.fixes(p) {
				continue next
			}
		}
		if !slices.ContainsFunc(t.filters, func(f condition) bool { return !f.fits(cell[f.param]) }) {
			list = append(list, int64(c))
		}
	}
	return list
}

// noCell is the fault of a term without a cell. It names the parameter that is
// to blame, if it is one alone.
func (r *resolver) noCell(t *term, key []experiment.Value, params []int) *grid.Error {
	wanted := lists.Map(t.filters, func(f condition) string {
		return fmt.Sprintf("%s %s %s", r.experiment.Params[f.param].Name, f.sign, f.text)
	})
	hint := ""
	for i, p := range params {
		if key[i].IsNull() {
			continue
		}
		name := r.experiment.Params[p].Name
		wanted = append(wanted, fmt.Sprintf("%s = %s", name, key[i]))
		without := slices.Clone(key)
		without[i] = experiment.Value{}
		var values []string
		for _, cell := range r.fitting(t, without, params) {
			if v := r.cells[cell][p].String(); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if values != nil {
			text := "its %s is %s; a value in brackets frees it from each"
			hint = fmt.Sprintf(text, name, strings.Join(values, ", "))
		}
	}
	fault := r.fault(t.node, "no cell of the sweep has %s", strings.Join(wanted, ", "))
	fault.Hint = hint
	return fault
}

// ambiguous is the fault of a term for which two cells stand where all else is
// equal.
func (r *resolver) ambiguous(c *Case, one, other []int64) *grid.Error {
	at := 0
	for one[at] == other[at] {
		at++
	}
	a, b, i := r.cells[one[at]], r.cells[other[at]], 0
	for a[i] == b[i] {
		i++
	}
	name := r.experiment.Params[i].Name
	text := "several cells fit, for example with %[1]s = %[2]s and with %[1]s = %[3]s"
	fault := r.fault(c.terms[at].node, text, name, a[i], b[i])
	fault.Hint = fmt.Sprintf("give %s a value in brackets, or add it to each", name)
	return fault
}
