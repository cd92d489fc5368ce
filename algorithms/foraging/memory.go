package foraging

import (
	"math"

	"sweep/environments/newssite"
)

// memory is what the environment, the reinforcing agent and the foragers
// know of each URL, side by side: a download touches all of it, and one
// cache line per download is what the speed of a run comes down to. Sets
// of URLs are bits here; one bit of a word belongs to each forager.
type memory struct {
	urls []urlMemory
	more [][]marks // of each URL, of the foragers beyond the first 64

	// dated lists the URLs stored with a date within the relevance limit,
	// and some that have become older since.
	dated []int32
}

type urlMemory struct {
	// The environment: the page as it is now.
	changes  int64 // when the next version takes over, ms
	date     int64 // date stamp of the current version, ms
	version  int32 // index of the current version; unborn before there is one
	state    int32 // its state vector
	download int32 // its download time, ms

	// The fleet: the page as last downloaded.
	stored int32  // version; unborn if never found
	step   uint32 // the last step that downloaded it

	flags uint32

	marks // of the first 64 foragers
}

// marks are what 64 foragers know of a URL, a bit each.
type marks struct {
	selected uint64 // previousPages of Algorithm 5
	met      uint64 // frontier and visited URLs of the current path
	visited  uint64 // of these, the visited ones
}

// of returns the marks of a URL that have the forager's bit.
func (m *memory) of(f *forager, u int32) *marks {
	if f.block == 0 {
		return &m.urls[u].marks
	}
	return &m.more[f.block-1][u]
}

// unborn is the version of a URL that has no page yet.
const unborn = -1

const (
	// relevant: in the set of relevant pages seen by the reinforcing agent
	// (Algorithm 7).
	relevant = 1 << iota
	// listed: in memory.dated.
	listed
)

// never is later than every simulated time.
const never = math.MaxInt64

func (m *memory) reset(site *newssite.Site) {
	n := site.URLs()
	if cap(m.urls) < n {
		m.urls = make([]urlMemory, n)
	}
	m.urls = m.urls[:n]
	for u := range m.urls {
		m.urls[u] = urlMemory{
			changes: site.Born(int32(u)),
			version: unborn,
			date:    newssite.Undated,
			stored:  unborn,
		}
	}
	m.more = m.more[:0]
	m.dated = m.dated[:0]
}

// advance brings URL u up to date, whose page has changed.
func (s *Simulator) advance(u int32) {
	m := &s.memory.urls[u]
	old := m.version
	if old == unborn {
		m.version = s.site.First[u] - 1
	}
	last := s.site.First[u+1] - 1
	for m.changes <= s.now {
		m.version++
		m.changes = never
		if m.version < last {
			m.changes = s.site.Versions[m.version+1].From
		}
	}
	v := &s.site.Versions[m.version]
	if old != unborn && s.config.Document != DocumentURL && !s.sameDocument(&s.site.Versions[old], v) {
		m.flags &^= relevant
		m.selected = 0
		for _, block := range s.memory.more {
			block[u].selected = 0
		}
	}
	m.date, m.state, m.download = v.Date, v.State, v.Download
}

// sameDocument tells whether two successive versions of a URL are one
// document.
func (s *Simulator) sameDocument(old, v *newssite.Version) bool {
	day := func(date int64) float64 { return math.Floor(float64(date) / float64(newssite.Day)) }
	return s.config.Document == DocumentDay && day(old.Date) == day(v.Date)
}

// download simulates the download of URL u by forager f: the clock goes on
// by its download time, the fleet stores the version, and if the page is
// possibly relevant it is sent to the reinforcing agent (Algorithm 5). The
// version is the one that holds when the download begins. It returns the
// agent's reinforcement, and whether there was a page.
func (s *Simulator) download(f *forager, u int32) (profit float64, ok bool) {
	m := &s.memory.urls[u]
	if m.changes <= s.now {
		s.advance(u)
	}
	if m.version == unborn {
		return 0, false
	}
	if m.step == s.steps {
		return 0, false // downloaded in this step already
	}
	m.step = s.steps
	begun := s.now
	s.now += int64(m.download)
	s.tally.Downloaded++
	if m.stored < 0 {
		s.tally.Found++
	}
	m.stored = m.version
	age := begun - m.date
	if age <= s.relevance && m.flags&listed == 0 {
		m.flags |= listed
		s.memory.dated = append(s.memory.dated, u)
	}
	before := s.tally.Counts
	if age <= s.sending && s.selects(f, u) {
		profit = s.receive(f, m, age)
	}
	if s.Observe != nil {
		s.Observe(Download{Time: begun, Forager: f.number, Step: s.steps, Visited: u == s.visiting, Depth: len(f.visited), URL: u,
			Version: m.version, Sent: s.tally.Sent > before.Sent, Relevant: s.tally.Relevant > before.Relevant})
	}
	return profit, true
}

// selects tells whether a forager sends a document that is young enough:
// only once, unless sightings are sent (Algorithm 5).
func (s *Simulator) selects(f *forager, u int32) bool {
	if s.config.SendAgain {
		return true
	}
	m := s.memory.of(f, u)
	previous := m.selected&f.bit != 0
	m.selected |= f.bit
	return !previous
}

// forget clears a forager's bits, so that another can have its place.
func (m *memory) forget(f *forager) {
	for u := range m.urls {
		k := m.of(f, int32(u))
		k.selected &^= f.bit
		k.met &^= f.bit
		k.visited &^= f.bit
	}
}
