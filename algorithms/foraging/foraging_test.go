package foraging

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// published returns the paper's constants for a fleet.
func published(name string) Config {
	k := Kinds()[slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == name })]
	return Config{Foragers: []Kind{k, k},
		Days: 8, SliceTime: 180, WindowHours: 3,
		StartSize: 10, WeblogSize: 100, MaxStep: 100, Beta: 0.3, Alpha: 0.1, Gamma: 0.9,
		Ties: TiesLast, SendHours: 24, Document: DocumentURL,
		Reward: 100, Penalty: -1, RelevanceHours: 24,
		InitScore: 100, ScorePlus: 1, ScoreMinus: 0.05, MaxScore: 200, MinScore: 0,
		MinForager: 2, MaxForager: 16,
		PriorHits: 0.5, PriorHours: 24, EvidenceKept: 0.9, YieldKept: 0.999,
	}
}

// smallSite generates a site of a few hundred pages in which foragers
// multiply and die within a day.
func smallSite(seed int64) *newssite.Site {
	return siteOf(6, newssite.PagesDrawn, seed)
}

func siteOf(topics int, pages string, seed int64) *newssite.Site {
	return testutil.Must(newssite.Generate(newssite.Model{
		Seed: seed, Days: 2, ArchivePages: 150, NewPerDay: 200, DayAmplitude: 0.8, PeakHour: 20,
		Sections: 4, SubFronts: 2, SectionZipf: 0.4, Topics: topics, Pages: pages,
		TopicShare: 0.6, StrayShare: 0.3,
		DatedShare: 0.5, Revisions: 4, RevisionHours: 2, RevisionSigma: 1,
		MainList: 5, HubList: 8, MainShare: 0.5, FrontShare: 0.9, UndatedShare: 0.5,
		OutExponent: 1.3, OutMax: 20, ArchiveLeaves: 0.7, NewLeaves: 0.15, LeadDays: 2,
		HubLinkShare: 0.1, MainLinkShare: 0.2, FrontLinkShare: 0.4,
		SectionShare: 0.5, RecentShare: 0.6, RecentReach: 10, CopyShare: 0.6,
		DownloadTime: 2, DownloadZipf: 0.3, LookaheadHours: 6,
	}))
}

// withChangingStates gives every second version of a URL another state, and an
// earlier date, so that dates go back to days that they had.
func withChangingStates(site *newssite.Site) *newssite.Site {
	for u := range site.URLs() {
		history := site.History(int32(u))
		for i := 1; i < len(history); i += 2 {
			history[i].State = (history[i].State + 1 + int32(i)%3) % int32(len(site.States))
			history[i].Date -= newssite.Day / 2
		}
	}
	return site
}

// withMixedStates gives every third state some components of their own.
func withMixedStates(site *newssite.Site) *newssite.Site {
	s := rng.New("mixed states", 1)
	for i := 0; i < len(site.States); i += 3 {
		site.States[i] = slices.Clone(site.States[i])
		for j := range site.States[i] {
			site.States[i][j] = 2*s.Float64() - 1
		}
	}
	return site
}

// inSinglePrecision rounds the states of a site, so that many are equal.
func inSinglePrecision(site *newssite.Site) *newssite.Site {
	states, numbers := site.States, map[string]int32{}
	site.States = nil
	rounded := make([]int32, len(states)) // of each state, its number among these
	for i, state := range states {
		for j, x := range state {
			state[j] = float64(float32(x))
		}
		rounded[i] = site.AddState(state, numbers)
	}
	for i := range site.Versions {
		site.Versions[i].State = rounded[site.Versions[i].State]
	}
	return site
}

// near compares two numbers that were summed in different order.
func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a))
}

func TestSimulatorEqualsTheNaiveTwin(t *testing.T) {
	var simulator Simulator // one for all: memory of an earlier run must not show
	grown, deleted, extinct := 0, 0, 0
	for i, kind := range append(Kinds(), Kind{Name: "mixed"}, Kind{Name: "wide", OrderingUpdate: true}, Kind{Name: "wide", WeblogUpdate: true},
		// In double precision states of texts differ by so little that the order of
		// summation shows (READINGS.md, 35).
		Kind{Name: newssite.PagesText, OrderingUpdate: true}) {
		for seed := int64(1); seed <= 6; seed++ {
			if (i+int(seed))%6 > 0 && !testutil.Thorough() {
				continue
			}
			site, c := smallSite(seed), published("WL")
			c.Foragers = []Kind{kind, kind}
			switch kind.Name {
			case "mixed":
				c.Foragers = Kinds()
			case "wide": // states beyond the 64 that one word has bits for
				site = withMixedStates(siteOf(150, newssite.PagesDrawn, seed))
				c.Alpha = 0.002
			case "watch_RL": // where nothing is new, values would fade to less than rounding
				c.Alpha = 0.0005
			case newssite.PagesText:
				site = inSinglePrecision(siteOf(20, kind.Name, seed))
			}
			if seed%3 != 1 {
				site = withChangingStates(site)
			}
			if seed%3 != 0 { // also links of pages to themselves
				site = newssite.Rewire(site, 1, seed)
			}
			c.Days, c.MaxForager = 1, max(5, len(c.Foragers))
			c.MaxScore, c.MinScore, c.ScoreMinus = 115, 97, 0.4
			if seed > 1 {
				c.Ties = Ties()[(i+int(seed))%3]
				c.Document = Documents()[seed/2%3]
			}
			if seed%2 == 0 { // as the news foragers
				c.SendAgain, c.SkipVisited, c.SendHours, c.MinForager = true, true, 48, 0
				c.Penalty, c.SendCost, c.ScoreMinus = 0, -1, 0.1
				c.MaxStep = 5
				c.WatchSendCost = 0.2
			}
			if kind.Watch && seed > 2 {
				c.WeblogSize = 20 // so that pages take the places of others
			}
			got := testutil.Must(simulator.Run(context.Background(), site, c, seed))
			compare(t, fmt.Sprintf("%s seed %d", kind.Name, seed), got, runNaive(site, c, seed))
			grown += got.Multiplications
			deleted += got.Deletions
			if got.Foragers == 0 {
				extinct++
			}
		}
	}
	if grown < 10 || deleted < 3 || extinct == 0 {
		t.Errorf("%d multiplications, %d deletions and %d fleets that died out are too few to judge them", grown, deleted, extinct)
	}
}

// compare fails the test unless two results are the same but for the order
// of summation.
func compare(t *testing.T, name string, got, want *Measurements) {
	t.Helper()
	if got.Counts != want.Counts || got.Multiplications != want.Multiplications || got.LeastScore != want.LeastScore ||
		got.Deletions != want.Deletions || got.Foragers != want.Foragers || got.Findable != want.Findable {
		t.Fatalf("%s: got %+v, want %+v", name, got, want)
	}
	if !near(got.Freshness, want.Freshness) || !near(got.Age, want.Age) || len(got.Windows) != len(want.Windows) {
		t.Fatalf("%s: freshness %v age %v, want %v and %v", name, got.Freshness, got.Age, want.Freshness, want.Age)
	}
	for i, w := range got.Windows {
		v := want.Windows[i]
		if w.Counts != v.Counts || w.Foragers != v.Foragers || w.End != v.End ||
			!near(w.Freshness, v.Freshness) || !near(w.Age, v.Age) {
			t.Fatalf("%s: window %d is %+v, want %+v", name, i, w, v)
		}
	}
}

// A run that is refused, or whose weights leave the numbers, or that is cancelled
// fails, and leaves nothing behind in the simulator that ran it.
func TestRunsThatFail(t *testing.T) {
	site, c := smallSite(1), published("WLRL")
	c.Days = 1
	want := testutil.Must(new(Simulator).Run(context.Background(), site, c, 1))
	ctx, cancel := context.WithCancel(context.Background())
	var used Simulator
	var err error
	for _, fault := range []struct {
		want  string
		spoil func(*Config)
	}{
		{"start_size 101 is above", func(c *Config) { c.StartSize = 101 }},
		{"min_forager 2 is above", func(c *Config) { c.MaxForager = 1 }},
		{"max_forager 4097 is above", func(c *Config) { c.MaxForager = MaxFleet + 1 }},
		{"start_forager 0 is", func(c *Config) { c.Foragers, c.MinForager = nil, 0 }},
		{"min_score 300 is not below", func(c *Config) { c.MinScore = 300 }},
		{"alpha 10", func(c *Config) { c.Alpha = 10 }},
		{context.Canceled.Error(), func(*Config) { cancel() }},
	} {
		spoilt := c
		fault.spoil(&spoilt)
		if _, err = used.Run(ctx, site, spoilt, 1); err == nil || !strings.Contains(err.Error(), fault.want) {
			t.Errorf("error %v, want one with %s", err, fault.want)
		}
		got, _ := used.Run(context.Background(), site, c, 1)
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) { // so that NaN is NaN
			t.Errorf("%s: the failed run shows in the next", fault.want)
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// started returns a simulator at the start of a run.
func started(site *newssite.Site, c Config) *Simulator {
	s := &Simulator{}
	days := c.Days
	c.Days = 0
	testutil.Must(s.Run(context.Background(), site, c, 1))
	s.config.Days = days
	s.end = int64(days * float64(newssite.Day))
	s.startAgent()
	return s
}

// The halves of Algorithm 6 are random: every URL moves as often as another.
func TestSplitIsFair(t *testing.T) {
	s := rng.New("test", 1)
	const n, rounds = 7, 20_000
	var moved [n]int
	for range rounds {
		kept, half := newWeblog([]int32{0, 1, 2, 3, 4, 5, 6}).split(s)
		for _, e := range half {
			moved[e.url]++
		}
		if len(kept) != 4 || len(half) != 3 || slices.ContainsFunc(half, func(e weblogEntry) bool { return slices.Contains(kept, e) }) {
			t.Fatalf("halves %v and %v of %d URLs", kept, half, n)
		}
	}
	want := float64(rounds) * 3 / n
	for u, m := range moved {
		if math.Abs(float64(m)-want) > 5*math.Sqrt(want) {
			t.Errorf("URL %d moved %d times, want about %.0f", u, m, want)
		}
	}

	// From a single URL both can start a path.
	kept, half := weblog{{url: 3}}.split(s)
	if half[0].value = 7; len(half) != 1 || half[0].url != 3 || !slices.Equal(kept, weblog{{url: 3}}) {
		t.Errorf("halves %v and %v of one URL", kept, half)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, fleet := range Kinds() {
		b.Run("fleet="+fleet.Name, func(b *testing.B) {
			site := smallSite(1)
			c := published(fleet.Name)
			var s Simulator
			b.ReportAllocs()
			for b.Loop() {
				m := testutil.Must(s.Run(context.Background(), site, c, 1))
				b.ReportMetric(float64(m.Downloaded), "downloads/op")
			}
		})
	}
}

// In steady state a step allocates nothing: memory grows only while
// frontiers, weblogs and the list of dated URLs reach their sizes.
func TestStepsAllocateNothing(t *testing.T) {
	for _, fleet := range Kinds() {
		c := published(fleet.Name)
		c.MaxForager = 2
		s := started(smallSite(1), c)
		work := func() {
			for _, f := range s.agent.foragers {
				for range 50 {
					s.step(f)
				}
			}
		}
		for range 400 {
			work()
		}
		if n := testing.AllocsPerRun(100, work); n >= 1 {
			t.Errorf("%s: %v allocations in 100 steps", fleet.Name, n)
		}
	}
}
