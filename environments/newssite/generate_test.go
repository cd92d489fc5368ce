package newssite

import (
	"math"
	"slices"
	"testing"

	"sweep/internal/testutil"
)

// drawn returns a generator that has drawn a site of some ten thousand
// pages.
func drawn(m Model) *generator {
	g := &generator{Model: m}
	g.drawBirths()
	g.drawPages()
	g.drawLinks()
	return g
}

func large(seed int64) Model {
	m := small(seed)
	m.Days, m.ArchivePages, m.NewPerDay = 6, 8000, 2000
	return m
}

// counted judges how often something of probability p came in n draws, by
// five standard deviations.
func counted(t *testing.T, name string, got, n int, p float64) {
	t.Helper()
	if math.Abs(float64(got)-float64(n)*p) > 5*math.Sqrt(float64(n)*p*(1-p)) {
		t.Errorf("%s: %d of %d, want a share of %.3f", name, got, n, p)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What is drawn of every page: section, topic, date, postings and out-degree.
func TestSharesOfPages(t *testing.T) {
	m := large(1)
	g := drawn(m)
	var archive, fresh [5]int // by section
	var archives, stories, own, none int
	for _, p := range g.pages {
		archives += bit(p.archive)
		archive[p.section] += bit(p.archive)
		fresh[p.section] += bit(!p.archive)
		stories += bit(p.dated && !p.archive)
		own += bit(p.topic == p.section)
		none += bit(p.topic == -1)
	}
	news := len(g.pages) - archives
	weight := 0.0
	for s := range m.Sections {
		weight += math.Pow(float64(s+1), -m.SectionZipf)
	}
	for s := range m.Sections {
		counted(t, "archive pages of a section", archive[s], archives, 1/float64(m.Sections))
		counted(t, "new pages of a section", fresh[s], news, math.Pow(float64(s+1), -m.SectionZipf)/weight)
	}
	counted(t, "dated pages", stories, news, m.DatedShare)
	counted(t, "pages with their section's topic", own, len(g.pages), m.TopicShare+m.StrayShare/float64(m.Topics))
	counted(t, "pages without a topic", none, len(g.pages), 1-m.TopicShare-m.StrayShare)

	fronts, first, subs := 0, 0, 0
	for s := range m.Sections {
		fronts += len(g.postings[g.front(s)])
		first += len(g.postings[g.sub(s, 0)])
		subs += len(g.postings[g.sub(s, 0)]) + len(g.postings[g.sub(s, 1)])
	}
	counted(t, "stories on the main page", len(g.postings[g.mainPage()]), stories, m.MainShare)
	counted(t, "stories on front pages", fronts, stories, m.FrontShare)
	counted(t, "undated pages on sub-fronts", subs-stories, news-stories, m.UndatedShare)
	counted(t, "postings on the first sub-front", first, subs, math.Sqrt(0.5)) // ⌊2x²⌋ = 0

	var linking, ones, tens int // pages with links, with one, with ten or more
	for _, d := range g.degree {
		linking += bit(d > 0)
		ones += bit(d == 1)
		tens += bit(d >= 10)
	}
	all, tail := 0.0, 0.0
	for k := 1; k <= m.OutMax; k++ {
		p := math.Pow(float64(k), -m.OutExponent)
		all += p
		tail += p * float64(bit(k >= 10))
	}
	counted(t, "pages with one link", ones, linking, 1/all)
	counted(t, "pages with ten links or more", tens, linking, tail/all)
}

// Where links lead, but for those to children. Of each page the first counts,
// whose draw was not repeated because of a double link.
func TestSharesOfTargets(t *testing.T) {
	model := large(3)
	model.OutMax, model.OutExponent, model.ArchiveLeaves, model.NewLeaves = 3, 0, 0, 0
	model.SectionZipf = 0

	each := func(g *generator, f func(from *page, target int32)) (n int) {
		for i := range g.pages {
			if targets := g.links[i]; len(targets) > 0 {
				f(&g.pages[i], targets[0])
				n++
			}
		}
		return n
	}

	m := model
	m.HubLinkShare, m.SectionShare, m.RecentShare = 0.3, 0.5, 0
	g := drawn(m)
	var mains, fronts, hubs, own int
	n := each(g, func(from *page, target int32) {
		if int(target) >= g.hubs() {
			own += bit(g.at(target).section == from.section)
			return
		}
		hubs++
		mains += bit(target == g.mainPage())
		fronts += bit(target == g.front(int(from.section)))
	})
	counted(t, "links to hubs", hubs, n, 0.3)
	counted(t, "of these, to the main page", mains, hubs, 0.2)
	counted(t, "of these, to the section's front", fronts, hubs, 0.4)
	counted(t, "of others, within the section", own, n-hubs, 0.5+0.5/float64(m.Sections))

	m = model
	m.HubLinkShare, m.SectionShare, m.RecentShare, m.RecentReach = 0, 1, 1, 20
	g = drawn(m)
	distance := 0
	n = each(g, func(from *page, target int32) {
		distance += int(from.rank - g.pages[int(target)-g.hubs()].rank)
	})
	// 1 + ⌊20·Exp⌋ has the mean 1/(1 − e^(−1/20))
	if mean, want := float64(distance)/float64(n), 1/(1-math.Exp(-1./20)); math.Abs(mean-want) > 5*want/math.Sqrt(float64(n)) {
		t.Errorf("mean distance of recent pages %.2f, want %.2f", mean, want)
	}

	// copied targets are known already; others may be born up to six hours later
	for _, share := range []float64{0, 1} {
		m = model
		m.HubLinkShare, m.RecentShare, m.CopyShare = 0, 0, share
		g = drawn(m)
		later := 0
		each(g, func(from *page, target int32) {
			ahead := g.pages[int(target)-g.hubs()].born - from.born
			later += bit(ahead > 0)
			if ahead > 6*Hour {
				t.Errorf("a link leads %d ms ahead, more than 6 h", ahead)
			}
		})
		// until a section has its first target there is nothing to copy
		if share == 0 && later < 50 || share == 1 && later > m.Sections {
			t.Errorf("copy share %v: %d links lead ahead", share, later)
		}
	}
}

// A front and each sub-front always show IndexLinks contents pages: together
// the archive pages of the section for which most links were drawn.
func TestHubsShowContentsPages(t *testing.T) {
	m := small(1)
	m.IndexLinks = 3
	g := drawn(m)
	site := g.record()
	for s := range m.Sections {
		var most, shown []int32 // links of archive pages
		for _, i := range g.sections[s] {
			if g.pages[i].archive {
				most = append(most, g.degree[i])
			}
		}
		slices.Sort(most)
		for _, hub := range []int32{g.front(s), g.sub(s, 0), g.sub(s, 1)} {
			history := site.History(hub)
			static := site.LinksOf(&history[0]) // before all postings
			for _, u := range static[len(static)-m.IndexLinks:] {
				shown = append(shown, g.degree[int(u)-g.hubs()])
				for i := range history {
					if !slices.Contains(site.LinksOf(&history[i]), u) {
						t.Fatalf("version %d of hub %d lacks contents page %d", i, hub, u)
					}
				}
			}
		}
		slices.Sort(shown)
		if want := most[len(most)-3*m.IndexLinks:]; !slices.Equal(shown, want) {
			t.Errorf("section %d shows pages of %v links, want %v", s, shown, want)
		}
	}
}

// Where nothing else directs them, links lead to a page with k links in
// proportion to (1+k)^−IndexShun.
func TestLinksShunLists(t *testing.T) {
	m := large(1)
	m.NewPerDay, m.HubLinkShare, m.SectionShare, m.CopyShare, m.LookaheadHours = 0, 0, 0, 0, 1e4
	m.IndexShun = 0.75
	g := drawn(m)
	var weight, unlinked float64
	for _, k := range g.degree {
		w := math.Pow(float64(1+k), -m.IndexShun)
		weight += w
		unlinked += w * float64(bit(k == 0))
	}
	leaves := 0
	all := slices.Concat(g.links...)
	for _, u := range all {
		leaves += bit(g.degree[int(u)-g.hubs()] == 0)
	}
	counted(t, "links to pages without any", leaves, len(all), unlinked/weight)
}

// Most pages with a topic are seen to have one in their texts, and most of a topic
// the same; those without hardly ever.
func TestStatesOfTexts(t *testing.T) {
	m := small(1)
	m.Topics = 50
	site := generate(m)
	m.Pages = PagesText
	other := generate(m)
	testutil.NoError(other.Validate())
	if distinct := len(other.States); distinct < site.URLs()*9/10 {
		t.Errorf("%d distinct states of %d pages", distinct, site.URLs())
	}
	seen := make([][]int, m.Topics) // of each topic, pages of each positive component
	for i := range seen {
		seen[i] = make([]int, m.Topics)
	}
	topical, topicless, wrong := 0, 0, 0
	for u := range int32(site.URLs()) {
		topic, state := int(site.History(u)[0].State)-1, other.States[other.History(u)[0].State]
		yes := slices.IndexFunc(state, func(x float64) bool { return x > 0 })
		switch {
		case topic < 0:
			topicless++
			wrong += bit(yes >= 0)
		case yes >= 0:
			seen[topic][yes]++
			fallthrough
		default:
			topical++
		}
	}
	right := 0
	for _, of := range seen {
		right += slices.Max(of)
	}
	if right < topical*2/3 || wrong > topicless/20 {
		t.Errorf("%d of %d pages with a topic have their topic's component, %d of %d without one have some", right, topical, wrong, topicless)
	}
}
