package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// A Block is one [grid]: the products of its axes, without what it excludes,
// and the points that it includes. The exported fields sum it up for people
// and as JSON; of its numbers,
//
//	Cells = Combinations − Nulled − Excluded − Repeated + Included
type Block struct {
	Line int     `json:"line"` // where the block begins
	Axes []*Axis `json:"axes"` // in the order of the document

	// Combinations is the product of the lengths of the axes, where zipped
	// axes count once. Nulled of these are equal to an earlier one: the
	// algorithm does not use the parameters in which they differ, or
	// trajectories meet.
	Combinations int64 `json:"combinations"`
	Nulled       int64 `json:"nulled"`

	Excluded int64 `json:"excluded"` // points dropped by exclude
	Included int64 `json:"included"` // points listed by include
	Repeated int64 `json:"repeated"` // points, also included ones, that occurred before
	Cells    int64 `json:"cells"`    // points that the block adds to the sweep

	// Of a search: the round, from 1, or whether what was found is judged.
	Round  int  `json:"round,omitempty"`
	Sealed bool `json:"sealed,omitempty"`

	node     *document.Node
	settings []setting          // in the order of the document
	base     []experiment.Value // the fixed values; defaults for all other parameters
	zip      *document.Node     // nil without
	where    *document.Node     // nil without
	excludes []*pattern         // each drops the points that have all its values
	includes []*pattern         // each adds one point

	condition *condition // that where states; nil without

	// These are made by the expander.
	loops    [][]*Axis  // the axes of one loop are walked together
	products []*product // of the loops
	points   []cell     // of the includes
}

// A setting is a key that gives a parameter its values in a block, or its one
// value in a pattern.
type setting struct {
	node  *document.Node
	param int
	value experiment.Value // null if the setting is an axis
}

// A pattern is an element of exclude or include.
type pattern struct {
	node     *document.Node
	settings []setting // in the order of the document
	matched  bool      // a point of the block has the values
}

// maxBlocks bounds the blocks of a spec.
const maxBlocks = 256

// The keys of a block that are not parameters.
const (
	zipKey     = "zip"
	whereKey   = "where"
	excludeKey = "exclude"
	includeKey = "include"
)

var directives = []string{zipKey, whereKey, excludeKey, includeKey}

// blocksOf returns the tables of a grid.
func blocksOf(n *document.Node) []*document.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == document.Array:
		return n.Elements
	}
	return []*document.Node{n}
}

// blocks reads the grid key: one block or several. Without it there is one
// block without axes: the point of all defaults.
func (r *reader) blocks(n *document.Node) (list []*Block) {
	if n == nil {
		n = document.NewTable(0)
	}
	tables := blocksOf(n)
	r.must(len(tables) > 0, n, "grid is an empty list, want at least one block")
	for i, table := range tables {
		r.must(i < maxBlocks, table,
			"grid has %d blocks, want at most %d", len(tables), maxBlocks)
		r.want(table.Kind == document.Table, table, "a table such as [grid]")
		list = append(list, r.block(table))
	}
	return list
}

// block sorts the keys of a block. It does not read the values, since the
// declaration that judges them may be made from the blocks.
func (r *reader) block(table *document.Node) *Block {
	line, _ := r.place(table.Pos)
	b := &Block{Line: line, Axes: []*Axis{}, node: table}
	for _, n := range table.Entries {
		switch n.Key {
		case zipKey:
			b.zip = n
		case whereKey:
			b.where = n
		case excludeKey:
			b.excludes = r.patterns(n)
		case includeKey:
			b.includes = r.patterns(n)
		default:
			b.settings = append(b.settings, setting{node: n})
		}
	}
	return b
}

// patterns reads the exclude or the include key: tables of parameters.
func (r *reader) patterns(n *document.Node) (list []*pattern) {
	accepted := "a list of tables, for example " + n.Key + " = [{ alpha = 0.1 }]"
	for _, table := range r.list(n, accepted) {
		r.want(table.Kind == document.Table, table, accepted)
		e := &pattern{node: table}
		for _, n := range table.Entries {
			e.settings = append(e.settings, setting{node: n})
		}
		list = append(list, e)
	}
	return list
}

// values reads the values of a block and checks them against the declaration.
func (r *reader) values(b *Block) {
	b.base = r.experiment.Defaults()
	for i := range b.settings {
		s := &b.settings[i]
		p := r.param(s, b.settings[:i], directives)
		if a := r.axis(p, s.param, s.node); a != nil {
			b.Axes = append(b.Axes, a)
			continue
		}
		s.value = r.value(p, s.node)
		b.base[s.param] = s.value
	}
	r.zips(b)
	b.condition = r.condition(b.where)
	for _, e := range slices.Concat(b.excludes, b.includes) {
		for i := range e.settings {
			s := &e.settings[i]
			p := r.param(s, e.settings[:i], nil)
			s.value = r.value(p, s.node)
		}
	}
	for _, e := range b.excludes {
		r.must(len(e.settings) > 0, e.node,
			"an exclude without parameters drops every point, want at least one parameter")
	}
}

// zips reads the zip key and numbers its lists from 1.
func (r *reader) zips(b *Block) {
	const accepted = `lists of axes, for example zip = [["alpha", "gamma"]]`
	if b.zip == nil {
		return
	}
	for z, list := range r.list(b.zip, accepted) {
		names := r.list(list, accepted)
		r.must(len(names) >= 2, list, "zip of %d axes, want at least 2", len(names))
		var first *Axis
		for _, n := range names {
			name := r.text(n, "axes")
			_, i := find(r.experiment, name)
			a := b.axis(i)
			if a == nil {
				r.noAxis(b, n, name)
			}
			if first == nil {
				first = a
			}
			r.must(a.at == nil, n,
				"zip names %q, which is sampled: all sampled ranges are walked together", name)
			r.must(a.Zip == 0, n, "zip names %q twice", name)
			if len(a.values) != len(first.values) {
				lengths := fmt.Sprintf("%d values of %s with %d of %s",
					len(first.values), first.node.Key, len(a.values), a.node.Key)
				r.fail(n, "zip of %s, want equal lengths", lengths)
			}
			a.Zip = z + 1
		}
	}
}

// noAxis rejects a name in a zip that is not an axis of the block.
func (r *reader) noAxis(b *Block, n *document.Node, name string) {
	var keys []string
	for _, a := range b.Axes {
		keys = append(keys, a.node.Key)
	}
	known := strings.Join(keys, ", ")
	if known == "" {
		known = "none"
	}
	fault := r.at(n, "zip names %q, which is no axis of this block, whose axes are: %s",
		name, known)
	r.refuse(fault.Suggest(name, keys))
}
