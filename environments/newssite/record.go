package newssite

import (
	"math"
	"slices"

	"sweep/internal/detmath"
	"sweep/internal/rng"
)

// record writes what was drawn as a recorded site: hubs with a version for each
// posting, stories with a version for each revision, other pages with one. The
// links of a page are in the order in which they appeared: static ones first,
// then those to pages born later, the newest last.
func (g *generator) record() *Site {
	site := &Site{Dimension: g.Topics, States: saturatedStates(g.Topics)}
	_, versions, links := g.expected()
	site.Versions = make([]Version, 0, int(1.05*versions))
	site.Links = make([]int32, 0, int(1.05*links))
	site.First = append(site.First, 0)

	g.recordHubs(site)
	g.recordPages(site)
	site.Start = []int32{
		g.mainPage(), g.front(0), g.front(1), g.front(2), g.front(3),
		g.sub(0, 0), g.sub(1, 0), g.sub(2, 0), g.sub(3, 0), g.sub(0, 1),
	}
	return site
}

// recordHubs writes the versions of all hubs, in the order of their URLs.
func (g *generator) recordHubs(site *Site) {
	v := Version{
		From:     -int64(g.LeadDays)*Day - 100*Day, // before everything
		Date:     Undated,
		State:    noTopic,
		Download: g.download(0),
	}
	g.recordHub(site, g.mainPage(), v, g.MainList, urls(g.front(0), g.Sections))
	for s := range g.Sections {
		v.Download = g.download(s)
		static := append(urls(g.sub(s, 0), g.SubFronts), g.contentsOf(s, 0)...)
		g.recordHub(site, g.front(s), v, g.HubList, static)
	}
	for s := range g.Sections {
		v.Download = g.download(s)
		v.State = stateOf(int32(s))
		for i := range g.SubFronts {
			static := append([]int32{g.front(s)}, g.contentsOf(s, 1+i)...)
			g.recordHub(site, g.sub(s, i), v, g.HubList, static)
		}
	}
}

// recordHub writes the versions of one hub: the given one without postings,
// then one for each time of posting, which lists the newest postings.
func (g *generator) recordHub(site *Site, hub int32, v Version, list int, static []int32) {
	posts := g.postings[hub]
	for n := 0; n <= len(posts); n++ {
		if n > 0 {
			v.From = g.at(posts[n-1]).born
			if n < len(posts) && g.at(posts[n]).born == v.From {
				continue // one version for postings of the same moment
			}
		}
		v.LinkFrom = int32(len(site.Links))
		site.Links = append(site.Links, static...)
		site.Links = append(site.Links, posts[max(0, n-list):n]...)
		v.LinkTo = int32(len(site.Links))
		site.Versions = append(site.Versions, v)
	}
	site.First = append(site.First, int32(len(site.Versions)))
}

// recordPages writes the versions of all other pages, in the order of their
// URLs.
func (g *generator) recordPages(site *Site) {
	downloads := make([]int32, g.Sections)
	for s := range downloads {
		downloads[s] = g.download(s)
	}
	revisions := g.stream("revisions")
	for i := range g.pages {
		p := &g.pages[i]
		v := Version{
			From:     p.born,
			Date:     Undated,
			State:    stateOf(p.topic),
			Download: downloads[p.section],
			LinkFrom: int32(len(site.Links)),
		}
		site.Links = append(site.Links, g.links[i]...)
		site.Links = append(site.Links, g.children[i]...)
		v.LinkTo = int32(len(site.Links))
		if p.dated {
			v.Date = v.From
		}
		site.Versions = append(site.Versions, v)
		if p.dated {
			g.revise(site, v, revisions)
		}
		site.First = append(site.First, int32(len(site.Versions)))
	}
}

// revise writes the revisions of a story, of which the first version is given,
// up to the end of the recording.
func (g *generator) revise(site *Site, v Version, s *rng.Stream) {
	end := int64(g.Days) * Day
	sigma := g.RevisionSigma
	centre := float64(-0.5 * float64(sigma*sigma)) // of the logarithm, so that the mean is 1
	for left := s.Exp(); left < g.Revisions; left += s.Exp() {
		factor := detmath.Exp(centre + float64(sigma*s.Normal()))
		gap := float64(g.RevisionHours*float64(Hour)) * factor
		v.From += int64(min(max(gap, 1), float64(end-v.From)))
		v.Date = v.From
		if v.From < end {
			site.Versions = append(site.Versions, v)
		}
	}
}

// urls returns n URLs from the given one on.
func urls(from int32, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = from + int32(i)
	}
	return list
}

// contentsOf returns the archive pages that a hub of a section shows: its
// front, hub 0, the first IndexLinks of them, each sub-front the next ones.
func (g *generator) contentsOf(section, hub int) []int32 {
	all := g.contents[section]
	from := min(hub*g.IndexLinks, len(all))
	return all[from:min(from+g.IndexLinks, len(all))]
}

func (g *generator) download(section int) int32 {
	return int32(max(1, g.downloadMillis(section)))
}

// downloadMillis returns the download time of a section's pages in whole
// milliseconds. CheckDownloads ensures that it fits into 32 bits.
func (m *Model) downloadMillis(section int) float64 {
	seconds := m.DownloadTime * detmath.Pow(float64(section+1), -m.DownloadZipf)
	return math.Round(seconds * float64(Second))
}

// noTopic is the state of a page without a topic.
const noTopic = 0

// stateOf returns the state of a page with some topic; −1 if it has none.
func stateOf(topic int32) int32 { return topic + 1 }

// saturatedStates returns the state vectors of a site with the given number of
// topics: state 0 has no topic, state t+1 has topic t. The papers' classifier
// ends in a steep tanh (Computer study of the evolution of 'news foragers',
// footnote 2), so that nearly every component is −1 or +1.
func saturatedStates(topics int) [][]float64 {
	states := make([][]float64, topics+1)
	for i := range states {
		states[i] = slices.Repeat([]float64{-1}, topics)
		if i > 0 {
			states[i][i-1] = 1
		}
	}
	return states
}
