package grid

import (
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/grid/internal/tuples"
	"sweep/internal/suggest"
)

// A block is one [grid] as written. A combination of its axes' values is a
// tuple of indices, one for each group of axes.
type block struct {
	model *model
	pos   document.Pos

	// base holds the fixed values, and the defaults of all other
	// parameters, axes included.
	base   []experiment.Value
	groups []group
	place  []place          // by parameter
	nodes  []*document.Node // by parameter, nil if the block does not name it
	named  []int            // parameters in the order of the document

	variants []*variant // those that occur, each once

	excludes []pattern
	includes []inclusion
}

// mostBlocks bounds the work of comparing each block with those before it.
const mostBlocks = 256

// The keys of a block that are not parameters.
const (
	zipKey     = "zip"
	excludeKey = "exclude"
	includeKey = "include"
)

// grid reads the grid key: one block or several. Without it there is one
// block without axes: the point of all defaults.
func (r *reader) grid(n *document.Node) ([]*block, error) {
	tables := []*document.Node{n}
	switch {
	case n == nil:
		tables[0] = &document.Node{Kind: document.Table, Pos: start}
	case n.Kind == document.Array:
		tables = n.Elements
	}
	if len(tables) == 0 {
		return nil, r.at(n.Pos, "grid is an empty list, want at least one block")
	}
	if len(tables) > mostBlocks {
		return nil, r.at(tables[mostBlocks].Pos, "grid has %d blocks, want at most %d", len(tables), mostBlocks)
	}
	var blocks []*block
	for _, t := range tables {
		if t.Kind != document.Table {
			return nil, r.at(t.Pos, "grid is %s, want a table such as [grid]", found(t))
		}
		b, err := r.block(t)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func (r *reader) block(table *document.Node) (*block, error) {
	params := r.model.experiment.Params
	b := &block{
		model: r.model,
		pos:   table.Pos,
		base:  make([]experiment.Value, len(params)),
		place: make([]place, len(params)),
		nodes: make([]*document.Node, len(params)),
	}
	for i := range params {
		b.base[i] = params[i].Default
		b.place[i].group = -1
	}
	var axes []axis
	for _, n := range table.Entries {
		if n.Key == zipKey || n.Key == excludeKey || n.Key == includeKey {
			continue
		}
		p, i := r.model.experiment.Param(n.Key)
		if p == nil {
			return nil, r.unknown(n, zipKey, excludeKey, includeKey)
		}
		b.named, b.nodes[i] = append(b.named, i), n
		var err error
		if n.Kind == document.Scalar {
			b.base[i], err = r.value(p, n)
		} else {
			a := axis{param: i, node: n}
			a.values, err = r.axis(p, n)
			axes = append(axes, a)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.group(b, axes, table.Entry(zipKey)); err != nil {
		return nil, err
	}
	if err := r.distinct(b); err != nil {
		return nil, err
	}
	b.vary()
	if err := r.used(b); err != nil {
		return nil, err
	}
	if err := r.excludes(b, table.Entry(excludeKey)); err != nil {
		return nil, err
	}
	return b, r.includes(b, table.Entry(includeKey))
}

// unknown is the fault of a key that is neither a parameter nor one of the
// others.
func (r *reader) unknown(n *document.Node, others ...string) error {
	names := r.model.names()
	fault := r.at(n.KeyPos, "unknown key %q, %s has no such parameter", n.Key, r.model.experiment.Name)
	if word := suggest.Nearest(n.Key, append(names, others...)); word != "" {
		return fault.meant(word)
	}
	if contains(strings.Split(keys, ", "), n.Key) {
		return fault.hint("%s belongs above the first [grid]", n.Key)
	}
	return fault.hint("sweep params %s lists the parameters", r.model.experiment.Name)
}

func (b *block) axis(param int) *axis {
	p := b.place[param]
	return &b.groups[p.group].axes[p.axis]
}

// vary finds the variants that occur in the block, and for each the first
// indices of its groups.
func (b *block) vary() {
	for i := range b.model.variants {
		v := &b.model.variants[i]
		if !b.holds(b.model.selector, v) || !b.holds(b.model.replacer, v) {
			continue
		}
		occurs := true
		for g := range b.groups {
			firsts := b.first(g, v)
			b.groups[g].firsts[v] = firsts
			occurs = occurs && len(firsts) > 0
		}
		if occurs {
			b.variants = append(b.variants, v)
		}
	}
}

// holds reports whether the selector or the replacer, or -1 for neither,
// has a value of the variant somewhere in the block.
func (b *block) holds(param int, v *variant) bool {
	if param < 0 {
		return true
	}
	if b.place[param].group < 0 {
		return b.model.decides(param, b.base[param], v)
	}
	return len(b.deciding(b.axis(param), v)) > 0
}

// deciding returns the indices at which an axis of the selector or the
// replacer has values of the variant.
func (b *block) deciding(a *axis, v *variant) []tuples.Run {
	var runs []tuples.Run
	for i := range a.values.Len() { // a list
		if b.model.decides(a.param, a.values.At(i), v) {
			runs = append(runs, tuples.Run{First: i, Last: i})
		}
	}
	return tuples.Normal(runs)
}

// used refuses an axis that no point of the block uses. Fixed values need no
// use: they may serve several blocks' worth of algorithms. But one that
// another parameter replaces throughout was meant to have an effect.
func (r *reader) used(b *block) error {
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
			if !contains(names, v.algorithm) {
				names = append(names, v.algorithm)
			}
		}
		switch {
		case len(names) == 0:
		case replaced:
			return r.at(b.nodes[i].KeyPos, "%s has no effect: %s takes its place", p.Name, r.model.experiment.Params[r.model.replacer].Name)
		case b.place[i].group >= 0:
			verb := "does"
			if len(names) > 1 {
				verb = "do"
			}
			return r.at(b.nodes[i].KeyPos, "%s is an axis, but %s %s not use it", p.Name, strings.Join(names, ", "), verb).
				hint("%s is used by %s", p.Name, strings.Join(p.UsedBy, ", "))
		}
	}
	return nil
}

// fill writes the canonical values of a tuple.
func (b *block) fill(tuple []int64, values []experiment.Value) {
	copy(values, b.base)
	for g := range b.groups {
		for k := range b.groups[g].axes {
			a := &b.groups[g].axes[k]
			values[a.param] = a.values.At(tuple[g])
		}
	}
	b.model.canonical(values)
}

// locate is the inverse of fill, for the first of the tuples that yield
// the same values. It is false if none does.
func (b *block) locate(values []experiment.Value, tuple []int64) bool {
	own := b.model.variant(values)
	if own == nil {
		return false
	}
	for i, v := range values {
		switch {
		case !own.uses[i]:
			if !v.IsNull() {
				return false
			}
		case b.place[i].group < 0 && v != b.base[i]:
			return false
		}
	}
	for g := range b.groups {
		i, ok := b.groups[g].find(values, own)
		if !ok {
			return false
		}
		tuple[g] = i
	}
	return true
}
