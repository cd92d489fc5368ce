package plots

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
)

// freeAxes returns the parameters by which cells can be told apart, in the
// order in which they are to be named: the algorithm, then names, then
// quantities. A parameter that follows from those before it is left out,
// such as a resolution that each algorithm has its own value of, or the
// second of two parameters that are walked together.
func (d *Data) freeAxes(cells []int) (axes []int) {
	var varying []int
	for p := range d.Experiment.Params {
		if slices.ContainsFunc(cells, func(c int) bool { return d.cells[c].params[p] != d.cells[cells[0]].params[p] }) {
			varying = append(varying, p)
		}
	}
	rank := func(p int) int {
		switch param := &d.Experiment.Params[p]; {
		case param.Name == experiment.Algorithm:
			return 0
		case !isQuantity(param):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(varying, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	groups := 1
	for _, p := range varying {
		longer := append(slices.Clone(axes), p)
		if count := len(d.groupBy(cells, longer)); count > groups {
			axes, groups = longer, count
		}
	}
	return axes
}

// isQuantity reports whether a parameter is a number that can be an axis of
// a chart. Seeds, by their names, are numbers that only name something.
func isQuantity(p *experiment.Param) bool {
	return (p.Kind == experiment.Int || p.Kind == experiment.Float) && !strings.HasSuffix(p.Name, "seed")
}

// param returns the index of a parameter that the experiment declares.
func (d *Data) param(name string) int {
	_, i := d.Experiment.Param(name)
	return max(i, 0)
}

func (d *Data) params(names []string) []int {
	params := make([]int, len(names))
	for i, name := range names {
		params[i] = d.param(name)
	}
	return params
}

// all returns the indices of all cells.
func (d *Data) all() []int {
	all := make([]int, len(d.cells))
	for i := range all {
		all[i] = i
	}
	return all
}

// A group is the cells that agree in some parameters.
type group struct {
	key   []experiment.Value // of those parameters
	cells []int
}

// groupBy gathers cells by the values of parameters, in the order of those.
func (d *Data) groupBy(cells, params []int) []group {
	var groups []group
	at := map[string]int{}
	for _, c := range cells {
		key := make([]experiment.Value, len(params))
		text := ""
		for i, p := range params {
			key[i] = d.cells[c].params[p]
			text += key[i].String() + "\x00"
		}
		k, known := at[text]
		if !known {
			k = len(groups)
			at[text] = k
			groups = append(groups, group{key: key})
		}
		groups[k].cells = append(groups[k].cells, c)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		for i, p := range params {
			if c := cmp.Compare(d.rank(p, a.key[i]), d.rank(p, b.key[i])); c != 0 {
				return c
			}
		}
		return 0
	})
	return groups
}

// rank is the place of a value among others: null first, numbers by size,
// names as they are declared.
func (d *Data) rank(param int, v experiment.Value) float64 {
	switch p := &d.Experiment.Params[param]; {
	case v.IsNull():
		return math.Inf(-1)
	case p.Kind == experiment.String:
		return float64(slices.Index(p.Choices, v.Text()))
	case p.Kind == experiment.Bool && !v.Bool():
		return 0
	case p.Kind == experiment.Bool:
		return 1
	}
	return v.Float()
}

// values returns the values that a parameter has in cells, in their order.
func (d *Data) values(cells []int, param int) (values []experiment.Value) {
	for _, g := range d.groupBy(cells, []int{param}) {
		values = append(values, g.key[0])
	}
	return values
}

// facets gathers cells by the values of parameters, one group for each panel.
// Cells that do not use a parameter belong to the panels of all its values, so
// that rivals are seen together.
func (d *Data) facets(cells, params []int) []group {
	groups := d.groupBy(cells, params)
	if len(groups) > mostPanels { // nobody looks at them
		return groups
	}
	agree := func(general, special group) bool {
		for i, v := range general.key {
			if !v.IsNull() && v != special.key[i] {
				return false
			}
		}
		return true
	}
	var panels []group
	for i, g := range groups {
		covered := false
		all := slices.Clone(g.cells)
		for j, h := range groups {
			covered = covered || j != i && agree(g, h)
			if j != i && agree(h, g) {
				all = append(all, h.cells...)
			}
		}
		slices.Sort(all)
		if !covered {
			panels = append(panels, group{g.key, all})
		}
	}
	return panels
}

// balanced returns the cells to average over for the effect of an axis: of
// each line, those in whose settings of the other axes every value of the axis
// occurs, so that nothing else varies along the line; all of a line that has
// no such settings.
func (d *Data) balanced(cells []int, axis int, linesBy []int) []int {
	others := slices.DeleteFunc(slices.Clone(d.axes), func(p int) bool { return p == axis })
	var kept []int
	for _, line := range d.groupBy(cells, linesBy) {
		values, before := len(d.values(line.cells, axis)), len(kept)
		for _, g := range d.groupBy(line.cells, others) {
			if len(d.values(g.cells, axis)) == values {
				kept = append(kept, g.cells...)
			}
		}
		if len(kept) == before {
			kept = append(kept, line.cells...)
		}
	}
	slices.Sort(kept)
	return kept
}

// title is the title of an axis that shows a metric, a column or the series'
// axis.
func (d *Data) title(f *experiment.Figure, m *experiment.Metric) string {
	if label := f.Labels[m.Name]; label != "" {
		return label
	}
	return withUnit(d.label(m.Name), m.Unit)
}

// label is what the papers call a metric or column, in figures or in the rows
// of tables, or its own name.
func (d *Data) label(name string) string {
	for _, f := range d.Experiment.Figures {
		if label := f.Labels[name]; label != "" && d.Experiment.Metric(name) >= 0 {
			return label
		}
	}
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

// paramTitle is the title of an axis that shows a parameter.
func paramTitle(f *experiment.Figure, p *experiment.Param) string {
	if label := f.Labels[p.Name]; label != "" {
		return label
	}
	name := spaced(p.Name)
	if unit := strings.TrimPrefix(withUnit(name, p.Unit), name); p.Symbol != "" && p.Symbol != p.Name {
		return name + " " + p.Symbol + unit
	}
	return withUnit(name, p.Unit)
}

// withUnit writes the title of an axis, with its unit unless that repeats it.
func withUnit(title, unit string) string {
	if unit == "" || unit == title || unit == title+"s" {
		return title
	}
	return title + " [" + unit + "]"
}

// spaced makes words of an identifier.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// name names values of parameters, for example "FPA, β = 0.3"; null has no
// name.
func (d *Data) name(params []int, values []experiment.Value) string {
	var parts []string
	for i, p := range params {
		if !values[i].IsNull() {
			parts = append(parts, valueName(&d.Experiment.Params[p], values[i]))
		}
	}
	return strings.Join(parts, ", ")
}

func valueName(p *experiment.Param, v experiment.Value) string {
	switch p.Kind {
	case experiment.String:
		return spaced(v.Text())
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
	var steps []float64
	for i, v := range values[1:] {
		steps = append(steps, v-values[i])
	}
	return slices.Max(steps) > 3.5*slices.Min(steps) && steps[0] < steps[len(steps)-1]
}
