package foraging

import (
	"cmp"
	"slices"

	"sweep/internal/rng"
)

// weblog is a forager's list of URLs with their weblog values, in
// descending order of value: the expected profit of a path after visiting
// the URL.
type weblog []weblogEntry

type weblogEntry struct {
	url   int32
	value float64
}

// newWeblog returns the weblog of a forager that starts from a seed of
// URLs: all have the value 0 (Algorithm 10).
func newWeblog(seed []int32) weblog {
	w := make(weblog, len(seed))
	for i, u := range seed {
		w[i].url = u
	}
	return w
}

// update folds one finished path into the weblog (Algorithm 1).
//
// profit[i], in reward units, was received at visited[i]; the slices must
// be of equal length. A URL's cumulated value is the profit of its own
// step and of all later ones. beta, in (0, 1], weighs this path against
// what the weblog already has. Ties keep their order, old entries before
// new ones, which the paper leaves open. At most size entries are kept.
//
// index has an element for each URL, all zero, and is left so.
func (w weblog) update(visited []int32, profit []float64, beta float64, size int, index []int32) weblog {
	for i := range w {
		index[w[i].url] = int32(i + 1)
	}
	known := len(w)
	var cumulated float64
	for i := len(visited) - 1; i >= 0; i-- {
		cumulated += profit[i]
		if at := index[visited[i]]; at > 0 {
			old := &w[at-1].value
			*old = float64((1-beta)**old) + float64(beta*cumulated)
		} else {
			w = append(w, weblogEntry{visited[i], cumulated})
		}
	}
	for i := range w[:known] {
		index[w[i].url] = 0
	}
	slices.Reverse(w[known:]) // into the order of the path
	slices.SortStableFunc(w, func(a, b weblogEntry) int { return cmp.Compare(b.value, a.value) })
	return w[:min(len(w), size)]
}

// split moves a random half of the entries, rounded down, to a new weblog
// (Algorithm 6). Both stay in order.
func (w weblog) split(s *rng.Stream) (kept, moved weblog) {
	kept = w[:0]
	need := len(w) / 2
	for i, e := range w {
		if s.IntN(len(w)-i) < need-len(moved) {
			moved = append(moved, e)
		} else {
			kept = append(kept, e)
		}
	}
	return kept, moved
}
