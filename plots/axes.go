package plots

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
)

// freeAxes returns the parameters by which cells can be told apart, in the
// order in which they are to be named: the algorithm, then names, then
// quantities. A parameter that follows from those before it is left out,
// such as a resolution that each algorithm has its own value of, or the
// second of two parameters that are walked together.
func freeAxes(e *experiment.Experiment, cells []cell) []int {
	order := make([]int, len(e.Params))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		switch {
		case e.Params[i].Name == experiment.Algorithm:
			return 0
		case !isQuantity(&e.Params[i]):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })

	var axes []int
	number := make([]int, len(cells))
	groups := min(1, len(cells))
	for _, p := range order {
		refined, count := refine(cells, number, p)
		if count > groups {
			axes, number, groups = append(axes, p), refined, count
		}
	}
	return axes
}

// refine numbers the groups that are left if each of the numbered groups of
// cells is split by the values of a parameter.
func refine(cells []cell, number []int, param int) (refined []int, groups int) {
	type key struct {
		group int
		value experiment.Value
	}
	numbers := map[key]int{}
	refined = make([]int, len(cells))
	for i := range cells {
		k := key{number[i], cells[i].params[param]}
		if _, ok := numbers[k]; !ok {
			numbers[k] = len(numbers)
		}
		refined[i] = numbers[k]
	}
	return refined, len(numbers)
}

// isQuantity reports whether a parameter is a number that can be an axis of
// a chart. Seeds, by their names, are numbers that only name something.
func isQuantity(p *experiment.Param) bool {
	return (p.Kind == experiment.Int || p.Kind == experiment.Float) && !strings.HasSuffix(p.Name, "seed")
}

// quantities returns those of the axes that are quantities, names the others.
func (d *Data) quantities() []int {
	return slices.DeleteFunc(slices.Clone(d.axes), func(p int) bool { return !isQuantity(&d.Experiment.Params[p]) })
}

func (d *Data) names() []int {
	return slices.DeleteFunc(slices.Clone(d.axes), func(p int) bool { return isQuantity(&d.Experiment.Params[p]) })
}

// param returns the index of a parameter that the experiment declares.
func (d *Data) param(name string) int {
	_, i := d.Experiment.Param(name)
	if i < 0 {
		panic("plots: " + d.Experiment.Name + " has no parameter " + name)
	}
	return i
}

// A group is the cells that agree in some parameters.
type group struct {
	key   []experiment.Value // of those parameters
	cells []int
}

// groupBy gathers cells by the values of parameters: names in the order in
// which they first appear, quantities by size.
func (d *Data) groupBy(cells, params []int) []group {
	number, count := make([]int, len(d.cells)), 1
	for _, p := range params {
		number, count = refine(d.cells, number, p)
	}
	numbered := make([][]int, count)
	for _, c := range cells {
		numbered[number[c]] = append(numbered[number[c]], c)
	}
	var groups []group
	for _, members := range numbered {
		if len(members) == 0 {
			continue
		}
		g := group{cells: members}
		for _, p := range params {
			g.key = append(g.key, d.cells[members[0]].params[p])
		}
		groups = append(groups, g)
	}
	place := make([]map[experiment.Value]int, len(params))
	for i, p := range params {
		place[i] = map[experiment.Value]int{}
		for k, v := range d.values(cells, p) {
			place[i][v] = k
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		for i := range params {
			if c := cmp.Compare(place[i][a.key[i]], place[i][b.key[i]]); c != 0 {
				return c
			}
		}
		return 0
	})
	return groups
}

// values returns the values that a parameter has in cells: those of a
// quantity by size, others in the order in which they first appear; null
// comes first.
func (d *Data) values(cells []int, param int) []experiment.Value {
	var values []experiment.Value
	seen := map[experiment.Value]bool{}
	for _, c := range cells {
		if v := d.cells[c].params[param]; !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	quantity := isQuantity(&d.Experiment.Params[param])
	slices.SortStableFunc(values, func(a, b experiment.Value) int {
		switch {
		case a.IsNull() || b.IsNull():
			return cmp.Compare(boolInt(b.IsNull()), boolInt(a.IsNull()))
		case quantity:
			return cmp.Compare(a.Float(), b.Float())
		}
		return 0
	})
	return values
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// all returns the indices of all cells.
func (d *Data) all() []int {
	all := make([]int, len(d.cells))
	for i := range all {
		all[i] = i
	}
	return all
}

// label names values of parameters, for example "FPA, β = 0.3"; null has no
// name.
func (d *Data) label(params []int, values []experiment.Value) string {
	var parts []string
	for i, p := range params {
		if !values[i].IsNull() {
			parts = append(parts, valueLabel(&d.Experiment.Params[p], values[i]))
		}
	}
	return strings.Join(parts, ", ")
}

func valueLabel(p *experiment.Param, v experiment.Value) string {
	switch p.Kind {
	case experiment.String:
		return strings.ReplaceAll(v.Text(), "_", " ")
	case experiment.Bool:
		if v.Bool() {
			return spaced(p.Name)
		}
		return "not " + spaced(p.Name)
	}
	return shortName(p) + " = " + valueText(v)
}

// valueText writes the number of a parameter, a long one with four digits.
func valueText(v experiment.Value) string {
	if v.Kind() == experiment.Int && math.Abs(v.Float()) < 1e6 {
		return formatNumber(v.Float())
	}
	text := v.String()
	if short := strconv.FormatFloat(v.Float(), 'g', 4, 64); len(short) < len(text) {
		text = short
	}
	return withMinus(text)
}

// shortName is the papers' symbol of a parameter, or its name.
func shortName(p *experiment.Param) string {
	if p.Symbol != "" {
		return p.Symbol
	}
	return spaced(p.Name)
}

// spaced makes words of an identifier.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// withUnit writes the title of an axis, with its unit unless that repeats it.
func withUnit(title, unit string) string {
	if unit == "" || unit == title || unit == title+"s" {
		return title
	}
	return title + " [" + unit + "]"
}

// metricTitle is the title of an axis that shows a metric.
func metricTitle(m *experiment.Metric) string {
	title := spaced(m.Name)
	if short, ok := strings.CutSuffix(title, "hours"); ok && m.Unit == "h" {
		title = strings.TrimSpace(short)
		if title == "" {
			title = "time"
		}
	}
	return withUnit(title, m.Unit)
}

// paramTitle is the title of an axis that shows a parameter.
func paramTitle(p *experiment.Param) string {
	name := spaced(p.Name)
	title := name
	if p.Symbol != "" && p.Symbol != p.Name {
		title += " " + p.Symbol
	}
	if withUnit(name, p.Unit) == name {
		return title
	}
	return withUnit(title, p.Unit)
}

// isGeometric reports whether values spread more evenly on a logarithmic
// scale than on a linear one.
func isGeometric(values []float64) bool {
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	if len(sorted) < 3 || sorted[0] <= 0 {
		return false
	}
	var linear, logarithmic moments
	for i, v := range sorted[1:] {
		linear.add(v - sorted[i])
		logarithmic.add(math.Log(v / sorted[i]))
	}
	unevenness := func(m *moments) float64 { return m.squares / (m.mean * m.mean) }
	return unevenness(&logarithmic) < 0.5*unevenness(&linear)
}
