package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// Not every algorithm uses every parameter, and two points that differ only in
// a parameter that neither uses are one. So a block is divided before it is
// expanded. In
//
//	algorithm = ["CGLA", "uniform"]
//	N         = [16, 64]            # CGLA alone uses it
//	capacity  = [1, 10]
//
// each line is a loop; zipped axes would be one loop together. CGLA and uniform
// are two kinds of points, and each kind makes a product of the loops. That of
// CGLA takes both values of N, and has 4 points. To uniform only the first
// value of N is fresh: the second would make the same points again. So it has 2
// points, in which N is null.

// A kind stands for the points that use the same parameters.
type kind struct {
	algorithm  string // empty if there is only one
	isReplaced bool   // a file takes the place of some parameters
}

// A product is the points of one kind in a block, or the one point that an
// include names.
type product struct {
	node  *document.Node     // the block or the include
	base  []experiment.Value // of parameters that no loop sets; null if not used
	loops [][]*Axis
	fresh [][]int // by loop, the indices of values that make new points
	uses  []bool  // by parameter, whether the points use it
}

// A cell is a point without its seed.
type cell struct {
	*product
	place int64 // among all combinations of the loops' values; the last loop counts fastest
}

// fill writes the cell's values.
func (c cell) fill(values []experiment.Value) {
	copy(values, c.base)
	for _, loop := range slices.Backward(c.loops) {
		n := int64(len(loop[0].values))
		for _, a := range loop {
			if c.uses[a.param] {
				values[a.param] = a.values[c.place%n]
			}
		}
		c.place /= n
	}
}

// prepare finds the products of a block.
func (x *expander) prepare(b *Block) {
	x.sampleAxes(b)
	b.makeLoops()
	for _, loop := range b.loops {
		x.refuseTwice(loop)
	}
	for _, k := range x.kinds() {
		p := x.product(b.node, b.base, k)
		if x.findFresh(p, b, k) {
			b.products = append(b.products, p)
		}
	}
	for _, s := range b.settings {
		if x.plan.Search == nil || !x.plan.Search.isFree(s.param) {
			x.refuseUnusedAxis(b, s)
		}
	}
	for _, e := range b.includes {
		b.points = append(b.points, x.include(b, e))
	}
	x.bound(b)
	x.describe(b)
}

// axis returns the axis of a parameter, nil if it has none.
func (b *Block) axis(param int) *Axis {
	for _, a := range b.Axes {
		if a.param == param {
			return a
		}
	}
	return nil
}

// valuesOf returns the values of a parameter in the block.
func (b *Block) valuesOf(param int) []experiment.Value {
	if a := b.axis(param); a != nil {
		return a.values
	}
	return b.base[param : param+1]
}

// Outline describes values in a few words: at most four, and the last.
func Outline(values []experiment.Value) string {
	const head = 4
	var texts []string
	for _, v := range values[:min(len(values), head+1)] {
		texts = append(texts, v.String())
	}
	if len(values) > len(texts) {
		last := values[len(values)-1]
		return fmt.Sprintf("%s … %s", strings.Join(texts[:head], ", "), last)
	}
	return strings.Join(texts, ", ")
}

// makeLoops joins zipped axes to loops. A loop stands where the first of its
// axes stands.
func (b *Block) makeLoops() {
	for _, a := range b.Axes {
		k := slices.IndexFunc(b.loops, func(loop []*Axis) bool {
			return loop[0].Zip == a.Zip
		})
		if k < 0 || a.Zip == 0 {
			b.loops = append(b.loops, []*Axis{a})
		} else {
			b.loops[k] = append(b.loops[k], a)
		}
	}
}

// refuseTwice rejects an axis that has a value twice, and a zip that has a
// combination twice.
func (x *expander) refuseTwice(loop []*Axis) {
	for _, a := range loop {
		if a.node.Kind != document.Array {
			return // no value of a range occurs twice
		}
	}
	first := loop[0]
	seen := map[string]*document.Node{}
	for k, n := range first.node.Elements {
		var key []byte
		for _, a := range loop {
			key = appendKey(key, a.values[k])
		}
		if before := seen[string(key)]; before != nil {
			line, column := x.place(before.Pos)
			x.must(len(loop) == 1, n, "the zip with %s has the same values at %d:%d already",
				first.node.Key, line, column)
			x.fail(n, "%s has the value %s twice, first at %d:%d",
				first.node.Key, first.values[k], line, column)
		}
		seen[string(key)] = n
	}
}

// appendKey appends a form of v that is different for every value and that
// tells where it ends.
func appendKey(key []byte, v experiment.Value) []byte {
	key = append(key, byte(v.Kind()))
	key = v.Append(key)
	return append(key, 0)
}

// kinds returns the kinds that points may have.
func (x *expander) kinds() (list []kind) {
	algorithms := []string{""}
	if x.selector >= 0 {
		algorithms = x.experiment.Params[x.selector].Choices
	}
	for _, algorithm := range algorithms {
		list = append(list, kind{algorithm: algorithm})
		if x.replacer >= 0 {
			list = append(list, kind{algorithm: algorithm, isReplaced: true})
		}
	}
	return list
}

// product returns the points of a kind. Parameters that they do not use are
// null.
func (x *expander) product(n *document.Node, base []experiment.Value, k kind) *product {
	p := &product{
		node: n,
		base: slices.Clone(base),
		uses: make([]bool, len(base)),
	}
	for i := range base {
		param := &x.experiment.Params[i]
		isReplaced := k.isReplaced && x.replaces(param)
		p.uses[i] = param.Uses(k.algorithm) && !isReplaced
		if !p.uses[i] {
			p.base[i] = experiment.Value{}
		}
	}
	return p
}

// replaces reports whether a file may take the place of a parameter.
func (x *expander) replaces(p *experiment.Param) bool {
	if x.replacer < 0 {
		return false
	}
	replacer := x.experiment.Params[x.replacer]
	return slices.Contains(replacer.Replaces, p.Name)
}

// fits reports whether points of a kind may have a value.
func (x *expander) fits(k kind, param int, v experiment.Value) bool {
	switch param {
	case x.selector:
		return v.Text() == k.algorithm
	case x.replacer:
		return v.IsNull() != k.isReplaced
	}
	return true
}

// findFresh finds which values of a block's loops make points of a kind, and
// reports whether there are any.
func (x *expander) findFresh(p *product, b *Block, k kind) bool {
	p.loops = b.loops
	for i, v := range b.base {
		if b.axis(i) == nil && !x.fits(k, i, v) {
			return false
		}
	}
	for _, loop := range b.loops {
		fresh := x.fresh(p, loop, k)
		if len(fresh) == 0 {
			return false
		}
		p.fresh = append(p.fresh, fresh)
	}
	return true
}

// fresh returns the indices of those values of a loop that fit the kind and
// make new points.
func (x *expander) fresh(p *product, loop []*Axis, k kind) (list []int) {
	isDistinct := len(loop) == 1 && loop[0].at == nil // no value occurs twice
	seen := map[string]bool{}
	var key []byte
	list = make([]int, 0, len(loop[0].values))
	for i := range loop[0].values {
		key = key[:0]
		fits := true
		for _, a := range loop {
			fits = fits && x.fits(k, a.param, a.values[i])
			if p.uses[a.param] {
				key = appendKey(key, a.values[i])
			}
		}
		if !fits || seen[string(key)] {
			continue
		}
		list = append(list, i)
		if !isDistinct || len(key) == 0 {
			seen[string(key)] = true
		}
	}
	return list
}

// refuseUnusedAxis rejects an axis that no point of the block uses. A fixed
// value may be unused, since a block may list values for several algorithms,
// unless a file replaces it in every point.
func (x *expander) refuseUnusedAxis(b *Block, s setting) {
	for _, p := range b.products {
		if p.uses[s.param] {
			return
		}
	}
	p := &x.experiment.Params[s.param]
	if x.replaces(p) && !slices.Contains(b.valuesOf(x.replacer), experiment.Value{}) {
		x.fail(keyOf(s.node), "%s has no effect: %s takes its place",
			p.Name, x.experiment.Params[x.replacer].Name)
	}
	if b.axis(s.param) != nil {
		algorithms := Outline(b.valuesOf(x.selector))
		x.refuseUnused(s, p, "%s is an axis, but not used by %s", p.Name, algorithms)
	}
}

// refuseUnused rejects a setting of a parameter that only other algorithms use.
func (x *expander) refuseUnused(s setting, p *experiment.Param, format string, args ...any) {
	hint := fmt.Sprintf("\nhint: %s is used by %s", p.Name, strings.Join(p.UsedBy, ", "))
	x.fail(keyOf(s.node), format+"%s", append(args, hint)...)
}

// include returns the point that an include names.
func (x *expander) include(b *Block, e *pattern) cell {
	values := slices.Clone(b.base)
	for _, s := range e.settings {
		values[s.param] = s.value
	}
	var k kind
	if x.selector >= 0 {
		k.algorithm = values[x.selector].Text()
	}
	if x.replacer >= 0 {
		k.isReplaced = !values[x.replacer].IsNull()
	}
	point := x.product(e.node, values, k)
	for _, s := range e.settings {
		if point.uses[s.param] {
			continue
		}
		p := &x.experiment.Params[s.param]
		if k.isReplaced && x.replaces(p) {
			x.fail(keyOf(s.node), "this point includes %s, but %s takes its place",
				p.Name, x.experiment.Params[x.replacer].Name)
		}
		x.refuseUnused(s, p, "this point includes %s, but its algorithm %s does not use it",
			p.Name, k.algorithm)
	}
	return cell{product: point}
}

// bound rejects a block that makes the grid too large to expand.
func (x *expander) bound(b *Block) {
	for _, p := range b.products {
		size := 1.0
		for _, fresh := range p.fresh {
			size *= float64(len(fresh))
		}
		x.size += size
	}
	x.must(x.size <= maxCells, b.node, "the grid has %.0f cells up to here, want at most %d\n"+
		"hint: a cell is one combination of values, with all of its seeds: "+
		"use shorter axes, zip, or several sweeps", x.size, maxCells)
}

// describe sums up a block before it is expanded, and rejects one with too many
// combinations of values.
func (x *expander) describe(b *Block) {
	combinations := 1.0
	zips := 0
	for _, loop := range b.loops {
		combinations *= float64(len(loop[0].values))
		zip := 0
		if len(loop) > 1 {
			zips++
			zip = zips
		}
		for _, a := range loop {
			a.Zip = zip
			a.Values = Outline(a.values)
			a.Len = int64(len(a.values))
		}
	}
	x.must(combinations <= 1<<53, b.node,
		"the block has %.2g combinations of values, want at most 2^53\n"+
			"hint: give each algorithm a [[grid]] of its own, with the axes that it uses",
		combinations)
	b.Combinations = int64(combinations)
}
