package grid

import (
	"math"
	"strconv"
	"strings"

	"sweep/grid/internal/document"
)

// seeds are the seeds of a sweep: either a list or a range.
type seeds struct {
	list  []int64
	where map[int64]int64 // positions in list

	first, count int64 // the range, if list is nil
}

// oneSeed is what a spec without seeds gets.
var oneSeed = seeds{first: 1, count: 1}

func (s *seeds) len() int64 {
	if s.list != nil {
		return int64(len(s.list))
	}
	return s.count
}

func (s *seeds) at(k int64) int64 {
	if s.list != nil {
		return s.list[k]
	}
	return s.first + k
}

func (s *seeds) find(seed int64) (int64, bool) {
	if s.list != nil {
		k, ok := s.where[seed]
		return k, ok
	}
	// Seeds are not negative, so the difference cannot overflow.
	return seed - s.first, seed >= s.first && seed-s.first < s.count
}

// head returns the first n seeds, n ≤ len.
func (s *seeds) head(n int64) seeds {
	if s.list == nil {
		return seeds{first: s.first, count: n}
	}
	h := seeds{list: s.list[:n], where: make(map[int64]int64, n)}
	for k, seed := range h.list {
		h.where[seed] = int64(k)
	}
	return h
}

const seedForms = `30, "1..30", [1, 2, 5] or { from = 1, count = 30 }`

// seeds reads the seeds key in any of its four forms. Without it there is
// one seed, 1.
func (r *reader) seeds(n *document.Node) (seeds, error) {
	if n == nil {
		return oneSeed, nil
	}
	switch n.Kind {
	case document.Table:
		return r.seedRange(n)
	case document.Array:
		return r.seedList(n)
	}
	switch v := n.Value.(type) {
	case int64:
		if v < 1 {
			return seeds{}, r.at(n.Pos, "seeds is %d, want at least 1", v)
		}
		return seeds{first: 1, count: v}, nil
	case string:
		from, to, ok := strings.Cut(v, "..")
		first, err1 := strconv.ParseInt(from, 10, 64)
		last, err2 := strconv.ParseInt(to, 10, 64)
		if !ok || err1 != nil || err2 != nil || first < 0 || last < first || last-first == math.MaxInt64 {
			return seeds{}, r.at(n.Pos, "seeds is %s, want a range such as \"1..30\" within 0 to 2^63-1", found(n))
		}
		return seeds{first: first, count: last - first + 1}, nil
	}
	return seeds{}, r.at(n.Pos, "seeds is %s, want %s", found(n), seedForms)
}

func (r *reader) seedRange(n *document.Node) (seeds, error) {
	if err := r.only(n, "from", "count"); err != nil {
		return seeds{}, err
	}
	var v [2]int64
	for i, key := range [2]string{"from", "count"} {
		e := n.Entry(key)
		if e == nil {
			return seeds{}, r.at(n.Pos, "seeds has no %q, want %s", key, seedForms)
		}
		var ok bool
		if v[i], ok = e.Value.(int64); !ok || v[i] < int64(i) {
			return seeds{}, r.at(e.Pos, "%s is %s, want an integer of at least %d", key, found(e), i)
		}
	}
	if v[0] > math.MaxInt64-v[1]+1 {
		return seeds{}, r.at(n.Entry("count").Pos, "%d seeds from %d go beyond 2^63-1", v[1], v[0])
	}
	return seeds{first: v[0], count: v[1]}, nil
}

func (r *reader) seedList(n *document.Node) (seeds, error) {
	if len(n.Elements) == 0 {
		return seeds{}, r.at(n.Pos, "seeds is an empty list, want at least one seed")
	}
	s := seeds{where: make(map[int64]int64, len(n.Elements))}
	for i, e := range n.Elements {
		seed, ok := e.Value.(int64)
		if !ok || seed < 0 {
			return seeds{}, r.at(e.Pos, "a seed is %s, want an integer of at least 0", found(e))
		}
		if k, twice := s.where[seed]; twice {
			first := n.Elements[k].Pos
			return seeds{}, r.at(e.Pos, "seed %d is listed twice, first at %d:%d", seed, first.Line, first.Column)
		}
		s.where[seed] = int64(i)
		s.list = append(s.list, seed)
	}
	return s, nil
}
