package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"sweep/internal/document"
)

// seeds are the seeds of a plan: consecutive numbers, or else a list.
type seeds struct {
	first, count int64
	list         []int64         // nil: consecutive
	where        map[int64]int64 // positions in list
}

// at returns the k-th seed.
func (s *seeds) at(k int64) int64 {
	if s.list != nil {
		return s.list[k]
	}
	return s.first + k
}

// find returns the position of a seed, and whether it is one of the seeds.
func (s *seeds) find(seed int64) (k int64, ok bool) {
	if s.list != nil {
		k, ok = s.where[seed]
	} else {
		k = seed - s.first // seeds are not negative, so it cannot overflow
		ok = k >= 0
	}
	return k, ok && k < s.count
}

// outline describes the seeds in a few words, as in "3 seeds (1 … 3)".
func (s *seeds) outline() string {
	if s.count == 1 {
		return fmt.Sprintf("1 seed (%d)", s.at(0))
	}
	count := humanize.Comma(s.count)
	last := s.at(s.count - 1)
	return fmt.Sprintf("%s seeds (%d … %d)", count, s.at(0), last)
}

func (s *seeds) equal(t *seeds) bool {
	return s.first == t.first && s.count == t.count && slices.Equal(s.list, t.list)
}

const seedForms = `30, "1..30", [1, 2, 5] or { from = 1, count = 30 }`

// seeds reads the seeds key in any of its forms. Without it there is one
// seed, 1.
func (r *reader) seeds(n *document.Node) seeds {
	switch {
	case n == nil:
		return seeds{first: 1, count: 1}
	case n.Kind == document.Array:
		return r.seedList(n)
	case n.Kind == document.Table:
		return r.seedRange(n)
	}
	if count, isInt := n.Value.(int64); isInt {
		r.must(count >= 1, n, "seeds is %d, want at least 1", count)
		return seeds{first: 1, count: count}
	}
	first, last, ok := interval(r.text(n, seedForms))
	r.want(ok && first >= 0 && first <= last && last-first < math.MaxInt64, n,
		`a range such as "1..30" within 0 to 2^63-1`)
	return seeds{first: first, count: last - first + 1}
}

// seedRange reads { from, count } or { from, to }.
func (r *reader) seedRange(n *document.Node) seeds {
	keys := r.table(n, "a range", []string{"from", "count", "to"})
	from := keys["from"]
	count := keys["count"]
	to := keys["to"]
	r.must(from != nil, n, "seeds has no \"from\", want %s", seedForms)
	r.must(count != nil || to != nil, n, "seeds has no \"count\", want %s", seedForms)
	s := seeds{first: r.integer(from, 0)}
	if to == nil {
		s.count = r.integer(count, 1)
		r.must(s.first <= math.MaxInt64-s.count+1, count,
			"%d seeds from %d go beyond 2^63-1", s.count, s.first)
		return s
	}
	r.must(count == nil, keyOf(to), "seeds has both \"count\" and \"to\", want one")
	last := r.integer(to, s.first)
	r.must(last-s.first < math.MaxInt64, to,
		"seeds from %d to %d are more than 2^63-1", s.first, last)
	s.count = last - s.first + 1
	return s
}

// seedList reads a list of seeds.
func (r *reader) seedList(n *document.Node) seeds {
	r.must(len(n.Elements) > 0, n, "seeds is an empty list, want at least one seed")
	s := seeds{count: int64(len(n.Elements)), where: map[int64]int64{}}
	isConsecutive := true
	for i, e := range n.Elements {
		seed := r.integer(e, 0)
		if k, twice := s.where[seed]; twice {
			line, column := r.place(n.Elements[k].Pos)
			r.fail(e, "seed %d is listed twice, first at %d:%d", seed, line, column)
		}
		s.where[seed] = int64(i)
		s.list = append(s.list, seed)
		isConsecutive = isConsecutive && seed == s.list[0]+int64(i)
	}
	s.first = s.list[0]
	if isConsecutive {
		return seeds{first: s.first, count: s.count}
	}
	return s
}
