package grid

import (
	"slices"

	"sweep/experiment"
	"sweep/internal/document"
)

// searchedBlocks reads the blocks of a spec that may have a search.
func (r *reader) searchedBlocks(n *document.Node, s *Search) []*Block {
	if s == nil {
		return r.blocks(n)
	}
	return r.searchBlocks(n, s)
}

// searchBlocks returns the blocks of a search: of each round a copy of each
// [grid] with the points of the round, and last a copy of each with what was
// found and what is sealed. Until it is found, the start stands there: the copy
// is checked and not run.
func (r *reader) searchBlocks(n *document.Node, s *Search) (list []*Block) {
	own := r.blocks(n)
	for _, f := range s.Free {
		e := s.sealedTable.Entry(f.Key)
		if e != nil {
			r.fail(keyOf(e), "%s is free in [search], and cannot be sealed", f.Key)
		}
	}
	for _, b := range own {
		for _, e := range b.includes {
			r.fail(e.node, "include does not go with [search]: its points would stand still")
		}
		for _, f := range s.Free {
			for _, set := range b.settings {
				r.must(set.node.Key != f.Key, keyOf(set.node),
					"%s is free in [search], and has a value here, want one of both", f.Key)
			}
		}
	}
	r.must(len(own)*(s.Rounds+1) <= maxBlocks, n,
		"%d blocks in each of %d rounds and in the judgement, want at most %d in all",
		len(own), s.Rounds, maxBlocks)
	for k := range s.Centres {
		points := s.PointsOf(k)
		for _, b := range own {
			round := r.block(withEntries(b.node, s.axes(points), nil))
			round.Round = k + 1
			list = append(list, round)
		}
	}
	found := s.Found
	if found == nil {
		found = s.Centres[0].At
	}
	sealed := slices.DeleteFunc(slices.Clone(s.sealedTable.Entries), isSeeds)
	for _, b := range own {
		entries := s.axes([][]experiment.Value{found})
		last := r.block(withEntries(b.node, entries, sealed))
		last.Sealed = true
		list = append(list, last)
	}
	return list
}

func isSeeds(n *document.Node) bool { return n.Key == "seeds" }

// axes returns the entries of a block for points: a list for each free
// parameter, which are walked together.
func (s *Search) axes(points [][]experiment.Value) (entries []*document.Node) {
	var names []*document.Node
	for i, f := range s.Free {
		axis := &document.Node{
			Kind:   document.Array,
			Key:    f.Key,
			KeyPos: f.node.KeyPos,
			Pos:    f.node.Pos,
		}
		for _, p := range points {
			var value any = p[i].Float()
			if p[i].Kind() == experiment.Int {
				value = p[i].Int()
			}
			axis.Elements = append(axis.Elements, scalarAt(f.node, value))
		}
		entries = append(entries, axis)
		names = append(names, scalarAt(f.node, f.Key))
	}
	if len(names) < 2 {
		return entries
	}
	zip := &document.Node{Kind: document.Array, Key: zipKey, KeyPos: -1, Elements: names}
	return append(entries, &document.Node{
		Kind:     document.Array,
		Key:      zipKey,
		KeyPos:   s.Free[0].node.KeyPos,
		Elements: []*document.Node{zip},
	})
}

// scalarAt returns an element of a list at the place of a node.
func scalarAt(n *document.Node, value any) *document.Node {
	return &document.Node{Key: n.Key, KeyPos: -1, Pos: n.Pos, Value: value}
}

// withEntries returns a copy of a table with more entries, where others take
// the place of those with their key. Zips are joined.
func withEntries(table *document.Node, more, others []*document.Node) *document.Node {
	made := &document.Node{Kind: document.Table, Key: table.Key, Pos: table.Pos}
	made.Entries = slices.Clone(table.Entries)
	for _, e := range others {
		at := slices.IndexFunc(made.Entries, func(old *document.Node) bool {
			return old.Key == e.Key
		})
		if at >= 0 {
			made.Entries[at] = e
		} else {
			made.Entries = append(made.Entries, e)
		}
	}
	for _, e := range more {
		at := slices.IndexFunc(made.Entries, func(old *document.Node) bool {
			return old.Key == zipKey && e.Key == zipKey
		})
		if at < 0 || made.Entries[at].Kind != document.Array {
			made.Entries = append(made.Entries, e)
			continue
		}
		joined := *made.Entries[at]
		joined.Elements = slices.Concat(joined.Elements, e.Elements)
		made.Entries[at] = &joined
	}
	return made
}

// seal finds the free parameters in the declaration, and refuses a search that
// could use what is sealed: a seed, or a value of a sealed parameter.
func (r *reader) seal(s *Search, own *seeds, seedsKey *document.Node, blocks []*Block) {
	for _, f := range s.Free {
		_, f.Param = find(r.experiment, f.Key)
		r.checkFree(f)
	}
	at := s.sealedTable.Entry("seeds")
	r.must(own.count <= maxSearchSeeds, seedsKey, "%d seeds in a search, want at most %d",
		own.count, maxSearchSeeds)
	for k := range s.sealed.count {
		seed := s.sealed.at(k)
		_, isOwn := own.find(seed)
		r.must(!isOwn, at, "seed %d is sealed, and is one of the search's seeds\n"+
			"hint: what is judged must not have been searched with", seed)
	}
	for _, e := range s.sealedTable.Entries {
		if isSeeds(e) {
			continue
		}
		p, i := find(r.experiment, e.Key)
		if p == nil {
			r.unknownParam(e, []string{"seeds"})
		}
		for _, f := range s.Free {
			r.must(f.Param != i, keyOf(e), "%s is free in [search], and cannot be sealed", e.Key)
		}
		used := takenBy(blocks, i, false)
		for _, v := range takenBy(blocks, i, true) {
			r.must(!slices.Contains(used, v), e, "%s = %s is sealed, and the search uses it\n"+
				"hint: what is judged must not have been searched with", p.Name, v)
		}
	}
	if s.Found != nil {
		own.append(&s.sealed)
	}
}

// takenBy returns the values of a parameter in the sealed blocks, or in the
// others.
func takenBy(blocks []*Block, param int, sealed bool) (values []experiment.Value) {
	for _, b := range blocks {
		if b.Sealed == sealed {
			values = append(values, b.valuesOf(param)...)
		}
	}
	return values
}

// append adds other seeds behind these.
func (s *seeds) append(others *seeds) {
	all := seeds{count: s.count + others.count, where: map[int64]int64{}}
	for k := range s.count {
		all.list = append(all.list, s.at(k))
	}
	for k := range others.count {
		all.list = append(all.list, others.at(k))
	}
	for k, seed := range all.list {
		all.where[seed] = int64(k)
	}
	all.first = all.list[0]
	*s = all
}

// isFree reports whether a parameter is free.
func (s *Search) isFree(param int) bool {
	return slices.ContainsFunc(s.Free, func(f *Free) bool { return f.Param == param })
}

// refuseUnusedFree rejects a free parameter that no block uses.
func (x *expander) refuseUnusedFree(blocks []*Block) {
	if x.plan.Search == nil {
		return
	}
	for _, f := range x.plan.Search.Free {
		isUsed := slices.ContainsFunc(blocks, func(b *Block) bool {
			return slices.ContainsFunc(b.products, func(p *product) bool { return p.uses[f.Param] })
		})
		if isUsed {
			continue
		}
		p := &x.experiment.Params[f.Param]
		const fault = "%s is free, but nothing uses it"
		if p.UsedBy != nil {
			x.refuseUnused(setting{node: f.node}, p, fault, p.Name)
		}
		x.fail(keyOf(f.node), fault, p.Name)
	}
}

// isRun reports whether a block is run: one that is sealed is not until the
// search has ended.
func (s *Search) isRun(b *Block) bool { return !b.Sealed || s.Found != nil }

// setWindows gives each cell its seeds: those of the search, the sealed ones
// or, if it is a cell of both, all. own is the number of the search's seeds.
func (x *expander) setWindows(s *Search, blocks []*Block, own int64) {
	s.windows = make([]window, x.plan.Cells())
	for i := range s.windows {
		s.windows[i] = window{first: own}
	}
	values := make([]experiment.Value, len(x.experiment.Params))
	for _, b := range blocks {
		for _, c := range b.cells() {
			c.fill(values)
			if b.drops(values) {
				continue
			}
			key := appendCellText(nil, x.experiment, x.plan.byName, values)
			cell, _ := x.plan.index().find(digest(key))
			w := &s.windows[cell]
			if b.Sealed {
				w.end = x.plan.seeds.count
				continue
			}
			w.first = 0
			w.end = max(w.end, own)
		}
		if b.Round == 1 {
			s.cycle += b.Cells
		}
	}
}

// Window returns which seeds of the plan a cell has: those at positions from
// first to before end. Without a search, a rule or a purchase these are all.
func (p *Plan) Window(cell int64) (first, end int64) {
	switch {
	case p.Search != nil:
		w := p.Search.windows[cell]
		return w.first, w.end
	case p.bought != nil:
		return 0, p.bought[cell]
	}
	return 0, p.seeds.count
}

// IsEven reports whether all cells have all seeds of the plan.
func (p *Plan) IsEven() bool { return p.stop == nil && p.bought == nil && p.Search == nil }
