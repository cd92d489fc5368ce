package newssite

import (
	"math"
	"slices"

	"sweep/internal/detmath"
)

// record writes what was drawn as a recorded site: hubs with a version for each posting, stories
// with a version for each revision, other pages with one. The links of a page are in the order in
// which they appeared: static ones first, then those to pages born later, the newest last.
func (g *generator) record() *Site {
	site := &Site{Dimension: g.Topics, States: saturatedStates(g.Topics)}
	_, versions, links := g.expected()
	site.Versions = make([]Version, 0, int(1.05*versions))
	site.Links = make([]int32, 0, int(1.05*links))
	site.First = append(site.First, 0)

	origin := -int64(g.LeadDays)*Day - 100*Day // before everything
	const noTopic = -1
	g.recordHub(site, g.mainPage(), origin, noTopic, g.MainList, 0, urls(g.front(0), g.Sections))
	for s := range g.Sections {
		static := append(urls(g.sub(s, 0), g.SubFronts), g.contentsOf(s, 0)...)
		g.recordHub(site, g.front(s), origin, noTopic, g.HubList, s, static)
	}
	for s := range g.Sections {
		for i := range g.SubFronts {
			static := append([]int32{g.front(s)}, g.contentsOf(s, 1+i)...)
			g.recordHub(site, g.sub(s, i), origin, s, g.HubList, s, static)
		}
	}

	downloads := make([]int32, g.Sections)
	for s := range downloads {
		downloads[s] = g.download(s)
	}
	s := g.stream("revisions")
	end := int64(g.Days) * Day
	for i := range g.pages {
		p := &g.pages[i]
		v := Version{
			From:     p.born,
			Date:     Undated,
			State:    p.topic + 1,
			Download: downloads[p.section],
			LinkFrom: int32(len(site.Links)),
		}
		site.Links = append(site.Links, g.links[i]...)
		site.Links = append(site.Links, g.children[i]...)
		v.LinkTo = int32(len(site.Links))
		if !p.dated {
			site.Versions = append(site.Versions, v)
		} else {
			v.Date = v.From
			site.Versions = append(site.Versions, v)
			sigma := g.RevisionSigma
			centre := float64(-0.5 * float64(sigma*sigma))
			for left := s.Exp(); left < g.Revisions; left += s.Exp() {
				gap := float64(g.RevisionHours*float64(Hour)) * detmath.Exp(centre+float64(sigma*s.Normal()))
				v.From += int64(min(max(gap, 1), float64(end-v.From)))
				if v.Date = v.From; v.From < end {
					site.Versions = append(site.Versions, v)
				}
			}
		}
		site.First = append(site.First, int32(len(site.Versions)))
	}

	site.Start = []int32{
		g.mainPage(), g.front(0), g.front(1), g.front(2), g.front(3),
		g.sub(0, 0), g.sub(1, 0), g.sub(2, 0), g.sub(3, 0), g.sub(0, 1),
	}
	return site
}

// recordHub writes the versions of one hub: one without postings from the
// origin on, then one for each time of posting.
func (g *generator) recordHub(site *Site, hub int32, origin int64, topic, list, section int, static []int32) {
	v := Version{From: origin, Date: Undated, State: int32(topic + 1), Download: g.download(section)}
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

// urls returns n URLs from one on.
func urls(from int32, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = from + int32(i)
	}
	return list
}

// contentsOf returns the contents pages that a hub of a section shows:
// hub 0, its front, the first IndexLinks, each sub-front the next ones.
func (g *generator) contentsOf(section, hub int) []int32 {
	all := g.contents[section]
	from := min(hub*g.IndexLinks, len(all))
	return all[from:min(from+g.IndexLinks, len(all))]
}

func (g *generator) download(section int) int32 { return int32(max(1, g.downloadMillis(section))) }

// downloadMillis returns the download time of a section's pages in whole
// milliseconds, however large; CheckDownloads sees to it that 32 bits hold it.
func (m *Model) downloadMillis(section int) float64 {
	seconds := m.DownloadTime * detmath.Pow(float64(section+1), -m.DownloadZipf)
	return math.Round(seconds * float64(Second))
}

// saturatedStates returns the state vectors of a site with the given number of topics: state 0 has
// no topic, state t+1 has topic t. The papers' classifier ends in a steep tanh (Computer study of
// the evolution of 'news foragers', footnote 2), so that nearly every component is −1 or +1.
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
