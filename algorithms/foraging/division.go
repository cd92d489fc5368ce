package foraging

import (
	"math"

	"sweep/environments/newssite"
)

// A Division measures how the foragers of one run divide the site among
// them, interval by interval (news-forager papers, "Compartmentalization"):
// its Observe is for a Simulator.
type Division struct {
	site      *newssite.Site
	length    int64 // of an interval, ms
	intervals []Interval

	visits, downloads sharing[int32]    // URLs
	walks             sharing[[3]int32] // three URLs each
	firsts            sharing[int32]    // the first URLs of walks
	paths             [][2]int32        // of each forager, the last two URLs of its path, in order
	started           []bool            // of each URL, whether a path began there
	ranks             []int32           // of each URL, by its first download, from 1; 0 before it
	downloaded        int32             // different URLs
	starts            []int             // new starting points: see Interval.Starts
	lag               float64           // summed over documents, ms
	relevant          int64
	late              int64 // of these, found on a later day
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

	// Starts are the ranks of these URLs among all URLs, in the order of their
	// first download in the run, from 0.
	Starts []int

	// Own tells, by the numbers of foragers, what each contributes to
	// Exclusive and Walks. Foragers at the end that contribute nothing are
	// left out.
	Own []Own

	// Lag is the mean time, in hours, between a document's date stamp and
	// its finding, of the relevant ones.
	Lag float64

	// Late counts the relevant documents that were found on a later day
	// than that of their date stamp.
	Late int64
}

// Own is what one forager contributes to shares: that of the URLs that only it
// visited, and that of the two-step walks that only it took.
type Own struct{ Visits, Walks float64 }

// sharing tells who meets what in an interval: the only forager that did, or
// several.
type sharing[K comparable] map[K]int

const several = -1

func (s sharing[K]) meet(k K, forager int) {
	if owner, met := s[k]; !met {
		s[k] = forager
	} else if owner != forager {
		s[k] = several
	}
}

// exclusive returns the share of what only one forager met.
func (s sharing[K]) exclusive() float64 {
	alone := 0.0
	for _, owner := range s {
		if owner != several {
			alone++
		}
	}
	return quotient(alone, float64(len(s)))
}

// owned counts what each forager alone met, by its number.
func (s sharing[K]) owned() (counts []int) {
	for _, owner := range s {
		if owner == several {
			continue
		}
		for owner >= len(counts) {
			counts = append(counts, 0)
		}
		counts[owner]++
	}
	return counts
}

// NewDivision returns the division of a run on a site, in intervals of the
// given length in hours.
func NewDivision(site *newssite.Site, hours float64) *Division {
	length := int64(hours * float64(newssite.Hour))
	return &Division{site: site, length: length, started: make([]bool, site.URLs()),
		visits: sharing[int32]{}, downloads: sharing[int32]{},
		walks: sharing[[3]int32]{}, firsts: sharing[int32]{}, ranks: make([]int32, site.URLs())}
}

// Observe is told of every download in order. The first of a step is of
// the page visited.
func (d *Division) Observe(x Download) {
	for x.Time >= int64(len(d.intervals)+1)*d.length {
		d.close()
	}
	d.downloads.meet(x.URL, x.Forager)
	if d.ranks[x.URL] == 0 {
		d.downloaded++
		d.ranks[x.URL] = d.downloaded
	}
	if x.Relevant {
		d.relevant++
		stamp := d.site.Versions[x.Version].Date
		d.lag += float64(x.Time - stamp)
		if dayOf(x.Time) > dayOf(stamp) {
			d.late++
		}
	}
	if x.Visited {
		d.visits.meet(x.URL, x.Forager)
		d.walk(x)
	}
}

// dayOf returns the day that a time, in the site's units, is on; that of time 0
// is 0.
func dayOf(time int64) int64 {
	return int64(math.Floor(float64(time) / float64(newssite.Day)))
}

// walk notes a visit as the last of its path.
func (d *Division) walk(x Download) {
	for x.Forager >= len(d.paths) {
		d.paths = append(d.paths, [2]int32{})
	}
	path := &d.paths[x.Forager]
	if x.Depth >= 2 {
		d.walks.meet([3]int32{path[0], path[1], x.URL}, x.Forager)
		d.firsts.meet(path[0], x.Forager)
	}
	if x.Depth == 0 && !d.started[x.URL] {
		d.started[x.URL] = true
		d.starts = append(d.starts, int(d.ranks[x.URL])-1)
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
	for w := range d.walks {
		if d.firsts[w[0]] != several {
			delete(d.walks, w)
		}
	}
	d.intervals = append(d.intervals, Interval{
		Exclusive: d.visits.exclusive(),
		Downloads: d.downloads.exclusive(),
		Walks:     d.walks.exclusive(),
		NewStarts: int64(len(d.starts)),
		Starts:    d.starts,
		Own:       d.own(),
		Lag:       quotient(d.lag, float64(d.relevant)) / float64(newssite.Hour),
		Late:      d.late,
	})
	clear(d.visits)
	clear(d.downloads)
	clear(d.firsts)
	clear(d.walks)
	d.starts = nil
	d.lag = 0
	d.late = 0
	d.relevant = 0
}

// own returns what each forager contributes in the interval.
func (d *Division) own() (list []Own) {
	visits := d.visits.owned()
	walks := d.walks.owned()
	list = make([]Own, max(len(visits), len(walks)))
	for k, n := range visits {
		list[k].Visits = float64(n) / float64(len(d.visits))
	}
	for k, n := range walks {
		list[k].Walks = float64(n) / float64(len(d.walks))
	}
	return list
}
