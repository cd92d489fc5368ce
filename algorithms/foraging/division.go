package foraging

import (
	"cmp"
	"math"
	"slices"

	"sweep/environments/newssite"
)

// A Division measures how the foragers of one run divide the site among
// them, interval by interval (news-forager papers, "Compartmentalization"):
// its Observe is for a Simulator.
type Division struct {
	site      *newssite.Site
	length    int64 // of an interval, ms
	intervals []Interval

	visits, downloads sharing
	walks             []walk
	paths             [][2]int32 // of each forager, the last two URLs of its path, the latest last
	started           []bool     // of each URL, whether a path began there
	lag               float64    // summed over documents, ms
	relevant          int64
	starts            int64
}

// An Interval is what a Division measured in one interval. Shares are NaN
// where there is nothing to share.
type Interval struct {
	// Exclusive is the share of the URLs visited that only one forager
	// visited; Downloads the same of the URLs downloaded.
	Exclusive, Downloads float64

	// Walks is the share of the different two-step walks u→v→w that only
	// one forager took, of those from URLs u at which several began one.
	Walks float64

	// NewStarts counts the URLs at which a path began for the first time
	// in the run.
	NewStarts int64

	// Lag is the mean time, in hours, between a document's date stamp and
	// its finding, of the relevant ones.
	Lag float64
}

// sharing counts who meets which URL.
type sharing struct {
	owner  []int32 // of each URL, 1 + the only forager that met it; 0 if none did, −1 if several did
	met    []int32 // URLs
	shared int
}

// walk is two steps of a forager.
type walk struct {
	urls    [3]int32
	forager int32
}

// NewDivision returns the division of a run on a site, in intervals of the
// given length in hours.
func NewDivision(site *newssite.Site, hours float64) *Division {
	n := site.URLs()
	return &Division{site: site, length: int64(hours * float64(newssite.Hour)),
		visits:    sharing{owner: make([]int32, n)},
		downloads: sharing{owner: make([]int32, n)},
		started:   make([]bool, n)}
}

// Observe is told of every download in order. The first of a step is of
// the page visited.
func (d *Division) Observe(x Download) {
	for x.Time >= int64(len(d.intervals)+1)*d.length {
		d.close()
	}
	d.downloads.meet(x.URL, x.Forager)
	if x.Relevant {
		d.relevant++
		d.lag += float64(x.Time - d.site.Versions[x.Version].Date)
	}
	if x.Visited {
		d.visits.meet(x.URL, x.Forager)
		d.walk(x)
	}
}

// walk notes a visit as the last of its path.
func (d *Division) walk(x Download) {
	for x.Forager >= len(d.paths) {
		d.paths = append(d.paths, [2]int32{})
	}
	path := &d.paths[x.Forager]
	if x.Depth >= 2 {
		d.walks = append(d.walks, walk{[3]int32{path[0], path[1], x.URL}, int32(x.Forager)})
	}
	if x.Depth == 0 && !d.started[x.URL] {
		d.started[x.URL] = true
		d.starts++
	}
	*path = [2]int32{path[1], x.URL}
}

// Intervals closes the last interval and returns all. Interval i begins i
// times its length after the start of the simulation.
func (d *Division) Intervals() []Interval {
	d.close()
	return d.intervals
}

func (d *Division) close() {
	lag := math.NaN()
	if d.relevant > 0 {
		lag = d.lag / float64(d.relevant) / float64(newssite.Hour)
	}
	d.intervals = append(d.intervals, Interval{
		Exclusive: d.visits.close(),
		Downloads: d.downloads.close(),
		Walks:     ownWalks(d.walks),
		NewStarts: d.starts,
		Lag:       lag,
	})
	d.walks, d.starts, d.lag, d.relevant = d.walks[:0], 0, 0, 0
}

func (s *sharing) meet(url int32, forager int) {
	switch owner := int32(forager) + 1; s.owner[url] {
	case 0:
		s.owner[url] = owner
		s.met = append(s.met, url)
	case owner, -1:
	default:
		s.owner[url] = -1
		s.shared++
	}
}

// close returns the share of the URLs that one forager met, and begins anew.
func (s *sharing) close() float64 {
	share := math.NaN()
	if n := len(s.met); n > 0 {
		share = 1 - float64(s.shared)/float64(n)
	}
	for _, u := range s.met {
		s.owner[u] = 0
	}
	s.met, s.shared = s.met[:0], 0
	return share
}

// ownWalks returns Interval.Walks; it sorts the walks.
func ownWalks(walks []walk) float64 {
	slices.SortFunc(walks, func(a, b walk) int {
		return cmp.Or(slices.Compare(a.urls[:], b.urls[:]), cmp.Compare(a.forager, b.forager))
	})
	var own, all int
	for len(walks) > 0 {
		first := walks[0]
		n := 1
		several := false
		for n < len(walks) && walks[n].urls[0] == first.urls[0] {
			several = several || walks[n].forager != first.forager
			n++
		}
		if several {
			o, a := countWalks(walks[:n])
			own, all = own+o, all+a
		}
		walks = walks[n:]
	}
	if all == 0 {
		return math.NaN()
	}
	return float64(own) / float64(all)
}

// countWalks counts the different walks among sorted ones, and those of
// them that one forager took.
func countWalks(walks []walk) (own, all int) {
	for len(walks) > 0 {
		n := 1
		for n < len(walks) && walks[n].urls == walks[0].urls {
			n++
		}
		all++
		if walks[n-1].forager == walks[0].forager {
			own++
		}
		walks = walks[n:]
	}
	return own, all
}
