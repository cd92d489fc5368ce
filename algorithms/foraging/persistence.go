package foraging

import (
	"slices"

	"sweep/environments/newssite"
	"sweep/internal/bitset"
)

// Persistence measures whether foragers stay where they were, and how new
// ones do (READINGS.md, 37). All are shares or ratios, and NaN where there is
// nothing to compare.
type Persistence struct {
	// Visits is the share of the different URLs that a forager visited on a day
	// which it had visited on the day before, too; Starts the same of the URLs
	// at which its paths began. Both are over all foragers and days.
	Visits, Starts float64

	// Young is the number of relevant documents per download of foragers that
	// were created less than a day ago, in parts of that of the others at the
	// same time: in the same windows, weighted by the downloads of the young.
	Young float64
}

// youth is the age up to which a forager is young, ms.
const youth = newssite.Day

// habits are the places of a forager on its last two days.
type habits struct {
	born int64 // ms; 0 of a forager from the beginning
	day  int64 // counted from 0

	// The different URLs visited on the day and on the day before.
	today, yesterday   bitset.Set
	visited, revisited int // number of URLs of today, and of those in yesterday

	starts, lastStarts []int32 // the different URLs at which paths began, likewise
}

// ages counts what the young and the others did in a window.
type ages struct{ young, old Counts }

// persistence collects what a Persistence is made of.
type persistence struct {
	visited, revisited int // URLs of days that follow a day
	starts, restarts   int

	window          ages
	found, expected float64 // relevant documents of the young, and at the others' rate
}

// A step is what a persistence takes from a step of a forager.
type step struct {
	url     int32
	begun   int64 // ms
	isStart bool  // of a path
	done    Counts
}

// note takes a step of a forager.
func (p *persistence) note(f *forager, taken step) {
	h := &f.habits
	for day := taken.begun / newssite.Day; h.day < day; {
		p.endDay(h)
	}
	url := taken.url
	if !h.today.Has(int(url)) {
		h.today.Add(int(url))
		h.visited++
		if h.yesterday.Has(int(url)) {
			h.revisited++
		}
	}
	if taken.isStart && !slices.Contains(h.starts, url) {
		h.starts = append(h.starts, url)
	}
	group := &p.window.old
	if h.born > 0 && taken.begun-h.born < youth {
		group = &p.window.young
	}
	group.Downloaded += taken.done.Downloaded
	group.Relevant += taken.done.Relevant
}

// endDay counts the day of a forager if it follows another, and begins the
// next.
func (p *persistence) endDay(h *habits) {
	if len(h.lastStarts) > 0 {
		p.starts += len(h.starts)
		for _, u := range h.starts {
			if slices.Contains(h.lastStarts, u) {
				p.restarts++
			}
		}
	}
	if h.yesterday.Len() > 0 {
		p.visited += h.visited
		p.revisited += h.revisited
	}
	swap := h.yesterday
	h.yesterday = h.today
	h.today = swap
	clear(h.today)
	unused := h.lastStarts
	h.lastStarts = h.starts
	h.starts = unused[:0]
	h.visited = 0
	h.revisited = 0
	h.day++
}

// endWindow compares the young with the others, in a window in which both
// downloaded.
func (p *persistence) endWindow() {
	young := p.window.young
	old := p.window.old
	p.window = ages{}
	if young.Downloaded > 0 && old.Downloaded > 0 {
		p.found += float64(young.Relevant)
		rate := float64(old.Relevant) / float64(old.Downloaded)
		p.expected += float64(rate * float64(young.Downloaded))
	}
}

// result returns what was measured. The days that have not ended are those of
// the foragers that are left.
func (p *persistence) result(foragers []*forager) Persistence {
	for _, f := range foragers {
		p.endDay(&f.habits)
	}
	return Persistence{
		Visits: quotient(float64(p.revisited), float64(p.visited)),
		Starts: quotient(float64(p.restarts), float64(p.starts)),
		Young:  quotient(p.found, p.expected),
	}
}
