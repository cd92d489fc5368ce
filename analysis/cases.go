package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
)

// cases finds the cells that a comparison is about, and makes a case of each
// combination of values of each or some.
func (r *resolver) cases(c *Case) (list []*Case) {
	shown := r.each // the parameters whose values tell cases apart
	var points [][]int64
	if c.node.Op == expr.Trend {
		along := r.along(c)
		shown = append(slices.Clone(r.each), along)
		points = r.steps(c, along)
	} else {
		points = r.points(c, slices.Concat(r.each, r.over))
	}
	n := len(c.terms) // the cells of the value before stand after as many
	r.complete(c)
	where := func(cells []int64) string {
		text := c.Where
		for i, v := range r.values(c, cells[:n], shown) {
			if isSet(v) {
				text += fmt.Sprintf(", %s = %s", r.experiment.Params[shown[i]].Name, v)
			}
			if i == len(r.each) { // of a trend
				text += " after " + r.values(c, cells[n:], shown)[i].String()
			}
		}
		return strings.TrimPrefix(text, ", ")
	}
	for _, sets := range grouped(points, where) {
		one := *c
		one.sets = sets
		one.Where = where(sets[0])
		first := sets[0][:n]
		one.place = r.values(c, first, r.each[len(r.claim.Each):])
		one.over = slices.ContainsFunc(r.values(c, first, r.over), isSet)
		list = append(list, &one)
	}
	return list
}

func isSet(v experiment.Value) bool { return !v.IsNull() }

// along returns the parameter of a trend.
func (r *resolver) along(c *Case) int {
	axis := c.node.Args[1]
	p, along := r.experiment.Param(axis.Text)
	if p == nil {
		panic(r.unknown(axis, "parameter", r.experiment.ParamNames()))
	}
	if !p.Kind.IsNumber() {
		panic(r.fault(axis, "the values of %s have no order, want a parameter that is a number",
			axis.Text))
	}
	return along
}

// steps returns what a trend compares: the cells at each value of its
// parameter, and then those at the one before.
func (r *resolver) steps(c *Case, along int) (steps [][]int64) {
	others := slices.Concat(r.each, r.over)
	line := func(cells []int64) string {
		return experiment.Key(r.values(c, cells, others))
	}
	at := func(cells []int64) float64 {
		return r.values(c, cells, []int{along})[0].Float()
	}
	points := r.points(c, append(others, along))
	for _, line := range grouped(points, line) {
		slices.SortFunc(line, func(a, b []int64) int {
			return cmp.Compare(at(a), at(b))
		})
		for i, before := range line[:len(line)-1] {
			steps = append(steps, slices.Concat(line[i+1], before))
		}
	}
	if steps == nil {
		axis := c.node.Args[1]
		panic(r.fault(axis, "%s along %s, which has one value only", c.node.Text, axis.Text))
	}
	return steps
}

// points returns the cells of the terms, once for each combination of values of
// some parameters for which there are cells. The first term has all of its own.
// What its cells leave open, because they do not use a parameter, the cells of
// the other terms determine.
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
				values := experiment.Key(r.values(c, with, params))
				if other, ok := known[values]; ok {
					panic(r.ambiguous(c, other, with))
				}
				known[values] = with
				longer = append(longer, with)
			}
		}
		points = longer
	}
	return points
}

// values returns the values of some parameters in the cells of the first terms,
// null for a parameter that none of them uses or all of them fix.
func (r *resolver) values(c *Case, cells []int64, params []int) []experiment.Value {
	values := make([]experiment.Value, len(params))
	for k, cell := range cells {
		for i, p := range params {
			v := r.cells[cell][p]
			if isSet(v) && !c.terms[k].fixes(p) {
				values[i] = v
			}
		}
	}
	return values
}

// fitting returns the cells that a term is about at a combination of values.
func (r *resolver) fitting(t *term, key []experiment.Value, params []int) (list []int64) {
	for i, cell := range r.cells {
		if t.fits(cell, key, params) {
			list = append(list, int64(i))
		}
	}
	return list
}

// fits reports whether a term may be about a cell at a combination of values.
// Parameters that the term fixes, or that the cell does not use, do not matter.
func (t *term) fits(cell, key []experiment.Value, params []int) bool {
	for i, p := range params {
		if isSet(key[i]) && isSet(cell[p]) && key[i] != cell[p] && !t.fixes(p) {
			return false
		}
	}
	for _, f := range t.filters {
		if !f.fits(cell[f.param]) {
			return false
		}
	}
	return true
}

// noCell is the fault of a term without a cell. Its hint names the parameter to
// blame, if there is one alone.
func (r *resolver) noCell(t *term, key []experiment.Value, params []int) *grid.Error {
	var wanted []string
	for _, f := range t.filters {
		name := r.experiment.Params[f.param].Name
		wanted = append(wanted, fmt.Sprintf("%s %s %s", name, f.sign, f.text))
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
			v := r.cells[cell][p].String()
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if values != nil {
			hint = fmt.Sprintf("its %s is %s; a value in brackets frees it from each",
				name, strings.Join(values, ", "))
		}
	}
	fault := r.fault(t.node, "no cell of the sweep has %s", strings.Join(wanted, ", "))
	fault.Hint = hint
	return fault
}

// ambiguous is the fault of a term that two cells fit where everything else is
// equal.
func (r *resolver) ambiguous(c *Case, one, other []int64) *grid.Error {
	k := firstDifferent(one, other)
	a := r.cells[one[k]]
	b := r.cells[other[k]]
	p := firstDifferent(a, b)
	name := r.experiment.Params[p].Name
	fault := r.fault(c.terms[k].node,
		"several cells fit, for example with %[1]s = %[2]s and with %[1]s = %[3]s",
		name, a[p], b[p])
	fault.Hint = fmt.Sprintf("give %s a value in brackets, or add it to each", name)
	return fault
}

// firstDifferent returns the first index at which two lists, which are not
// equal, differ.
func firstDifferent[T comparable](a, b []T) int {
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i
}
