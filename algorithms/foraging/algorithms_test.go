package foraging

import (
	"math"
	"reflect"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/testutil"
)

// handmade is a site of which a whole run can be worked out on paper.
//
//	A (URL 0): the start; links to B, C and D
//	B (URL 1): the only page of topic 0; dated hour −1; links to E and F
//	C, D (2, 3): no topic; C is dated 30 h before the start
//	E, F, G (4, 5, 6): E and F are dated −2 h, G −25 h; no links
//
// B links to G as well, as in Figure 1 of the news-forager papers. A page
// takes one second to download.
func handmade() *newssite.Site {
	const hour = newssite.Hour
	none, topic := int32(0), int32(1)
	site := &newssite.Site{
		Dimension: 2,
		States:    [][]float64{{-1, -1}, {1, -1}},
		First:     []int32{0},
		Start:     []int32{0},
	}
	add := func(date int64, state int32, links ...int32) {
		from := int32(len(site.Links))
		site.Links = append(site.Links, links...)
		site.Versions = append(site.Versions, newssite.Version{
			From: -100 * hour, Date: date, State: state, Download: 1000, LinkFrom: from, LinkTo: from + int32(len(links))})
		site.First = append(site.First, int32(len(site.Versions)))
	}
	add(newssite.Undated, none, 1, 2, 3)
	add(-hour, topic, 4, 5, 6)
	add(-30*hour, none)
	add(newssite.Undated, none)
	add(-2*hour, none)
	add(-2*hour, none)
	add(-25*hour, none)
	return site
}

// onTopic returns a simulator on the handmade site, and its first forager with
// positive weight on topic 0.
func onTopic(c Config) (*Simulator, *forager) {
	s := started(handmade(), c)
	f := s.agent.foragers[0]
	f.ordering = orderingOf(s.states, []float64{1, 0})
	f.frontier.init(&f.ordering, f.kind, TiesLast)
	return s, f
}

// Figure 1 of the news-forager papers: at B the documents of E, F and G
// are downloaded; G's date is obsolete; E, known to the center, and F are
// sent; F is novel. There every document sent costs 1: profit 98. By
// Algorithm 7 of the paper only E is penalised: profit 99.
func TestRewardOfFigure1(t *testing.T) {
	for _, c := range []struct {
		name              string
		penalty, sendCost float64
		want              float64
	}{
		{"news foragers", 0, -1, 98},
		{"Algorithm 7", -1, 0, 99},
	} {
		config := published("WL")
		config.Penalty, config.SendCost = c.penalty, c.sendCost
		s, f := onTopic(config)
		const e = 4
		s.memory.relevant.Add(e) // the center has E
		s.steps++
		s.download(f, 1) // B was seen before this step, and so is not sent in it
		s.step(f)        // A: downloads B, C, D
		s.step(f)        // B: downloads E, F, G
		if got := f.visited; !reflect.DeepEqual(got, []int32{0, 1}) {
			t.Fatalf("%s: path %v, want A, B", c.name, got)
		}
		if got := f.profit[1]; got != c.want {
			t.Errorf("%s: profit %v, want %v", c.name, got, c.want)
		}
	}
}

// The whole run of one WL forager on the hand-made site for 18 seconds,
// with positive weight on topic 0, so that B comes before all others.
//
// Path 1. A at 0 s: downloads A, B, C, D (4 s); sends B (+100).
// B at 4 s: B, E, F, G (4 s); sends E and F (+200). The frontier is C, D,
// E, F, G, all of one value: the latest comes first. G at 8 s, F at 9 s,
// E at 10 s, D at 11 s, C at 12 s: one page each, none of them relevant
// again. At 13 s the frontier is empty, and the weblog becomes
//
//	A: 0.7·0 + 0.3·300 = 90; B: 200; G, F, E, D, C: 0 in this order,
//
// and truncated to 2 URLs it is B 200, A 90. With a start list of one the
// next path starts at B: B, E, F, G (13–17 s), then G (17–18 s).
func TestWholeRunOfAHandmadeSite(t *testing.T) {
	c := published("WL")
	c.WeblogSize, c.StartSize = 2, 1
	c.MinForager = 1
	s, f := onTopic(c)
	const a, b, cc, d, e, ff, g = 0, 1, 2, 3, 4, 5, 6
	type state struct {
		second   int64
		path     []int32
		sent     int64
		download int64
	}
	for i, want := range []state{
		{4, []int32{a}, 1, 4},
		{8, []int32{a, b}, 3, 8},
		{9, []int32{a, b, g}, 3, 9},
		{10, []int32{a, b, g, ff}, 3, 10},
		{11, []int32{a, b, g, ff, e}, 3, 11},
		{12, []int32{a, b, g, ff, e, d}, 3, 12},
		{13, []int32{a, b, g, ff, e, d, cc}, 3, 13},
		{17, []int32{b}, 3, 17},
		{18, []int32{b, g}, 3, 18},
	} {
		s.step(f)
		got := state{s.now / 1000, f.visited, s.tally.Sent, s.tally.Downloaded}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("after step %d: %+v, want %+v", i+1, got, want)
		}
	}
	if want := (weblog{{b, 2, 200}, {a, 0, 90}}); !reflect.DeepEqual(f.weblog, want) {
		t.Errorf("weblog %v, want %v", f.weblog, want)
	}
	if s.tally.Relevant != 3 || s.tally.Found != 7 {
		t.Errorf("%d relevant and %d URLs found, want 3 and 7", s.tally.Relevant, s.tally.Found)
	}
	// 100 + 3·1 − 3·0.05
	if math.Abs(f.score-102.85) > 1e-12 {
		t.Errorf("score %v, want 102.85", f.score)
	}
	if share, age := s.freshness(); share != 1 || age != 0 {
		t.Errorf("freshness %v and age %v of a site that does not change", share, age)
	}
}

// What happens at equality, which runs on generated sites hardly ever meet.

// Algorithms 5 and 7: "not older than 24 hours" includes 24 hours, and the
// moment that counts is that at which the download begins.
func TestADocumentOfTheAgeLimitIsRelevant(t *testing.T) {
	const hour = newssite.Hour
	for _, c := range []struct{ now, sent int64 }{{23 * hour, 1}, {23*hour + 1, 0}} {
		s := started(handmade(), published("WL"))
		s.now = c.now
		s.steps++
		s.download(s.agent.foragers[0], 1) // B, dated hour −1
		if s.tally.Sent != c.sent {
			t.Errorf("at %d ms %d documents sent, want %d", c.now, s.tally.Sent, c.sent)
		}
	}
}

// A version holds from its time on, and until the next one's.
func TestAVersionHoldsFromItsTimeOn(t *testing.T) {
	const hour = newssite.Hour
	site := &newssite.Site{Dimension: 1, States: [][]float64{{-1}}, First: []int32{0, 2}, Start: []int32{0},
		Versions: []newssite.Version{{From: 0, Date: 0, Download: 1}, {From: 8 * hour, Date: 8 * hour, Download: 1}}}
	for _, again := range []bool{false, true} { // by one who was there before
		s := started(site, published("WL"))
		for i, now := range []int64{0, 8*hour - 1, 8 * hour} {
			if !again {
				s = started(site, published("WL"))
			}
			s.now = now
			s.steps++
			s.download(s.agent.foragers[0], 0)
			if got, want := s.memory.versions[0], int32(i/2); got != want {
				t.Errorf("at %d ms version %d was downloaded, want %d", now, got, want)
			}
		}
	}
}

// Algorithm 8: at the bounds themselves a forager is multiplied or deleted,
// and both foragers of a multiplication have INIT_SCORE, whatever it is.
func TestForagersAtTheBoundsOfTheScore(t *testing.T) {
	c := published("WL")
	c.InitScore = 60
	s := started(handmade(), c)
	for i, want := range []int{3, 2, 2} { // no fewer than 2
		f := s.agent.foragers[0]
		f.score = []float64{c.MaxScore, c.MinScore, c.MinScore}[i]
		s.manage(f)
		if n := len(s.agent.foragers); n != want {
			t.Fatalf("%d foragers, want %d", n, want)
		}
		if child := s.agent.foragers[want-1]; i == 0 && (f.score != 60 || child.score != 60) {
			t.Errorf("scores %v and %v, want 60", f.score, child.score)
		}
	}
}

// A step that ends with a window belongs to it, and the next begins.
func TestAStepEndsWithItsWindow(t *testing.T) {
	c := published("WL")
	c.SliceTime = 4 // the time of A with its three links
	s := started(handmade(), c)
	s.tally.windowEnd, s.tally.length = 4000, 4000
	testutil.NoError(s.activateNext())
	windows := s.tally.Windows
	if s.now != 4000 || len(windows) != 1 || windows[0].Downloaded != 4 || s.tally.windowEnd != 8000 {
		t.Errorf("at %d ms windows %+v, the next until %d; want one with 4 downloads, the next until 8000",
			s.now, windows, s.tally.windowEnd)
	}
}
