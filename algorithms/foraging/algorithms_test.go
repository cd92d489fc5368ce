package foraging

import (
	"math"
	"reflect"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/rng"
)

// Algorithm 1, worked by hand. The path A, B, C earned −1, 198 and 0; its
// cumulated values are 197, 198 and 0. With β = 0.3 the known B moves from
// 100 to 0.7·100 + 0.3·198 = 129.4; D, not visited, stays.
func TestWeblogUpdateWorkedExample(t *testing.T) {
	const a, b, c, d = 0, 1, 2, 3
	w := weblog{{d, 150}, {b, 100}}
	scratch := weblogScratch{place: make([]int32, 4)}
	got := w.update([]int32{a, b, c}, []float64{-1, 198, 0}, 0.3, 3, &scratch)
	want := weblog{{a, 197}, {d, 150}, {b, 129.4}}
	if len(got) != len(want) {
		t.Fatalf("weblog %v, want %v", got, want)
	}
	for i := range want {
		if got[i].url != want[i].url || math.Abs(got[i].value-want[i].value) > 1e-12 {
			t.Errorf("entry %d is %v, want %v", i, got[i], want[i])
		}
	}
	if !reflect.DeepEqual(scratch.place, make([]int32, 4)) {
		t.Errorf("places are left as %v", scratch.place)
	}
}

func TestWeblogUpdateEqualsTheNaiveTwin(t *testing.T) {
	s := rng.New("weblog test", 1)
	const urls = 40
	scratch := weblogScratch{place: make([]int32, urls)}
	for round := range 300 {
		size := 1 + s.IntN(30)
		w := newWeblog([]int32{0, 1, 2}[:1+s.IntN(min(3, size))])
		naive := append([]weblogEntry(nil), w...)
		for range 5 {
			order := make([]int32, urls)
			for u := range order {
				order[u] = int32(u)
			}
			s.Shuffle(urls, func(i, j int) { order[i], order[j] = order[j], order[i] })
			visited := order[:s.IntN(urls)]
			profit := make([]float64, len(visited))
			for i := range profit {
				profit[i] = float64(s.IntN(5) - 2) // few values, for many ties
			}
			w = w.update(visited, profit, 0.5, size, &scratch)
			naive = naiveUpdate(naive, visited, profit, 0.5, size)
			if len(w) != len(naive) || len(w) > 0 && !reflect.DeepEqual([]weblogEntry(w), naive) {
				t.Fatalf("round %d: weblog %v, want %v", round, w, naive)
			}
		}
	}
}

// tableOf returns the table of a site with the given states and one URL in
// each.
func tableOf(states ...[]float64) *stateTable {
	site := &newssite.Site{Dimension: len(states[0]), States: states, First: []int32{0}}
	for i := range states {
		site.Versions = append(site.Versions, newssite.Version{State: int32(i), Download: 1})
		site.First = append(site.First, int32(i+1))
	}
	return newStateTable(site)
}

// Algorithms 3 and 4, worked by hand with k = 2: weight (1, 0.5), states
// n = (1, −1) and n+1 = (−1, 1). Values 0.5 and −0.5; δ = 98 + 0.9·(−0.5) −
// 0.5 = 97.05; with α = 0.1 the weight becomes (1 + 9.705, 0.5 − 9.705).
func TestOrderingUpdateWorkedExample(t *testing.T) {
	o := orderingOf(tableOf([]float64{1, -1}, []float64{-1, 1}), []float64{1, 0.5})
	if v, next := o.value(0), o.value(1); math.Abs(v-0.5) > 1e-12 || math.Abs(next+0.5) > 1e-12 {
		t.Fatalf("values %v and %v, want 0.5 and -0.5", v, next)
	}
	o.update(0, 1, 98, 0.1, 0.9)
	for i, want := range []float64{10.705, -9.205} {
		if got := o.common + o.own[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("weight %d = %v, want %v", i, got, want)
		}
	}
}

// The sparse form of values and updates against dense vectors, with states
// that are saturated, mixed and not saturated at all.
func TestOrderingEqualsDenseVectors(t *testing.T) {
	s := rng.New("ordering test", 1)
	const k = 12
	var states [][]float64
	for kind := range 30 {
		state := make([]float64, k)
		for i := range state {
			state[i] = -1
			switch {
			case kind < 12 && i == kind, kind%3 == 1 && s.Chance(0.2):
				state[i] = 1
			case kind%3 == 2:
				state[i] = 2*s.Float64() - 1
			}
		}
		states = append(states, state)
	}
	o := newOrdering(tableOf(states...), s)
	weight := append([]float64(nil), o.own...)
	dense := func(state []float64) (v float64) {
		for i := range state {
			v += weight[i] * state[i]
		}
		return v
	}
	largest := 1.0
	for range 5000 {
		a, b := s.IntN(len(states)), s.IntN(len(states))
		profit := float64(s.IntN(300) - 50)
		delta := profit + 0.9*dense(states[b]) - dense(states[a])
		for i := range weight {
			weight[i] += 0.02 * delta * states[a][i]
			largest = math.Max(largest, math.Abs(weight[i]))
		}
		o.update(int32(a), int32(b), profit, 0.02, 0.9)
		for i, state := range states {
			if got, want := o.value(int32(i)), dense(state); math.Abs(got-want) > 1e-9*largest*k {
				t.Fatalf("value of state %d is %v, want %v", i, got, want)
			}
		}
	}
}

// The frontier against a list searched from end to end.
func TestFrontierEqualsAList(t *testing.T) {
	type entry struct{ url, state int32 }
	s := rng.New("frontier test", 1)
	for _, states := range []int{1, 5, 64, 65, 200} {
		var vectors [][]float64
		for i := range states {
			v := make([]float64, states)
			for j := range v {
				v[j] = -1
			}
			v[i] = 1
			vectors = append(vectors, v)
		}
		table := tableOf(vectors...)
		table.changing = true
		for round := range 6 {
			fixed, ties := round%2 == 0, Ties()[round/2]
			o := newOrdering(table, s)
			var f frontier
			f.init(&o, Kind{OrderingUpdate: !fixed}, ties)
			draws := rng.New("ties", 1)
			twin := rng.New("ties", 1)
			var list []entry
			next := int32(0)
			for range 4000 {
				switch x := s.Float64(); {
				case x < 0.5:
					e := entry{next, int32(s.IntN(states))}
					next++
					f.push(e.url, e.state)
					list = append(list, e)
				case x < 0.9:
					best := -1
					var equals []int
					for i, e := range list {
						if len(equals) == 0 || o.value(e.state) > o.value(list[equals[0]].state) {
							equals = equals[:0]
						} else if o.value(e.state) < o.value(list[equals[0]].state) {
							continue
						}
						equals = append(equals, i)
					}
					if len(equals) > 0 {
						best = equals[map[string]int{TiesLast: len(equals) - 1}[ties]]
						if ties == TiesRandom {
							best = equals[twin.IntN(len(equals))]
						}
					}
					url, ok := f.pop(&o, draws)
					if ok != (best >= 0) || ok && url != list[best].url {
						t.Fatalf("%d states: popped URL %d (%v), want entry %d of %v", states, url, ok, best, list)
					}
					if ok {
						list = append(list[:best], list[best+1:]...)
					}
				case x < 0.98 && len(list) > 0:
					i := s.IntN(len(list))
					e := list[i]
					to := int32(s.IntN(states))
					f.restate(e.url, to)
					if to != e.state {
						list = append(append(list[:i:i], list[i+1:]...), entry{e.url, to})
					}
				case x < 0.99:
					f.restate(next+1000, 0) // not there: nothing happens
				case x < 0.995:
					f.clear()
					list = nil
				}
				if !fixed {
					o.update(int32(s.IntN(states)), int32(s.IntN(states)), 1, 0.001, 0.9)
				}
			}
		}
	}
}

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
		config := published(t, "WL")
		config.Penalty, config.SendCost = c.penalty, c.sendCost
		s := started(t, handmade(), config)
		f := s.agent.foragers[0]
		const e = 4
		s.memory.urls[e].flags |= relevant // the center has E
		s.steps++
		s.download(f, 1) // B was seen before this step, and so is not sent in it

		f.ordering = orderingOf(s.states, []float64{1, 0})
		f.frontier.init(&f.ordering, f.kind, TiesLast)
		s.step(f) // A: downloads B, C, D
		s.step(f) // B: downloads E, F, G
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
	c := published(t, "WL")
	c.WeblogSize, c.StartSize = 2, 1
	c.MinForager = 1
	s := started(t, handmade(), c)
	f := s.agent.foragers[0]
	f.ordering = orderingOf(s.states, []float64{1, 0})
	f.frontier.init(&f.ordering, f.kind, TiesLast)

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
		got := state{s.now / 1000, f.visited, s.tally.sent, s.tally.downloaded}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("after step %d: %+v, want %+v", i+1, got, want)
		}
	}
	if want := (weblog{{b, 200}, {a, 90}}); !reflect.DeepEqual(f.weblog, want) {
		t.Errorf("weblog %v, want %v", f.weblog, want)
	}
	if s.tally.relevant != 3 || s.tally.found != 7 {
		t.Errorf("%d relevant and %d URLs found, want 3 and 7", s.tally.relevant, s.tally.found)
	}
	// 100 + 3·1 − 3·0.05
	if math.Abs(f.score-102.85) > 1e-12 {
		t.Errorf("score %v, want 102.85", f.score)
	}
	if share, age := s.freshness(); share != 1 || age != 0 {
		t.Errorf("freshness %v and age %v of a site that does not change", share, age)
	}
}

// Table 1: of three stored stories one has changed once, 2 h ago, and one
// twice, 5 h and 1 h ago: freshness 1/3, age (0 + 2 + 1)/3 h. A fourth is
// stored with a date 25 h back and does not count.
func TestFreshnessAndAge(t *testing.T) {
	const hour = newssite.Hour
	site := &newssite.Site{Dimension: 1, States: [][]float64{{-1}}, First: []int32{0}, Start: []int32{0}}
	for _, times := range [][]int64{{0}, {0, 8}, {0, 5, 9}, {-15, 9}} {
		for _, h := range times {
			site.Versions = append(site.Versions, newssite.Version{From: h * hour, Date: h * hour, Download: 1})
		}
		site.First = append(site.First, int32(len(site.Versions)))
	}
	s := started(t, site, published(t, "WL"))
	s.steps++
	for u := range int32(4) {
		s.download(s.agent.foragers[0], u)
	}
	s.now = 10 * hour
	share, age := s.freshness()
	if math.Abs(share-1./3) > 1e-12 || math.Abs(age-1) > 1e-12 {
		t.Errorf("freshness %v and age %v, want 1/3 and 1", share, age)
	}
}

// Algorithm 11: a path is its start and at most MaxStep further steps.
func TestPathsEndAfterMaxStep(t *testing.T) {
	c := published(t, "RL")
	c.MaxStep = 5
	s := started(t, smallSite(t, 1), c)
	f := s.agent.foragers[0]
	longest := 0
	for range 200 {
		s.step(f)
		longest = max(longest, len(f.visited))
	}
	if longest != 6 {
		t.Errorf("longest path has %d URLs, want 6", longest)
	}
	for _, e := range f.weblog {
		if e.value != 0 {
			t.Fatal("an RL forager's weblog was updated")
		}
	}
}

// Algorithm 5: a document that another forager sent is sent again, and a
// deleted forager's place starts with a clean memory.
func TestPreviousPagesBelongToOneForager(t *testing.T) {
	s := started(t, handmade(), published(t, "WL"))
	first, second := s.agent.foragers[0], s.agent.foragers[1]
	send := func(f *forager) (sent int64) {
		before := s.tally.sent
		s.steps++
		s.download(f, 1)
		return s.tally.sent - before
	}
	if n := send(first); n != 1 {
		t.Errorf("first forager sent %d documents, want 1", n)
	}
	if n := send(first); n != 0 {
		t.Errorf("first forager sent %d documents again", n)
	}
	if n := send(second); n != 1 {
		t.Errorf("second forager sent %d documents, want 1", n)
	}
	s.delete(first)
	s.multiply(second)
	heir := s.agent.foragers[1]
	if heir.bit != first.bit {
		t.Fatalf("the new forager did not get the free bit")
	}
	if n := send(heir); n != 1 {
		t.Errorf("the new forager sent %d documents, want 1", n)
	}
}
