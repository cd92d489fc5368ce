package grid

import (
	"fmt"
	"math"
	"math/big"
	"sort"

	"sweep/grid/internal/sequence"
	"sweep/grid/internal/tuples"
	"sweep/internal/schema"
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

	// shared remembers preimages, which the algorithms and patterns of a
	// pair of blocks have in common.
	shared map[[2]sequence.Sequence][]tuples.Run
}

// A segment is what one block adds to the union.
type segment struct {
	block    *block
	start    int64 // the first cell
	set      *tuples.Set
	size     int64
	includes [][]schema.Value
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
	for _, alg := range b.algorithms {
		parts = append(parts, u.box(b, alg, nil))
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
	for _, alg := range b.algorithms {
		u.spread.product(b, alg, u.build.Both(kept, u.box(b, alg, nil)))
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
			return r.at(in.pos, "the blocks have more than 2^63-1 points")
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
func (u *union) holds(values []schema.Value) bool {
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

func pointKey(values []schema.Value) string {
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

// box returns the tuples of one algorithm that satisfy the constraints.
func (u *union) box(b *block, alg *algorithm, must constraints) *tuples.Set {
	levels := make([][]tuples.Run, len(b.groups))
	for g := range levels {
		levels[g] = b.groups[g].firsts[alg]
	}
	for i, c := range must {
		if !alg.uses[i] {
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

func (c constraint) allows(v schema.Value) bool {
	if c.any == nil {
		return v == c.one
	}
	_, ok := c.any.Next(v, 0)
	return ok
}

// matching returns the block's tuples that match a pattern.
func (u *union) matching(b *block, p pattern) *tuples.Set {
	var parts []*tuples.Set
	for _, alg := range b.algorithms {
		parts = append(parts, u.box(b, alg, p.must))
	}
	return u.build.Union(parts...)
}

// overlap returns the tuples of b whose points the segment e holds.
func (u *union) overlap(e *segment, b *block) (*tuples.Set, error) {
	var parts []*tuples.Set
	for _, alg := range b.algorithms {
		part, err := u.image(e.block, b, alg)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	whole := u.build.Union(parts...)
	if whole != nil {
		parts = parts[:0]
		for _, p := range e.block.excludes {
			parts = append(parts, u.matching(b, p))
		}
		whole = u.build.Minus(whole, u.build.Union(parts...))
	}
	parts = []*tuples.Set{whole}
	tuple := make([]int64, len(b.groups))
	for _, in := range e.includes {
		if b.locate(in, tuple) {
			parts = append(parts, u.single(tuple))
		}
	}
	return u.build.Union(parts...), nil
}

func (u *union) single(tuple []int64) *tuples.Set {
	levels := make([][]tuples.Run, len(tuple))
	for g, i := range tuple {
		levels[g] = []tuples.Run{{First: i, Last: i}}
	}
	return u.build.Box(levels)
}

// image returns the tuples of b, of one algorithm, whose points are in the
// product of the earlier block e, its excludes aside.
func (u *union) image(e, b *block, alg *algorithm) (*tuples.Set, error) {
	occurs := false
	for _, a := range e.algorithms {
		occurs = occurs || a == alg
	}
	if !occurs {
		return nil, nil
	}
	// Parameter by parameter, except where e walks several together.
	must := constraints{}
	var joint []int // groups of e
	for i := range e.base {
		switch p := e.place[i]; {
		case !alg.uses[i]:
		case p.group < 0:
			must[i] = constraint{one: e.base[i]}
		case i == u.model.selector:
			must[i] = constraint{one: schema.StringValue(alg.name)}
		default:
			must[i] = constraint{any: e.axis(i).values}
		}
	}
	for g := range e.groups {
		used := 0
		for _, a := range e.groups[g].axes {
			if alg.uses[a.param] {
				used++
			}
		}
		if used > 1 {
			joint = append(joint, g)
		}
	}
	if err := u.comparable(b, must); err != nil {
		return nil, err
	}
	whole := u.box(b, alg, must)
	for _, g := range joint {
		if whole == nil {
			break
		}
		together, err := u.together(e, g, b, alg)
		if err != nil {
			return nil, err
		}
		whole = u.build.Both(whole, together)
	}
	return whole, nil
}

// together returns the tuples of b, of one algorithm, whose points agree
// with some tuple of e's group g.
func (u *union) together(e *block, g int, b *block, alg *algorithm) (*tuples.Set, error) {
	firsts := e.groups[g].firsts[alg]
	var n int64
	for _, run := range firsts {
		n += run.Last - run.First + 1
	}
	if n > mostCompared {
		return nil, fmt.Errorf("a zip of an earlier block overlaps this block and has %d values, too many to compare (at most %d)", n, mostCompared)
	}
	var parts []*tuples.Set
	for _, run := range firsts {
		for i := run.First; i <= run.Last; i++ {
			must := constraints{}
			for _, a := range e.groups[g].axes {
				if alg.uses[a.param] {
					must[a.param] = constraint{one: a.values.At(i)}
				}
			}
			parts = append(parts, u.box(b, alg, must))
		}
	}
	return u.build.Union(parts...), nil
}

// comparable checks that all preimages in b can be computed, and drops the
// check as soon as a parameter shows that nothing overlaps.
func (u *union) comparable(b *block, must constraints) error {
	params := make([]int, 0, len(must))
	for i, c := range must {
		if b.place[i].group < 0 && !c.allows(b.base[i]) {
			return nil
		}
		params = append(params, i)
	}
	sort.Ints(params)
	var large error
	for _, i := range params {
		if b.place[i].group < 0 {
			continue
		}
		s, c := b.axis(i).values, must[i]
		switch {
		case c.any != nil && !manageable(s, c.any):
			if large == nil {
				large = fmt.Errorf("%s has %d values here and %d in an earlier block, too many to compare (at most %d, unless both are steps on one ladder)",
					u.model.experiment.Params[i].Name, s.Len(), c.any.Len(), mostCompared)
			}
		case len(u.preimage(s, c)) == 0:
			return nil
		}
	}
	return large
}

// manageable reports whether the values that two sequences share can be
// found.
func manageable(s, t sequence.Sequence) bool {
	if min(s.Len(), t.Len()) <= mostCompared || apart(s, t) {
		return true
	}
	_, ok := offset(s, t)
	return ok
}

// apart reports whether one sequence ends before the other begins. Only
// lists are not ordered, and they are short.
func apart(s, t sequence.Sequence) bool {
	_, list1 := s.(*sequence.List)
	_, list2 := t.(*sequence.List)
	if list1 || list2 {
		return false
	}
	a, b := s.At(0).Float(), s.At(s.Len()-1).Float()
	c, d := t.At(0).Float(), t.At(t.Len()-1).Float()
	return max(a, b) < min(c, d) || max(c, d) < min(a, b)
}

// offset returns k such that value i of s is value i+k of t.
func offset(s, t sequence.Sequence) (int64, bool) {
	l, ok1 := s.(*sequence.Linear)
	m, ok2 := t.(*sequence.Linear)
	if !ok1 || !ok2 {
		return 0, false
	}
	return l.Offset(m)
}

// preimage returns the indices of s whose values satisfy c.
func (u *union) preimage(s sequence.Sequence, c constraint) []tuples.Run {
	if c.any == nil {
		return preimageOne(s, c.one)
	}
	pair := [2]sequence.Sequence{s, c.any}
	if runs, ok := u.shared[pair]; ok {
		return runs
	}
	runs := preimageAny(s, c.any)
	u.shared[pair] = runs
	return runs
}

// preimageAny returns the indices of s whose values t has too; the two are
// manageable, or nothing is returned.
func preimageAny(s, t sequence.Sequence) []tuples.Run {
	var runs []tuples.Run
	if k, ok := offset(s, t); ok {
		// i+k must be an index of t. Bounds that int64 cannot hold are
		// out of reach anyway.
		first, last := new(big.Int).Neg(big.NewInt(k)), big.NewInt(t.Len()-1)
		last.Sub(last, big.NewInt(k))
		if first.Sign() < 0 {
			first.SetInt64(0)
		}
		if end := big.NewInt(s.Len() - 1); last.Cmp(end) > 0 {
			last = end
		}
		if first.Cmp(last) <= 0 {
			runs = append(runs, tuples.Run{First: first.Int64(), Last: last.Int64()})
		}
		return runs
	}
	switch {
	case apart(s, t):
	case s.Len() <= min(t.Len(), mostCompared):
		for i := range s.Len() {
			if _, ok := t.Next(s.At(i), 0); ok {
				runs = append(runs, tuples.Run{First: i, Last: i})
			}
		}
	case t.Len() <= mostCompared:
		for i := range t.Len() {
			runs = append(runs, preimageOne(s, t.At(i))...)
		}
	}
	return tuples.Normal(runs)
}
