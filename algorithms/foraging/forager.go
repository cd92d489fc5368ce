package foraging

import (
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// forager is one crawler of the fleet. Its state is carried from one time
// slice to the next.
type forager struct {
	kind     Kind
	number   int // in the order of creation, from 0
	score    float64
	weblog   weblog
	watch    watchlist
	ordering ordering
	frontier frontier

	visited []int32   // the URLs of the current path: visitedURLs of Algorithm 1
	profit  []float64 // received at each of them: its values
	state   int32     // of the page visited last

	habits habits // for measurements only

	previous bitset.Set // previousPages of Algorithm 5, by the numbers of documents
	met      bitset.Set // frontier and visited of Algorithm 12, in one set
	inPath   bitset.Set // of these, the visited ones
}

// step is one turn of the loop of Algorithm 12: select a URL, download its page
// and all pages linked from it, send what is possibly relevant, and learn from
// the reinforcements. The linked pages come to the frontier, and what is
// relevant is sent, page by page as they are downloaded, which comes to the
// same.
func (s *Simulator) step(f *forager) {
	s.steps++
	url, onward := s.selectURL(f)
	s.visiting = url
	s.begun = s.now
	s.profit = 0
	before := s.tally.Counts
	isStart := len(f.visited) == 0
	f.met.Add(int(url))
	f.inPath.Remove(int(url)) // only a watch forager comes back to a page of its path
	s.download(f, url)
	f.inPath.Add(int(url))
	page := &s.memory.urls[url]
	s.download(f, s.site.Links[page.linkFrom:page.linkTo]...)

	f.visited = append(f.visited, url)
	f.profit = append(f.profit, s.profit)
	if onward && f.kind.OrderingUpdate {
		f.ordering.update(f.state, page.state, s.profit, s.config.Alpha, s.config.Gamma)
	}
	f.state = page.state
	done := s.tally.since(before)
	s.tally.persistence.note(f, step{url, s.begun, isStart, done})
	if f.kind.Watch {
		net := s.config.net(done.Relevant, done.Sent)
		f.watch.learn(&s.config, visit{url: url, begun: s.begun, took: s.now - s.begun, net: net,
			found: done.Relevant > 0})
	}
}

// selectURL returns the next URL (Algorithm 11): the best of the frontier,
// or after MaxStep steps, or with an empty frontier, the start of a new
// path. A watch forager returns to a page of its watchlist if that pays, and
// ends a path only with an empty frontier. onward tells whether it goes on with
// the path.
func (s *Simulator) selectURL(f *forager) (url int32, onward bool) {
	if f.kind.Watch {
		if url, ok := f.watch.choose(s.now, s.stream); ok {
			return url, len(f.visited) > 0 // a new forager may return first
		}
	}
	if n := len(f.visited); n > 0 && (n <= s.config.MaxStep || f.kind.Watch) {
		if url, ok := f.pop(s.stream); ok {
			return url, true
		}
	}
	if f.kind.WeblogUpdate {
		s.updateWeblog(f)
	}
	f.endPath()
	starts := min(s.config.StartSize, len(f.weblog))
	return f.weblog[s.stream.IntN(starts)].url, false
}

// pop takes the URL of the frontier to which the forager goes on.
func (f *forager) pop(s *rng.Stream) (url int32, ok bool) {
	if f.kind.Watch && f.kind.OrderingUpdate && f.watch.walk == atRandom {
		return f.frontier.popAny(s)
	}
	return f.frontier.pop(&f.ordering, s)
}

// endPath empties the frontier and the visited set.
func (f *forager) endPath() {
	for _, u := range f.visited {
		f.met.Remove(int(u))
		f.inPath.Remove(int(u))
	}
	f.frontier.clear(f.met)
	f.visited = f.visited[:0]
	f.profit = f.profit[:0]
}
