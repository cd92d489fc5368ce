package foraging

import (
	"sweep/algorithms/belief"
	"sweep/environments/newssite"
	"sweep/internal/rng"
)

// watchlist is what a watch forager has in place of a weblog (READINGS.md, 36):
// pages with a belief about how often they have something new. It returns to
// the page with the largest index if that is above the yield of walking.
// Otherwise it walks: at random or, if it learns an ordering and that brought
// more of late, by the ordering.
//
// What visits and walks bring is net: relevant documents less the cost of those
// that were sent (WatchSendCost).
type watchlist struct {
	pages []watched

	walks   [2]walk // at random, and by the ordering
	ordered bool    // whether the forager learns an ordering

	walk    int  // which of walks the present step belongs to
	returns bool // unless it is a return
}

// The walks of a watchlist.
const (
	atRandom = iota
	byOrdering
)

// A walk is what a way of walking brought of late. It begins with one document
// in no time, so that a forager tries each first.
type walk struct {
	net  float64
	time float64 // in which it brought that, ms
}

// tries is in how many steps a forager that knows two ways of walking goes the
// way that brought less once, as sites and orderings change.
const tries = 10

// watched is a page of a watchlist.
type watched struct {
	url  int32
	last int64 // when its last visit began, ms

	// Evidence beyond the prior: of the rate at which it has something new, in
	// ms; of what visits brought; of how many found something new.
	hits, time float64
	net, found float64

	cost float64 // time that a visit takes, ms

	// What the page brought in its time, for its cost. It is 0 of a page that
	// brought nothing, which the index gives a chance.
	rate float64

	belief belief.Gamma // of the evidence and the prior
	worth  float64      // what news there brings for its cost, documents per ms
	bend   float64      // a bound of what the index gains: worth · bend · the growth of gap²

	// The index as it was computed last, and the square of the gap then; both
	// are 0 after a visit.
	known, square float64
}

// slack is more than an index is in error, in parts of the worth.
const slack = 1e-12

// A visit is what a watch forager learns from in a step.
type visit struct {
	url   int32
	begun int64 // ms
	took  int64 // ms
	net   float64
	found bool // whether a document was relevant
}

// newWatchlist returns the empty watchlist of a forager of a kind.
func newWatchlist(k Kind) watchlist {
	return watchlist{
		walks:   [2]walk{{net: 1}, {net: 1}},
		ordered: k.OrderingUpdate,
	}
}

// net returns relevant documents less the cost of the sent ones.
func (c *Config) net(relevant, sent int64) float64 {
	return float64(relevant) - float64(c.WatchSendCost*float64(sent))
}

// chooseWalk decides how to walk, and returns what the better walk brings,
// documents per ms.
func (w *watchlist) chooseWalk(s *rng.Stream) (yield float64) {
	better := atRandom
	other := byOrdering
	if w.ordered && w.walks[byOrdering].yield() > w.walks[atRandom].yield() {
		better = byOrdering
		other = atRandom
	}
	w.walk = better
	if w.ordered && s.IntN(tries) == 0 {
		w.walk = other
	}
	return w.walks[better].yield()
}

func (w *walk) yield() float64 { return w.net / w.time }

// choose returns the page to return to, if to return pays more than to walk.
func (w *watchlist) choose(now int64, s *rng.Stream) (url int32, ok bool) {
	most := w.chooseWalk(s)
	best := -1
	for i := range w.pages {
		p := &w.pages[i]
		if p.worth > 0 && p.worth <= most {
			continue // an index is at most the worth
		}
		gap := float64(now - p.last)
		square := float64(gap * gap)
		gain := float64(p.bend*(square-p.square)) + slack
		if p.worth > 0 && p.known+float64(p.worth*gain) <= most {
			continue
		}
		p.known = p.index(gap)
		p.square = square
		if index := p.known; index > most {
			most = index
			best = i
		}
	}
	w.returns = best >= 0
	if !w.returns {
		return 0, false
	}
	return w.pages[best].url, true
}

// index returns what a visit is worth after a gap, in documents per ms: the
// least yield of walking at which it is as good to wait.
func (p *watched) index(gap float64) float64 {
	return float64(p.worth * p.belief.Index(gap))
}

// learn takes a visit as evidence about its page, and about walking unless the
// forager returned. A new page takes the place of the one with the least rate
// of what it brings for its cost, if it has more.
func (w *watchlist) learn(c *Config, v visit) {
	took := float64(v.took)
	if !w.returns {
		walk := &w.walks[w.walk]
		walk.net = float64(walk.net*c.YieldKept) + v.net
		walk.time = float64(walk.time*c.YieldKept) + took
	}
	for i := range w.pages {
		if p := &w.pages[i]; p.url == v.url {
			p.cost = (p.cost + took) / 2
			p.learn(c, v, float64(v.begun-p.last))
			return
		}
	}
	p := watched{url: v.url, cost: took}
	p.learn(c, v, float64(c.RelevanceHours*float64(newssite.Hour)))
	if len(w.pages) < c.WeblogSize {
		w.pages = append(w.pages, p)
		return
	}
	least := 0
	for i := range w.pages {
		if w.pages[i].rate < w.pages[least].rate {
			least = i
		}
	}
	if p.rate > w.pages[least].rate {
		w.pages[least] = p
	}
}

// learn takes a visit as evidence about the page, after a gap in ms.
func (p *watched) learn(c *Config, v visit, gap float64) {
	prior := belief.Gamma{A: c.PriorHits, B: float64(c.PriorHours * float64(newssite.Hour))}
	kept := c.EvidenceKept
	before := belief.Gamma{
		A: prior.A + float64(kept*p.hits),
		B: prior.B + float64(kept*p.time),
	}
	p.belief = before.Learn(gap, v.found)
	p.hits = p.belief.A - prior.A
	p.time = p.belief.B - prior.B
	p.net = float64(kept*p.net) + v.net
	p.found = float64(kept * p.found)
	if v.found {
		p.found++
	}
	p.last = v.begun
	p.rate = p.net / p.belief.B / p.cost
	p.worth = (1 + p.net) / (1 + p.found) / p.cost
	// 1 − e^(−x)(1 + x) grows by x·e^(−x), so by at most x, and
	// E θ² = a(a+1)/b².
	k := p.belief
	p.bend = float64(k.A*(k.A+1)) / float64(2*float64(k.B*k.B))
	p.known = 0
	p.square = 0
}

// split moves a random half of the pages, rounded down, to a new watchlist
// (Algorithm 6). What is known of walking is copied.
func (w *watchlist) split(s *rng.Stream) watchlist {
	moved := watchlist{walks: w.walks, ordered: w.ordered}
	kept := w.pages[:0]
	n := len(w.pages)
	for i, p := range w.pages {
		if s.IntN(n-i) < n/2-len(moved.pages) {
			moved.pages = append(moved.pages, p)
		} else {
			kept = append(kept, p)
		}
	}
	w.pages = kept
	return moved
}
