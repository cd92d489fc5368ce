package grid

import (
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/grid/internal/sequence"
	"sweep/grid/internal/tuples"
	"sweep/internal/suggest"
)

// A group is one axis, or several that are walked together.
type group struct {
	n    int64
	axes []axis

	// firsts are, for each of the block's variants, the indices of the
	// first of those tuples that its nulls make equal.
	firsts map[*variant][]tuples.Run
}

type axis struct {
	param  int
	values sequence.Sequence
	node   *document.Node
}

// A place says which axis a parameter is; group is -1 if it is none.
type place struct{ group, axis int }

// group makes the axes groups, as zip demands.
func (r *reader) group(b *block, axes []axis, zip *document.Node) error {
	team, err := r.zip(axes, zip)
	if err != nil {
		return err
	}
	at := map[int]int{} // group by team
	for i, a := range axes {
		g, ok := at[team[i]]
		if !ok || team[i] == 0 {
			g = len(b.groups)
			at[team[i]] = g
			b.groups = append(b.groups, group{n: a.values.Len(), firsts: map[*variant][]tuples.Run{}})
		}
		b.place[a.param] = place{g, len(b.groups[g].axes)}
		b.groups[g].axes = append(b.groups[g].axes, a)
	}
	return nil
}

const zipForm = `zip = [["alpha", "gamma"]]`

// zip reads the zip key: for each axis the number of the list that names
// it, from 1, or 0.
func (r *reader) zip(axes []axis, n *document.Node) ([]int, error) {
	team := make([]int, len(axes))
	if n == nil {
		return team, nil
	}
	if n.Kind != document.Array {
		return nil, r.at(n.Pos, "zip is %s, want lists of axes", found(n)).hint("for example: %s", zipForm)
	}
	params := r.model.experiment.Params
	for t, list := range n.Elements {
		if list.Kind != document.Array {
			return nil, r.at(list.Pos, "zip holds %s, want lists of axes", found(list)).hint("for example: %s", zipForm)
		}
		if len(list.Elements) < 2 {
			return nil, r.at(list.Pos, "zip of %d axes, want at least 2", len(list.Elements))
		}
		first := -1
		for _, e := range list.Elements {
			name, ok := e.Value.(string)
			if !ok {
				return nil, r.at(e.Pos, "zip names %s, want an axis", found(e))
			}
			i := -1
			var names []string
			for k, a := range axes {
				names = append(names, params[a.param].Name)
				if names[k] == name {
					i = k
				}
			}
			switch {
			case i < 0:
				return nil, r.at(e.Pos, "zip names %q, which is no axis of this block: want one of %s", name, strings.Join(names, ", ")).
					meant(suggest.Nearest(name, names))
			case team[i] != 0:
				return nil, r.at(e.Pos, "zip names %q twice", name)
			case first < 0:
				first = i
			case axes[i].values.Len() != axes[first].values.Len():
				return nil, r.at(e.Pos, "zip of %d values of %s with %d of %s, want equal lengths",
					axes[first].values.Len(), names[first], axes[i].values.Len(), name)
			}
			team[i] = t + 1
		}
	}
	return team, nil
}

// distinct refuses values that an axis, or combinations that a zip, has
// twice.
func (r *reader) distinct(b *block) error {
	for g := range b.groups {
		axes := b.groups[g].axes
		params := make([]int, len(axes))
		for i, a := range axes {
			params[i] = a.param
		}
		_, again, first := b.repeats(g, params, []tuples.Run{{First: 0, Last: b.groups[g].n - 1}})
		if again < 0 {
			continue
		}
		// Only lists can repeat a value.
		here, there := axes[0].node.Elements[again].Pos, axes[0].node.Elements[first].Pos
		name := r.model.experiment.Params[axes[0].param].Name
		if len(axes) > 1 {
			return r.at(here, "the zip with %s has the same values at %d:%d already", name, there.Line, there.Column)
		}
		return r.at(here, "%s has the value %s twice, first at %d:%d", name, axes[0].values.At(again), there.Line, there.Column)
	}
	return nil
}

// repeats returns, of the given indices of a group, those at which the
// given axes have values that they do not have at an earlier one. again is
// the first other index, and first the one it repeats; again is -1 if there
// is none.
func (b *block) repeats(g int, params []int, indices []tuples.Run) (fresh []tuples.Run, again, first int64) {
	for _, p := range params {
		if b.axis(p).values.Distinct() {
			return indices, -1, -1
		}
	}
	// All are lists, so their length is bounded by the file's.
	again = -1
	seen := map[string]int64{}
	var key []byte
	for _, run := range indices {
		for i := run.First; i <= run.Last; i++ {
			key = key[:0]
			for _, p := range params {
				key = appendKey(key, b.axis(p).values.At(i))
			}
			if k, ok := seen[string(key)]; !ok {
				seen[string(key)] = i
				fresh = append(fresh, tuples.Run{First: i, Last: i})
			} else if again < 0 {
				again, first = i, k
			}
		}
	}
	return tuples.Normal(fresh), again, first
}

// appendKey appends a form of v that differs for different values and ends
// itself.
func appendKey(key []byte, v experiment.Value) []byte {
	key = append(key, byte(v.Kind()))
	return append(v.Append(key), 0)
}

// first computes group.firsts.
func (b *block) first(g int, v *variant) []tuples.Run {
	grp := &b.groups[g]
	indices := []tuples.Run{{First: 0, Last: grp.n - 1}}
	var used []int
	for _, a := range grp.axes {
		if a.param == b.model.selector || a.param == b.model.replacer {
			indices = tuples.Intersect(indices, b.deciding(&a, v))
		}
		if a.param != b.model.selector && v.uses[a.param] {
			used = append(used, a.param)
		}
	}
	if len(indices) > 0 && len(used) == 0 {
		return []tuples.Run{{First: indices[0].First, Last: indices[0].First}}
	}
	fresh, _, _ := b.repeats(g, used, indices)
	return fresh
}

// find returns the first index at which the axes that the variant uses
// have the given values.
func (g *group) find(values []experiment.Value, v *variant) (int64, bool) {
	var lead *axis
	for k := range g.axes {
		a := &g.axes[k]
		if v.uses[a.param] && (lead == nil || a.values.Distinct()) {
			lead = a
		}
	}
	if lead == nil {
		return 0, true
	}
search:
	for i, ok := lead.values.Next(values[lead.param], 0); ok; i, ok = lead.values.Next(values[lead.param], i+1) {
		for k := range g.axes {
			a := &g.axes[k]
			if v.uses[a.param] && a.values.At(i) != values[a.param] {
				continue search
			}
		}
		return i, true
	}
	return 0, false
}
