package foraging

import (
	"math"

	"sweep/environments/newssite"
	"sweep/internal/bitset"
)

// memory is what the environment and the fleet know of the URLs of a site.
type memory struct {
	urls     []urlMemory // the page at each URL as last downloaded; before that, as at time 0
	versions []int32     // the index of its version; one below the first if it is not yet born
	start    *memory     // the same at time 0

	relevant bitset.Set // the documents that are relevants of Algorithm 7

	// dated lists the URLs stored with a date within the relevance limit,
	// and some that have become older since; listed is the same as a set.
	dated  []int32
	listed bitset.Set
}

// urlMemory is what every download reads of a page. It is small, as two of
// them in a cache line are what the speed of a run comes down to.
type urlMemory struct {
	changes          int64 // when the next version takes over, ms
	linkFrom, linkTo int32 // its links: see newssite.Version
	state            int32
	download         int32  // its download time, ms; 0 of a page not yet born
	step             uint32 // the last step that downloaded it; 0 if none did
	young            bool   // whether its date may be within the age limits
}

// newMemory returns the memory of a site.
func newMemory(site *newssite.Site) memory {
	n := site.URLs()
	start := &memory{urls: make([]urlMemory, n), versions: make([]int32, n)}
	for u := range start.urls {
		start.urls[u].changes = site.Born(int32(u))
		start.versions[u] = site.First[u] - 1
		if start.urls[u].changes <= 0 {
			start.advance(site, int32(u), 0)
		}
	}
	return memory{start: start, urls: make([]urlMemory, n), versions: make([]int32, n),
		relevant: bitset.NewSet(len(site.Versions)), listed: bitset.NewSet(n)}
}

func (m *memory) reset() {
	copy(m.urls, m.start.urls)
	copy(m.versions, m.start.versions)
	m.dated = m.dated[:0]
	clear(m.relevant)
	clear(m.listed)
}

// current returns the version of URL u that holds now. It is at or after the
// given one.
func current(site *newssite.Site, u, version int32, now int64) int32 {
	for last := site.First[u+1] - 1; version < last && site.Versions[version+1].From <= now; {
		version++
	}
	return version
}

// advance brings URL u up to date, whose page has changed.
func (m *memory) advance(site *newssite.Site, u int32, now int64) {
	version := current(site, u, m.versions[u], now)
	changes := int64(math.MaxInt64) // never
	if next := version + 1; next < site.First[u+1] {
		changes = site.Versions[next].From
	}
	v := &site.Versions[version]
	m.versions[u] = version
	dated := v.Date != newssite.Undated
	m.urls[u] = urlMemory{changes, v.LinkFrom, v.LinkTo, v.State, v.Download, m.urls[u].step, dated}
}

// document returns the number of the document that a version of URL u is, by
// the reading of Config.Document: that of the URL, of the version, or of the
// URL's first version of that day.
func (s *Simulator) document(u, version int32) int {
	switch s.config.Document {
	case DocumentDay:
		day := func(v newssite.Version) float64 {
			return math.Floor(float64(v.Date) / float64(newssite.Day))
		}
		first := s.site.First[u]
		for today := day(s.site.Versions[version]); day(s.site.Versions[first]) != today; {
			first++
		}
		return int(first)
	case DocumentVersion:
		return int(version)
	}
	return int(u)
}

// download simulates downloads of URLs by forager f, one after another: the
// clock goes on by the download time, the fleet stores the version, and a page
// that is possibly relevant is sent to the reinforcing agent (Algorithm 5),
// whose reinforcement is added to the step's profit. The version is the one
// that holds when the download begins. What the path has not met comes to the
// frontier (newURLs of Algorithm 12) with its state, which Algorithm 2 stores.
func (s *Simulator) download(f *forager, urls ...int32) {
	pages := s.memory.urls
	ahead := s.ahead
	for _, u := range urls {
		ahead |= pages[u].step // reads all, so that the processor waits but once
	}
	s.ahead = ahead

	now := s.now
	for _, u := range urls {
		p := &pages[u]
		if p.step == s.steps || s.config.SkipVisited && f.inPath.Has(int(u)) {
			continue // downloaded already in this step, or path
		}
		if p.changes <= now {
			s.memory.advance(s.site, u, now)
		}
		if p.download == 0 {
			continue // not yet born
		}
		if p.step == 0 {
			s.tally.Found++
		}
		p.step = s.steps
		s.tally.Downloaded++
		sent := s.tally.Sent
		rewarded := s.tally.Relevant
		if p.young {
			s.profit += s.consider(f, u, now)
		}
		if s.Observe != nil {
			s.Observe(Download{Time: now, Forager: f.number, Visited: u == s.visiting,
				Depth: len(f.visited), URL: u, Version: s.memory.versions[u],
				Sent: s.tally.Sent > sent, Relevant: s.tally.Relevant > rewarded})
		}
		now += int64(p.download)
		if !f.met.Has(int(u)) {
			f.met.Add(int(u))
			f.frontier.push(u, p.state)
		} else if s.states.changing {
			f.frontier.restate(u, p.state)
		}
	}
	s.now = now
}

// consider sends the document at URL u to the reinforcing agent if it is
// young enough, and only once, unless sightings are sent (Algorithm 5). It
// returns the reinforcement. Measurements go over what is within the relevance
// limit, which it lists.
func (s *Simulator) consider(f *forager, u int32, begun int64) float64 {
	age := begun - s.site.Versions[s.memory.versions[u]].Date
	s.memory.urls[u].young = age <= max(s.relevance, s.sending)
	if age <= s.relevance && !s.memory.listed.Has(int(u)) {
		s.memory.listed.Add(int(u))
		s.memory.dated = append(s.memory.dated, u)
	}
	document := s.document(u, s.memory.versions[u])
	if age > s.sending || !s.config.SendAgain && f.previous.Has(document) {
		return 0
	}
	f.previous.Add(document)
	return s.receive(f, document, age)
}
