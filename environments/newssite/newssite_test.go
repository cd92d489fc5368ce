package newssite

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// small is a site of about two thousand URLs.
func small(seed int64) Model {
	return Model{
		Seed: seed, Days: 4, ArchivePages: 800, NewPerDay: 200, DayAmplitude: 0.8, PeakHour: 20,
		Sections: 5, SubFronts: 2, SectionZipf: 0.4, Topics: 8, TopicShare: 0.6, StrayShare: 0.3,
		DatedShare: 0.4, Revisions: 4, RevisionHours: 3, RevisionSigma: 1.5,
		MainList: 5, HubList: 8, MainShare: 0.5, FrontShare: 0.9, UndatedShare: 0.5,
		OutExponent: 1.3, OutMax: 50, ArchiveLeaves: 0.8, NewLeaves: 0.15, HubLinkShare: 0.05, MainLinkShare: 0.2, FrontLinkShare: 0.4, LeadDays: 2,
		SectionShare: 0.5, RecentShare: 0.6, RecentReach: 40, CopyShare: 0.637,
		DownloadTime: 2, DownloadZipf: 0.3, LookaheadHours: 6,
	}
}

func generate(m Model) *Site { return testutil.Must(Generate(m)) }

func TestContradictoryModelsAreRefused(t *testing.T) {
	for fault, spoil := range map[string]func(*Model){
		"need as many topics":       func(m *Model) { m.Topics = 4 },
		"above 1":                   func(m *Model) { m.StrayShare = 0.5 },
		"start list of ten":         func(m *Model) { m.Sections = 3 },
		"URLs":                      func(m *Model) { m.NewPerDay = 1e6; m.Days = 365 },
		"page versions":             func(m *Model) { m.NewPerDay = 1e5; m.Revisions = 1000 },
		"links":                     func(m *Model) { m.ArchivePages = 1e5; m.OutMax = 1e5; m.OutExponent = 0 },
		"links are more":            func(m *Model) { m.NewPerDay = 1e5; m.Days = 40; m.HubList = 1000 },
		"a download from section 0": func(m *Model) { m.DownloadTime = 1e7 },
		"a download from section 4": func(m *Model) { m.DownloadTime = 1e3; m.DownloadZipf = -5 },
	} {
		m := small(1)
		spoil(&m)
		if _, err := Generate(m); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want one with %q", err, fault)
		}
	}
}

// What CheckSize expects is what is generated, to some per cent.
func TestExpectedSize(t *testing.T) {
	m := small(1)
	m.NewPerDay, m.Days, m.HubList = 2000, 10, 2
	site := generate(m)
	urls, versions, links := m.expected()
	for of, ratio := range map[string]float64{
		"URLs": float64(site.URLs()) / urls, "versions": float64(len(site.Versions)) / versions, "links": float64(len(site.Links)) / links,
	} {
		if ratio < 0.8 || ratio > 1.05 {
			t.Errorf("%.3f of the %s that are expected", ratio, of)
		}
	}
}

func TestExtremeModels(t *testing.T) {
	for name, change := range map[string]func(*Model){
		"as it is":          func(*Model) {},
		"no archive":        func(m *Model) { m.ArchivePages = 0 },
		"nothing new":       func(m *Model) { m.NewPerDay = 0 },
		"an empty site":     func(m *Model) { m.NewPerDay, m.ArchivePages = 0, 0 },
		"only leaves":       func(m *Model) { m.ArchiveLeaves, m.NewLeaves = 1, 1 },
		"all links copied":  func(m *Model) { m.CopyShare, m.RecentShare, m.SectionShare = 1, 0, 0 },
		"all links to hubs": func(m *Model) { m.HubLinkShare = 1 },
		"revised at once":   func(m *Model) { m.RevisionHours, m.Revisions = 0.001, 20 },
		"dense":             func(m *Model) { m.OutMax, m.OutExponent = 1000, 0.5 },
		"no reach":          func(m *Model) { m.RecentReach = 0 },
	} {
		m := small(1)
		change(&m)
		if err := generate(m).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if slices.Equal(generate(small(1)).Links, generate(small(2)).Links) {
		t.Error("two seeds gave the same links")
	}
}

// New URLs appear NewPerDay a day, in a rhythm with its maximum at PeakHour
// and the ratio (1+a)/(1−a) between maximum and minimum.
func TestRhythmOfNewURLs(t *testing.T) {
	m := small(3)
	m.Days = testutil.IfThorough(200, 60)
	m.NewPerDay = 1000
	days := float64(m.Days)
	site := generate(m)
	var byHour [24]float64
	for u := range site.URLs() {
		if born := site.Born(int32(u)); born >= 0 {
			byHour[born%Day/Hour]++
		}
	}
	var total float64
	for hour, n := range byHour {
		total += n
		// the middle of the hour, which is good to a per cent
		want := 1000. / 24 * days * (1 + 0.8*math.Cos(2*math.Pi*(float64(hour)+0.5-20)/24))
		if math.Abs(n-want) > 5*math.Sqrt(want)+0.01*want {
			t.Errorf("%v URLs in hour %d, want about %.0f", n, hour, want)
		}
	}
	if math.Abs(total-1000*days) > 5*math.Sqrt(1000*days) {
		t.Errorf("%v URLs in %v days, want about %v", total, days, 1000*days)
	}
}

func TestHubsShowTheNewestPostingsLast(t *testing.T) {
	m := small(1)
	site := generate(m)
	if len(site.Start) != 10 {
		t.Fatalf("start list of %d URLs, want 10", len(site.Start))
	}
	for hub := range m.hubs() {
		static, list := 1, m.HubList
		switch {
		case hub == 0:
			static, list = m.Sections, m.MainList
		case hub <= m.Sections:
			static = m.SubFronts
		}
		for i, v := range site.History(int32(hub)) {
			links := site.LinksOf(&v)
			if n := len(links) - static; n < min(i, list) || n > list {
				t.Fatalf("hub %d: version %d shows %d postings of %d or more, want up to %d", hub, i, n, i, list)
			}
			posted := links[static:]
			for j, u := range posted {
				if born := site.Born(u); born > v.From || j > 0 && born < site.Born(posted[j-1]) {
					t.Fatalf("hub %d: version %d does not list postings by age", hub, i)
				}
			}
			if i > 0 && site.Born(posted[len(posted)-1]) != v.From {
				t.Fatalf("hub %d: version %d is not due to a new posting", hub, i)
			}
			if v.Date != Undated {
				t.Fatalf("hub %d carries a date", hub)
			}
		}
	}
}

// As many pages as drawn have no links, nearly every other page is linked to,
// stories are dated by their last revision, and pages link at most
// LookaheadHours ahead, but for the children whose parents they are.
func TestPages(t *testing.T) {
	m := large(2)
	site := generate(m)
	linked := make([]bool, site.URLs())
	revisions, young := 0, 0
	var pages, leaves [2]int // new, archive
	for u := m.hubs(); u < site.URLs(); u++ {
		history := site.History(int32(u))
		seen := map[int32]bool{int32(u): true}
		kind := bit(u < m.hubs()+m.ArchivePages)
		pages[kind]++
		leaves[kind] += bit(len(site.LinksOf(&history[0])) == 0)
		for _, v := range site.LinksOf(&history[0]) {
			if seen[v] {
				t.Fatalf("URL %d links to URL %d twice, or to itself", u, v)
			}
			seen[v] = true
			linked[v] = true
		}
		for _, v := range history {
			if v.Date != Undated && v.Date != v.From {
				t.Fatalf("URL %d: version of %d is dated %d", u, v.From, v.Date)
			}
		}
		if history[0].Date != Undated && history[0].From < 2*Day { // whose revisions mostly fit in
			young++
			revisions += len(history) - 1
		}
	}
	orphans := 0
	for _, ok := range linked[m.hubs():] {
		orphans += bit(!ok)
	}
	if all := site.URLs() - m.hubs(); orphans > all/100 {
		t.Errorf("%d of %d pages without a link to them, want at most 1 %%", orphans, all)
	}
	counted(t, "new pages without links", leaves[0], pages[0], m.NewLeaves)
	counted(t, "archive pages without links", leaves[1], pages[1], m.ArchiveLeaves)
	if mean := float64(revisions) / float64(young); mean < 3.5 || mean > 4.5 {
		t.Errorf("%.2f revisions of a story, want about 4", mean)
	}
}

// Section 4.1: rewiring keeps the number of links from and to every URL.
func TestRewireKeepsDegrees(t *testing.T) {
	site := generate(small(1))
	for _, share := range []float64{0.3, 1} {
		rewired := Rewire(site, share, 7)
		testutil.NoError(rewired.Validate())
		before := collectEdges(site, false)
		after := make([]int32, len(before.target)) // of each edge its new target, plus 1
		for l, edge := range before.of {
			if known := after[edge]; known > 0 && known != rewired.Links[l]+1 {
				t.Fatal("two versions show different targets of one link")
			}
			after[edge] = rewired.Links[l] + 1
		}
		in := make(map[int32]int)
		changed := 0
		for e, target := range before.target {
			in[target]++
			in[after[e]-1]--
			changed += bit(after[e] != target+1)
		}
		for u, n := range in {
			if n != 0 {
				t.Fatalf("URL %d has %d links fewer than before", u, n)
			}
		}
		if got := float64(changed) / float64(len(before.target)); math.Abs(got/share-0.975) > 0.025 {
			t.Errorf("%.3f of the links changed, want nearly %v", got, share)
		}
		if !reflect.DeepEqual(site.Versions, rewired.Versions) {
			t.Error("origins lost the places of their links")
		}
		if !reflect.DeepEqual(rewired, Rewire(site, share, 7)) || reflect.DeepEqual(rewired.Links, Rewire(site, share, 8).Links) {
			t.Error("rewiring is not a function of its seed")
		}
	}
}

// Pace changes download times alone, in one proportion, within a millisecond and
// a day.
func TestPace(t *testing.T) {
	slow, quick, first := Version{Download: 3000, LinkTo: 1}, Version{From: 1, Download: 1000}, Version{Download: 1000}
	site := &Site{First: []int32{0, 2, 3}, Versions: []Version{slow, quick, first}, Links: []int32{1}, Dimension: 1, States: [][]float64{{0}}, Start: []int32{0}}
	before := slices.Clone(site.Versions)
	for downloads, want := range map[float64][]int32{
		21600: {3000, 1000, 1000}, // a mean of 2 s of each of 2 URLs
		2160:  {30000, 10000, 10000},
		1e9:   {1, 1, 1},
		1e-3:  {int32(Day), int32(Day), int32(Day)},
	} {
		paced := Pace(site, downloads)
		for i, v := range paced.Versions {
			if v.Download != want[i] || v.LinkTo != before[i].LinkTo {
				t.Errorf("%v downloads: version %d is %+v, want %d ms", downloads, i, v, want[i])
			}
		}
		testutil.NoError(paced.Validate())
	}
	if !slices.Equal(site.Versions, before) {
		t.Error("the site itself has changed")
	}
}

func TestValidateFindsEachFault(t *testing.T) {
	for fault, spoil := range map[string]func(*Site){
		"no version":                       func(s *Site) { s.First = append(s.First, s.First[s.URLs()]) },
		"does not start after":             func(s *Site) { s.Versions[1].From = s.Versions[0].From },
		"has state":                        func(s *Site) { s.Versions[5].State = 99 },
		"download time":                    func(s *Site) { s.Versions[5].Download = 0 },
		"links outside":                    func(s *Site) { s.Versions[5].LinkTo = int32(len(s.Links) + 1) },
		"links to URL":                     func(s *Site) { s.Links[8] = -1 },
		"components":                       func(s *Site) { s.States[2] = s.States[2][1:] },
		"component 1.5":                    func(s *Site) { s.States[2][0] = 1.5 },
		"no start list":                    func(s *Site) { s.Start = nil },
		"start list has":                   func(s *Site) { s.Start[1] = int32(s.URLs() - 1) },
		"index does not cover its version": func(s *Site) { s.Versions = s.Versions[1:] },
	} {
		site := generate(small(1))
		spoil(site)
		if err := site.Validate(); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want one with %q", err, fault)
		}
	}
}

// randomGraph returns a site of pages with random links, and its graph.
func randomGraph(s *rng.Stream, n, links int) (*Site, *simple.DirectedGraph) {
	site := &Site{Dimension: 1, States: [][]float64{{-1}}, First: []int32{0}}
	g := simple.NewDirectedGraph()
	for u := range n {
		old := int32(len(site.Links)) // an older version, whose link does not count
		site.Links = append(site.Links, int32(s.IntN(n)))
		for range s.IntN(2*links/n + 1) {
			to := (u + 1 + s.IntN(n-1)) % n
			site.Links = append(site.Links, int32(to))
			g.SetEdge(simple.Edge{F: simple.Node(u), T: simple.Node(to)})
		}
		site.Versions = append(site.Versions, Version{From: -9, Download: 1, LinkFrom: old, LinkTo: old + 1},
			Version{Download: 1, LinkFrom: old + 1, LinkTo: int32(len(site.Links))})
		site.First = append(site.First, int32(len(site.Versions)))
	}
	return site, g
}

// Clustering and shortest paths against gonum's graphs.
func TestStructureEqualsGonum(t *testing.T) {
	s := rng.New("structure test", 1)
	for _, size := range [][2]int{{10, 30}, {60, 200}, {60, 900}, {200, 500}} {
		site, g := randomGraph(s, size[0], size[1])
		st := Measure(site, 0)
		if want := g.Edges().Len(); st.Links != want { // of double links one
			t.Errorf("%v: %d links, want %d", size, st.Links, want)
		}
		var in []int // by degree
		for u := range size[0] {
			k := g.To(int64(u)).Len()
			in = append(in, make([]int, max(0, k+1-len(in)))...)
			in[k]++
		}
		if !slices.Equal(st.InDegree.Count, in) {
			t.Errorf("%v: in-degrees %v, want %v", size, st.InDegree.Count, in)
		}

		var total, reached, longest float64
		all := path.DijkstraAllPaths(g)
		for u := range size[0] {
			for v := range size[0] {
				if d := all.Weight(int64(u), int64(v)); u != v && !math.IsInf(d, 0) {
					total += d
					reached++
					longest = math.Max(longest, d)
				}
			}
		}
		if want := reached / float64(size[0]*(size[0]-1)); math.Abs(st.Reached-want) > 1e-12 {
			t.Errorf("%v: a source reaches %v of the URLs, want %v", size, st.Reached, want)
		}
		if math.Abs(st.MeanPath-total/reached) > 1e-12 || float64(st.Longest) != longest {
			t.Errorf("%v: mean path %v, longest %d, want %v and %v", size, st.MeanPath, st.Longest, total/reached, longest)
		}

		var clustering float64
		adjacent := func(a, b int) bool { return g.HasEdgeBetween(int64(a), int64(b)) }
		for u := range size[0] {
			pairs, closed := 0, 0
			for a := range size[0] {
				for b := range a {
					if adjacent(u, a) && adjacent(u, b) {
						pairs++
						closed += bit(adjacent(a, b))
					}
				}
			}
			clustering += float64(closed) / float64(max(pairs, 1))
		}
		if want := clustering / float64(size[0]); math.Abs(st.Clustering-want) > 1e-12 {
			t.Errorf("%v: clustering %v, want %v", size, st.Clustering, want)
		}
	}
}

// Both fits worked by hand. Twelve URLs with links: 8 of degree 1; 3 of
// degree 2 and 1 of degree 3, which share a bin. The bins' middles are 1 and
// √6, their frequencies 8/12 and 4/12/2, so that the line falls by ln 4 over
// ln √6.
func TestPowerLawWorkedExample(t *testing.T) {
	fit := fitPowerLaw([]int32{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 0, 0})
	if want := -math.Log(4) / math.Log(math.Sqrt(6)); math.Abs(fit.Exponent-want) > 1e-12 {
		t.Errorf("exponent %v, want %v", fit.Exponent, want)
	}
	if want := -1 - 12/(8*math.Log(2)+3*math.Log(4)+math.Log(6)); math.Abs(fit.Likelihood-want) > 1e-12 {
		t.Errorf("likelihood exponent %v, want %v", fit.Likelihood, want)
	}
}
