package plots

import (
	"cmp"
	"slices"

	"sweep/experiment"
)

// lineUp decides which of the parameters that tell lines apart tell panels
// apart instead, so that no panel has too many lines: as few as possible,
// those with fewest values first, the algorithm never.
func (d *Data) lineUp(cells, params []int) (panels, lines []int) {
	lines = slices.Clone(params)
	for {
		most := 0
		for _, g := range d.groupBy(cells, panels) {
			most = max(most, len(d.groupBy(g.cells, lines)))
		}
		if most <= mostLines {
			return panels, lines
		}
		best := -1
		for i, p := range lines {
			if d.Experiment.Params[p].Name == experiment.Algorithm {
				continue
			}
			if best < 0 || len(d.values(cells, p)) < len(d.values(cells, lines[best])) {
				best = i
			}
		}
		if best < 0 {
			return panels, lines
		}
		panels = append(panels, lines[best])
		lines = slices.Delete(lines, best, best+1)
	}
}

// looks returns how groups of cells, told apart by some parameters, are
// drawn. An algorithm has its own colour; if it has several lines, values of
// quantities go from light to dark, by the last of them, and other settings are
// variants.
func (d *Data) looks(groups []group, params []int) []look {
	algorithm, declared := d.Experiment.Param(experiment.Algorithm)
	var rest []int // places in params of what is not the algorithm
	ordered := true
	for i, p := range params {
		if p != declared {
			rest = append(rest, i)
			ordered = ordered && isQuantity(&d.Experiment.Params[p])
		}
	}
	members := map[experiment.Value][]int{} // groups of each algorithm
	for i, g := range groups {
		a := experiment.Value{}
		if algorithm != nil {
			a = d.cells[g.cells[0]].params[declared]
		}
		members[a] = append(members[a], i)
	}
	looks := make([]look, len(groups))
	for a, list := range members {
		base := sequence()[0]
		if !a.IsNull() {
			base = lookOf(d.Experiment, a.Text())
		}
		switch {
		case len(list) == 1:
			looks[list[0]] = base
		case ordered:
			d.shades(looks, groups, list, rest, base)
		case algorithm == nil:
			for k, i := range list {
				looks[i] = sequence()[k%len(sequence())]
			}
		default:
			for k, i := range list {
				looks[i] = base.variant(k)
			}
		}
	}
	return looks
}

// shades gives the listed groups of one algorithm, told apart by quantities
// at the places rest of their keys, shades of its colour by the last
// quantity, and dashes by the others.
func (d *Data) shades(looks []look, groups []group, list, rest []int, base look) {
	last := rest[len(rest)-1]
	var values []experiment.Value
	var others [][]experiment.Value
	other := func(i int) []experiment.Value {
		key := slices.Clone(groups[i].key)
		key[last] = experiment.Value{}
		return key
	}
	same := func(a []experiment.Value) func([]experiment.Value) bool {
		return func(b []experiment.Value) bool { return slices.Equal(a, b) }
	}
	for _, i := range list {
		if v := groups[i].key[last]; !slices.Contains(values, v) {
			values = append(values, v)
		}
		if o := other(i); !slices.ContainsFunc(others, same(o)) {
			others = append(others, o)
		}
	}
	slices.SortFunc(values, func(a, b experiment.Value) int { return cmp.Compare(a.Float(), b.Float()) })
	ramp, all := base.ramp(len(values)), sequence()
	for _, i := range list {
		l := ramp[slices.Index(values, groups[i].key[last])]
		if at := slices.IndexFunc(others, same(other(i))); at > 0 {
			l.dashes = all[at%len(all)].dashes
		}
		looks[i] = l
	}
}
