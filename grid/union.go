package grid

import (
	"math"

	"sweep/experiment"
	"sweep/grid/internal/sequence"
	"sweep/grid/internal/tuples"
)

// Limits on what is compared value by value when blocks overlap. They keep
// the reading of any spec to seconds; products within a block have no
// limit but that of the count.
const (
	mostRuns     = 1 << 21 // runs of indices, in all sets together
	mostCompared = 1 << 14 // values of an axis, or of a zip
)

// A union is the blocks' points, each once.
type union struct {
	model     *model
	build     *tuples.Builder
	segments  []*segment
	extras    map[string]int64 // cells of included points, by key
	cells     int64
	described []Block
	spread    spread

	// shared remembers preimages, which the variants and patterns of a
	// pair of blocks have in common.
	shared map[[2]sequence.Sequence][]tuples.Run
}

// A segment is what one block adds to the union.
type segment struct {
	block    *block
	start    int64 // the first cell
	set      *tuples.Set
	size     int64
	includes [][]experiment.Value
}

// union joins the blocks in order.
func (r *reader) union(blocks []*block) (*union, error) {
	u := &union{
		model:  r.model,
		build:  tuples.NewBuilder(mostRuns),
		extras: map[string]int64{},
		spread: newSpread(r.model),
		shared: map[[2]sequence.Sequence][]tuples.Run{},
	}
	for _, b := range blocks {
		if err := r.join(u, b); err != nil {
			return nil, err
		}
	}
	if u.cells == 0 {
		return nil, r.at(blocks[0].pos, "no points are left, all are excluded")
	}
	return u, nil
}

func (r *reader) join(u *union, b *block) error {
	s := &segment{block: b, start: u.cells}
	var parts []*tuples.Set
	for _, v := range b.variants {
		parts = append(parts, u.box(b, v, nil))
	}
	domain := u.build.Union(parts...)
	distinct, ok := domain.Size()
	if !ok {
		return r.at(b.pos, "the block has more than 2^63-1 points")
	}
	var dropped []*tuples.Set
	for _, p := range b.excludes {
		d := u.matching(b, p)
		if d == nil && u.build.Err() == nil {
			return r.nothing(b, p)
		}
		dropped = append(dropped, d)
	}
	kept := u.build.Minus(domain, u.build.Union(dropped...))
	afterExcludes, _ := kept.Size()
	for _, e := range u.segments {
		overlap, err := u.overlap(e, b)
		if err != nil {
			return r.at(b.pos, "%v", err).hint("make the blocks differ in a fixed value, or use shorter axes")
		}
		kept = u.build.Minus(kept, overlap)
	}
	if u.build.Err() != nil {
		return r.at(b.pos, "the excludes and the blocks before overlap in too many ways to count")
	}
	s.set = kept
	s.size, _ = kept.Size()
	for _, v := range b.variants {
		u.spread.product(b, v, u.build.Both(kept, u.box(b, v, nil)))
	}
	if err := r.obeyed(u, s); err != nil {
		return err
	}
	if !u.count(s.size) {
		return r.at(b.pos, "the blocks have more than 2^63-1 points")
	}
	u.spread.order = append(u.spread.order, b.named...)
	u.segments = append(u.segments, s)
	for _, in := range b.includes {
		if u.holds(in.values) {
			continue
		}
		u.extras[pointKey(in.values)] = u.cells
		if !u.count(1) {
			return r.at(in.node.Pos, "the blocks have more than 2^63-1 points")
		}
		s.includes = append(s.includes, in.values)
		u.spread.point(in.values)
	}
	u.described = append(u.described, describe(b, counts{
		distinct: distinct,
		excluded: distinct - afterExcludes,
		repeated: afterExcludes - s.size + int64(len(b.includes)-len(s.includes)),
		included: int64(len(b.includes)),
	}))
	return nil
}

func (u *union) count(n int64) bool {
	if u.cells > math.MaxInt64-n {
		return false
	}
	u.cells += n
	return true
}

// holds reports whether a point is in the union already.
func (u *union) holds(values []experiment.Value) bool {
	if _, ok := u.extras[pointKey(values)]; ok {
		return true
	}
	for _, s := range u.segments {
		tuple := make([]int64, len(s.block.groups))
		if s.block.locate(values, tuple) {
			if _, ok := s.set.Rank(tuple); ok {
				return true
			}
		}
	}
	return false
}

func pointKey(values []experiment.Value) string {
	var key []byte
	for _, v := range values {
		key = appendKey(key, v)
	}
	return string(key)
}

// nothing is the fault of a pattern that no point of its block matches.
func (r *reader) nothing(b *block, p pattern) error {
	fault := r.at(p.pos, "the exclude matches nothing")
	for _, e := range p.entries {
		_, i := r.model.experiment.Param(e.Key)
		v := p.must[i].one
		if b.place[i].group < 0 {
			if v != b.base[i] {
				return fault.hint("%s is %s in this block, never %s", e.Key, b.base[i], v)
			}
		} else if s := b.axis(i).values; len(preimageOne(s, v)) == 0 {
			return fault.hint("%s takes the values %s in this block, never %s", e.Key, outline(s), v)
		}
	}
	return fault.hint("no point of this block has, and uses, all these values together")
}

// box returns the tuples of one variant that satisfy the constraints.
func (u *union) box(b *block, v *variant, must constraints) *tuples.Set {
	levels := make([][]tuples.Run, len(b.groups))
	for g := range levels {
		levels[g] = b.groups[g].firsts[v]
	}
	for i, c := range must {
		if !v.uses[i] {
			return nil
		}
		g := b.place[i].group
		if g < 0 {
			if !c.allows(b.base[i]) {
				return nil
			}
			continue
		}
		levels[g] = tuples.Intersect(levels[g], u.preimage(b.axis(i).values, c))
	}
	return u.build.Box(levels)
}

func (c constraint) allows(v experiment.Value) bool {
	if c.any == nil {
		return v == c.one
	}
	_, ok := c.any.Next(v, 0)
	return ok
}

// matching returns the block's tuples that match a pattern.
func (u *union) matching(b *block, p pattern) *tuples.Set {
	var parts []*tuples.Set
	for _, v := range b.variants {
		parts = append(parts, u.box(b, v, p.must))
	}
	return u.build.Union(parts...)
}
