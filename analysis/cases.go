package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
)

// A point is one combination of values of the parameters over which a claim
// ranges, and the cell that each term is about there. A parameter that no term
// uses there has no value.
type point struct {
	values map[int]experiment.Value
	cells  map[*expr.Node]int64 // by the nodes of terms
}

// cases finds the cells that a comparison is about, and makes of each
// combination of values of each or some a case.
func (r *resolver) cases(c *comparison) (list []*Case) {
	params := slices.Concat(r.each, r.over)
	along := -1
	if c.node.Op == expr.Trend {
		axis := c.node.Args[1]
		var p *experiment.Param
		if p, along = r.experiment.Param(axis.Text); p == nil {
			panic(r.unknown(axis, "parameter", paramNames(r.experiment)))
		}
		if p.Kind != experiment.Int && p.Kind != experiment.Float {
			panic(r.fault(axis, "the values of %s have no order, want a parameter that is a number", axis.Text))
		}
		params = append(params, along)
	}
	points := r.points(c, params)
	template := r.template(c)
	add := func(where string, cells map[*expr.Node]int64) {
		at := slices.IndexFunc(list, func(k *Case) bool { return k.Where == where })
		if at < 0 {
			one := template
			one.Where = where
			at, list = len(list), append(list, &one)
		}
		list[at].sets = append(list[at].sets, cells)
	}
	if along < 0 {
		for _, p := range points {
			add(r.where(c, p, along), p.cells)
		}
		return list
	}
	for _, line := range lines(points, along) {
		for i := 1; i < len(line); i++ {
			before, after := line[i-1], line[i]
			cells := maps.Clone(after.cells)
			for now, then := range template.before {
				cells[then] = before.cells[now]
			}
			add(fmt.Sprintf("%s after %s", r.where(c, after, along), before.values[along]), cells)
		}
	}
	if list == nil {
		panic(r.fault(c.node.Args[1], "%s along %s, which has one value only", c.node.Text, c.node.Args[1].Text))
	}
	return list
}

// lines returns the points that differ in nothing but one parameter
// together, in the order of its values.
func lines(points []point, along int) (list [][]point) {
	at := map[string]int{}
	for _, p := range points {
		rest := maps.Clone(p.values)
		delete(rest, along)
		key := fmt.Sprint(rest) // in the order of the parameters
		if _, ok := at[key]; !ok {
			at[key], list = len(list), append(list, nil)
		}
		list[at[key]] = append(list[at[key]], p)
	}
	for _, line := range list {
		slices.SortFunc(line, func(p, q point) int { return cmp.Compare(p.values[along].Float(), q.values[along].Float()) })
	}
	return list
}

// template returns a case without its cells: what is estimated, and what is
// accepted of it.
func (r *resolver) template(c *comparison) Case {
	k := Case{Quantity: Value, estimated: c.left, left: c.left, right: c.right,
		Least: math.Inf(-1), Most: math.Inf(1), PaperMean: c.mean, PaperStd: c.std}
	sign, center := "", 0.0
	if c.node.Op == expr.Compare {
		sign = c.node.Text
	}
	switch {
	case c.node.Op == expr.Trend:
		k.before = map[*expr.Node]*expr.Node{}
		k.right = clone(c.left, func(copied, original *expr.Node) {
			if t := r.terms[original]; t != nil {
				r.terms[copied] = &term{node: copied, measure: t.measure}
				k.before[original] = copied
			}
		})
		k.Quantity = Difference
		sign = map[string]string{"rises": ">", "falls": "<"}[c.node.Text]
	case degree(c.right) == 0:
		center = c.right.Arithmetic(nil)
	case c.node.Relative:
		k.Quantity, center = Ratio, 1
	case degree(c.left) == 0:
		k.estimated, k.left, k.right = c.right, c.right, c.left
		sign, center = flipped[sign], c.left.Arithmetic(nil)
	default:
		k.Quantity = Difference
	}
	switch k.Quantity {
	case Difference:
		k.estimated = &expr.Node{Op: "-", Args: []*expr.Node{k.left, k.right}}
	case Ratio:
		k.estimated = &expr.Node{Op: "/", Args: []*expr.Node{k.left, k.right}}
	}
	tolerance := c.node.Value // 0 unless within
	if c.node.Relative {
		tolerance = float64(tolerance * math.Abs(center))
	}
	if sign == "" || sign == "=" || sign[0] == '>' {
		k.Least = center - tolerance
	}
	if sign == "" || sign == "=" || sign[0] == '<' {
		k.Most = center + tolerance
	}
	k.open = sign == "<" || sign == ">"
	for _, t := range r.termsOf(k.estimated) {
		k.leaves = append(k.leaves, t.node)
		k.measures = append(k.measures, t.measure)
	}
	return k
}

// termsOf returns the terms of expressions, from left to right.
func (r *resolver) termsOf(n *expr.Node) (terms []*term) {
	n.Walk(func(n *expr.Node) {
		if t := r.terms[n]; t != nil {
			terms = append(terms, t)
		}
	})
	return terms
}

// where describes a point by the values of the parameters of each or some,
// and of one more.
func (r *resolver) where(c *comparison, p point, along int) string {
	var parts []string
	if c.label != "" {
		parts = append(parts, c.label)
	}
	for _, i := range append(slices.Clone(r.each), along) {
		if v, ok := p.values[i]; ok {
			parts = append(parts, fmt.Sprintf("%s = %s", r.experiment.Params[i].Name, v))
		}
	}
	return strings.Join(parts, ", ")
}

// points returns the combinations of values of some parameters for which
// there are cells. The first term has all of its own; what these leave open,
// because its cells do not use a parameter, the others fill in.
func (r *resolver) points(c *comparison, params []int) (list []point) {
	terms := r.termsOf(c.left)
	if c.right != nil {
		terms = append(terms, r.termsOf(c.right)...)
	}
	if len(terms) == 0 {
		panic(r.fault(c.left, "the claim says nothing about results, want the name of a metric"))
	}
	keys := []map[int]experiment.Value{{}}
	for _, t := range terms {
		var next []map[int]experiment.Value
		for _, key := range keys {
			found := false
			for _, cell := range r.cells {
				merged := t.joins(key, cell, params)
				found = found || merged != nil
				if merged != nil && !slices.ContainsFunc(next, func(k map[int]experiment.Value) bool { return maps.Equal(k, merged) }) {
					next = append(next, merged)
				}
			}
			if !found {
				panic(r.none(t, key, params))
			}
		}
		keys = next
	}
	for _, key := range keys {
		p := point{key, map[*expr.Node]int64{}}
		for _, t := range terms {
			for i, cell := range r.cells {
				if t.joins(key, cell, params) == nil {
					continue
				}
				if other, twice := p.cells[t.node]; twice {
					panic(r.ambiguous(t, r.cells[other], cell))
				}
				p.cells[t.node] = int64(i)
			}
		}
		list = append(list, p)
	}
	return list
}

// joins returns the values of a combination with those of a cell, nil if
// the term is not about the cell or they do not agree. A parameter that the
// term fixes, or the cell does not use, has no part in it.
func (t *term) joins(key map[int]experiment.Value, cell []experiment.Value, params []int) map[int]experiment.Value {
	for _, f := range t.filters {
		if !f.fits(cell[f.param]) {
			return nil
		}
	}
	joined := maps.Clone(key)
	for _, p := range params {
		if t.fixed[p] || cell[p].IsNull() {
			continue
		}
		if v, ok := key[p]; ok && v != cell[p] {
			return nil
		}
		joined[p] = cell[p]
	}
	return joined
}

// none is the fault of a term without a cell. It names the parameter that is
// to blame, if it is one alone.
func (r *resolver) none(t *term, key map[int]experiment.Value, params []int) *grid.Error {
	var where, wanted []string
	hint := ""
	for _, p := range params {
		v, ok := key[p]
		if !ok {
			continue
		}
		name := r.experiment.Params[p].Name
		where = append(where, fmt.Sprintf("%s = %s", name, v))
		without := maps.Clone(key)
		delete(without, p)
		var values []string
		for _, cell := range r.cells {
			if joined := t.joins(without, cell, params); joined != nil && !slices.Contains(values, cell[p].String()) {
				values = append(values, cell[p].String())
			}
		}
		if values != nil {
			hint = fmt.Sprintf("its %s is %s; a value in brackets frees it from each", name, strings.Join(values, ", "))
		}
	}
	for _, f := range t.filters {
		wanted = append(wanted, fmt.Sprintf("%s %s", r.experiment.Params[f.param].Name, f))
	}
	fault := r.fault(t.node, "no cell of the sweep has %s", strings.Join(append(wanted, where...), ", "))
	fault.Hint = hint
	return fault
}

// ambiguous is the fault of a term that two cells fit.
func (r *resolver) ambiguous(t *term, a, b []experiment.Value) *grid.Error {
	for i := range a {
		if name := r.experiment.Params[i].Name; a[i] != b[i] {
			fault := r.fault(t.node, "several cells fit, for example with %s = %s and with %s = %s", name, a[i], name, b[i])
			fault.Hint = fmt.Sprintf("give %s a value in brackets, or add it to each", name)
			return fault
		}
	}
	panic("analysis: two cells of a plan are equal")
}
