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
// step and of all later ones. beta, in [0, 1], weighs this path against
// what the weblog already has. Ties keep their order, old entries before
// new ones, which the paper leaves open. At most size entries are kept.
// place has a zero for each URL of the site, and again when it returns.
func (w weblog) update(visited []int32, profit []float64, beta float64, size int, place []int32) weblog {
	known := w
	for i, e := range known {
		place[e.url] = int32(i + 1)
	}
	var cumulated float64
	for i := len(visited) - 1; i >= 0; i-- {
		cumulated += profit[i]
		if at := place[visited[i]]; at > 0 {
			w[at-1].value = float64((1-beta)*w[at-1].value) + float64(beta*cumulated)
		} else {
			w = append(w, weblogEntry{visited[i], cumulated})
		}
	}
	slices.Reverse(w[len(known):])
	for _, e := range known {
		place[e.url] = 0
	}
	slices.SortStableFunc(w, func(a, b weblogEntry) int { return cmp.Compare(b.value, a.value) })
	return w[:min(len(w), size)]
}

// split moves a random half of the entries, rounded down, to a new weblog
// (Algorithm 6). Both stay in order. A single entry cannot be divided and is
// copied, so that either forager has a URL to start from.
func (w weblog) split(s *rng.Stream) (kept, moved weblog) {
	if len(w) == 1 {
		return w, weblog{w[0]}
	}
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
