package foraging

// forager is one crawler of the fleet. Its state is carried from one time
// slice to the next.
type forager struct {
	kind     Kind
	number   int    // in the order of creation, from 0
	block    int    // which 64 foragers it belongs to
	bit      uint64 // its bit in their words of memory
	score    float64
	weblog   weblog
	ordering ordering
	frontier frontier

	visited []int32   // the URLs of the current path
	profit  []float64 // received at each of them
	state   int32     // of the page visited last
}

// step is one turn of the loop of Algorithm 12: select a URL, download its
// page and all pages linked from it, send what is possibly relevant, and
// learn from the reinforcements.
func (s *Simulator) step(f *forager) {
	s.steps++
	url, onward := s.selectURL(f)
	s.visiting = url
	memory := s.memory.urls
	profit, _ := s.download(f, url)
	page := &memory[url]
	own := s.memory.of(f, url)
	own.met |= f.bit
	own.visited |= f.bit
	// as downloaded: the page may change while its links are followed
	version, state := &s.site.Versions[page.version], page.state
	for _, link := range s.site.LinksOf(version) {
		own := s.memory.of(f, link)
		if s.config.SkipVisited && own.visited&f.bit != 0 {
			continue
		}
		p, ok := s.download(f, link)
		if !ok {
			continue
		}
		profit += p
		if own.met&f.bit == 0 {
			own.met |= f.bit
			f.frontier.push(link, memory[link].state)
		} else if s.states.changing {
			f.frontier.restate(link, memory[link].state)
		}
	}

	f.visited = append(f.visited, url)
	f.profit = append(f.profit, profit)
	if onward && f.kind.OrderingUpdate {
		f.ordering.update(f.state, state, profit, s.config.Alpha, s.config.Gamma)
	}
	f.state = state
}

// selectURL returns the next URL (Algorithm 11): the best of the frontier,
// or after MaxStep steps, or with an empty frontier, the start of a new
// path. onward tells whether it goes on with the path.
func (s *Simulator) selectURL(f *forager) (url int32, onward bool) {
	if n := len(f.visited); n > 0 && n <= s.config.MaxStep {
		if url, ok := f.frontier.pop(&f.ordering, s.stream); ok {
			return url, true
		}
	}
	if f.kind.WeblogUpdate {
		f.weblog = f.weblog.update(f.visited, f.profit, s.config.Beta, s.config.WeblogSize, s.place)
	}
	s.endPath(f)
	starts := min(s.config.StartSize, len(f.weblog))
	return f.weblog[s.stream.IntN(starts)].url, false
}

// endPath empties the frontier and the visited set.
func (s *Simulator) endPath(f *forager) {
	for _, n := range f.frontier.nodes {
		s.memory.of(f, n.url).met &^= f.bit
	}
	for _, u := range f.visited {
		m := s.memory.of(f, u)
		m.met &^= f.bit
		m.visited &^= f.bit
	}
	f.frontier.clear()
	f.visited = f.visited[:0]
	f.profit = f.profit[:0]
}
