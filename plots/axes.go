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
// quantities, those that a figure shows first. It leaves out a parameter that
// follows from those before it, such as a resolution of which each algorithm
// has its own value, or the second of two parameters that are zipped. It leaves
// out none that is sampled, for each point of a sample has a value of its own.
func (d *Data) freeAxes(cells []int, shown ...string) (axes []string) {
	rank := func(param string) int {
		switch {
		case param == experiment.Algorithm:
			return 0
		case !d.isQuantity(param):
			return 1
		case slices.Contains(shown, param):
			return 2
		}
		return 3
	}
	varying := slices.Clone(d.varying)
	slices.SortStableFunc(varying, func(p, q string) int {
		return cmp.Compare(rank(p), rank(q))
	})
	groups := 1
	for _, p := range varying {
		if len(d.values(cells, p)) < 2 {
			continue
		}
		longer := append(slices.Clone(axes), p)
		count := len(d.groupBy(cells, longer))
		if count > groups || slices.Contains(d.sampled, p) {
			axes = longer
			groups = count
		}
	}
	return axes
}

// isQuantity reports whether a parameter is a number that can be an axis of
// a chart. Seeds, by their names, are numbers that only name something.
func (d *Data) isQuantity(param string) bool {
	p, _ := d.Experiment.Param(param)
	return p.Kind.IsNumber() && !strings.HasSuffix(param, "seed")
}

// without returns the names that are not among others.
func without(names []string, others ...string) (list []string) {
	for _, name := range names {
		if !slices.Contains(others, name) {
			list = append(list, name)
		}
	}
	return list
}

// all returns the indices of all cells.
func (d *Data) all() (cells []int) {
	for i := range d.cells {
		cells = append(cells, i)
	}
	return cells
}

// groupBy gathers cells by the values of parameters, in the order of those.
func (d *Data) groupBy(cells []int, params []string) (groups [][]int) {
	indices := d.Experiment.Places(params)
	compare := func(a, b int) int {
		for _, p := range indices {
			v := d.cells[a].params[p]
			w := d.cells[b].params[p]
			if v != w {
				return compareValues(&d.Experiment.Params[p], v, w)
			}
		}
		return 0
	}
	cells = slices.Clone(cells)
	slices.SortFunc(cells, func(a, b int) int {
		order := compare(a, b)
		if order == 0 {
			return a - b
		}
		return order
	})
	for i, c := range cells {
		if i == 0 || compare(cells[i-1], c) != 0 {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, c)
	}
	return groups
}

// compareValues orders the values of a parameter: null first, numbers by size,
// names as they are declared.
func compareValues(p *experiment.Param, v, w experiment.Value) int {
	order := cmp.Compare(rank(p, v), rank(p, w))
	switch {
	case order != 0:
		return order
	case v.Kind() == experiment.Int && w.Kind() == experiment.Int:
		return cmp.Compare(v.Int(), w.Int()) // above 2⁵³ ranks may be equal
	}
	return strings.Compare(v.Text(), w.Text())
}

// rank returns the place of a value in the order of compareValues.
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

// value returns a parameter's value in a cell.
func (d *Data) value(cell int, param string) experiment.Value {
	_, p := d.Experiment.Param(param)
	return d.cells[cell].params[p]
}

// common returns the values of parameters in cells that agree in them as far as
// they use them; null for one that none of the cells uses. No file is also a
// value.
func (d *Data) common(cells []int, params []string) []experiment.Value {
	values := make([]experiment.Value, len(params))
	for i, name := range params {
		v := &values[i]
		for _, c := range cells {
			if v.IsNull() {
				*v = d.value(c, name)
			}
		}
		p, _ := d.Experiment.Param(name)
		if v.IsNull() && p.Input != nil && p.UsedBy == nil {
			*v = experiment.StringValue("")
		}
	}
	return values
}

// values returns the values that a parameter has in cells, in their order.
func (d *Data) values(cells []int, param string) (values []experiment.Value) {
	for _, g := range d.groupBy(cells, []string{param}) {
		values = append(values, d.value(g[0], param))
	}
	return values
}

// facets gathers cells by the values of parameters, one group for each panel.
// Cells that do not use a parameter belong to the panels of all its values, so
// that rivals are seen together.
func (d *Data) facets(cells []int, params []string) (panels [][]int) {
	groups := d.groupBy(cells, params)
	if len(groups) > maxPanels { // the figure is refused
		return groups
	}
	var keys [][]experiment.Value
	for _, g := range groups {
		keys = append(keys, d.common(g, params))
	}
	covers := func(key, other []experiment.Value) bool {
		return slices.EqualFunc(key, other, func(v, w experiment.Value) bool {
			return v.IsNull() || v == w
		})
	}
	for _, key := range keys {
		var panel []int
		general := false // whether it belongs to the panels of other keys
		for k, g := range groups {
			if covers(keys[k], key) {
				panel = append(panel, g...)
			} else if covers(key, keys[k]) {
				general = true
			}
		}
		if !general {
			slices.Sort(panel)
			panels = append(panels, panel)
		}
	}
	return panels
}

// balanced returns the cells to average a metric over for the effect of an
// axis: of each line, those in whose settings of the other axes the metric was
// measured at every value of the axis, or else all.
func (d *Data) balanced(
	metric int, cells []int, axis string, linesBy []string,
) (kept []int, b balance) {
	count := func(cells []int) int { // of values of the axis
		var measured []int
		for _, c := range cells {
			if d.cells[c].metric(metric).n > 0 {
				measured = append(measured, c)
			}
		}
		return len(d.values(measured, axis))
	}
	for _, line := range d.groupBy(cells, linesBy) {
		values := count(line)
		var full []int
		for _, setting := range d.groupBy(line, without(d.axes, axis)) {
			if count(setting) >= values {
				full = append(full, setting...)
			}
		}
		if full == nil {
			full = line
			b = uneven
		}
		kept = append(kept, full...)
	}
	if len(kept) < len(cells) {
		b = max(b, partial)
	}
	return kept, b
}

// A balance says over which settings of the other axes the effect of an axis is
// averaged.
type balance int

const (
	complete balance = iota // all
	partial                 // those that have all values of the axis
	uneven                  // for some lines those that there are
)

func (b balance) String() string {
	switch b {
	case complete:
		return "all settings of the other axes"
	case partial:
		return "those settings of the other axes that have all values"
	}
	return "what settings of the other axes there are, not the same at each mark"
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
	const ratio = 3.5 // of the largest step to the smallest
	grow := steps[0] < steps[len(steps)-1]
	return grow && slices.Max(steps) > ratio*slices.Min(steps)
}
