package foraging

import (
	"slices"

	"sweep/internal/rng"
)

// weblog is a forager's list of URLs with their weblog values, in
// descending order of value: the expected profit of a path after visiting
// the URL.
type weblog []weblogEntry

type weblogEntry struct {
	url   int32
	order int32 // place before the last update: in the weblog, or behind it in the path
	value float64
}

// before tells whether a comes before b in a weblog.
func (a weblogEntry) before(b weblogEntry) bool {
	return a.value > b.value || a.value == b.value && a.order < b.order
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
// ones; Beta weighs this path against what the weblog already has. Of equal
// values the older entry comes first, and new ones in the order of the path
// (READINGS.md, 4). At most WeblogSize entries are kept.
//
// Algorithm 1 sorts the whole weblog. Here only what the path changed is
// sorted, by insertion, as it comes nearly in order: cumulated values grow
// towards the beginning of a path. The rest is in order, and both are merged.
func (s *Simulator) updateWeblog(f *forager) {
	w := f.weblog
	place := s.place
	beta := s.config.Beta
	for i := range w {
		w[i].order = int32(i)
		place[w[i].url] = int32(i + 1)
	}
	changed := s.changed[:0] // newURLs and revisitedURLs, the last of the weblog first
	var cumulated float64
	for i, u := range slices.Backward(f.visited) {
		cumulated += f.profit[i]
		e := weblogEntry{url: u, order: int32(len(w) + i), value: cumulated}
		if at := place[u]; at > 0 {
			e.order = at - 1
			e.value = float64((1-beta)*w[e.order].value) + float64(beta*cumulated)
			place[u] = 0
		}
		n := len(changed)
		changed = append(changed, e)
		for ; n > 0 && changed[n-1].before(e); n-- {
			changed[n] = changed[n-1]
		}
		changed[n] = e
	}
	s.changed = changed

	merged := s.merged[:0]
	for _, e := range w {
		if place[e.url] == 0 {
			continue // among the changed
		}
		place[e.url] = 0
		for n := len(changed); n > 0 && changed[n-1].before(e); n-- {
			merged = append(merged, changed[n-1])
			changed = changed[:n-1]
		}
		merged = append(merged, e)
	}
	slices.Reverse(changed)
	s.merged = append(merged, changed...)
	f.weblog = append(w[:0], s.merged[:min(len(s.merged), s.config.WeblogSize)]...)
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
