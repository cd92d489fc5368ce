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

// A point is one combination of values of the parameters over which a
// comparison ranges: those of each or some, those that are averaged over, and
// at the end that of a trend; and the cell that each term is about there. A
// parameter that no term uses there is null.
type point struct {
	values []experiment.Value
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
			add(r.where(c, p.values, params[:len(r.each)]), p.cells)
		}
		return list
	}
	for _, line := range lines(points) {
		for i := 1; i < len(line); i++ {
			before, after := line[i-1], line[i]
			cells := maps.Clone(after.cells)
			for node, copied := range template.before {
				cells[copied] = before.cells[node]
			}
			last := len(params) - 1
			now := append(slices.Clone(after.values[:len(r.each)]), after.values[last])
			where := r.where(c, now, append(slices.Clone(r.each), along))
			add(fmt.Sprintf("%s after %s", where, before.values[last]), cells)
		}
	}
	if list == nil {
		panic(r.fault(c.node.Args[1], "%s along %s, which has one value only", c.node.Text, c.node.Args[1].Text))
	}
	return list
}

// lines returns the points that differ in nothing but their last value
// together, in the order of that.
func lines(points []point) (list [][]point) {
	at := map[string]int{}
	last := func(p point) experiment.Value { return p.values[len(p.values)-1] }
	for _, p := range points {
		key := fmt.Sprint(p.values[:len(p.values)-1])
		if _, ok := at[key]; !ok {
			at[key], list = len(list), append(list, nil)
		}
		list[at[key]] = append(list[at[key]], p)
	}
	for _, line := range list {
		slices.SortFunc(line, func(p, q point) int { return cmp.Compare(last(p).Float(), last(q).Float()) })
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

// where describes a case by the values of parameters.
func (r *resolver) where(c *comparison, values []experiment.Value, params []int) string {
	var parts []string
	if c.label != "" {
		parts = append(parts, c.label)
	}
	for i, p := range params {
		if !values[i].IsNull() {
			parts = append(parts, fmt.Sprintf("%s = %s", r.experiment.Params[p].Name, values[i]))
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
	keys := [][]experiment.Value{make([]experiment.Value, len(params))}
	for _, t := range terms {
		var next [][]experiment.Value
		known := map[string]bool{}
		for _, key := range keys {
			found := false
			for _, cell := range r.cells {
				if !t.agrees(key, cell, params) {
					continue
				}
				found = true
				merged := slices.Clone(key)
				for i, p := range params {
					if !t.fixed[p] && !cell[p].IsNull() {
						merged[i] = cell[p]
					}
				}
				if text := fmt.Sprint(merged); !known[text] {
					known[text], next = true, append(next, merged)
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
				if !t.agrees(key, cell, params) {
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

// agrees reports whether a term is about a cell at a combination of values.
// A parameter that the term fixes, or the cell does not use, has no part in
// that.
func (t *term) agrees(key, cell []experiment.Value, params []int) bool {
	for i, p := range params {
		if !key[i].IsNull() && key[i] != cell[p] && !cell[p].IsNull() && !t.fixed[p] {
			return false
		}
	}
	return !slices.ContainsFunc(t.filters, func(f condition) bool { return !f.fits(cell[f.param]) })
}

// none is the fault of a term without a cell. It names the parameter that is
// to blame, if it is one alone.
func (r *resolver) none(t *term, key []experiment.Value, params []int) *grid.Error {
	var wanted []string
	for _, f := range t.filters {
		wanted = append(wanted, fmt.Sprintf("%s %s", r.experiment.Params[f.param].Name, f))
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
		for _, cell := range r.cells {
			if t.agrees(without, cell, params) && !slices.Contains(values, cell[p].String()) {
				values = append(values, cell[p].String())
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
