package plots

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/lists"
)

// freeAxes returns the parameters by which cells can be told apart, in the
// order in which they are to be named: the algorithm, then names, then
// quantities, those that a figure shows first. A parameter that follows from
// those before it is left out, such as a resolution that each algorithm has its
// own value of, or the second of two parameters that are walked together; but none
// that is sampled, each of whose points has a value of its own.
func (d *Data) freeAxes(cells []int, shown ...string) (axes []string) {
	same := func(p string) bool { return len(d.values(cells, p)) < 2 }
	varying := slices.DeleteFunc(slices.Clone(d.varying), same)
	rank := func(p string) int { // the first that is true
		return slices.Index([]bool{p == experiment.Algorithm, !d.isQuantity(p), slices.Contains(shown, p), true}, true)
	}
	slices.SortStableFunc(varying, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	groups := 1
	for _, p := range varying {
		longer := append(slices.Clone(axes), p)
		if count := len(d.groupBy(cells, longer)); count > groups || slices.Contains(d.sampled, p) {
			axes, groups = longer, count
		}
	}
	return axes
}

// isQuantity reports whether a parameter is a number that can be an axis of
// a chart. Seeds, by their names, are numbers that only name something.
func (d *Data) isQuantity(param string) bool {
	p, _ := d.Experiment.Param(param)
	return (p.Kind == experiment.Int || p.Kind == experiment.Float) && !strings.HasSuffix(param, "seed")
}

// without returns the names that are not among others.
func without(names []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// all returns the indices of all cells.
func (d *Data) all() []int { return lists.Indices(len(d.cells)) }

// groupBy gathers cells by the values of parameters, in the order of those.
func (d *Data) groupBy(cells []int, params []string) (groups [][]int) {
	indices := d.Experiment.Places(params)
	compare := func(a, b int) int {
		for _, p := range indices {
			param, v, w := &d.Experiment.Params[p], d.cells[a].params[p], d.cells[b].params[p]
			if v != w {
				return cmp.Or(cmp.Compare(rank(param, v), rank(param, w)), cmp.Compare(v.Text(), w.Text()))
			}
		}
		return 0
	}
	cells = slices.Clone(cells)
	slices.SortFunc(cells, func(a, b int) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) })
	for i, c := range cells {
		if i == 0 || compare(cells[i-1], c) != 0 {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, c)
	}
	return groups
}

// value returns a parameter's value in a cell.
func (d *Data) value(cell int, param string) experiment.Value {
	_, p := d.Experiment.Param(param)
	return d.cells[cell].params[p]
}

// common returns the values of parameters in cells that agree in them, as far as
// they use them; null for one that none of the cells uses. No file is a value, too.
func (d *Data) common(cells []int, params []string) []experiment.Value {
	return lists.Map(params, func(name string) (v experiment.Value) {
		for _, c := range cells {
			v = cmp.Or(v, d.value(c, name))
		}
		if p, _ := d.Experiment.Param(name); p.Input != nil && p.UsedBy == nil {
			v = cmp.Or(v, experiment.StringValue(""))
		}
		return v
	})
}

// rank is the place of a value among others: null first, numbers by size,
// names as they are declared.
func rank(p *experiment.Param, v experiment.Value) float64 {
	switch {
	case v.IsNull():
		return math.Inf(-1)
	case p.Kind == experiment.String:
		return float64(slices.Index(p.Choices, v.Text()))
	case v.Bool():
		return 1
	}
	return v.Float()
}

// values returns the values that a parameter has in cells, in their order.
func (d *Data) values(cells []int, param string) []experiment.Value {
	groups := d.groupBy(cells, []string{param})
	return lists.Map(groups, func(g []int) experiment.Value { return d.value(g[0], param) })
}

// facets gathers cells by the values of parameters, one group for each panel.
// Cells that do not use a parameter belong to the panels of all its values, so
// that rivals are seen together.
func (d *Data) facets(cells []int, params []string) [][]int {
	groups := d.groupBy(cells, params)
	if len(groups) > mostPanels { // nobody looks at them
		return groups
	}
	keys := lists.Map(groups, func(g []int) []experiment.Value { return d.common(g, params) })
	unused := func(v, w experiment.Value) bool { return v.IsNull() || v == w }
	var panels [][]int
	for _, key := range keys {
		panel, general := []int(nil), false
		for k, g := range groups {
			if slices.EqualFunc(keys[k], key, unused) {
				panel = append(panel, g...)
			} else if slices.EqualFunc(key, keys[k], unused) {
				general = true
			}
		}
		if slices.Sort(panel); !general {
			panels = append(panels, panel)
		}
	}
	return panels
}

// balanced returns the cells to average a metric over for the effect of an axis: of each
// line, those in whose settings of the other axes it was measured at every value, or else
// all. It also returns 0 if no cell is left out, 1 if some are, 2 if settings vary along a line.
func (d *Data) balanced(metric int, cells []int, axis string, linesBy []string) (kept []int, which int) {
	empty := func(c int) bool { return d.cells[c].metric(metric).n == 0 }
	count := func(cells []int) int { return len(d.values(slices.DeleteFunc(slices.Clone(cells), empty), axis)) }
	for _, line := range d.groupBy(cells, linesBy) {
		settings, values := d.groupBy(line, without(d.axes, axis)), count(line)
		full := slices.DeleteFunc(slices.Clone(settings), func(g []int) bool { return count(g) < values })
		if len(full) == 0 {
			full, which = settings, 2
		}
		kept = append(kept, slices.Concat(full...)...)
	}
	if len(kept) < len(cells) {
		which = max(which, 1)
	}
	return kept, which
}

// label is what the rows of the papers' tables call a metric, or its own name.
func (d *Data) label(name string) string {
	for _, t := range d.Experiment.Tables {
		for _, r := range t.Rows {
			if r.Metric == name {
				label, _, _ := strings.Cut(r.Label, " (")
				return label
			}
		}
	}
	return spaced(name)
}

// metricTitle is the title of an axis that shows a metric or a column.
func (d *Data) metricTitle(f *Figure, m *experiment.Metric) string {
	return f.axisTitle(m.Name, d.label(m.Name), m.Unit)
}

// paramTitle is the title of an axis that shows a parameter, with its symbol.
func (d *Data) paramTitle(f *Figure, param string) string {
	p, _ := d.Experiment.Param(param)
	name := spaced(p.Name)
	if p.Symbol != "" && p.Symbol != p.Name {
		name += " " + p.Symbol
	}
	return f.axisTitle(p.Name, name, p.Unit)
}

// axisTitle is the paper's title of an axis, or else a text with its unit, unless
// that repeats it.
func (f *Figure) axisTitle(name, text, unit string) string {
	if unit != "" && unit != text && unit != text+"s" {
		text += " [" + unit + "]"
	}
	return cmp.Or(f.Labels[name], text)
}

// spaced makes words of an identifier.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// name names cells by their values of parameters, for example "FPA, β = 0.3"; null
// has no name.
func (d *Data) name(params []string, cells []int) string {
	var parts []string
	for i, v := range d.common(cells, params) {
		if !v.IsNull() {
			parts = append(parts, d.valueName(params[i], v))
		}
	}
	return strings.Join(parts, ", ")
}

func (d *Data) valueName(param string, v experiment.Value) string {
	p, _ := d.Experiment.Param(param)
	switch p.Kind {
	case experiment.String:
		same := func(w experiment.Value) bool { return w != v && w.Name() == v.Name() }
		if p.Input != nil && slices.ContainsFunc(d.values(d.all(), param), same) {
			return v.String()
		}
		return cmp.Or(spaced(v.Name()), "no "+spaced(p.Name))
	case experiment.Bool:
		if v.Bool() {
			return spaced(p.Name)
		}
		return "not " + spaced(p.Name)
	}
	return cmp.Or(p.Symbol, spaced(p.Name)) + "\u00a0=\u00a0" + valueText(v) // not to be broken
}

// valueText writes the value of a parameter, a number with four digits.
func valueText(v experiment.Value) string {
	switch {
	case v.IsNull():
		return "none"
	case v.Kind() == experiment.Int || v.Kind() == experiment.Float:
		return formatNumber(v.Float(), 4)
	}
	return spaced(v.String())
}

// isGeometric reports whether ascending values are better seen on a
// logarithmic scale: whether steps grow with them.
func isGeometric(values []float64) bool {
	if len(values) < 3 || values[0] <= 0 {
		return false
	}
	steps := slices.Clone(values[1:])
	for i, v := range values[:len(steps)] {
		steps[i] -= v
	}
	return slices.Max(steps) > 3.5*slices.Min(steps) && steps[0] < steps[len(steps)-1]
}
