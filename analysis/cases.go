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
)

// A point is one combination of values of the parameters over which a
// comparison ranges: those of each or some, those that are averaged over, and
// at the end that of a trend; and the cell that each term is about there. A
// parameter that no term uses there is null.
type point struct {
	values []experiment.Value
	cells  []int64 // of the terms of the comparison
}

// cases finds the cells that a comparison is about, and makes of each
// combination of values of each or some a case.
func (r *resolver) cases(c *Case) (list []*Case) {
	var points []point
	shown := r.each // the parameters that the values of points are of
	if c.node.Op == expr.Trend {
		points, shown = r.steps(c)
	} else {
		points = r.points(c, slices.Concat(r.each, r.over))
	}
	r.complete(c)
	for _, p := range points {
		var parts []string
		if c.Where != "" {
			parts = append(parts, c.Where)
		}
		for i, param := range shown {
			if v := p.values[i]; !v.IsNull() {
				parts = append(parts, fmt.Sprintf("%s = %s", r.experiment.Params[param].Name, v))
			}
		}
		where := strings.Join(parts, ", ")
		at := slices.IndexFunc(list, func(k *Case) bool { return k.Where == where })
		if at < 0 {
			one := *c
			one.Where = where
			at, list = len(list), append(list, &one)
		}
		list[at].sets = append(list[at].sets, p.cells)
	}
	return list
}

// steps returns what a trend compares: each value of its parameter with the
// one before.
func (r *resolver) steps(c *Case) (steps []point, params []int) {
	axis := c.node.Args[1]
	p, along := r.experiment.Param(axis.Text)
	if p == nil {
		panic(r.unknown(axis, "parameter", paramNames(r.experiment)))
	}
	if p.Kind != experiment.Int && p.Kind != experiment.Float {
		panic(r.fault(axis, "the values of %s have no order, want a parameter that is a number", axis.Text))
	}
	each, last := len(r.each), len(r.each)+len(r.over)
	points := r.points(c, slices.Concat(r.each, r.over, []int{along}))
	for _, line := range grouped(points, func(p point) string { return fmt.Sprint(p.values[:last]) }) {
		slices.SortFunc(line, func(p, q point) int { return cmp.Compare(p.values[last].Float(), q.values[last].Float()) })
		for i, before := range line[:len(line)-1] {
			now := line[i+1]
			step := experiment.StringValue(fmt.Sprintf("%s after %s", now.values[last], before.values[last]))
			steps = append(steps, point{append(slices.Clone(now.values[:each]), step), slices.Concat(now.cells, before.cells)})
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

// points returns the combinations of values of some parameters for which
// there are cells. The first term has all of its own; what these leave open,
// because its cells do not use a parameter, the others fill in.
func (r *resolver) points(c *Case, params []int) []point {
	if len(c.terms) == 0 {
		panic(r.fault(c.left, "the claim says nothing about results, want the name of a metric"))
	}
	points := []point{{values: make([]experiment.Value, len(params))}}
	for _, t := range c.terms {
		var longer []point
		known := map[string]point{} // by values
		for _, p := range points {
			fitting := r.fitting(t, p.values, params)
			if fitting == nil {
				panic(r.none(t, p.values, params))
			}
			for _, cell := range fitting {
				q := point{values: slices.Clone(p.values), cells: append(slices.Clip(p.cells), cell)}
				for i, p := range params {
					if v := r.cells[cell][p]; !t.fixes(p) && !v.IsNull() {
						q.values[i] = v
					}
				}
				key := fmt.Sprint(q.values)
				if other, ok := known[key]; ok {
					panic(r.ambiguous(c, other, q))
				}
				known[key], longer = q, append(longer, q)
			}
		}
		points = longer
	}
	return points
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

// none is the fault of a term without a cell. It names the parameter that is
// to blame, if it is one alone.
func (r *resolver) none(t *term, key []experiment.Value, params []int) *grid.Error {
	var wanted []string
	for _, f := range t.filters {
		wanted = append(wanted, fmt.Sprintf("%s %s %s", r.experiment.Params[f.param].Name, f.sign, f.text))
	}
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
			hint = fmt.Sprintf("its %s is %s; a value in brackets frees it from each", name, strings.Join(values, ", "))
		}
	}
	fault := r.fault(t.node, "no cell of the sweep has %s", strings.Join(wanted, ", "))
	fault.Hint = hint
	return fault
}

// ambiguous is the fault of a term for which two cells stand where all else is
// equal.
func (r *resolver) ambiguous(c *Case, p, q point) *grid.Error {
	at := 0
	for p.cells[at] == q.cells[at] {
		at++
	}
	a, b, i := r.cells[p.cells[at]], r.cells[q.cells[at]], 0
	for a[i] == b[i] {
		i++
	}
	name := r.experiment.Params[i].Name
	fault := r.fault(c.terms[at].node, "several cells fit, for example with %s = %s and with %s = %s", name, a[i], name, b[i])
	fault.Hint = fmt.Sprintf("give %s a value in brackets, or add it to each", name)
	return fault
}
