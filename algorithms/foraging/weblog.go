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

// updateWeblog folds the path that a forager has finished into its weblog
// (Algorithm 1).
//
// A URL's cumulated value is the profit of its own step and of all later
// ones; Beta weighs this path against what the weblog already has. Ties keep
// their order, old entries before new ones, which the paper leaves open. At
// most WeblogSize entries are kept.
//
// Only what the path changed is sorted, and merged with the rest, which is
// in order. place has a zero for each URL before and after; between them it
// has the place in the old weblog, from 1 on, negative if the path changed it.
func (s *Simulator) updateWeblog(f *forager) {
	w, place, beta := f.weblog, s.place, s.config.Beta
	for i, e := range w {
		place[e.url] = int32(i + 1)
	}
	known := len(w)
	var cumulated float64
	for i, u := range slices.Backward(f.visited) {
		cumulated += f.profit[i]
		if at := place[u]; at > 0 {
			w[at-1].value = float64((1-beta)*w[at-1].value) + float64(beta*cumulated)
			place[u] = -at
		} else {
			w = append(w, weblogEntry{u, cumulated})
		}
	}
	slices.Reverse(w[known:])

	rest, changed := w[:0], s.changed[:0]
	for _, e := range w {
		if place[e.url] > 0 {
			rest = append(rest, e)
		} else {
			changed = append(changed, e)
		}
	}
	s.changed = changed
	slices.SortStableFunc(changed, func(a, b weblogEntry) int { return cmp.Compare(b.value, a.value) })
	for last := len(w) - 1; len(changed) > 0; last-- {
		c := changed[len(changed)-1]
		if n := len(rest) - 1; n >= 0 && (rest[n].value < c.value ||
			rest[n].value == c.value && place[c.url] < 0 && place[rest[n].url] > -place[c.url]) {
			w[last], rest = rest[n], rest[:n]
		} else {
			w[last], changed = c, changed[:len(changed)-1]
		}
	}
	for _, e := range w {
		place[e.url] = 0
	}
	f.weblog = w[:min(len(w), s.config.WeblogSize)]
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
