package newssite

import (
	"math"
	"slices"
	"sort"

	"sweep/internal/detmath"
	"sweep/internal/rng"
)

// A Model holds the parameters of the generated news site. The site is a
// scale-free small world of three layers:
//
//   - hubs: one main page, a front page for each section, and sub-fronts of
//     the section. A hub has its static links and the newest of the pages
//     posted to it, in the order of posting, and a new version with every
//     posting. Hubs carry no date; sub-fronts have the topic of their
//     section, the others none.
//   - archive pages, there from the beginning, undated.
//   - new pages, which appear in a day and night rhythm from LeadDays
//     before the simulation on: dated stories, which are posted to hubs
//     and revised, and undated pages.
//
// Every field is a declared parameter of the foraging experiment, which
// states for each default where it comes from; no default is set here.
type Model struct {
	Seed int64 // of the site's own random streams, at least 0
	Days int   // recorded days from time 0 on, at least 1

	// LeadDays is how long before time 0 new pages begin to appear, so that
	// the hubs are full when a simulation starts.
	LeadDays int

	ArchivePages int     // pages there from the beginning
	NewPerDay    float64 // mean number of new URLs a day
	DayAmplitude float64 // relative amplitude of the daily rhythm, in [0, 1]
	PeakHour     float64 // hour of the day with most new URLs, in [0, 24)
	WeekendDrop  float64 // share of new URLs that a Saturday and a Sunday lack, in [0, 1]

	Sections      int     // sections of the site, each with its own topic
	SubFronts     int     // sub-fronts of each section
	SectionZipf   float64 // section s gets news ∝ (s+1)^−SectionZipf
	Topics        int     // dimension of the state vectors; at least Sections
	Pages         string  // where states come from: PagesText, otherwise drawn
	TopicShare    float64 // share of pages with their section's topic
	StrayShare    float64 // share of pages with a topic drawn at random
	DatedShare    float64 // share of new pages that are dated stories
	Revisions     float64 // mean number of revisions of a story
	RevisionHours float64 // mean time between revisions, hours
	RevisionSigma float64 // shape of the lognormal time between revisions

	MainList     int     // newest postings that the main page shows
	HubList      int     // newest postings that another hub shows
	MainShare    float64 // share of stories posted to the main page
	FrontShare   float64 // share of stories posted to the front page
	UndatedShare float64 // share of undated pages posted to a sub-front

	OutExponent    float64 // out-degrees k ≥ 1 are drawn ∝ k^−OutExponent
	OutMax         int     // largest out-degree drawn
	ArchiveLeaves  float64 // share of archive pages without links
	NewLeaves      float64 // share of new pages without links
	HubLinkShare   float64 // share of a page's links that lead to hubs
	MainLinkShare  float64 // share of those that lead to the main page
	FrontLinkShare float64 // share of those that lead to the section's front page, not a sub-front
	SectionShare   float64 // share of its other links that stay in its section
	RecentShare    float64 // share of those that lead to a recent page
	RecentReach    float64 // mean distance of recent pages in the section's order of birth
	CopyShare      float64 // share of the rest that copy the target of an earlier link
	IndexLinks     int     // archive pages with most links that each front and sub-front links to
	IndexShun      float64 // a page with k links is accepted as a target with (1+k)^−IndexShun
	DownloadTime   float64 // download time of a page of section 0, seconds
	DownloadZipf   float64 // pages of section s take DownloadTime·(s+1)^−DownloadZipf
	LookaheadHours float64 // a page links to pages born at most this much later, or to its children
}

// Tries of the two rejection loops of the link model. They bound the work for
// sites in which draws rarely succeed. A link whose tries all fail is dropped.
const (
	parentTries = 100
	targetTries = 40
)

// Generate builds the recorded site of a model. It is a pure function of the
// model, and returns an error if the model's numbers do not fit together.
func Generate(m Model) (*Site, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	g := &generator{Model: m}
	g.drawBirths()
	g.drawPages()
	g.drawLinks()
	site := g.record()
	if m.Pages == PagesText {
		m.writeTexts(site)
	}
	return site, nil
}

// Hubs are the first URLs of every generated site: the main page, the front
// pages of the sections, and their sub-fronts, section by section.

func (m *Model) mainPage() int32 { return 0 }

func (m *Model) front(section int) int32 { return int32(1 + section) }

func (m *Model) sub(section, i int) int32 {
	return int32(1 + m.Sections + section*m.SubFronts + i)
}

func (m *Model) hubs() int { return 1 + m.Sections + m.Sections*m.SubFronts }

// generator builds a site in passes; each draws from a stream of its own,
// so that a parameter of one pass leaves the draws of the others alone.
type generator struct {
	Model
	pages    []page
	sections [][]int32  // the pages of each section in order of birth
	share    cumulative // by which new pages choose their section
	contents [][]int32  // of each section, URLs: its archive pages in descending order of links
	degree   []int32    // of each page, as drawn
	links    [][]int32  // of each page, URLs: those it has from the beginning
	children [][]int32  // of each page, URLs: pages born later that it is parent of
	postings [][]int32  // of each hub, URLs, in order of time

	// The state of drawLinks, which takes the pages in the order of their
	// birth.
	targets  [][]int32 // of the links into each section so far
	latest   int64     // birth of the youngest page that may be linked to
	born     []int     // of each section, how many pages were born by latest, or fewer
	linker   []int32   // of each URL, the last page that links to it, plus 1
	accepted []float64 // for each degree, the chance that a link leads to such a page
}

// page is a URL that is not a hub; its URL is its index plus hubs().
type page struct {
	born    int64
	section int32
	rank    int32 // index in its section's order of birth
	topic   int32 // −1 if it has none
	archive bool
	dated   bool
}

// at returns the page at a URL that is no hub.
func (g *generator) at(url int32) *page {
	return &g.pages[int(url)-g.hubs()]
}

func (g *generator) stream(pass string) *rng.Stream {
	return rng.New("news site "+pass, uint64(g.Seed))
}

// drawBirths draws when pages are born: archive pages evenly over the fifty
// days before the first news, new pages by an inhomogeneous Poisson process,
// whose rate follows a cosine of one day, by thinning.
func (g *generator) drawBirths() {
	const archiveDays = 50
	start := -float64(g.LeadDays) * float64(Day)
	expected := g.NewPerDay * float64(g.Days+g.LeadDays)
	g.pages = make([]page, 0, g.ArchivePages+int(1.05*expected))
	archive := float64(g.ArchivePages)
	for i := range g.ArchivePages {
		before := float64((archiveDays*float64(Day))*(archive-float64(i))) / archive
		g.pages = append(g.pages, page{born: int64(start - before), archive: true})
	}
	if g.NewPerDay == 0 {
		return
	}
	s := g.stream("births")
	peak := 1 + g.DayAmplitude
	for t := start; ; {
		t += float64(s.Exp() * float64(Day) / (g.NewPerDay * peak))
		if t >= float64(g.Days)*float64(Day) {
			return
		}
		turn := (t/float64(Hour) - g.PeakHour) / 24
		rate := 1 + float64(g.DayAmplitude*detmath.Cos2Pi(turn))
		if IsWeekend(t / float64(Day)) {
			rate *= 1 - g.WeekendDrop
		}
		if s.Float64()*peak < rate {
			g.pages = append(g.pages, page{born: int64(math.Floor(t))})
		}
	}
}

// IsWeekend reports whether a time, in days, is on a Saturday or a Sunday. Time
// 0 is the beginning of a Monday.
func IsWeekend(days float64) bool {
	const week = 7
	const workdays = 5
	return days-float64(week*math.Floor(days/week)) >= workdays
}

// drawPages draws what each page is, and posts new pages to hubs.
func (g *generator) drawPages() {
	g.share = powerLaw(g.Sections, g.SectionZipf)
	g.sections = make([][]int32, g.Sections)
	g.postings = make([][]int32, g.hubs())
	s := g.stream("pages")
	for i := range g.pages {
		p := &g.pages[i]
		if p.archive {
			p.section = int32(s.IntN(g.Sections))
		} else {
			p.section = int32(g.share.draw(s))
			p.dated = s.Chance(g.DatedShare)
		}
		p.rank = int32(len(g.sections[p.section]))
		g.sections[p.section] = append(g.sections[p.section], int32(i))

		p.topic = -1
		x := s.Float64()
		if x < g.TopicShare {
			p.topic = p.section
		} else if x < g.TopicShare+g.StrayShare {
			p.topic = int32(s.IntN(g.Topics))
		}
		if !p.archive {
			g.postPage(i, s)
		}
	}
}

// postPage posts a new page to hubs. The first sub-fronts of a section get the
// most pages.
func (g *generator) postPage(i int, s *rng.Stream) {
	p := &g.pages[i]
	section := int(p.section)
	x := s.Float64()
	sub := g.sub(section, int(float64(g.SubFronts)*x*x))
	var hubs []int32
	if p.dated || s.Chance(g.UndatedShare) {
		hubs = append(hubs, sub)
	}
	if p.dated && s.Chance(g.FrontShare) {
		hubs = append(hubs, g.front(section))
	}
	if p.dated && s.Chance(g.MainShare) {
		hubs = append(hubs, g.mainPage())
	}
	for _, hub := range hubs {
		g.postings[hub] = append(g.postings[hub], int32(i+g.hubs()))
	}
}

// drawLinks draws the links between pages. Every page gets an out-degree and,
// if one is found, a parent: a page somewhat earlier in its section that has a
// link left. The links that remain lead to hubs, to recent pages, or to pages
// that earlier links lead to, whose in-degrees thereby follow a power law, too.
func (g *generator) drawLinks() {
	s := g.stream("links")
	g.drawDegrees(s)
	parents := g.drawParents(s)
	g.listContents()

	g.links = make([][]int32, len(g.pages))
	g.targets = make([][]int32, g.Sections)
	g.born = make([]int, g.Sections)
	g.linker = make([]int32, g.hubs()+len(g.pages))
	for k := range 1 + slices.Max(append(g.degree, 0)) {
		g.accepted = append(g.accepted, detmath.Pow(float64(1+k), -g.IndexShun))
	}
	for i := range g.pages {
		p := &g.pages[i]
		if parents[i] >= 0 {
			g.targets[p.section] = append(g.targets[p.section], int32(i))
		}
		mark := int32(i + 1)
		g.linker[i+g.hubs()] = mark // no page links to itself
		for _, child := range g.children[i] {
			g.linker[child] = mark
		}
		g.latest = p.born + int64(g.LookaheadHours*float64(Hour))
		for left := int(g.degree[i]) - len(g.children[i]); left > 0; left-- {
			target := g.drawTarget(s, p, mark)
			if target < 0 {
				continue
			}
			g.linker[target] = mark
			g.links[i] = append(g.links[i], target)
		}
	}
}

func (g *generator) drawDegrees(s *rng.Stream) {
	law := powerLaw(g.OutMax, g.OutExponent)
	g.degree = make([]int32, len(g.pages))
	for i := range g.degree {
		leaves := g.NewLeaves
		if g.pages[i].archive {
			leaves = g.ArchiveLeaves
		}
		if !s.Chance(leaves) {
			g.degree[i] = 1 + int32(law.draw(s))
		}
	}
}

// drawParents gives each page a link from an earlier page of its section, its
// parent, and returns the parents; −1 where none was found. No page gets more
// links than its out-degree.
func (g *generator) drawParents(s *rng.Stream) []int32 {
	parents := make([]int32, len(g.pages))
	left := slices.Clone(g.degree) // links that each page may still have
	g.children = make([][]int32, len(g.pages))
	for i := range g.pages {
		p := &g.pages[i]
		parents[i] = -1
		if p.rank == 0 {
			continue
		}
		order := g.sections[p.section]
		for try := 0; try < parentTries && parents[i] < 0; try++ {
			back := 1 + int(s.Exp()*g.RecentReach)
			if back > int(p.rank) {
				continue
			}
			candidate := order[int(p.rank)-back]
			if left[candidate] > 0 {
				left[candidate]--
				parents[i] = candidate
				g.children[candidate] = append(g.children[candidate], int32(i+g.hubs()))
			}
		}
	}
	return parents
}

// listContents sorts the archive pages of each section by their number of
// links. The fronts of the section always show the first of them.
func (g *generator) listContents() {
	hubs := int32(g.hubs())
	g.contents = make([][]int32, g.Sections)
	for s, order := range g.sections {
		for _, i := range order {
			if g.pages[i].archive {
				g.contents[s] = append(g.contents[s], i+hubs)
			}
		}
		slices.SortStableFunc(g.contents[s], func(a, b int32) int {
			return int(g.degree[b-hubs] - g.degree[a-hubs])
		})
	}
}

// drawTarget draws the target of one more link of page p, whose mark in linker
// is given. It returns −1 if it finds no target that p does not link to yet. A
// target that is a page is added to targets.
func (g *generator) drawTarget(s *rng.Stream, p *page, mark int32) int32 {
	for range targetTries {
		if s.Chance(g.HubLinkShare) {
			hub := g.drawHub(s, int(p.section))
			if g.linker[hub] != mark {
				return hub
			}
			continue
		}
		target, section := g.drawPage(s, p)
		if target < 0 {
			continue
		}
		if g.IndexShun > 0 && !s.Chance(g.accepted[g.degree[target]]) {
			continue // links lead to articles rather than to lists
		}
		url := target + int32(g.hubs())
		if g.linker[url] != mark {
			g.targets[section] = append(g.targets[section], target)
			return url
		}
	}
	return -1
}

// drawHub draws the hub that a link from a section leads to.
func (g *generator) drawHub(s *rng.Stream, section int) int32 {
	x := s.Float64()
	if x < g.MainLinkShare {
		return g.mainPage()
	}
	if x < g.MainLinkShare+g.FrontLinkShare {
		return g.front(section)
	}
	return g.sub(section, s.IntN(g.SubFronts))
}

// drawPage draws the page that a link of page p leads to: a recent one of its
// section, one that an earlier link leads to, or any. It also returns the
// section of that page. The page is −1 if there is none.
func (g *generator) drawPage(s *rng.Stream, p *page) (target int32, section int) {
	section = int(p.section)
	own := s.Chance(g.SectionShare)
	if !own {
		section = g.share.draw(s)
	}
	order := g.sections[section]
	targets := g.targets[section]
	if own && s.Chance(g.RecentShare) {
		back := 1 + int(s.Exp()*g.RecentReach)
		if back > int(p.rank) {
			return -1, section
		}
		return order[int(p.rank)-back], section
	}
	if len(targets) > 0 && s.Chance(g.CopyShare) {
		return targets[s.IntN(len(targets))], section
	}
	born := g.bornIn(section)
	if born == 0 {
		return -1, section
	}
	return order[s.IntN(born)], section
}

// bornIn returns how many pages of a section were born by latest, which never
// decreases.
func (g *generator) bornIn(section int) int {
	order := g.sections[section]
	n := g.born[section]
	for n < len(order) && g.pages[order[n]].born <= g.latest {
		n++
	}
	g.born[section] = n
	return n
}

// cumulative is a discrete distribution: the sums of the weights up to each
// element.
type cumulative []float64

// newCumulative returns the distribution with the given weights, which it
// keeps.
func newCumulative(weight []float64) cumulative {
	for i := 1; i < len(weight); i++ {
		weight[i] += weight[i-1]
	}
	return weight
}

// powerLaw returns the distribution of k = 0…n−1 in proportion to
// (k+1)^−exponent.
func powerLaw(n int, exponent float64) cumulative {
	weight := make([]float64, n)
	for k := range weight {
		weight[k] = detmath.Pow(float64(k+1), -exponent)
	}
	return newCumulative(weight)
}

func (c cumulative) draw(s *rng.Stream) int {
	last := len(c) - 1
	x := s.Float64() * c[last]
	return sort.Search(last, func(i int) bool { return c[i] > x })
}
