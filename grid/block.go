package grid

import (
	"strings"

	"sweep/grid/internal/document"
	"sweep/grid/internal/sequence"
	"sweep/grid/internal/tuples"
	"sweep/internal/schema"
	"sweep/internal/suggest"
)

// A block is one [grid] as written. A combination of its axes' values is a
// tuple of indices, one for each group of axes.
type block struct {
	model *model
	pos   document.Pos

	// base holds the fixed values, and the defaults of all other
	// parameters, axes included.
	base   []schema.Value
	groups []group
	place  []place // by parameter
	named  []int   // parameters in the order of the document

	algorithms []*algorithm // those that occur, each once

	excludes []pattern
	includes []inclusion
}

// A group is one axis, or several that are walked together.
type group struct {
	n    int64
	axes []axis

	// firsts are, for each of the block's algorithms, the indices of the
	// first of those tuples that its nulls make equal.
	firsts map[*algorithm][]tuples.Run
}

type axis struct {
	param  int
	values sequence.Sequence
	node   *document.Node
}

// A place says which axis a parameter is; group is -1 if it is none.
type place struct{ group, axis int }

// A pattern is one exclude: parameters and the values they must have.
type pattern struct {
	pos     document.Pos
	entries []*document.Node
	must    constraints
}

// An inclusion is one include's canonical point.
type inclusion struct {
	pos    document.Pos
	values []schema.Value
}

// constraints demand that parameters have certain values.
type constraints map[int]constraint

// A constraint demands one value, or any value of a sequence if that is
// not nil.
type constraint struct {
	one schema.Value
	any sequence.Sequence
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
	b := &block{model: r.model, pos: table.Pos, base: make([]schema.Value, len(params)), place: make([]place, len(params))}
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
		b.named = append(b.named, i)
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
	if err := r.used(b); err != nil {
		return nil, err
	}
	for _, a := range b.algorithms {
		for g := range b.groups {
			b.groups[g].firsts[a] = b.first(g, a)
		}
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
			b.groups = append(b.groups, group{n: a.values.Len(), firsts: map[*algorithm][]tuples.Run{}})
		}
		b.place[a.param] = place{g, len(b.groups[g].axes)}
		b.groups[g].axes = append(b.groups[g].axes, a)
	}
	// Which algorithms occur is known now.
	if s := b.model.selector; s >= 0 && b.place[s].group >= 0 {
		values := b.axis(s).values
		for i := range b.model.algorithms {
			a := &b.model.algorithms[i]
			if _, ok := values.Next(schema.StringValue(a.name), 0); ok {
				b.algorithms = append(b.algorithms, a)
			}
		}
	} else {
		b.algorithms = []*algorithm{b.model.algorithm(b.base)}
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

func (b *block) axis(param int) *axis {
	p := b.place[param]
	return &b.groups[p.group].axes[p.axis]
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
func appendKey(key []byte, v schema.Value) []byte {
	key = append(key, byte(v.Kind()))
	return append(v.Append(key), 0)
}

// used refuses an axis that no algorithm of the block uses. Fixed values
// need no use: they may serve several blocks' worth of algorithms.
func (r *reader) used(b *block) error {
	for _, g := range b.groups {
	next:
		for _, a := range g.axes {
			var names []string
			for _, alg := range b.algorithms {
				if alg.uses[a.param] {
					continue next
				}
				names = append(names, alg.name)
			}
			p := &r.model.experiment.Params[a.param]
			return r.at(a.node.KeyPos, "%s is an axis, but %s does not use it", p.Name, strings.Join(names, ", ")).
				hint("%s is used by %s", p.Name, strings.Join(p.UsedBy, ", "))
		}
	}
	return nil
}

// first computes group.firsts.
func (b *block) first(g int, alg *algorithm) []tuples.Run {
	grp := &b.groups[g]
	indices := []tuples.Run{{First: 0, Last: grp.n - 1}}
	var used []int
	for _, a := range grp.axes {
		if a.param == b.model.selector {
			indices = preimageOne(a.values, schema.StringValue(alg.name))
		} else if alg.uses[a.param] {
			used = append(used, a.param)
		}
	}
	if len(used) == 0 {
		return []tuples.Run{{First: indices[0].First, Last: indices[0].First}}
	}
	fresh, _, _ := b.repeats(g, used, indices)
	return fresh
}

// preimageOne returns the indices at which a sequence has a value.
func preimageOne(s sequence.Sequence, v schema.Value) []tuples.Run {
	var runs []tuples.Run
	for i, ok := s.Next(v, 0); ok; i, ok = s.Next(v, i+1) {
		runs = append(runs, tuples.Run{First: i, Last: i})
	}
	return tuples.Normal(runs)
}

// excludes reads the exclude key.
func (r *reader) excludes(b *block, n *document.Node) error {
	list, err := r.points(excludeKey, n)
	if err != nil {
		return err
	}
	for _, e := range list {
		if len(e.Entries) == 0 {
			return r.at(e.Pos, "an exclude without parameters drops every point, want at least one parameter")
		}
		p := pattern{pos: e.Pos, entries: e.Entries, must: constraints{}}
		for _, entry := range e.Entries {
			param, i := r.model.experiment.Param(entry.Key)
			if param == nil {
				return r.unknown(entry)
			}
			v, err := r.value(param, entry)
			if err != nil {
				return err
			}
			p.must[i] = constraint{one: v}
		}
		b.excludes = append(b.excludes, p)
	}
	return nil
}

// includes reads the include key.
func (r *reader) includes(b *block, n *document.Node) error {
	list, err := r.points(includeKey, n)
	if err != nil {
		return err
	}
	for _, e := range list {
		values := append([]schema.Value(nil), b.base...)
		for _, entry := range e.Entries {
			param, i := r.model.experiment.Param(entry.Key)
			if param == nil {
				return r.unknown(entry)
			}
			if values[i], err = r.value(param, entry); err != nil {
				return err
			}
		}
		alg := r.model.algorithm(values)
		for _, entry := range e.Entries {
			if p, i := r.model.experiment.Param(entry.Key); !alg.uses[i] {
				return r.at(entry.KeyPos, "this point includes %s, but its algorithm %s does not use it", p.Name, alg.name).
					hint("%s is used by %s", p.Name, strings.Join(p.UsedBy, ", "))
			}
		}
		r.model.canonical(values)
		b.includes = append(b.includes, inclusion{e.Pos, values})
	}
	return nil
}

// points reads a list of tables.
func (r *reader) points(key string, n *document.Node) ([]*document.Node, error) {
	if n == nil {
		return nil, nil
	}
	form := key + " = [{ alpha = 0.1 }]"
	if n.Kind != document.Array {
		return nil, r.at(n.Pos, "%s is %s, want a list of tables", key, found(n)).hint("for example: %s", form)
	}
	for _, e := range n.Elements {
		if e.Kind != document.Table {
			return nil, r.at(e.Pos, "%s holds %s, want tables", key, found(e)).hint("for example: %s", form)
		}
	}
	return n.Elements, nil
}

// fill writes the canonical values of a tuple.
func (b *block) fill(tuple []int64, values []schema.Value) {
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
func (b *block) locate(values []schema.Value, tuple []int64) bool {
	alg := b.model.algorithm(values)
	if alg == nil {
		return false
	}
	for i, v := range values {
		switch {
		case !alg.uses[i]:
			if !v.IsNull() {
				return false
			}
		case b.place[i].group < 0 && v != b.base[i]:
			return false
		}
	}
	for g := range b.groups {
		i, ok := b.groups[g].find(values, alg)
		if !ok {
			return false
		}
		tuple[g] = i
	}
	return true
}

// find returns the first index at which the axes that the algorithm uses
// have the given values.
func (g *group) find(values []schema.Value, alg *algorithm) (int64, bool) {
	var lead *axis
	for k := range g.axes {
		a := &g.axes[k]
		if alg.uses[a.param] && (lead == nil || a.values.Distinct()) {
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
			if alg.uses[a.param] && a.values.At(i) != values[a.param] {
				continue search
			}
		}
		return i, true
	}
	return 0, false
}
