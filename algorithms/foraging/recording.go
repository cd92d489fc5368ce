package foraging

import (
	"slices"

	"sweep/environments/newssite"
)

// A Recording is what the foragers of a run saw of a living site (section
// 4.1 of the paper): its Observe is for a Simulator, and Site returns the
// site on which simulations then run.
type Recording struct {
	site   *newssite.Site
	number []int32      // of each URL of the living site, 1 + its number here; 0 if not found
	pages  [][]sighting // of each URL found, in order of finding, what was seen
	visits []int32      // the first URLs visited, the starting URLs to be
	at     *sighting    // of the page being visited
}

// sighting is a version of a page, and when it was first seen.
type sighting struct {
	time    int64
	version int32
	links   []int32 // to URLs found, as seen at the latest visit
}

// NewRecording returns an empty recording of a site.
func NewRecording(site *newssite.Site) *Recording {
	return &Recording{site: site, number: make([]int32, site.URLs())}
}

// Observe records a download: a new URL, a new content of a known one, the
// links of a page that is visited. Until the next visit a page keeps these;
// of a page that was never visited no link is known.
func (r *Recording) Observe(d Download) {
	n := r.number[d.URL] - 1
	if n < 0 {
		n = int32(len(r.pages))
		r.number[d.URL] = n + 1
		r.pages = append(r.pages, []sighting{{time: d.Time, version: d.Version}})
	}
	if d.Visited && len(r.visits) < newssite.Starts && !slices.Contains(r.visits, n) {
		r.visits = append(r.visits, n)
	}
	page := r.pages[n]
	if last := page[len(page)-1]; last.version != d.Version {
		page = append(page, sighting{d.Time, d.Version, last.links})
	}
	r.pages[n] = page
	if d.Visited {
		r.at = &page[len(page)-1]
		r.at.links = nil // not [:0]: other versions may have the old ones
	} else {
		r.at.links = append(r.at.links, n)
	}
}

// Site returns the recorded site. Pages and links appear, change and are
// refreshed when that was seen; the starting URLs are the first that were
// visited, and are there from the beginning.
func (r *Recording) Site() *newssite.Site {
	recorded := &newssite.Site{
		States: r.site.States, Dimension: r.site.Dimension, Start: r.visits, First: []int32{0}}
	for _, page := range r.pages {
		for _, seen := range page {
			v := r.site.Versions[seen.version]
			v.From = seen.time
			v.LinkFrom = int32(len(recorded.Links))
			recorded.Links = append(recorded.Links, seen.links...)
			v.LinkTo = int32(len(recorded.Links))
			recorded.Versions = append(recorded.Versions, v)
		}
		recorded.First = append(recorded.First, int32(len(recorded.Versions)))
	}
	for _, u := range r.visits {
		recorded.Versions[recorded.First[u]].From = 0
	}
	return recorded
}
