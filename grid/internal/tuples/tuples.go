// Package tuples holds sets of index tuples that are counted, and found by
// position, without being listed.
//
// A tuple has one index per level. A Set is a graph in which each level's
// node splits the level's indices into runs of consecutive indices that
// are followed by the same node of the next level (an interval decision
// diagram). A full product of any size is one run per level; what is taken
// out of it costs a few more. Every node knows how many tuples pass below
// it, so the n-th tuple in lexicographic order, and the position of a
// tuple, take one binary search per level.
package tuples

import (
	"errors"
	"math"
	"math/bits"
	"sort"
)

// A Run is the indices First to Last, both included.
type Run struct{ First, Last int64 }

// A Set is a set of tuples. It is immutable; the sets that one Builder
// made are equal exactly if they are the same pointer. The nil Set is
// empty.
type Set struct {
	runs []edge
	size int64 // number of tuples; overflown if it is beyond int64
	id   int   // distinguishes the sets of one Builder
}

// An edge leads from a run of indices to what may follow them.
type edge struct {
	Run
	before int64 // tuples that begin with an earlier index
	next   *Set
}

// overflown marks a size that int64 cannot hold.
const overflown = -1

// Size returns the number of tuples, and false if int64 cannot hold it.
func (s *Set) Size() (int64, bool) {
	if s == nil {
		return 0, true
	}
	return s.size, s.size != overflown
}

// At writes the n-th tuple in lexicographic order, 0 ≤ n < Size, to tuple,
// whose length is the number of levels.
func (s *Set) At(n int64, tuple []int64) {
	for level := range tuple {
		// The last edge with before ≤ n.
		low, high := 0, len(s.runs)
		for high-low > 1 {
			if mid := (low + high) / 2; s.runs[mid].before <= n {
				low = mid
			} else {
				high = mid
			}
		}
		e := &s.runs[low]
		n -= e.before
		tuple[level] = e.First + n/e.next.size
		n %= e.next.size
		s = e.next
	}
}

// Rank returns the position of a tuple, and false if it is not in the set.
func (s *Set) Rank(tuple []int64) (int64, bool) {
	if s == nil {
		return 0, false
	}
	var n int64
	for _, index := range tuple {
		k := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].Last >= index })
		if k == len(s.runs) || s.runs[k].First > index {
			return 0, false
		}
		e := &s.runs[k]
		n += e.before + (index-e.First)*e.next.size
		s = e.next
	}
	return n, true
}

// Level returns the runs of indices that occur at a level in some tuple,
// ascending and disjoint.
func (s *Set) Level(level int) []Run {
	if s == nil {
		return nil
	}
	sets := []*Set{s}
	for ; level > 0; level-- {
		var next []*Set
		seen := map[*Set]bool{}
		for _, s := range sets {
			for _, e := range s.runs {
				if !seen[e.next] {
					seen[e.next] = true
					next = append(next, e.next)
				}
			}
		}
		sets = next
	}
	var runs []Run
	for _, s := range sets {
		for _, e := range s.runs {
			runs = append(runs, e.Run)
		}
	}
	return Normal(runs)
}

// Normal sorts runs and joins those that overlap or touch.
func Normal(runs []Run) []Run {
	sort.Slice(runs, func(i, j int) bool { return runs[i].First < runs[j].First })
	joined := runs[:0]
	for _, r := range runs {
		if n := len(joined); n > 0 && r.First <= joined[n-1].Last+1 {
			joined[n-1].Last = max(joined[n-1].Last, r.Last)
		} else {
			joined = append(joined, r)
		}
	}
	return joined
}

// Intersect returns the indices that two normal lists of runs share.
func Intersect(a, b []Run) []Run {
	var both []Run
	for len(a) > 0 && len(b) > 0 {
		r := Run{max(a[0].First, b[0].First), min(a[0].Last, b[0].Last)}
		if r.First <= r.Last {
			both = append(both, r)
		}
		if a[0].Last < b[0].Last {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// ErrLarge says that sets grew beyond the Builder's limit.
var ErrLarge = errors.New("the sets take too many runs to describe")

// A Builder makes sets. After its limit is exceeded all further results
// are empty and Err returns ErrLarge.
type Builder struct {
	unique map[uint64][]*Set // nodes by hash of their runs
	end    *Set              // what follows the last level: one empty tuple
	room   int               // runs that may still be made
	ids    int
}

// NewBuilder returns a Builder whose sets may have limit runs in all.
func NewBuilder(limit int) *Builder {
	return &Builder{unique: map[uint64][]*Set{}, end: &Set{size: 1}, room: limit}
}

// Err returns ErrLarge if the limit is exceeded, else nil.
func (b *Builder) Err() error {
	if b.room < 0 {
		return ErrLarge
	}
	return nil
}

// Box returns the product of one normal list of runs per level. Without
// levels it holds the one empty tuple.
func (b *Builder) Box(levels [][]Run) *Set {
	s := b.end
	for i := len(levels) - 1; i >= 0 && s != nil; i-- {
		edges := make([]edge, len(levels[i]))
		for k, r := range levels[i] {
			edges[k] = edge{Run: r, next: s}
		}
		s = b.node(edges)
	}
	return s
}

// node returns the set with the given edges, which are ascending.
func (b *Builder) node(edges []edge) *Set {
	if b.room -= len(edges); len(edges) == 0 || b.room < 0 {
		return nil
	}
	hash := uint64(len(edges))
	for _, e := range edges {
		for _, word := range [3]uint64{uint64(e.First), uint64(e.Last), uint64(e.next.id)} {
			// FNV's prime; the rotation brings high bits down.
			hash = bits.RotateLeft64((hash^word)*0x100000001b3, 29)
		}
	}
candidates:
	for _, s := range b.unique[hash] {
		if len(s.runs) != len(edges) {
			continue
		}
		for i := range edges {
			if s.runs[i].Run != edges[i].Run || s.runs[i].next != edges[i].next {
				continue candidates
			}
		}
		return s
	}
	b.ids++
	s := &Set{runs: edges, id: b.ids}
	for i := range edges {
		edges[i].before = s.size
		s.size = add(s.size, multiply(edges[i].Last-edges[i].First+1, edges[i].next.size))
	}
	b.unique[hash] = append(b.unique[hash], s)
	return s
}

func add(a, b int64) int64 {
	if a == overflown || b == overflown || a > math.MaxInt64-b {
		return overflown
	}
	return a + b
}

func multiply(a, b int64) int64 {
	if b == overflown {
		return overflown
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return overflown
	}
	return int64(low)
}

// Union returns the tuples in any of the sets, which have equal levels.
func (b *Builder) Union(sets ...*Set) *Set {
	// By halves, so that many small sets are not each merged into a large
	// one.
	switch n := len(sets); n {
	case 0:
		return nil
	case 1:
		return sets[0]
	default:
		return b.combine(union, b.Union(sets[:n/2]...), b.Union(sets[n/2:]...), map[[2]*Set]*Set{})
	}
}

// Both returns the tuples in x and y.
func (b *Builder) Both(x, y *Set) *Set { return b.combine(both, x, y, map[[2]*Set]*Set{}) }

// Minus returns the tuples in x that are not in y.
func (b *Builder) Minus(x, y *Set) *Set { return b.combine(minus, x, y, map[[2]*Set]*Set{}) }

type operation uint8

const (
	union operation = iota
	both
	minus
)

// combine applies an operation level by level. done remembers pairs of
// nodes, which many runs may share.
func (b *Builder) combine(op operation, x, y *Set, done map[[2]*Set]*Set) *Set {
	switch {
	case b.room < 0:
		return nil
	case x == y && op == minus:
		return nil
	case x == y:
		return x
	case x == nil && op == union:
		return y
	case x == nil:
		return nil
	case y == nil && op == both:
		return nil
	case y == nil:
		return x
	}
	pair := [2]*Set{x, y}
	if s, ok := done[pair]; ok {
		return s
	}
	var edges []edge
	emit := func(first, last int64, x, y *Set) {
		next := b.combine(op, x, y, done)
		if next == nil {
			return
		}
		if n := len(edges); n > 0 && edges[n-1].next == next && edges[n-1].Last == first-1 {
			edges[n-1].Last = last
			return
		}
		edges = append(edges, edge{Run: Run{first, last}, next: next})
	}
	// Sweep over both lists of runs, from one boundary to the next.
	i, k := 0, 0
	at := int64(math.MinInt64)
	for i < len(x.runs) || k < len(y.runs) {
		var p, q *Set
		stop := int64(math.MaxInt64)
		for _, side := range [2]struct {
			edges []edge
			at    int
			set   **Set
		}{{x.runs, i, &p}, {y.runs, k, &q}} {
			if side.at == len(side.edges) {
				continue
			}
			if e := side.edges[side.at]; e.First <= at {
				*side.set = e.next
				stop = min(stop, e.Last)
			} else {
				stop = min(stop, e.First-1)
			}
		}
		emit(at, stop, p, q)
		if i < len(x.runs) && x.runs[i].Last == stop {
			i++
		}
		if k < len(y.runs) && y.runs[k].Last == stop {
			k++
		}
		at = stop + 1
	}
	s := b.node(edges)
	done[pair] = s
	return s
}
