package foraging

import (
	"math"
	"slices"
	"sort"

	"sweep/algorithms/belief"
	"sweep/environments/newssite"
	"sweep/internal/rng"
)

// naive is the obvious, slow twin of Simulator: Algorithms 1–12 line by
// line, with maps for sets, dense dot products, and the site's history
// searched at every download. It shares only the random stream and
// Measurements with the code that it judges.
type naive struct {
	site   *newssite.Site
	c      Config
	stream *rng.Stream
	now    int64 // ms

	relevants map[document]bool // seen by the reinforcing agent
	stored    map[int32]int32   // URL → version last downloaded
	foragers  []*naiveForager
	m         Measurements
	before    Counts
}

// document is what counts as one: a URL and, by the reading, a day or a
// version.
type document struct{ url, part int64 }

type naiveForager struct {
	kind     Kind
	score    float64
	weblog   []weblogEntry
	weight   []float64
	previous map[document]bool // Algorithm 5's previousPages
	frontier []int32           // in the order in which URLs came
	visited  []int32
	profit   []float64
	state    map[int32][]float64 // Algorithm 2
	last     []float64           // that of the page visited last

	// Of a watch forager.
	watched  []int32 // in the order in which they came
	evidence map[int32]*naiveEvidence
	brought  [2]float64 // by walks at random, and by the ordering
	time     [2]float64
	way      int // of the present step: one of the two
	returns  bool
}

// naiveEvidence is what a watch forager knows of a page.
type naiveEvidence struct {
	last                         int64
	hits, time, net, found, cost float64
	belief                       belief.Gamma
}

func runNaive(site *newssite.Site, c Config, seed int64) *Measurements {
	n := &naive{site: site, c: c, stream: rng.New("foraging", uint64(seed)),
		relevants: map[document]bool{}, stored: map[int32]int32{}}
	for _, k := range c.Foragers {
		n.foragers = append(n.foragers, n.newForager(k, newWeblog(site.Start), n.randomWeight()))
		n.foragers[len(n.foragers)-1].brought = [2]float64{1, 1}
	}
	n.m.LeastScore = math.Inf(1)
	end := int64(c.Days * float64(newssite.Day))
	window := int64(c.WindowHours * float64(newssite.Hour))
	windowEnd := window
	for turn := 0; n.now < end && len(n.foragers) > 0; turn++ {
		if turn >= len(n.foragers) {
			turn = 0
		}
		f := n.foragers[turn]
		until := min(n.now+int64(c.SliceTime*1000), end)
		for n.now < until {
			n.step(f)
			if n.now >= windowEnd {
				n.close(windowEnd)
				for windowEnd <= n.now {
					windowEnd += window
				}
			}
		}
		n.m.LeastScore = min(n.m.LeastScore, f.score)
		if f.score >= c.MaxScore && len(n.foragers) < c.MaxForager {
			n.multiply(f)
		} else if f.score <= c.MinScore && len(n.foragers) > c.MinForager {
			n.m.Deletions++
			n.foragers = slices.Delete(n.foragers, turn, turn+1)
			turn--
		}
	}
	n.m.Foragers = len(n.foragers)
	var windows float64
	for _, w := range n.m.Windows {
		if !math.IsNaN(w.Freshness) {
			windows++
			n.m.Freshness += w.Freshness
			n.m.Age += w.Age
		}
	}
	n.m.Findable = n.findable()
	n.m.Freshness /= windows
	n.m.Age /= windows
	return &n.m
}

// findable looks at the site whenever a page changes, is as old as it may be, or
// the run begins, and notes what is young then.
func (n *naive) findable() int64 {
	young := map[document]bool{}
	ended := max(n.now, int64(n.c.Days*float64(newssite.Day)))
	limit := int64(min(n.c.SendHours, n.c.RelevanceHours) * float64(newssite.Hour))
	for u := range n.site.URLs() {
		for i, v := range n.site.History(int32(u)) {
			for _, n.now = range []int64{0, v.From, v.Date + limit} {
				if n.now < 0 || n.now >= ended || int(n.page(int32(u))-n.site.First[u]) != i || n.now-v.Date > limit {
					continue
				}
				young[n.document(int32(u), n.page(int32(u)))] = true
			}
		}
	}
	return int64(len(young))
}

// document returns the document of a version.
func (n *naive) document(u, version int32) document {
	doc := document{url: int64(u)}
	switch n.c.Document {
	case DocumentDay:
		doc.part = int64(math.Floor(float64(n.site.Versions[version].Date) / float64(newssite.Day)))
	case DocumentVersion:
		doc.part = int64(version)
	}
	return doc
}

func (n *naive) randomWeight() []float64 {
	w := make([]float64, n.site.Dimension)
	for i := range w {
		w[i] = 2*n.stream.Float64() - 1
	}
	return w
}

func (n *naive) newForager(k Kind, w []weblogEntry, weight []float64) *naiveForager {
	return &naiveForager{kind: k, score: n.c.InitScore, weblog: w, weight: weight,
		previous: map[document]bool{}, state: map[int32][]float64{}, evidence: map[int32]*naiveEvidence{}}
}

// page returns the version of u that holds now, −1 before its birth.
func (n *naive) page(u int32) int32 {
	history := n.site.History(u)
	return n.site.First[u] - 1 + int32(sort.Search(len(history), func(i int) bool { return history[i].From > n.now }))
}

func (n *naive) exists(u int32) bool { return n.page(u) >= n.site.First[u] }

func (f *naiveForager) value(state []float64) float64 {
	var v float64
	for i, w := range f.weight {
		v += w * state[i]
	}
	return v
}

func (n *naive) selectURL(f *naiveForager) (int32, bool) {
	if f.kind.Watch {
		best := f.brought[0] / f.time[0]
		f.way = 0
		if f.kind.OrderingUpdate {
			if x := f.brought[1] / f.time[1]; x > best {
				best = x
				f.way = 1
			}
			if n.stream.IntN(10) == 0 {
				f.way = 1 - f.way
			}
		}
		var page []int32
		for _, u := range f.watched {
			if x := f.evidence[u].worth() * f.evidence[u].belief.Index(float64(n.now-f.evidence[u].last)); x > best {
				best = x
				page = []int32{u}
			}
		}
		f.returns = page != nil
		if f.returns {
			return page[0], len(f.visited) > 0
		}
	}
	if len(f.visited) > 0 && (f.kind.Watch || len(f.visited) <= n.c.MaxStep) && len(f.frontier) > 0 {
		best := 0
		if f.kind.Watch && f.kind.OrderingUpdate && f.way == 0 {
			best = n.anyPlace(f)
		} else {
			best = n.best(f)
		}
		u := f.frontier[best]
		f.frontier = slices.Delete(f.frontier, best, best+1)
		return u, true
	}
	if f.kind.WeblogUpdate {
		f.weblog = naiveUpdate(f.weblog, f.visited, f.profit, n.c.Beta, n.c.WeblogSize)
	}
	f.frontier, f.visited, f.profit = nil, nil, nil
	f.state = map[int32][]float64{}
	return f.weblog[n.stream.IntN(min(n.c.StartSize, len(f.weblog)))].url, false
}

// best returns the place in the frontier of the URL to visit next.
func (n *naive) best(f *naiveForager) int {
	highest := math.Inf(-1)
	for _, u := range f.frontier {
		highest = max(highest, f.value(f.state[u]))
	}
	var equals []int
	for i, u := range f.frontier {
		if f.kind.RandomWalk || f.value(f.state[u]) == highest {
			equals = append(equals, i)
		}
	}
	switch {
	case f.kind.RandomWalk, n.c.Ties == TiesRandom:
		return equals[n.stream.IntN(len(equals))]
	case n.c.Ties == TiesFirst:
		return equals[0]
	}
	return equals[len(equals)-1]
}

// anyPlace returns a place in the frontier, each with the same chance: of the
// k-th URL by the numbers of states, and in a state by when URLs came.
func (n *naive) anyPlace(f *naiveForager) int {
	k := n.stream.IntN(len(f.frontier))
	for s := range n.site.States {
		for i, u := range f.frontier {
			if &f.state[u][0] != &n.site.States[s][0] {
				continue
			}
			if k == 0 {
				return i
			}
			k--
		}
	}
	panic("a URL has no state")
}

// naiveUpdate is Algorithm 1 with a map and a selection sort.
func naiveUpdate(old []weblogEntry, visited []int32, profit []float64, beta float64, size int) []weblogEntry {
	value := map[int32]float64{}
	var order []int32
	for _, e := range old {
		value[e.url] = e.value
		order = append(order, e.url)
	}
	for i, u := range visited {
		var cumulated float64
		for j := len(visited) - 1; j >= i; j-- {
			cumulated += profit[j]
		}
		if v, ok := value[u]; ok {
			value[u] = float64((1-beta)*v) + float64(beta*cumulated)
		} else {
			value[u] = cumulated
			order = append(order, u)
		}
	}
	var sorted []weblogEntry
	for len(order) > 0 && len(sorted) < size {
		best := 0
		for i := range order {
			if value[order[i]] > value[order[best]] {
				best = i
			}
		}
		sorted = append(sorted, weblogEntry{url: order[best], value: value[order[best]]})
		order = slices.Delete(order, best, best+1)
	}
	return sorted
}

func (e *naiveEvidence) worth() float64 { return (1 + e.net) / (1 + e.found) / e.cost }

// watch learns from a step at page u, which began at a time and before which so
// many documents were sent and relevant.
func (n *naive) watch(f *naiveForager, u int32, begun, sent, relevant int64) {
	found := n.m.Relevant > relevant
	took := float64(n.now - begun)
	net := float64(n.m.Relevant-relevant) - float64(n.c.WatchSendCost*float64(n.m.Sent-sent))
	if !f.returns {
		f.brought[f.way] = float64(f.brought[f.way]*n.c.YieldKept) + net
		f.time[f.way] = float64(f.time[f.way]*n.c.YieldKept) + took
	}
	e, known := f.evidence[u]
	gap := n.c.RelevanceHours * float64(newssite.Hour)
	if known {
		gap = float64(begun - e.last)
		e.cost = (e.cost + took) / 2
	} else {
		e = &naiveEvidence{cost: took}
	}
	hours := n.c.PriorHours * float64(newssite.Hour)
	old := belief.Gamma{A: n.c.PriorHits + float64(e.hits*n.c.EvidenceKept), B: hours + float64(e.time*n.c.EvidenceKept)}
	e.belief = old.Learn(gap, found)
	e.hits, e.time, e.last = e.belief.A-n.c.PriorHits, e.belief.B-hours, begun
	e.net, e.found = float64(e.net*n.c.EvidenceKept)+net, e.found*n.c.EvidenceKept
	if found {
		e.found++
	}
	if known {
		return
	}
	rate := func(u int32) float64 { return f.evidence[u].net / f.evidence[u].belief.B / f.evidence[u].cost }
	f.evidence[u] = e
	if len(f.watched) < n.c.WeblogSize {
		f.watched = append(f.watched, u)
		return
	}
	least := 0
	for i, other := range f.watched {
		if rate(other) < rate(f.watched[least]) {
			least = i
		}
	}
	if rate(u) > rate(f.watched[least]) {
		f.watched[least], u = u, f.watched[least]
	}
	delete(f.evidence, u)
}

func (n *naive) step(f *naiveForager) {
	u, onward := n.selectURL(f)
	begun, sent, relevant := n.now, n.m.Sent, n.m.Relevant
	version := n.page(u)
	pages := []int32{u}
	profit := n.download(f, u)
	state := n.site.States[n.site.Versions[version].State]

	if slices.Contains(f.frontier, u) { // a watch forager returned to it
		f.restate(u, state)
	}

	downloaded := map[int32]bool{u: true}
	for _, link := range n.site.LinksOf(&n.site.Versions[version]) {
		if downloaded[link] || !n.exists(link) || n.c.SkipVisited && slices.Contains(f.visited, link) {
			continue
		}
		downloaded[link] = true
		pages = append(pages, link)
		linkedState := n.site.States[n.site.Versions[n.page(link)].State]
		profit += n.download(f, link)
		switch {
		case slices.Contains(f.frontier, link):
			f.restate(link, linkedState)
		case slices.Contains(f.visited, link):
			continue
		default:
			f.frontier = append(f.frontier, link)
		}
		f.state[link] = linkedState
	}
	if onward && f.kind.OrderingUpdate {
		last := f.last
		delta := profit + n.c.Gamma*f.value(state) - f.value(last)
		for i := range f.weight {
			f.weight[i] += n.c.Alpha * delta * last[i]
		}
	}
	f.state[u] = state
	f.last = state
	f.visited = append(f.visited, u)
	f.profit = append(f.profit, profit)
	if f.kind.Watch {
		n.watch(f, u, begun, sent, relevant)
	}
}

// restate makes a URL of the frontier the latest of its new state.
func (f *naiveForager) restate(u int32, state []float64) {
	if slices.Equal(f.state[u], state) || f.kind.RandomWalk {
		return
	}
	at := slices.Index(f.frontier, u)
	f.frontier = append(slices.Delete(f.frontier, at, at+1), u)
}

func (n *naive) download(f *naiveForager, u int32) (profit float64) {
	version := n.page(u)
	v := n.site.Versions[version]
	n.m.Downloaded++
	if _, ok := n.stored[u]; !ok {
		n.m.Found++
	}
	n.stored[u] = version
	begun := n.now
	n.now += int64(v.Download)
	age := begun - v.Date
	doc := n.document(u, version)
	if age > int64(n.c.SendHours*float64(newssite.Hour)) || f.previous[doc] && !n.c.SendAgain {
		return 0
	}
	f.previous[doc] = true
	n.m.Sent++
	f.score -= n.c.ScoreMinus
	if n.relevants[doc] || age > int64(n.c.RelevanceHours*float64(newssite.Hour)) {
		return n.c.Penalty + n.c.SendCost
	}
	n.relevants[doc] = true
	n.m.Relevant++
	f.score += n.c.ScorePlus
	return n.c.Reward + n.c.SendCost
}

func (n *naive) multiply(f *naiveForager) {
	n.m.Multiplications++
	child := n.newForager(f.kind, f.weblog, append([]float64(nil), f.weight...))
	if f.kind.WeblogUpdate {
		kept, moved := weblog(append([]weblogEntry(nil), f.weblog...)).split(n.stream)
		f.weblog, child.weblog = kept, moved
	}
	if !f.kind.OrderingUpdate {
		child.weight = n.randomWeight()
	}
	if f.kind.Watch {
		child.brought, child.time = f.brought, f.time
		all := f.watched
		f.watched = nil
		for i, u := range all { // as weblogs are divided
			if n.stream.IntN(len(all)-i) < len(all)/2-len(child.watched) {
				child.watched = append(child.watched, u)
				child.evidence[u] = f.evidence[u]
				delete(f.evidence, u)
			} else {
				f.watched = append(f.watched, u)
			}
		}
	}
	f.score = n.c.InitScore
	n.foragers = append(n.foragers, child)
}

func (n *naive) close(end int64) {
	w := Window{End: float64(end) / float64(newssite.Hour), Foragers: len(n.foragers)}
	w.Counts = Counts{n.m.Downloaded - n.before.Downloaded, n.m.Sent - n.before.Sent,
		n.m.Relevant - n.before.Relevant, n.m.Found - n.before.Found}
	n.before = n.m.Counts
	var documents, current, age float64
	for u, stored := range n.stored {
		if n.now-n.site.Versions[stored].Date > int64(n.c.RelevanceHours*float64(newssite.Hour)) {
			continue
		}
		documents++
		if page := n.page(u); page == stored {
			current++
		} else {
			age += float64(n.now - n.site.Versions[page].From)
		}
	}
	w.Freshness = current / documents
	w.Age = age / documents / float64(newssite.Hour)
	n.m.Windows = append(n.m.Windows, w)
}
