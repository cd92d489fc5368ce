package grid

import (
	"fmt"
	"sort"

	"sweep/experiment"
	"sweep/grid/internal/sequence"
	"sweep/grid/internal/tuples"
)

// overlap returns the tuples of b whose points the segment e holds.
func (u *union) overlap(e *segment, b *block) (*tuples.Set, error) {
	var parts []*tuples.Set
	for _, v := range b.variants {
		part, err := u.image(e.block, b, v)
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

// image returns the tuples of b, of one variant, whose points are in the
// product of the earlier block e, its excludes aside.
func (u *union) image(e, b *block, v *variant) (*tuples.Set, error) {
	occurs := false
	for _, a := range e.variants {
		occurs = occurs || a == v
	}
	if !occurs {
		return nil, nil
	}
	// Parameter by parameter, except where e walks several together.
	must := constraints{}
	var joint []int // groups of e
	for i := range e.base {
		switch p := e.place[i]; {
		case !v.uses[i]:
		case p.group < 0:
			must[i] = constraint{one: e.base[i]}
		case i == u.model.selector:
			must[i] = constraint{one: experiment.StringValue(v.algorithm)}
		default:
			must[i] = constraint{any: e.axis(i).values}
		}
	}
	for g := range e.groups {
		used := 0
		for _, a := range e.groups[g].axes {
			if v.uses[a.param] {
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
	whole := u.box(b, v, must)
	for _, g := range joint {
		if whole == nil {
			break
		}
		together, err := u.together(e, g, b, v)
		if err != nil {
			return nil, err
		}
		whole = u.build.Both(whole, together)
	}
	return whole, nil
}

// together returns the tuples of b, of one variant, whose points agree
// with some tuple of e's group g.
func (u *union) together(e *block, g int, b *block, v *variant) (*tuples.Set, error) {
	firsts := e.groups[g].firsts[v]
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
				if v.uses[a.param] {
					must[a.param] = constraint{one: a.values.At(i)}
				}
			}
			parts = append(parts, u.box(b, v, must))
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
