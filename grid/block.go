package grid

import (
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/internal/suggest"
)

// A block is one [grid] as written: the product of its groups, without what
// it excludes, and the points that it includes.
type block struct {
	table *document.Node

	// base holds the fixed values, and the defaults of all other
	// parameters, axes included.
	base   []experiment.Value
	axes   []*axis // by parameter, nil if it is none
	named  []int   // parameters in the order of the document
	groups []group

	variants []*variant // those that occur

	where    *condition // nil without
	excludes []pattern
	includes []inclusion
}

// A group is one axis, or several that are walked together.
type group struct {
	axes    []*axis
	indices []int // of the values: 0, 1, …

	// fresh are, by the number of a variant, the indices at which its
	// points differ from those at all earlier indices.
	fresh [][]int
}

// A pattern is one exclude: parameters and the values that they must have.
type pattern struct {
	node   *document.Node
	params []int
	values []experiment.Value
}

// An inclusion is one include's canonical point.
type inclusion struct {
	node   *document.Node
	values []experiment.Value
}

// mostBlocks bounds the blocks of a spec.
const mostBlocks = 256

// The keys of a block that are not parameters.
const (
	zipKey     = "zip"
	excludeKey = "exclude"
	includeKey = "include"
)

// grid reads the grid key: one block or several. Without it there is one
// block without axes: the point of all defaults.
func (r *reader) grid(n *document.Node) []*block {
	tables := []*document.Node{n}
	switch {
	case n == nil:
		tables[0] = &document.Node{Kind: document.Table, Pos: start}
	case n.Kind == document.Array:
		tables = n.Elements
	}
	if len(tables) == 0 {
		panic(r.at(n.Pos, "grid is an empty list, want at least one block"))
	}
	if len(tables) > mostBlocks {
		panic(r.at(tables[mostBlocks].Pos, "grid has %d blocks, want at most %d", len(tables), mostBlocks))
	}
	var blocks []*block
	for _, t := range tables {
		if t.Kind != document.Table {
			panic(r.at(t.Pos, "grid is %s, want a table such as [grid]", found(t)))
		}
		b := r.block(t)
		blocks = append(blocks, b)
	}
	return blocks
}

func (r *reader) block(table *document.Node) *block {
	params := r.model.experiment.Params
	b := &block{table: table, axes: make([]*axis, len(params))}
	for i := range params {
		b.base = append(b.base, params[i].Default)
	}
	for _, n := range table.Entries {
		if n.Key == zipKey || n.Key == whereKey || n.Key == excludeKey || n.Key == includeKey {
			continue
		}
		p, i := r.model.experiment.Param(n.Key)
		if p == nil {
			panic(r.unknown(n, zipKey, whereKey, excludeKey, includeKey))
		}
		b.named = append(b.named, i)
		if r.isSampled(p, n) {
			b.axes[i] = &axis{param: i, node: n, sampled: true, ends: r.sampledEnds(p, n)}
		} else if isAxis(p, n) {
			b.axes[i] = &axis{param: i, node: n, values: r.axis(p, n)}
		} else {
			b.base[i] = r.value(p, n)
		}
	}
	r.group(b, table.Entry(zipKey))
	r.distinct(b)
	r.model.vary(b)
	r.used(b)
	b.where = r.where(table.Entry(whereKey))
	r.excludes(b, table.Entry(excludeKey))
	r.includes(b, table.Entry(includeKey))
	return b
}

// unknown is the fault of a key that is neither a parameter nor one of the
// others.
func (r *reader) unknown(n *document.Node, others ...string) *Error {
	var names []string
	for i := range r.model.experiment.Params {
		names = append(names, r.model.experiment.Params[i].Name)
	}
	fault := r.at(n.KeyPos, "unknown key %q, %s has no such parameter", n.Key, r.model.experiment.Name)
	if word := suggest.Nearest(n.Key, append(names, others...)); word != "" {
		return fault.meant(word)
	}
	if slices.Contains(strings.Split(keys, ", "), n.Key) {
		return fault.hint("%s belongs above the first [grid]", n.Key)
	}
	return fault.hint("sweep params %s lists the parameters", r.model.experiment.Name)
}

// group makes the axes groups, as zip demands. A group stands where the
// first of its axes stands.
func (r *reader) group(b *block, zip *document.Node) {
	zips := r.zips(b, zip)
	r.sampled(b, zips)
	at := map[int]int{} // group by zip
	for _, i := range b.named {
		a := b.axes[i]
		if a == nil {
			continue
		}
		g, ok := at[zips[i]]
		if !ok || zips[i] == 0 {
			g = len(b.groups)
			at[zips[i]] = g
			b.groups = append(b.groups, group{})
			for k := range a.values {
				b.groups[g].indices = append(b.groups[g].indices, k)
			}
		}
		a.group = g
		b.groups[g].axes = append(b.groups[g].axes, a)
	}
}

const zipForm = `zip = [["alpha", "gamma"]]`

// zips reads the zip key: by parameter the number of the list that names
// it, from 1.
func (r *reader) zips(b *block, n *document.Node) map[int]int {
	zips := map[int]int{}
	if n == nil {
		return zips
	}
	if n.Kind != document.Array {
		panic(r.at(n.Pos, "zip is %s, want lists of axes", found(n)).hint("for example: %s", zipForm))
	}
	for z, list := range n.Elements {
		if list.Kind != document.Array {
			panic(r.at(list.Pos, "zip holds %s, want lists of axes", found(list)).hint("for example: %s", zipForm))
		}
		if len(list.Elements) < 2 {
			panic(r.at(list.Pos, "zip of %d axes, want at least 2", len(list.Elements)))
		}
		var first *axis
		for _, e := range list.Elements {
			a := r.zipped(b, e)
			if a.sampled {
				panic(r.at(e.Pos, "zip names %q, which is sampled: all sampled ranges are walked together", e.Value))
			}
			if zips[a.param] != 0 {
				panic(r.at(e.Pos, "zip names %q twice", e.Value))
			}
			if first == nil {
				first = a
			}
			if len(a.values) != len(first.values) {
				panic(r.at(e.Pos, "zip of %d values of %s with %d of %s, want equal lengths",
					len(first.values), first.node.Key, len(a.values), a.node.Key))
			}
			zips[a.param] = z + 1
		}
	}
	return zips
}

// zipped returns the axis that an element of a zip names.
func (r *reader) zipped(b *block, n *document.Node) *axis {
	name, ok := n.Value.(string)
	if !ok {
		panic(r.at(n.Pos, "zip names %s, want an axis", found(n)))
	}
	var names []string
	for _, i := range b.named {
		if a := b.axes[i]; a != nil {
			if a.node.Key == name {
				return a
			}
			names = append(names, a.node.Key)
		}
	}
	panic(r.at(n.Pos, "zip names %q, which is no axis of this block: want one of %s", name, strings.Join(names, ", ")).
		meant(suggest.Nearest(name, names)))
}

// distinct refuses values that an axis, or combinations that a zip, has
// twice.
func (r *reader) distinct(b *block) {
	for _, g := range b.groups {
		if slices.ContainsFunc(g.axes, func(a *axis) bool { return a.node.Kind != document.Array }) {
			continue // no value of a range occurs twice
		}
		seen := map[string]int{}
		for _, k := range g.indices {
			var key []byte
			for _, a := range g.axes {
				key = appendKey(key, a.values[k])
			}
			if first, twice := seen[string(key)]; twice {
				panic(r.twice(g.axes, k, first))
			}
			seen[string(key)] = k
		}
	}
}

// twice is the fault of a group that repeats at index again what it has at
// index first.
func (r *reader) twice(axes []*axis, again, first int) *Error {
	a := axes[0]
	here, there := a.node.Elements[again].Pos, a.node.Elements[first].Pos
	if len(axes) > 1 {
		return r.at(here, "the zip with %s has the same values at %d:%d already", a.node.Key, there.Line, there.Column)
	}
	return r.at(here, "%s has the value %s twice, first at %d:%d", a.node.Key, a.values[again], there.Line, there.Column)
}

// appendKey appends a form of v that differs for different values and ends
// itself.
func appendKey(key []byte, v experiment.Value) []byte {
	key = append(key, byte(v.Kind()))
	return append(v.Append(key), 0)
}

// used refuses an axis that no point of the block uses. Fixed values need no
// use: they may serve several blocks' worth of algorithms. But one that
// another parameter replaces throughout was meant to have an effect.
func (r *reader) used(b *block) {
	for _, i := range b.named {
		p := &r.model.experiment.Params[i]
		replaced := r.model.replaces(p)
		var names []string
		for _, v := range b.variants {
			if v.uses[i] {
				names = nil
				break
			}
			replaced = replaced && v.replaced
			if !slices.Contains(names, v.algorithm) {
				names = append(names, v.algorithm)
			}
		}
		switch {
		case len(names) == 0:
		case replaced:
			panic(r.at(b.table.Entry(p.Name).KeyPos, "%s has no effect: %s takes its place", p.Name, r.model.experiment.Params[r.model.replacer].Name))
		case b.axes[i] != nil:
			verb := "does"
			if len(names) > 1 {
				verb = "do"
			}
			panic(r.at(b.table.Entry(p.Name).KeyPos, "%s is an axis, but %s %s not use it", p.Name, strings.Join(names, ", "), verb).
				hint("%s is used by %s", p.Name, strings.Join(p.UsedBy, ", ")))
		}
	}
}

// excludes reads the exclude key.
func (r *reader) excludes(b *block, n *document.Node) {
	list := r.points(excludeKey, n)
	for _, e := range list {
		if len(e.Entries) == 0 {
			panic(r.at(e.Pos, "an exclude without parameters drops every point, want at least one parameter"))
		}
		params, values := r.assignments(e)
		b.excludes = append(b.excludes, pattern{e, params, values})
	}
}

// includes reads the include key.
func (r *reader) includes(b *block, n *document.Node) {
	list := r.points(includeKey, n)
	for _, e := range list {
		params, set := r.assignments(e)
		values := append([]experiment.Value(nil), b.base...)
		for k, i := range params {
			values[i] = set[k]
		}
		v := r.model.variant(values)
		for k, i := range params {
			if v.uses[i] {
				continue
			}
			pos, p := e.Entries[k].KeyPos, &r.model.experiment.Params[i]
			if v.replaced && r.model.replaces(p) {
				panic(r.at(pos, "this point includes %s, but %s takes its place", p.Name, r.model.experiment.Params[r.model.replacer].Name))
			}
			panic(r.at(pos, "this point includes %s, but its algorithm %s does not use it", p.Name, v.algorithm).
				hint("%s is used by %s", p.Name, strings.Join(p.UsedBy, ", ")))
		}
		v.canonical(values)
		b.includes = append(b.includes, inclusion{e, values})
	}
}

// points reads a list of tables.
func (r *reader) points(key string, n *document.Node) []*document.Node {
	if n == nil {
		return nil
	}
	form := key + " = [{ alpha = 0.1 }]"
	if n.Kind != document.Array {
		panic(r.at(n.Pos, "%s is %s, want a list of tables", key, found(n)).hint("for example: %s", form))
	}
	for _, e := range n.Elements {
		if e.Kind != document.Table {
			panic(r.at(e.Pos, "%s holds %s, want tables", key, found(e)).hint("for example: %s", form))
		}
	}
	return n.Elements
}

// assignments reads a table of parameters with one value each.
func (r *reader) assignments(table *document.Node) (params []int, values []experiment.Value) {
	for _, n := range table.Entries {
		p, i := r.model.experiment.Param(n.Key)
		if p == nil {
			panic(r.unknown(n))
		}
		v := r.value(p, n)
		params, values = append(params, i), append(values, v)
	}
	return params, values
}
