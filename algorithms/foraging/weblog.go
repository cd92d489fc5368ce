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

// weblogScratch is the working memory of update.
type weblogScratch struct {
	place   []int32       // for each URL, its place in the weblog plus 1; zero between updates
	touched []touchedItem // what the path changed or added
	rest    weblog        // what it left alone
}

type touchedItem struct {
	weblogEntry
	seniority int32 // among equal values the smaller comes first
}

// update folds one finished path into the weblog (Algorithm 1).
//
// profit[i], in reward units, was received at visited[i]; the slices must
// be of equal length. A URL's cumulated value is the profit of its own
// step and of all later ones. beta, in [0, 1], weighs this path against
// what the weblog already has. Ties keep their order, old entries before
// new ones, which the paper leaves open. At most size entries are kept.
//
// Only what the path touched is sorted; the rest is in order and merged.
func (w weblog) update(visited []int32, profit []float64, beta float64, size int, scratch *weblogScratch) weblog {
	for i := range w {
		scratch.place[w[i].url] = int32(i + 1)
	}
	touched := scratch.touched[:0]
	var cumulated float64
	for i := len(visited) - 1; i >= 0; i-- {
		cumulated += profit[i]
		u := visited[i]
		if at := scratch.place[u]; at > 0 {
			value := float64((1-beta)*w[at-1].value) + float64(beta*cumulated)
			touched = append(touched, touchedItem{weblogEntry{u, value}, at - 1})
			scratch.place[u] = 0
		} else {
			touched = append(touched, touchedItem{weblogEntry{u, cumulated}, int32(len(w) + i)})
		}
	}
	scratch.touched = touched
	slices.SortFunc(touched, func(a, b touchedItem) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.seniority, b.seniority))
	})

	rest := append(scratch.rest[:0], w...)
	w = w[:0]
	for i, e := range rest {
		at := scratch.place[e.url]
		if at == 0 {
			continue // touched
		}
		scratch.place[e.url] = 0
		for len(touched) > 0 && (touched[0].value > e.value || touched[0].value == e.value && int(touched[0].seniority) < i) {
			w = append(w, touched[0].weblogEntry)
			touched = touched[1:]
		}
		w = append(w, e)
	}
	for _, t := range touched {
		w = append(w, t.weblogEntry)
	}
	scratch.rest = rest
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
