package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/internal/document"
)

// maxCells bounds the cells of all blocks of a spec together, including those
// that are excluded or repeated. Cells are listed in memory; seeds are not.
const maxCells = 1 << 22

// An expander makes the cells of a plan from blocks.
type expander struct {
	*reader
	plan     *Plan
	selector int     // index of the parameter experiment.Algorithm if it has choices, or -1
	replacer int     // index of the parameter that replaces others, or -1
	size     float64 // cells of the blocks so far, including excluded and repeated ones
}

// expand lists the cells of the blocks, each once, and joins them with the
// seeds. The given node sets the number of seeds.
func (r *reader) expand(plan *Plan, blocks []*Block, seeds *document.Node) {
	params := r.experiment.Params
	x := &expander{reader: r, plan: plan}
	x.selector = slices.IndexFunc(params, func(p experiment.Param) bool {
		return p.Name == experiment.Algorithm && p.Choices != nil
	})
	x.replacer = slices.IndexFunc(params, func(p experiment.Param) bool {
		return p.Replaces != nil
	})
	for _, b := range blocks {
		x.prepare(b)
	}
	x.refuseUnusedFree(blocks)
	var seen map[ID]bool // nil if no cell can be repeated
	if len(blocks) > 1 || len(blocks[0].includes) > 0 {
		seen = map[ID]bool{}
	}
	for _, b := range blocks {
		kept := slices.DeleteFunc(b.cells(), x.drops(b, seen))
		b.Cells = int64(len(kept))
		if plan.cells == nil {
			plan.cells = kept // perhaps many, and not copied
		} else {
			plan.cells = append(plan.cells, kept...)
		}
		if plan.Search == nil { // a round may be all of what an exclude keeps
			x.refuseIdleFilters(b)
		}
	}
	r.must(len(plan.cells) > 0, blocks[0].node, "no points are left, all are excluded")
	varies := x.checkRules()
	plan.Varying = inOrder(varies, blocks)
	if plan.Search != nil {
		x.setWindows(plan.Search, blocks, plan.own)
	}
	if plan.Cells() > math.MaxInt64/plan.Seeds() {
		r.fail(seeds, "%d cells with %d seeds each are more than 2^63-1 runs",
			plan.Cells(), plan.Seeds())
	}
}

// cells lists the points of a block in order, and then those that it includes.
// Of equal combinations it lists the first.
func (b *Block) cells() (all []cell) {
	for _, p := range b.products {
		places := []int64{0}
		for k, fresh := range p.fresh {
			n := int64(len(b.loops[k][0].values))
			longer := make([]int64, 0, len(places)*len(fresh))
			for _, place := range places {
				for _, i := range fresh {
					longer = append(longer, place*n+int64(i))
				}
			}
			places = longer
		}
		all = slices.Grow(all, len(places))
		for _, place := range places {
			all = append(all, cell{p, place})
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return cmp.Compare(a.place, b.place) })
	b.Nulled = b.Combinations - int64(len(all))
	b.Included = int64(len(b.points))
	return append(all, b.points...)
}

// drops returns a function that tells whether a cell of a block is excluded or
// occurred before. It must be called once for each cell.
func (x *expander) drops(b *Block, seen map[ID]bool) func(c cell) bool {
	var key []byte
	values := make([]experiment.Value, len(x.experiment.Params))
	return func(c cell) bool {
		c.fill(values)
		if c.node == b.node && b.drops(values) {
			b.Excluded++
			return true
		}
		if seen == nil {
			return false
		}
		key = appendCellText(key[:0], x.experiment, x.plan.byName, values)
		id := digest(key)
		if seen[id] {
			b.Repeated++
			return true
		}
		seen[id] = true
		return false
	}
}

// drops reports whether a point is excluded, or does not meet where.
func (b *Block) drops(values []experiment.Value) bool {
	isExcluded := false
	for _, e := range b.excludes {
		if e.matches(values) {
			e.matched = true
			isExcluded = true
		}
	}
	if isExcluded {
		return true
	}
	if b.condition == nil || b.condition.meets(values) {
		return false
	}
	b.condition.fails = true
	return true
}

// matches reports whether a point has the values of the pattern.
func (e *pattern) matches(values []experiment.Value) bool {
	for _, s := range e.settings {
		if values[s.param] != s.value {
			return false
		}
	}
	return true
}

// refuseIdleFilters rejects a where or an exclude that dropped no point.
func (x *expander) refuseIdleFilters(b *Block) {
	if b.condition != nil {
		x.must(b.condition.fails, b.where,
			"where drops nothing: every point of this block meets it")
	}
	for _, e := range b.excludes {
		if e.matched {
			continue
		}
		hint := "no point of this block has, and uses, all these values together"
		for _, s := range slices.Backward(e.settings) {
			values := b.valuesOf(s.param)
			if !slices.Contains(values, s.value) {
				hint = fmt.Sprintf("%s is %s in this block, never %s",
					x.experiment.Params[s.param].Name, Outline(values), s.value)
			}
		}
		x.fail(e.node, "the exclude matches nothing\nhint: %s", hint)
	}
}
